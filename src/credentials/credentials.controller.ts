import { Body, Controller, Delete, Get, HttpCode, Post, Put, Query } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiOkResponse, ApiOperation, ApiTags, getSchemaPath } from '@nestjs/swagger';
import { Caller, LimitPerUser, RequireConfirmation, RequireSession } from '../access/access.decorators.js';
import type { SessionPrincipal } from '../access/principal.js';
import { READ_ERRORS, TRADING_ERRORS } from '../exchanges/call.errors.js';
import type { Exchange } from '../exchanges/exchange.js';
import { ExchangeRegistry, EXCHANGES } from '../exchanges/exchange.registry.js';
import { ApiExchangeParam, ExchangeParam } from '../exchanges/exchange-param.decorator.js';
import { ApiErrors } from '../platform/errors/api-errors.decorator.js';
import {
  CredentialListDto,
  CredentialStatusDto,
  RemovedCredentialDto,
  StoredCredentialDto,
  toCredentialListDto,
  toStoredCredentialDto,
  toVerifiedCredentialDto,
  VerifiedCredentialDto,
  VerifyQueryDto,
} from './credentials.dto.js';
import { CredentialsService } from './credentials.service.js';
import { VERIFY_RATE } from './verify-rate.js';

const BODIES = EXCHANGES.map(({ Credentials }) => Credentials);

/** Calls that store or try credentials share a limit of their own (S-56). */
@ApiTags('credentials')
@Controller('account/credentials')
export class CredentialsController {
  constructor(
    private readonly credentials: CredentialsService,
    private readonly registry: ExchangeRegistry,
  ) {}

  @RequireSession()
  @ApiOperation({ summary: 'Which exchanges are configured', description: 'Stored values are never shown.' })
  @ApiExtraModels(CredentialStatusDto)
  @ApiOkResponse({ type: CredentialListDto })
  @Get()
  async listCredentials(@Caller() caller: SessionPrincipal): Promise<CredentialListDto> {
    return toCredentialListDto(await this.credentials.list(caller.userId, this.registry.all));
  }

  @RequireSession()
  @ApiOperation({
    summary: 'Store credentials for an exchange',
    description:
      'Checked, sealed with AES-256-GCM and never shown again. Overwrites what was stored before; a session key stays, ' +
      'unless the body has one. A session that signed in more than 30 minutes ago first confirms: `POST /account/confirm`.',
  })
  @ApiExchangeParam()
  @ApiExtraModels(...BODIES)
  @ApiBody({ schema: { oneOf: BODIES.map((body) => ({ $ref: getSchemaPath(body) })) } })
  @ApiOkResponse({ type: StoredCredentialDto })
  @ApiErrors('credentials_rejected', ...READ_ERRORS)
  @LimitPerUser(VERIFY_RATE)
  @RequireConfirmation()
  @Put(':exchange')
  async replaceCredentials(
    @Caller() caller: SessionPrincipal,
    @ExchangeParam() exchange: Exchange,
    @Query() query: VerifyQueryDto,
    @Body() body: unknown,
  ): Promise<StoredCredentialDto> {
    return toStoredCredentialDto(
      await this.credentials.replace(caller, exchange, { body, verify: query.verify === 'true' }),
    );
  }

  @RequireSession()
  @ApiOperation({
    summary: 'Try the stored credentials',
    description: 'A signed read at the exchange with all that is stored; changes nothing.',
  })
  @ApiExchangeParam()
  @ApiOkResponse({ type: VerifiedCredentialDto })
  @ApiErrors(...TRADING_ERRORS)
  @LimitPerUser(VERIFY_RATE)
  @HttpCode(200)
  @Post(':exchange/verify')
  async verifyCredentials(
    @Caller() caller: SessionPrincipal,
    @ExchangeParam() exchange: Exchange,
  ): Promise<VerifiedCredentialDto> {
    return toVerifiedCredentialDto(exchange.id, await this.credentials.verify(caller.userId, exchange));
  }

  @RequireSession()
  @ApiOperation({
    summary: 'Remove the credentials for an exchange',
    description: 'Session keys too. Trading there fails from then on.',
  })
  @ApiExchangeParam()
  @ApiOkResponse({ type: RemovedCredentialDto })
  @Delete(':exchange')
  removeCredentials(
    @Caller() caller: SessionPrincipal,
    @ExchangeParam() exchange: Exchange,
  ): Promise<RemovedCredentialDto> {
    return this.credentials.remove(caller, exchange);
  }
}
