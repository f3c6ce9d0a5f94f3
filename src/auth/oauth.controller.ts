import { applyDecorators, Body, Controller, Get, HttpCode, Post, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Public } from '../access/access.decorators.js';
import { ApiErrors } from '../platform/errors/api-errors.decorator.js';
import { answerSignedIn } from './auth.answers.js';
import { SignedInDto } from './auth.dto.js';
import { OAuthCallbackDto, ProviderListDto, toOAuthCode, toProviderDto } from './auth.dto.js';
import { OAuthService } from './oauth/oauth.service.js';

/** What both callbacks have in common. */
function CallbackRoute(provider: string): MethodDecorator {
  return applyDecorators(
    ApiOperation({
      summary: `Sign in with ${provider}`,
      description:
        'Takes the authorization code with its PKCE verifier. The redirect address must be on the list of the service. Sets the refresh cookie.',
    }),
    ApiOkResponse({ type: SignedInDto }),
    ApiErrors('redirect_uri_not_allowed', 'oauth_failed', 'signup_not_allowed', 'provider_not_configured'),
    ApiErrors('oauth_provider_error', 'oauth_provider_timeout'),
    HttpCode(200),
  );
}

@ApiTags('auth')
@Controller('auth')
export class OAuthController {
  constructor(private readonly oauth: OAuthService) {}

  @ApiOperation({
    summary: 'Sign-in providers',
    description: 'Those that are switched on, with what a client needs to send its user there.',
  })
  @ApiOkResponse({ type: ProviderListDto })
  @Public()
  @Get('providers')
  async listProviders(): Promise<ProviderListDto> {
    return { providers: (await this.oauth.list()).map(toProviderDto) };
  }

  @CallbackRoute('Google')
  @Public()
  @Post('google/callback')
  async signInWithGoogle(
    @Body() body: OAuthCallbackDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SignedInDto> {
    return answerSignedIn(response, await this.oauth.signIn('google', toOAuthCode(body)));
  }

  @CallbackRoute('GitHub')
  @Public()
  @Post('github/callback')
  async signInWithGithub(
    @Body() body: OAuthCallbackDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SignedInDto> {
    return answerSignedIn(response, await this.oauth.signIn('github', toOAuthCode(body)));
  }
}
