import { Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiCookieAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Caller, Public, RequireSession } from '../../access/access.decorators.js';
import type { SessionPrincipal } from '../../access/principal.js';
import { ApiErrors } from '../../platform/errors/api-errors.decorator.js';
import { MessageDto, SignedInDto } from '../auth.dto.js';
import { answerSignedIn } from '../signed-in.js';
import { clearingRefused, clearRefreshCookie, findRefreshCookie, getRefreshCookie } from './refresh-cookie.js';
import { RefreshService } from './refresh.service.js';
import { SignedInDevices } from './signed-in-devices.js';

@ApiTags('Authentication')
@Controller('auth')
export class RefreshController {
  constructor(
    private readonly refreshes: RefreshService,
    private readonly devices: SignedInDevices,
  ) {}

  @ApiOperation({
    summary: 'Refresh the access token',
    description:
      'Reads the `refresh_token` cookie, replaces it and answers a new access token. Calls that race within 10 seconds get the same new cookie; a cookie used later than that ends the session.',
  })
  @ApiCookieAuth('refresh_token')
  @ApiOkResponse({ type: SignedInDto })
  @ApiErrors('unauthorized', 'forbidden')
  @Public()
  @HttpCode(200)
  @Post('refresh')
  async refresh(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<SignedInDto> {
    const refreshed = this.refreshes.refresh(getRefreshCookie(request));
    return answerSignedIn(response, await refreshed.catch(clearingRefused(response)));
  }

  @ApiOperation({
    summary: 'Log out',
    description: 'Ends the session of the access token at once and clears the cookie, whether or not it was sent.',
  })
  @ApiOkResponse({ type: MessageDto })
  @ApiErrors('forbidden')
  @RequireSession()
  @HttpCode(200)
  @Post('logout')
  async logOut(
    @Caller() caller: SessionPrincipal,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<MessageDto> {
    findRefreshCookie(request);
    await this.devices.logOut(caller);
    clearRefreshCookie(response);
    return { message: 'You are logged out.' };
  }
}
