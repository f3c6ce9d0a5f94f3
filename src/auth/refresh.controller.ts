import { Controller, HttpCode, Post, Req, Res, UseGuards } from '@nestjs/common';
import { ApiCookieAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Caller, Public, RequireSession } from '../access/access.decorators.js';
import type { SessionPrincipal } from '../access/principal.js';
import { ApiErrors } from '../platform/errors/api-errors.decorator.js';
import { answerSignedIn, messageAfter } from './auth.answers.js';
import { MessageDto, SignedInDto } from './auth.dto.js';
import { clearingAfter, clearingRefused, getRefreshCookie, OneRefreshCookieGuard } from './refresh-cookie.js';
import { RefreshService } from './sessions/refresh.service.js';
import { SessionsService } from './sessions/sessions.service.js';

/** Refresh and log-out, for which the cookie speaks (S-20, S-23). */
@ApiTags('auth')
@Controller('auth')
export class RefreshController {
  constructor(
    private readonly refreshes: RefreshService,
    private readonly sessions: SessionsService,
  ) {}

  @ApiOperation({
    summary: 'Refresh the access token',
    description:
      'Reads the `refresh_token` cookie, replaces it and answers a new access token. Calls that race within 10 seconds get the same new cookie; a cookie used later than that ends the session. A session is refreshed at most 20 times a minute.',
  })
  @ApiCookieAuth('refresh_token')
  @ApiOkResponse({ type: SignedInDto })
  @ApiErrors('unauthorized', 'forbidden')
  @Public()
  @HttpCode(200)
  @Post('refresh')
  async refreshSession(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<SignedInDto> {
    return answerSignedIn(response, await clearingRefused(response, this.refreshes.refresh(getRefreshCookie(request))));
  }

  @ApiOperation({
    summary: 'Log out',
    description: 'Ends the session of the access token at once and clears the cookie, whether or not it was sent.',
  })
  @ApiOkResponse({ type: MessageDto })
  @ApiErrors('forbidden')
  @UseGuards(OneRefreshCookieGuard)
  @RequireSession()
  @HttpCode(200)
  @Post('logout')
  logOut(@Caller() caller: SessionPrincipal, @Res({ passthrough: true }) response: Response): Promise<MessageDto> {
    return clearingAfter(response, messageAfter(this.sessions.logOut(caller), 'You are logged out.'));
  }
}
