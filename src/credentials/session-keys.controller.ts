import { Body, Controller, Delete, HttpCode, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Caller, LimitPerUser, RequireConfirmation, RequireSession } from '../access/access.decorators.js';
import type { SessionPrincipal } from '../access/principal.js';
import { READ_ERRORS } from '../exchanges/call.errors.js';
import type { Exchange } from '../exchanges/exchange.js';
import { ApiSessionKeyExchangeParam, ExchangeParam } from '../exchanges/exchange-param.decorator.js';
import { SESSION_KEY_TEXTS } from '../exchanges/exchange-docs.js';
import { ApiErrors } from '../platform/errors/api-errors.decorator.js';
import {
  CreatedSessionKeyDto,
  NewSessionKeyDto,
  RemovedSessionKeyDto,
  SessionKeyActivationDto,
  SessionKeyAnswerDto,
  toCreatedSessionKeyDto,
  toSessionKeyAnswerDto,
  toValidUntil,
} from './session-keys.dto.js';
import { SessionKeysService } from './session-keys.service.js';
import { VERIFY_RATE } from './verify-rate.js';

const REVOKING = SESSION_KEY_TEXTS.map(({ command }) => `\`${command} -- revoke\``);

@ApiTags('credentials')
@Controller('account/credentials/:exchange/session-key')
export class SessionKeysController {
  constructor(private readonly sessionKeys: SessionKeysService) {}

  @RequireSession()
  @ApiOperation({
    summary: 'Make a session key',
    description:
      'A key that can trade for an account and move nothing out of it. Nobody ever sees its private half. It waits until the ' +
      'owner of the account has authorised it and it is activated; a new one takes its place. A session that signed in more than 30 minutes ' +
      'ago first confirms: `POST /account/confirm`.',
  })
  @ApiSessionKeyExchangeParam()
  @ApiCreatedResponse({ type: CreatedSessionKeyDto })
  @LimitPerUser(VERIFY_RATE)
  @RequireConfirmation()
  @Post()
  async createSessionKey(
    @Caller() caller: SessionPrincipal,
    @ExchangeParam() exchange: Exchange,
    @Body() { wallet_address }: NewSessionKeyDto,
  ): Promise<CreatedSessionKeyDto> {
    return toCreatedSessionKeyDto(await this.sessionKeys.create(caller, exchange, wallet_address));
  }

  @RequireSession()
  @ApiOperation({
    summary: 'Take the session key that waits into use',
    description:
      'Asks the exchange for the API credentials of the key and tries them, for up to 65 seconds: so long an exchange may need ' +
      'to learn of a key. In the place of the key that was active before. A session that signed in more than 30 minutes ago ' +
      'first confirms: `POST /account/confirm`.',
  })
  @ApiSessionKeyExchangeParam()
  @ApiOkResponse({ type: SessionKeyAnswerDto })
  @ApiErrors('credentials_rejected', ...READ_ERRORS)
  @LimitPerUser(VERIFY_RATE)
  @RequireConfirmation()
  @HttpCode(200)
  @Post('activate')
  async activateSessionKey(
    @Caller() caller: SessionPrincipal,
    @ExchangeParam() exchange: Exchange,
    @Body() body: SessionKeyActivationDto,
  ): Promise<SessionKeyAnswerDto> {
    return toSessionKeyAnswerDto(await this.sessionKeys.activate(caller, exchange, toValidUntil(body)));
  }

  @RequireSession()
  @ApiOperation({
    summary: 'Forget the session keys for an exchange',
    description:
      'Both the one in use and the one that waits, with the API credentials that the exchange issued to them; other stored ' +
      'credentials stay. The exchange goes on accepting the key until the owner of the account revokes it there: ' +
      `${REVOKING.join(', ')}.`,
  })
  @ApiSessionKeyExchangeParam()
  @ApiOkResponse({ type: RemovedSessionKeyDto })
  @Delete()
  async removeSessionKeys(
    @Caller() caller: SessionPrincipal,
    @ExchangeParam() exchange: Exchange,
  ): Promise<RemovedSessionKeyDto> {
    return { exchange: exchange.id, removed: await this.sessionKeys.remove(caller, exchange) };
  }
}
