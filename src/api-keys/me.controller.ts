import { Controller, Get, UseInterceptors } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Caller, RequireScope } from '../access/access.decorators.js';
import type { ApiKeyPrincipal } from '../access/principal.js';
import { MeDto } from './api-keys.dto.js';
import { KeyAnswerInterceptor } from './key-answer.interceptor.js';

@ApiTags('API keys')
@UseInterceptors(KeyAnswerInterceptor)
@Controller('me')
export class MeController {
  @RequireScope()
  @ApiOperation({ summary: 'Who am I', description: 'Checks an API key: whose it is and what it may do.' })
  @ApiOkResponse({ type: MeDto })
  @Get()
  getMe(@Caller() caller: ApiKeyPrincipal): MeDto {
    return { user_id: caller.userId, key_prefix: caller.keyPrefix, scopes: [...caller.scopes] };
  }
}
