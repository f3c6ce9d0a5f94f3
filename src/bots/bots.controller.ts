import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Caller, CountAsCancel, RequireBot, RequireScope } from '../access/access.decorators.js';
import { type ApiKeyPrincipal, botIdOf } from '../access/principal.js';
import { toBotDto } from './bot-answers.js';
import { BotDto, HaltReportDto, HaltReportListDto } from './bot.dto.js';
import { BotReads } from './bot-reads.js';
import { BotStopsService } from './bot-stops.service.js';

/** What programs may do with bots: a bot with itself, and the main key with all (contract.md 5.11). */
@ApiTags('bots')
@Controller()
export class BotsController {
  constructor(
    private readonly reads: BotReads,
    private readonly stops: BotStopsService,
  ) {}

  @CountAsCancel()
  @RequireBot()
  @ApiOperation({ summary: 'The bot of this key', description: 'With its limits and what it has taken of them.' })
  @ApiOkResponse({ type: BotDto })
  @Get('bot')
  async getOwnBot(@Caller() caller: ApiKeyPrincipal): Promise<BotDto> {
    return toBotDto(await this.reads.get(caller.userId, botIdOf(caller) ?? ''));
  }

  @CountAsCancel()
  @RequireBot()
  @ApiOperation({ summary: 'Halt this bot', description: 'A bot may stop itself. Only its owner starts it again.' })
  @ApiOkResponse({ type: HaltReportDto })
  @HttpCode(200)
  @Post('bot/halt')
  async haltOwnBot(@Caller() caller: ApiKeyPrincipal): Promise<HaltReportDto> {
    return this.stops.haltItself(caller);
  }

  @CountAsCancel()
  @RequireScope('admin')
  @ApiOperation({
    summary: 'Halt all bots by the main key',
    description: 'The switch that needs no log-in. Only the owner resumes bots.',
  })
  @ApiOkResponse({ type: HaltReportListDto })
  @HttpCode(200)
  @Post('bots/halt')
  async haltBotsByKey(@Caller() caller: ApiKeyPrincipal): Promise<HaltReportListDto> {
    return { bots: await this.stops.haltAllByKey(caller) };
  }
}
