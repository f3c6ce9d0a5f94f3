import { unixSeconds } from '../times.js';
import { type Kind, Query } from '../wire/query.js';
import { type Refusal } from '../wire/refusal.js';
import { type RouteTarget } from './exchange.js';
import { badParameter } from './refusals.js';

/** Above all shards that there will ever be; those that there are not hold nothing. */
export const MAX_INDEX = 100;

/**
 * Query parameters of one operation, checked as the exchange checks them: a bad value is a 400 with a bare `msg`
 * (kalshi.md 11), an unknown parameter is ignored, an empty value counts as absent.
 */
export class KalshiQuery extends Query {
  constructor(
    private readonly operation: string,
    parameters: URLSearchParams,
  ) {
    super(parameters);
  }

  override text(name: string): string | undefined {
    const value = super.text(name);
    return value === '' ? undefined : value;
  }

  required(name: string): string {
    const value = this.text(name);
    if (value === undefined) throw badParameter(`Query argument ${name} is required, but not found`);
    return value;
  }

  /** A comma-separated list; more than `max` entries are refused. */
  list(name: string, max = Number.MAX_SAFE_INTEGER): string[] | undefined {
    const entries = this.text(name)?.split(',').filter(Boolean);
    if (entries !== undefined && entries.length > max) throw this.#failed(name, 'max');
    return entries;
  }

  /** A key that is repeated once for each entry. */
  repeated(name: string, max: number): string[] {
    const entries = this.parameters.getAll(name).filter(Boolean);
    if (entries.length === 0) throw badParameter(`Query argument ${name} is required, but not found`);
    if (entries.length > max) throw this.#failed(name, 'max');
    return entries;
  }

  integer(name: string): number | undefined {
    return this.matching(name, 'whole', /^-?\d{1,15}$/);
  }

  requiredInteger(name: string): number {
    this.required(name);
    return this.integer(name) ?? 0;
  }

  /** A whole number in a range; outside it is refused, never clamped. */
  within<T>(name: string, [low, high]: [number, number], otherwise: T): number | T {
    const value = this.integer(name);
    if (value === undefined) return otherwise;
    if (value < low) throw this.#failed(name, 'gte');
    if (value > high) throw this.#failed(name, 'lte');
    return value;
  }

  /** `subaccount`: 0 is the primary account. */
  subaccount(): number | undefined {
    return this.within('subaccount', [0, 63], undefined);
  }

  /** `exchange_index` and `market_ticker`, by which a call about one order is routed (kalshi.md 9.2). */
  route(): RouteTarget {
    const exchangeIndex = this.within('exchange_index', [-1, MAX_INDEX], undefined);
    return { exchangeIndex, ticker: this.text('market_ticker') };
  }

  /** One of the two or three parameters of which at most one family may be given. */
  conflict(msg: string): Refusal {
    return badParameter(`Parameter validation failed for ${this.operation}: ${msg}`);
  }

  protected invalid(name: string, kind: Kind, value: string): Refusal {
    if (kind === 'choice') return this.#failed(name, 'oneof');
    const parser = kind === 'boolean' ? 'ParseBool' : 'ParseInt';
    return badParameter(`Invalid format for parameter ${name}: strconv.${parser}: parsing ${JSON.stringify(value)}`);
  }

  #failed(name: string, tag: string): Refusal {
    const field = name
      .split('_')
      .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
      .join('');
    return this.conflict(
      `Key: '${this.operation}Params.${field}' Error:Field validation for '${field}' failed on the '${tag}' tag`,
    );
  }
}

/** `min_ts` and `max_ts` in Unix seconds, both inclusive. */
export function withinTimes<T>(query: KalshiQuery, time: (item: T) => number): (item: T) => boolean {
  const from = query.integer('min_ts');
  const to = query.integer('max_ts');
  return (item) => {
    const seconds = unixSeconds(time(item));
    return seconds >= (from ?? seconds) && seconds <= (to ?? seconds);
  };
}

/** `exchange_index`: what lies on one shard. */
export function ofShard(query: KalshiQuery): (item: { shard: number }) => boolean {
  const shard = query.within('exchange_index', [0, MAX_INDEX], undefined);
  return (item) => shard === undefined || item.shard === shard;
}

/** What belongs to one subaccount, or to any where it is undefined. */
export function ofSubaccount(number: number | undefined): (item: { subaccount: number }) => boolean {
  return (item) => number === undefined || item.subaccount === number;
}

/** `ticker`: one market. */
export function ofTicker(query: KalshiQuery): (item: { ticker: string }) => boolean {
  const ticker = query.text('ticker');
  return (item) => ticker === undefined || item.ticker === ticker;
}
