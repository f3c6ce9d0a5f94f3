import type { BotMarket } from '../access/principal.js';
import { compare, parseDecimal } from '../exchanges/decimal.js';
import { canonicalId, type Exchange } from '../exchanges/exchange.js';
import { parseIsoTime } from '../exchanges/time.js';
import { badField } from '../platform/errors/app-error.js';
import {
  type BotLimits,
  type BotTerms,
  COUNT_LIMITS,
  type CountLimits,
  DECIMAL_LIMITS,
  type DecimalLimits,
  type LimitName,
} from './bot.js';
import { BotMarketDto, type BotLimitsDto, type ChangeBotDto } from './bot-terms.dto.js';

/* What the owner of a bot says of it, merged with what is stored (contract.md 5.11). */

const KINDS = ['market', 'event', 'series'] as const;

/** A bot of which its owner has said nothing but its name. */
export const NEW_BOT: Omit<BotTerms, 'name'> = {
  scopes: ['read'],
  exchanges: null,
  markets: null,
  limits: {},
  allowedNetworks: null,
  expiresAt: null,
};

/** With the id in its canonical form. Throws `bad_request` that names the entry. */
function toMarket(dto: BotMarketDto, index: number, exchanges: readonly Exchange[]): BotMarket {
  const field = `markets.${index}`;
  const given = dto instanceof BotMarketDto ? KINDS.filter((kind) => dto[`${kind}_id`] !== undefined) : [];
  const [kind, second] = given;
  if (kind === undefined || second !== undefined) {
    throw badField(field, 'must have exactly one of market_id, event_id and series_id');
  }
  const id = dto[`${kind}_id`] ?? '';
  const exchange = exchanges.find((one) => one.id === dto.exchange);
  if (exchange?.idPatterns[kind].test(id) !== true) {
    throw badField(`${field}.${kind}_id`, `must be a valid ${kind} id of ${dto.exchange}`);
  }
  return { exchange: exchange.id, [`${kind}_id`]: canonicalId(exchange, kind, id) };
}

function nameOf(market: BotMarket): string {
  return JSON.stringify([market.exchange, market.market_id, market.event_id, market.series_id]);
}

/** Each once. */
function distinctMarkets(markets: readonly BotMarket[]): BotMarket[] {
  return [...new Map(markets.map((market) => [nameOf(market), market])).values()];
}

/** What is left out stays, null is none; decimals in canonical form. */
function mergedLimits(before: BotLimits, given: BotLimitsDto): BotLimits {
  const decimals: DecimalLimits = {};
  for (const name of DECIMAL_LIMITS) {
    const value = given[name] === undefined ? before[name] : parseDecimal(given[name]);
    if (typeof value === 'string') decimals[name] = value;
  }
  const counts: CountLimits = {};
  for (const name of COUNT_LIMITS) {
    const value = given[name] === undefined ? before[name] : given[name];
    if (typeof value === 'number') counts[name] = value;
  }
  return { ...decimals, ...counts };
}

/** The terms with what was given in place of what was there. Throws `bad_request` for a market that is none. */
export function mergedTerms(
  before: BotTerms,
  { name, scopes, exchanges, markets, limits, allowed_networks: networks, expires_at: end }: ChangeBotDto,
  all: readonly Exchange[],
): BotTerms {
  const time = parseIsoTime(end);
  return {
    name: name?.trim() ?? before.name,
    scopes: scopes === undefined ? before.scopes : [...new Set(scopes)],
    exchanges: given(exchanges, before.exchanges, (list) => [...new Set(list)]),
    markets: given(markets, before.markets, (list) =>
      distinctMarkets(list.map((market, index) => toMarket(market, index, all))),
    ),
    limits: given(limits, before.limits, (some) => mergedLimits(before.limits, some)) ?? {},
    allowedNetworks: given(networks, before.allowedNetworks, (list) => [...new Set(list)]),
    expiresAt: given(end, before.expiresAt, () => (time === null ? null : new Date(time))),
  };
}

function given<Given, Kept>(value: Given | null | undefined, kept: Kept, of: (value: Given) => Kept): Kept | null {
  if (value === undefined) return kept;
  return value === null ? null : of(value);
}

/** The names of the terms that differ. */
export function changedTerms(before: BotTerms, after: BotTerms): (keyof BotTerms)[] {
  const names = ['name', 'scopes', 'exchanges', 'markets', 'limits', 'allowedNetworks', 'expiresAt'] as const;
  return names.filter((name) => textOf(before[name]) !== textOf(after[name]));
}

/** Members of objects in the order of their names, as the database has orders of its own. */
function textOf(value: BotTerms[keyof BotTerms]): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  );
}

/** Whether a list that restricts lets through what it did not before. */
function opens<Item>(
  before: readonly Item[] | null,
  after: readonly Item[] | null,
  nameIt: (item: Item) => string,
): boolean {
  if (before === null) return false;
  const known = new Set(before.map(nameIt));
  return after === null || after.some((item) => !known.has(nameIt(item)));
}

function raises(before: string | number | undefined, after: string | number | undefined): boolean {
  if (before === undefined) return false;
  return after === undefined || compare(String(after), String(before)) > 0;
}

/**
 * Whether a change lets a bot do anything that it may not do now (S-59). `ownRequests` is what no `max_requests_per_minute` stands for:
 * undefined where requests are not limited.
 */
export function widens(before: BotTerms, after: BotTerms, ownRequests: number | undefined): boolean {
  const limit = ({ limits }: BotTerms, name: LimitName): string | number | undefined =>
    name === 'max_requests_per_minute' ? (limits[name] ?? ownRequests) : limits[name];
  return (
    opens(before.scopes, after.scopes, String) ||
    opens(before.exchanges, after.exchanges, String) ||
    opens(before.markets, after.markets, nameOf) ||
    opens(before.allowedNetworks, after.allowedNetworks, String) ||
    raises(before.expiresAt?.getTime(), after.expiresAt?.getTime()) ||
    [...DECIMAL_LIMITS, ...COUNT_LIMITS].some((name) => raises(limit(before, name), limit(after, name)))
  );
}

/** Whether a body that nobody has checked asks for a bot that trades (S-59). */
export function asksForTrade(body: unknown): boolean {
  const scopes = typeof body === 'object' && body !== null && 'scopes' in body ? body.scopes : undefined;
  return scopes !== undefined && !(Array.isArray(scopes) && scopes.every((scope) => scope === 'read'));
}
