import { Controller, Get, Query, Req, Res, UseInterceptors } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { RequireScope } from '../../access/access.decorators.js';
import { TRADING_ERRORS } from '../../exchanges/call.errors.js';
import { ApiErrors } from '../../platform/errors/api-errors.decorator.js';
import { Repeatable } from '../../platform/http/strict-input.guard.js';
import { CallContextInterceptor } from '../request/call-context.interceptor.js';
import { CHANNELS } from './channel.contract.js';
import { ApiStream } from './streams.docs.js';
import { StreamQueryDto } from './streams.dto.js';
import { type ReadRequest, StreamsService } from './streams.service.js';
import { Subscriptions } from './subscriptions.js';

/** Several streams in one answer: browsers open six connections a host (contract.md 5.14). */
@UseInterceptors(CallContextInterceptor)
@Controller('stream')
export class CombinedStreamController {
  constructor(
    private readonly streams: StreamsService,
    private readonly subscriptions: Subscriptions,
  ) {}

  @RequireScope('read', { orSession: true })
  @Repeatable('subscribe')
  @ApiOperation({
    summary: 'Several streams in one',
    description:
      'Messages of each subscription as on its own path; `orders` and `fills` need the scope `trade`. An error of one ends all.',
  })
  @ApiStream(CHANNELS, { isResumable: true })
  @ApiErrors('not_supported', ...TRADING_ERRORS)
  @ApiTags('streams')
  @Get()
  stream(
    @Query() { subscribe }: StreamQueryDto,
    @Req() request: ReadRequest,
    @Res() response: Response,
  ): Promise<void> {
    return this.streams.answer({ request, response, subscriptions: this.subscriptions.ofTexts(subscribe) });
  }
}
