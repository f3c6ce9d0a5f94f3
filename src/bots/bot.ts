import type { BotMarket, Scope } from '../access/principal.js';

/** What a bot may be allowed: `admin` is for the main key alone (contract.md 5.11). */
export const BOT_SCOPES = ['read', 'trade'] as const satisfies readonly Scope[];
export type BotScope = (typeof BOT_SCOPES)[number];

export const BOT_STATES = ['active', 'halted', 'expired', 'removed'] as const;
export type BotState = (typeof BOT_STATES)[number];

export const HALT_REASONS = [
  'owner',
  'operator',
  'bot',
  'heartbeat_missed',
  'all_bots',
  'expired',
  'restored',
] as const;
/** Why a bot was halted. */
export type HaltReason = (typeof HALT_REASONS)[number];

export const ON_MISS = ['halt', 'cancel'] as const;
export type OnMiss = (typeof ON_MISS)[number];

/** Limits that are decimal strings: money, a size, a part of a price. */
export const DECIMAL_LIMITS = [
  'max_order_risk',
  'max_open_risk',
  'max_daily_risk',
  'max_total_risk',
  'max_position',
  'max_price_distance',
] as const;
/** Limits that are whole numbers. */
export const COUNT_LIMITS = [
  'max_open_orders',
  'max_orders_per_minute',
  'max_requests_per_minute',
  'max_order_seconds',
] as const;

export type DecimalLimits = Partial<Record<(typeof DECIMAL_LIMITS)[number], string>>;
export type CountLimits = Partial<Record<(typeof COUNT_LIMITS)[number], number>>;

/** The limits that a bot has; one that is not there is none. Decimal strings are canonical. */
export type BotLimits = Readonly<DecimalLimits & CountLimits>;
export type LimitName = keyof BotLimits;

/** What a bot may do, as its owner says it. Null of a list is everything, null of an end is none. */
export interface BotTerms {
  readonly name: string;
  readonly scopes: readonly BotScope[];
  readonly exchanges: readonly string[] | null;
  readonly markets: readonly BotMarket[] | null;
  readonly limits: BotLimits;
  readonly allowedNetworks: readonly string[] | null;
  readonly expiresAt: Date | null;
}

/** The dead man's switch of a bot. */
export interface Heartbeat {
  readonly ttlSeconds: number;
  readonly onMiss: OnMiss;
  readonly lastBeatAt: Date | null;
  /** When it fires; null where it is not armed. */
  readonly expiresAt: Date | null;
  readonly missedSince: Date | null;
}

/** That a bot is halted. `by` is the id of a session, the prefix of a key, `operator` or `service`. */
interface HaltFacts {
  readonly at: Date;
  readonly reason: HaltReason;
  readonly by: string;
  /** Whether nothing of the bot rests, nor can come to rest, but what the report of the halt names. */
  readonly isComplete: boolean;
}

/** One bot, as it is stored. `state` is of the moment of the read, by the database's clock. */
export interface Bot extends BotTerms {
  readonly id: string;
  readonly userId: string;
  readonly createdAt: Date;
  readonly state: BotState;
  readonly halted: HaltFacts | null;
  readonly heartbeat: Heartbeat | null;
}
