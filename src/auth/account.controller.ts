import { Body, Controller, Delete, HttpCode, Post, Res } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiOkResponse, ApiOperation, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { Response } from 'express';
import { Caller, RequireSession } from '../access/access.decorators.js';
import type { SessionPrincipal } from '../access/principal.js';
import { ApiErrors } from '../platform/errors/api-errors.decorator.js';
import { AccountRemovalService } from './account/account-removal.service.js';
import { ConfirmationService } from './account/confirmation.service.js';
import {
  ChangePasswordDto,
  DeleteAccountDto,
  PasswordConfirmationDto,
  ProviderConfirmationDto,
  toPasswordChange,
  toProof,
} from './account.dto.js';
import { messageAfter } from './auth.answers.js';
import { MessageDto } from './auth.dto.js';
import { PasswordChangeService } from './passwords/password-change.service.js';
import { clearingAfter } from './refresh-cookie.js';
import { VerificationRequestsService } from './signup/verification-requests.service.js';

const CONFIRMATIONS = [PasswordConfirmationDto, ProviderConfirmationDto];

@ApiTags('account')
@Controller('account')
export class AccountController {
  constructor(
    private readonly passwords: PasswordChangeService,
    private readonly removal: AccountRemovalService,
    private readonly verifications: VerificationRequestsService,
    private readonly confirmations: ConfirmationService,
  ) {}

  @ApiOperation({
    summary: 'Confirm that it is you',
    description:
      'Good for 5 minutes, for this session alone. A session that signed in more than 30 minutes ago needs it before a new API key ' +
      'with `trade` or `admin`, and before exchange credentials are stored or a session key is made or taken into use. Either ' +
      'the password, or a code of a provider that signs in to this account.',
  })
  @ApiExtraModels(...CONFIRMATIONS)
  @ApiBody({ schema: { oneOf: CONFIRMATIONS.map((body) => ({ $ref: getSchemaPath(body) })) } })
  @ApiOkResponse({ type: MessageDto })
  @ApiErrors('invalid_credentials', 'redirect_uri_not_allowed', 'oauth_failed', 'provider_not_configured')
  @ApiErrors('oauth_provider_error', 'oauth_provider_timeout')
  @RequireSession()
  @HttpCode(200)
  @Post('confirm')
  async confirmSession(@Caller() caller: SessionPrincipal, @Body() body: unknown): Promise<MessageDto> {
    return messageAfter(this.confirmations.confirm(caller, await toProof(body)), 'Confirmed for 5 minutes.');
  }

  @ApiOperation({
    summary: 'Change your password',
    description:
      'Needs the current one, and ends every other session. A password is set for the first time by a reset.',
  })
  @ApiOkResponse({ type: MessageDto })
  @ApiErrors('invalid_credentials', 'weak_password', 'rate_limited')
  @RequireSession()
  @HttpCode(200)
  @Post('password')
  changePassword(@Caller() caller: SessionPrincipal, @Body() body: ChangePasswordDto): Promise<MessageDto> {
    return messageAfter(
      this.passwords.change(caller, toPasswordChange(body)),
      'The password is changed. All other sessions have ended.',
    );
  }

  @ApiOperation({
    summary: 'Have the verification mail sent again',
    description:
      'To your own address, while it is not verified; 3 an hour and 10 a day. Follow its link where you are signed in: from anywhere else it empties the account. Where the address is verified already, the answer says so and nothing is sent.',
  })
  @ApiOkResponse({ type: MessageDto })
  @ApiErrors('rate_limited')
  @RequireSession()
  @HttpCode(200)
  @Post('verification')
  async requestVerificationMail(@Caller() caller: SessionPrincipal): Promise<MessageDto> {
    const message = (await this.verifications.ask(caller))
      ? 'A link to verify your address is on its way. Follow it where you are signed in.'
      : 'Your address is verified already. Nothing was sent.';
    return { message };
  }

  @ApiOperation({
    summary: 'Delete your account',
    description: 'Needs the password. Removes the account with its sessions, API key and stored credentials, for good.',
  })
  @ApiOkResponse({ type: MessageDto })
  @ApiErrors('invalid_credentials', 'rate_limited')
  @RequireSession()
  @Delete()
  deleteAccount(
    @Caller() caller: SessionPrincipal,
    @Body() { password }: DeleteAccountDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<MessageDto> {
    return clearingAfter(response, messageAfter(this.removal.removeOwn(caller, password), 'Your account is deleted.'));
  }
}
