export const SCOPES = ['read', 'trade', 'admin'] as const;

/** What an API key may do: `trade` implies `read`, `admin` is every API-key endpoint (contract.md 5, S-31). */
export type Scope = (typeof SCOPES)[number];

/** A signed-in person, by the access token of one session. */
export interface SessionPrincipal {
  readonly kind: 'session';
  readonly userId: string;
  readonly sessionId: string;
  /** Whether its person has proved who they are a short while ago (S-59). */
  readonly isConfirmed: boolean;
}

/** A market, or all markets of an event or a series, that a bot may trade. */
export interface BotMarket {
  readonly exchange: string;
  readonly market_id?: string;
  readonly event_id?: string;
  readonly series_id?: string;
}

/** What requests must know of the bot that sends them (contract.md 5.11). */
export interface BotOfKey {
  readonly id: string;
  readonly name: string;
  /** Ids of exchanges; null for all. */
  readonly exchanges: readonly string[] | null;
  /** What its orders may be of; null for everything. */
  readonly markets: readonly BotMarket[] | null;
  /** How many requests of its user's limit it may take in 60 s; null for half of them (contract.md 5.11). */
  readonly requestsPerMinute: number | null;
  /** How long its orders may rest, in seconds; null without such a limit (contract.md 5.12). */
  readonly orderSeconds: number | null;
  /** Whether the prices of its orders have a limit. */
  readonly hasPriceLimit: boolean;
}

/** A bot that nothing restricts, for calls that the service makes for its orders. */
export function botNamed(id: string): BotOfKey {
  const limits = { requestsPerMinute: null, orderSeconds: null, hasPriceLimit: false };
  return { id, name: '', exchanges: null, markets: null, ...limits };
}

/** A program, by its API key. */
export interface ApiKeyPrincipal {
  readonly kind: 'api-key';
  readonly userId: string;
  readonly keyPrefix: string;
  readonly scopes: readonly Scope[];
  /** Null for the main key of a user. */
  readonly bot: BotOfKey | null;
}

export type Principal = SessionPrincipal | ApiKeyPrincipal;

/** The id of the bot that calls; null for a person, or a main key. */
export function botIdOf(caller: Principal): string | null {
  return caller.kind === 'api-key' ? (caller.bot?.id ?? null) : null;
}

const IMPLIED: Readonly<Record<Scope, readonly Scope[]>> = {
  read: ['read'],
  trade: ['trade', 'read'],
  admin: ['admin', 'trade', 'read'],
};

/** Whether a key with these scopes may call a route that needs the given one (S-31). */
export function grantsScope(scopes: readonly Scope[], needed: Scope): boolean {
  return scopes.some((scope) => IMPLIED[scope].includes(needed));
}
