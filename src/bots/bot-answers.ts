import type { LivingBotKey, RotatedBotKey } from '../api-keys/bot-keys.service.js';
import type { Bot, Heartbeat } from './bot.js';
import type { BotDto, BotHaltDto, BotKeyDto, HeartbeatDto, RotatedBotKeyDto } from './bot.dto.js';
import type { ShownBotLimitsDto } from './bot-terms.dto.js';
import type { BotUsage } from '../proxy/orders/bot-orders.service.js';

/** A bot with what is shown of it beside its terms. */
export interface ShownBot {
  readonly bot: Bot;
  readonly keys: readonly LivingBotKey[];
  readonly usage: BotUsage;
}

function maybe(time: Date | null): string | null {
  return time?.toISOString() ?? null;
}

const NO_LIMITS = {
  max_order_risk: null,
  max_open_risk: null,
  max_daily_risk: null,
  max_total_risk: null,
  max_position: null,
  max_open_orders: null,
  max_orders_per_minute: null,
  max_requests_per_minute: null,
  max_price_distance: null,
  max_order_seconds: null,
} as const satisfies ShownBotLimitsDto;

function toKeyDto({ prefix, createdAt, lastUsedAt, validUntil }: LivingBotKey): BotKeyDto {
  return {
    prefix,
    created_at: createdAt.toISOString(),
    last_used_at: maybe(lastUsedAt),
    valid_until: maybe(validUntil),
  };
}

export function toHeartbeatDto(heartbeat: Heartbeat | null): HeartbeatDto | null {
  if (heartbeat === null) return null;
  const { ttlSeconds, onMiss, lastBeatAt, expiresAt, missedSince } = heartbeat;
  return {
    ttl_seconds: ttlSeconds,
    on_miss: onMiss,
    last_beat_at: maybe(lastBeatAt),
    expires_at: maybe(expiresAt),
    missed_since: maybe(missedSince),
  };
}

function toHaltDto({ halted }: Bot): BotHaltDto | null {
  if (halted === null) return null;
  const { at, reason, by, isComplete } = halted;
  return { at: at.toISOString(), reason, by, complete: isComplete };
}

export function toBotDto({ bot, keys, usage }: ShownBot): BotDto {
  return {
    id: bot.id,
    name: bot.name,
    scopes: bot.scopes,
    exchanges: bot.exchanges,
    markets: bot.markets,
    limits: { ...NO_LIMITS, ...bot.limits },
    allowed_networks: bot.allowedNetworks,
    expires_at: maybe(bot.expiresAt),
    state: bot.state,
    halted: toHaltDto(bot),
    keys: keys.map(toKeyDto),
    heartbeat: toHeartbeatDto(bot.heartbeat),
    usage,
    created_at: bot.createdAt.toISOString(),
  };
}

export function toRotatedBotKeyDto({ key, prefix, previousValidUntil }: RotatedBotKey): RotatedBotKeyDto {
  return { key, prefix, previous_valid_until: maybe(previousValidUntil) };
}
