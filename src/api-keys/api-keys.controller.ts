import { Body, Controller, Delete, Get, Param, Post } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { Caller, RequireConfirmation, RequireSession } from '../access/access.decorators.js';
import type { SessionPrincipal } from '../access/principal.js';
import { ApiErrors } from '../platform/errors/api-errors.decorator.js';
import {
  ApiKeyListDto,
  asksForMoreThanRead,
  CreateApiKeyDto,
  CreatedApiKeyDto,
  RevokedApiKeyDto,
  toApiKeyListDto,
  toCreatedApiKeyDto,
  toRevokedApiKeyDto,
} from './api-keys.dto.js';
import { ApiKeysService } from './api-keys.service.js';

@ApiTags('api-keys')
@Controller('account/api-keys')
export class ApiKeysController {
  constructor(private readonly apiKeys: ApiKeysService) {}

  @RequireSession()
  @ApiOperation({ summary: 'List your API key', description: 'At most one; the key itself is never shown again.' })
  @ApiOkResponse({ type: ApiKeyListDto })
  @Get()
  async listApiKeys(@Caller() caller: SessionPrincipal): Promise<ApiKeyListDto> {
    return toApiKeyListDto(await this.apiKeys.list(caller.userId));
  }

  @RequireSession()
  @ApiOperation({
    summary: 'Create your API key',
    description:
      'The answer is the only one that ever holds the whole key. A user has one key: delete it before the next. With `trade` or ' +
      '`admin` a session that signed in more than 30 minutes ago first confirms: `POST /account/confirm`.',
  })
  @ApiBody({ type: CreateApiKeyDto, required: false })
  @ApiCreatedResponse({ type: CreatedApiKeyDto })
  @ApiErrors('api_key_exists')
  @RequireConfirmation(asksForMoreThanRead)
  @Post()
  async createApiKey(@Caller() caller: SessionPrincipal, @Body() body: CreateApiKeyDto): Promise<CreatedApiKeyDto> {
    return toCreatedApiKeyDto(await this.apiKeys.create(caller, body.name, body.scopes));
  }

  @RequireSession()
  @ApiOperation({
    summary: 'Revoke your API key',
    description: 'At once and for good: when this answers, no instance of the service accepts the key any more.',
  })
  @ApiParam({ name: 'key_prefix', description: 'The first 16 characters of the key.', example: 'svc_sk_live_4fGh' })
  @ApiOkResponse({ type: RevokedApiKeyDto })
  @Delete(':key_prefix')
  async revokeApiKey(
    @Caller() caller: SessionPrincipal,
    @Param('key_prefix') prefix: string,
  ): Promise<RevokedApiKeyDto> {
    return toRevokedApiKeyDto(prefix, await this.apiKeys.revoke(caller, prefix));
  }
}
