import { Body, Controller, Delete, HttpCode, Post, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Caller, RequireSession } from '../access/access.decorators.js';
import type { SessionPrincipal } from '../access/principal.js';
import { ApiErrors } from '../platform/errors/api-errors.decorator.js';
import { AccountRemovalService } from './account/account-removal.service.js';
import { ChangePasswordDto, DeleteAccountDto, toPasswordChange } from './account.dto.js';
import { messageAfter } from './auth.answers.js';
import { MessageDto } from './auth.dto.js';
import { PasswordChangeService } from './passwords/password-change.service.js';
import { clearingAfter } from './refresh-cookie.js';

@ApiTags('Account')
@Controller('account')
export class AccountController {
  constructor(
    private readonly passwords: PasswordChangeService,
    private readonly removal: AccountRemovalService,
  ) {}

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
