import { Body, Controller, HttpCode, Post, Req, UseInterceptors } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { Public } from '../access/access.decorators.js';
import { ApiErrors } from '../platform/errors/api-errors.decorator.js';
import { emailOf } from '../platform/http/email-address.js';
import { messageAfter } from './auth.answers.js';
import { ForgotPasswordDto, MessageDto, ResetPasswordDto } from './auth.dto.js';
import { AuthRates } from './limits/auth-rates.js';
import { EvenTimeInterceptor } from './limits/even-time.interceptor.js';
import { AccountMails } from './mails/account-mails.js';
import { PasswordResetService } from './passwords/password-reset.service.js';

const BODY_ERRORS = ['bad_request', 'unsupported_media_type', 'payload_too_large'] as const;

@ApiTags('auth')
@Controller('auth')
export class PasswordController {
  constructor(
    private readonly mails: AccountMails,
    private readonly resets: PasswordResetService,
    private readonly rates: AuthRates,
  ) {}

  @ApiOperation({
    summary: 'Ask for a password reset',
    description: 'Answers alike for every address. If an account or a pending sign-up has it, a link is mailed.',
  })
  @ApiOkResponse({ type: MessageDto })
  @ApiErrors(...BODY_ERRORS, 'service_unavailable', 'internal_error')
  @Public()
  @UseInterceptors(EvenTimeInterceptor)
  @HttpCode(200)
  @Post('forgot-password')
  requestPasswordReset(@Body() { email }: ForgotPasswordDto, @Req() request: Request): Promise<MessageDto> {
    return messageAfter(
      this.rates.unlessSilenced(request, () => this.mails.askForReset(emailOf(email))),
      'If the address is known here, a link to reset the password is on its way.',
    );
  }

  @ApiOperation({
    summary: 'Set a new password',
    description:
      'Takes the token of the mail, once and within 30 minutes, and ends every session. The API key goes on working unless `revoke_api_keys` is true: then no instance accepts it once this has answered. It does not sign in. A refused password leaves the token usable.',
  })
  @ApiOkResponse({ type: MessageDto })
  @ApiErrors('invalid_token', 'weak_password', 'rate_limited', ...BODY_ERRORS, 'service_unavailable', 'internal_error')
  @Public()
  @HttpCode(200)
  @Post('reset-password')
  resetPassword(@Body() { token, ...body }: ResetPasswordDto): Promise<MessageDto> {
    const reset = { newPassword: body.new_password, revokesKey: body.revoke_api_keys ?? false };
    return messageAfter(this.resets.reset(token, reset), 'The password is set. Sign in with it.');
  }
}
