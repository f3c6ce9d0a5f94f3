import { Injectable } from '@nestjs/common';
import { CANCEL_RATE, commonRate } from '../access/common-rate.js';
import type { ApiKeyPrincipal } from '../access/principal.js';
import { CredentialsService } from '../credentials/credentials.service.js';
import { ExchangeRegistry } from '../exchanges/exchange.registry.js';
import { installationMode } from '../exchanges/exchange-mode.js';
import type { Mode } from '../exchanges/unified.words.js';
import { Settings } from '../platform/config/settings.js';
import type { RatePolicy } from '../platform/limits/rate.js';
import { toHeartbeatDto } from './bot-answers.js';
import { BotReads } from './bot-reads.js';
import type { LimitDto, LimitsDto, MeDto, MyBotDto } from './me.dto.js';

function toLimitDto({ limit, windowMs }: RatePolicy): LimitDto {
  return { requests: limit, seconds: Math.ceil(windowMs / 1_000) };
}

/** Says what a program must know of its API key before it trades (specification.md 4.10, contract.md 4). */
@Injectable()
export class MeService {
  readonly #mode: Mode;
  readonly #limits: LimitsDto | null;

  constructor(
    private readonly credentials: CredentialsService,
    private readonly exchanges: ExchangeRegistry,
    private readonly bots: BotReads,
    settings: Settings,
  ) {
    this.#mode = installationMode(settings);
    const common = commonRate(settings);
    this.#limits = common === null ? null : { api: toLimitDto(common), cancel: toLimitDto(CANCEL_RATE) };
  }

  async describe({ userId, keyPrefix, scopes, bot }: ApiKeyPrincipal): Promise<MeDto> {
    const own = this.exchanges.all.filter(({ id }) => bot?.exchanges?.includes(id) ?? true);
    const ready = await this.credentials.listReadiness(userId, own);
    const exchanges = ready.map(({ exchange, configured, sessionKeyValidUntil }) => ({
      id: exchange,
      configured,
      session_key_valid_until: sessionKeyValidUntil?.toISOString() ?? null,
    }));
    return {
      user_id: userId,
      key_prefix: keyPrefix,
      scopes: [...scopes],
      mode: this.#mode,
      exchanges,
      limits: this.#limits,
      bot: bot === null ? null : await this.#botOf(userId, bot.id),
    };
  }

  async #botOf(userId: string, botId: string): Promise<MyBotDto> {
    const { id, name, state, heartbeat } = await this.bots.find(userId, botId);
    return { id, name, state, heartbeat: toHeartbeatDto(heartbeat) };
  }
}
