import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import {
  Caller,
  CountAsCancel,
  LimitPerUser,
  RequireConfirmation,
  RequireSession,
} from '../access/access.decorators.js';
import type { SessionPrincipal } from '../access/principal.js';
import { ApiErrors } from '../platform/errors/api-errors.decorator.js';
import type { RatePolicy } from '../platform/limits/rate.js';
import { toBotDto, toRotatedBotKeyDto } from './bot-answers.js';
import { BotChangesService } from './bot-changes.service.js';
import { BotDto, BotListDto, CreatedBotDto, HaltReportDto, HaltReportListDto, RotatedBotKeyDto } from './bot.dto.js';
import { BotReads } from './bot-reads.js';
import { BotRotationService } from './bot-rotation.service.js';
import { BotStopsService } from './bot-stops.service.js';
import { asksForTrade } from './bot-terms.js';
import { ChangeBotDto, CreateBotDto, RotateBotKeyDto } from './bot-terms.dto.js';
import { NewBotsService } from './new-bots.service.js';

/** Each of these calls leaves an event for 400 days. */
const BOTS_RATE: RatePolicy = { name: 'bots', limit: 120, windowMs: 60_000 };
const BOT_ID = {
  name: 'bot_id',
  description: 'The id of the bot.',
  example: 'bot_01KAMXB3T6Y7W2S4Q8Z0C1V5N9',
} as const;
const CONFIRMS = 'a session that signed in more than 30 minutes ago first confirms: `POST /account/confirm`.';

@ApiTags('bots')
@Controller('account/bots')
export class AccountBotsController {
  constructor(
    private readonly reads: BotReads,
    private readonly newBots: NewBotsService,
    private readonly changes: BotChangesService,
    private readonly rotation: BotRotationService,
    private readonly stops: BotStopsService,
  ) {}

  @RequireSession()
  @ApiOperation({
    summary: 'Make a bot',
    description: `A program of yours with a key of its own, limits, and a switch. The answer is the only one that ever holds the key. With \`trade\` ${CONFIRMS}`,
  })
  @ApiCreatedResponse({ type: CreatedBotDto })
  @ApiErrors('bot_limit_reached', 'bot_name_taken')
  @LimitPerUser(BOTS_RATE)
  @RequireConfirmation(asksForTrade)
  @Post()
  async createBot(@Caller() caller: SessionPrincipal, @Body() body: CreateBotDto): Promise<CreatedBotDto> {
    const { id, key } = await this.newBots.create(caller, body);
    return { bot: toBotDto(await this.reads.get(caller.userId, id)), key };
  }

  @RequireSession()
  @ApiOperation({ summary: 'List your bots', description: 'Newest first, removed ones of the last 90 days too.' })
  @ApiOkResponse({ type: BotListDto })
  @Get()
  async listBots(@Caller() caller: SessionPrincipal): Promise<BotListDto> {
    return { bots: (await this.reads.list(caller.userId)).map(toBotDto) };
  }

  @CountAsCancel()
  @RequireSession()
  @ApiOperation({
    summary: 'Halt all your bots',
    description: 'From the answer on no order of theirs begins. Only you resume them, one by one.',
  })
  @ApiOkResponse({ type: HaltReportListDto })
  @HttpCode(200)
  @Post('halt')
  async haltBots(@Caller() caller: SessionPrincipal): Promise<HaltReportListDto> {
    return { bots: await this.stops.haltAll(caller) };
  }

  @RequireSession()
  @ApiOperation({ summary: 'One of your bots', description: 'With what it has taken of its limits.' })
  @ApiParam(BOT_ID)
  @ApiOkResponse({ type: BotDto })
  @Get(':bot_id')
  async getBot(@Caller() caller: SessionPrincipal, @Param('bot_id') id: string): Promise<BotDto> {
    return toBotDto(await this.reads.get(caller.userId, id));
  }

  @RequireSession()
  @ApiOperation({
    summary: 'Change what a bot may do',
    description: `What is left out stays, null is none. What is narrowed holds everywhere once this answers. To widen anything ${CONFIRMS}`,
  })
  @ApiParam(BOT_ID)
  @ApiOkResponse({ type: BotDto })
  @ApiErrors('forbidden', 'bot_name_taken')
  @LimitPerUser(BOTS_RATE)
  @Patch(':bot_id')
  async changeBot(
    @Caller() caller: SessionPrincipal,
    @Param('bot_id') id: string,
    @Body() body: ChangeBotDto,
  ): Promise<BotDto> {
    await this.changes.change(caller, id, body);
    return toBotDto(await this.reads.get(caller.userId, id));
  }

  @RequireSession()
  @ApiOperation({
    summary: 'Remove a bot',
    description:
      'Halts it, and ends its keys for good: when this answers, no instance of the service accepts one of them.',
  })
  @ApiParam(BOT_ID)
  @ApiOkResponse({ type: HaltReportDto })
  @Delete(':bot_id')
  async removeBot(@Caller() caller: SessionPrincipal, @Param('bot_id') id: string): Promise<HaltReportDto> {
    return this.stops.remove(caller, id);
  }

  @RequireSession()
  @ApiOperation({
    summary: 'Give a bot a new key',
    description: `The answer is the only one that ever holds the key. The key before works on as long as you say; one before that ends at once. Beforehand ${CONFIRMS}`,
  })
  @ApiParam(BOT_ID)
  @ApiOkResponse({ type: RotatedBotKeyDto })
  @LimitPerUser(BOTS_RATE)
  @RequireConfirmation()
  @HttpCode(200)
  @Post(':bot_id/rotate')
  async rotateBotKey(
    @Caller() caller: SessionPrincipal,
    @Param('bot_id') id: string,
    @Body() { overlap_seconds: overlapSeconds = 0 }: RotateBotKeyDto,
  ): Promise<RotatedBotKeyDto> {
    return toRotatedBotKeyDto(await this.rotation.rotate(caller, id, overlapSeconds));
  }

  @CountAsCancel()
  @RequireSession()
  @ApiOperation({
    summary: 'Halt a bot',
    description: 'From the answer on no order of it begins. Safe to repeat. It still reads and cancels.',
  })
  @ApiParam(BOT_ID)
  @ApiOkResponse({ type: HaltReportDto })
  @HttpCode(200)
  @Post(':bot_id/halt')
  async haltBot(@Caller() caller: SessionPrincipal, @Param('bot_id') id: string): Promise<HaltReportDto> {
    return this.stops.halt(caller, id);
  }

  @RequireSession()
  @ApiOperation({ summary: 'Let a halted bot go on', description: `Arms its heartbeat anew. Beforehand ${CONFIRMS}` })
  @ApiParam(BOT_ID)
  @ApiOkResponse({ type: BotDto })
  @ApiErrors('bot_expired', 'orders_unsettled')
  @LimitPerUser(BOTS_RATE)
  @RequireConfirmation()
  @HttpCode(200)
  @Post(':bot_id/resume')
  async resumeBot(@Caller() caller: SessionPrincipal, @Param('bot_id') id: string): Promise<BotDto> {
    await this.changes.resume(caller, id);
    return toBotDto(await this.reads.get(caller.userId, id));
  }
}
