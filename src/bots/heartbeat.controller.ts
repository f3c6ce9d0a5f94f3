import { Body, Controller, Delete, Put } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Caller, CountAsCancel, RequireBot } from '../access/access.decorators.js';
import { type ApiKeyPrincipal, botIdOf } from '../access/principal.js';
import { ArmedDto, BeatDto, DisarmedDto } from './heartbeat.dto.js';
import { Heartbeats } from './heartbeats.js';

/** The dead man's switch, which a bot holds itself (contract.md 5.13). */
@ApiTags('bots')
@Controller('bot/heartbeat')
export class HeartbeatController {
  constructor(private readonly heartbeats: Heartbeats) {}

  @CountAsCancel()
  @RequireBot()
  @ApiOperation({
    summary: 'Beat',
    description:
      'Arms the switch for `ttl_seconds`: without another beat by then the orders of this bot are cancelled.',
  })
  @ApiOkResponse({ type: ArmedDto })
  @Put()
  async beat(@Caller() caller: ApiKeyPrincipal, @Body() { ttl_seconds, on_miss }: BeatDto): Promise<ArmedDto> {
    const expiresAt = await this.heartbeats.beat(botIdOf(caller) ?? '', ttl_seconds, on_miss);
    return { ttl_seconds, on_miss, expires_at: expiresAt.toISOString() };
  }

  @CountAsCancel()
  @RequireBot()
  @ApiOperation({
    summary: 'Take the switch off',
    description: 'Nothing cancels the orders of this bot where it dies.',
  })
  @ApiOkResponse({ type: DisarmedDto })
  @Delete()
  async stopHeartbeat(@Caller() caller: ApiKeyPrincipal): Promise<DisarmedDto> {
    await this.heartbeats.stop(botIdOf(caller) ?? '');
    return { expires_at: null };
  }
}
