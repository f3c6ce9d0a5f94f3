import { Body, Controller, HttpCode, Post, Req, Res, UseInterceptors } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiExtraModels,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public } from '../access/access.decorators.js';
import { ApiErrors } from '../platform/errors/api-errors.decorator.js';
import { emailOf } from '../platform/http/email-address.js';
import { answerSignedIn, answerSignUp } from './auth.answers.js';
import { LogInDto, SignedInDto, SignUpDto, SignUpPendingDto, VerifyEmailDto } from './auth.dto.js';
import { EvenTimeInterceptor } from './limits/even-time.interceptor.js';
import { LogInService } from './login/login.service.js';
import { findRefreshCookie } from './refresh-cookie.js';
import { Visitors } from './sessions/visitors.js';
import { SignUpService } from './signup/signup.service.js';
import { VerificationService } from './signup/verification.service.js';

@ApiTags('auth')
@Controller('auth')
export class AuthController {
  constructor(
    private readonly signUps: SignUpService,
    private readonly verifications: VerificationService,
    private readonly logIns: LogInService,
    private readonly visitors: Visitors,
  ) {}

  @ApiOperation({
    summary: 'Sign up',
    description:
      'Open mode: answers alike for every address and sends a mail with a link to verify it. Whitelist mode: signs in at once if the address is pre-approved, and sets the refresh cookie.',
  })
  @ApiExtraModels(SignUpPendingDto, SignedInDto)
  @ApiCreatedResponse({
    description: 'Open mode: pending until it is verified. Whitelist mode: signed in.',
    schema: { oneOf: [{ $ref: getSchemaPath(SignUpPendingDto) }, { $ref: getSchemaPath(SignedInDto) }] },
  })
  @ApiErrors('signup_not_allowed', 'weak_password')
  @Public()
  @UseInterceptors(EvenTimeInterceptor)
  @Post('signup')
  async signUp(
    @Body() { email, password, name }: SignUpDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SignUpPendingDto | SignedInDto> {
    return answerSignUp(response, await this.signUps.signUp({ email: emailOf(email), password, name }));
  }

  @ApiOperation({
    summary: 'Verify an e-mail address',
    description:
      'Takes the token of the mail, once and within 24 hours, and signs in: the refresh cookie is set. Where several sign-ups are pending for the address, the account begins without any of their passwords and names: set a password by a reset. So it does, emptied, where an account of whitelist mode is verified without a living session of that account (access token or refresh cookie). Where somebody else is signed in, by cookie or access token, 403 `another_account` unless `replace_session` is true.',
  })
  @ApiOkResponse({ type: SignedInDto })
  @ApiErrors('invalid_token', 'unauthorized', 'forbidden', 'signup_not_allowed')
  @Public()
  @HttpCode(200)
  @Post('verify-email')
  async verifyEmail(
    @Body() { token, replace_session: mayReplaceSession = false }: VerifyEmailDto,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SignedInDto> {
    const visitor = await this.visitors.of(request, findRefreshCookie(request));
    return answerSignedIn(response, await this.verifications.verify(token, visitor, mayReplaceSession));
  }

  @ApiOperation({
    summary: 'Log in',
    description: 'With e-mail address and password. Answers an access token and sets the refresh cookie.',
  })
  @ApiOkResponse({ type: SignedInDto })
  @ApiErrors('invalid_credentials', 'email_not_verified')
  @Public()
  @UseInterceptors(EvenTimeInterceptor)
  @HttpCode(200)
  @Post('login')
  async logIn(
    @Body() { email, password }: LogInDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SignedInDto> {
    return answerSignedIn(response, await this.logIns.logIn(emailOf(email), password));
  }
}
