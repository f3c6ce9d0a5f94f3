import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AnswerDependsOn, Caller, RequireScope } from '../access/access.decorators.js';
import type { ApiKeyPrincipal } from '../access/principal.js';
import { MeDto } from './me.dto.js';
import { MeService } from './me.service.js';

@ApiTags('account')
@AnswerDependsOn('api-key')
@Controller('me')
export class MeController {
  constructor(private readonly me: MeService) {}

  @RequireScope()
  @ApiOperation({
    summary: 'Who am I',
    description: 'Checks an API key: whose it is, what it may do, whether for real money, and how often.',
  })
  @ApiOkResponse({ type: MeDto })
  @Get()
  getMe(@Caller() caller: ApiKeyPrincipal): Promise<MeDto> {
    return this.me.describe(caller);
  }
}
