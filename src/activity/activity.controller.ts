import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Caller, RequireSession } from '../access/access.decorators.js';
import type { SessionPrincipal } from '../access/principal.js';
import { ActivityListDto, ActivityQueryDto, limitOf, toActivityListDto } from './activity.dto.js';
import { ActivityPages } from './activity-pages.js';

@ApiTags('account')
@Controller('account/activity')
export class ActivityController {
  constructor(private readonly pages: ActivityPages) {}

  @ApiOperation({
    summary: 'Your activity',
    description: 'What happened to your account, newest first. It cannot be changed.',
  })
  @ApiOkResponse({ type: ActivityListDto })
  @RequireSession()
  @Get()
  async listActivity(@Caller() caller: SessionPrincipal, @Query() query: ActivityQueryDto): Promise<ActivityListDto> {
    const { cursor, bot_id: botId = null, order_id: orderId = null } = query;
    return toActivityListDto(await this.pages.read(caller.userId, { limit: limitOf(query), cursor, botId, orderId }));
  }
}
