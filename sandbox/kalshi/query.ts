import { unixSeconds } from '../times.js';
import { badParameter } from './refusals.js';

/**
 * Query parameters of one operation, checked as the exchange checks them: a bad value is a 400 with a bare `msg`
 * (kalshi.md 6), an unknown parameter is ignored, an empty value counts as absent.
 */
export class Query {
  constructor(
    private readonly operation: string,
    private readonly parameters: URLSearchParams,
  ) {}

  text(name: string): string | undefined {
    const value = this.parameters.get(name);
    return value === null || value === '' ? undefined : value;
  }

  required(name: string): string {
    const value = this.text(name);
    if (value === undefined) throw badParameter(`Query argument ${name} is required, but not found`);
    return value;
  }

  /** A comma-separated list; more than `max` entries are refused. */
  list(name: string, max = Number.MAX_SAFE_INTEGER): string[] | undefined {
    const entries = this.text(name)?.split(',').filter(Boolean);
    if (entries !== undefined && entries.length > max) throw this.#invalid(name, 'max');
    return entries;
  }

  /** A key that is repeated once for each entry. */
  repeated(name: string, max: number): string[] {
    const entries = this.parameters.getAll(name).filter(Boolean);
    if (entries.length === 0) throw badParameter(`Query argument ${name} is required, but not found`);
    if (entries.length > max) throw this.#invalid(name, 'max');
    return entries;
  }

  integer(name: string): number | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    if (!/^-?\d{1,15}$/.test(value))
      throw badParameter(`Invalid format for parameter ${name}: strconv.ParseInt: parsing ${JSON.stringify(value)}`);
    return Number(value);
  }

  requiredInteger(name: string): number {
    this.required(name);
    return this.integer(name) ?? 0;
  }

  /** A whole number in a range; outside it is refused, never clamped. */
  within(name: string, [low, high]: [number, number], otherwise: number): number {
    const value = this.integer(name);
    if (value === undefined) return otherwise;
    if (value < low) throw this.#invalid(name, 'gte');
    if (value > high) throw this.#invalid(name, 'lte');
    return value;
  }

  boolean(name: string): boolean | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    if (value !== 'true' && value !== 'false')
      throw badParameter(`Invalid format for parameter ${name}: strconv.ParseBool: parsing ${JSON.stringify(value)}`);
    return value === 'true';
  }

  oneOf<T extends string>(name: string, allowed: readonly T[]): T | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    const found = allowed.find((candidate) => candidate === value);
    if (found === undefined) throw this.#invalid(name, 'oneof');
    return found;
  }

  /** One of the two or three parameters of which at most one family may be given. */
  conflict(msg: string): Error {
    return badParameter(`Parameter validation failed for ${this.operation}: ${msg}`);
  }

  #invalid(name: string, tag: string): Error {
    const field = name
      .split('_')
      .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
      .join('');
    return badParameter(
      `Parameter validation failed for ${this.operation}: Key: '${this.operation}Params.${field}' ` +
        `Error:Field validation for '${field}' failed on the '${tag}' tag`,
    );
  }
}

/**
 * One page of a list and the cursor of the next, which is empty on the last page. The cursor names the last item
 * served, so that new items in front shift nothing; one that names no item gives page one (kalshi.md 3).
 */
export function paged<T>(items: readonly T[], query: Query, options: PageOptions<T>): { page: T[]; cursor: string } {
  const limit = query.within('limit', [options.min ?? 1, options.max], options.default) || options.default;
  const last = decode(query.text('cursor'));
  const start = items.findIndex((item) => options.id(item) === last) + 1;
  const page = items.slice(start, start + limit);
  const final = page.at(-1);
  const more = final !== undefined && start + limit < items.length;
  return { page, cursor: more ? encode(options.id(final)) : '' };
}

export interface PageOptions<T> {
  default: number;
  max: number;
  /** Default 1; 0 where the exchange takes 0 for the default. */
  min?: number;
  id: (item: T) => string;
}

function encode(id: string): string {
  return Buffer.from(`v1:${id}`, 'utf8').toString('base64url');
}

function decode(cursor: string | undefined): string | undefined {
  const text = cursor === undefined ? '' : Buffer.from(cursor, 'base64url').toString('utf8');
  return text.startsWith('v1:') ? text.slice(3) : undefined;
}

/** `min_ts` and `max_ts` in Unix seconds, both inclusive. */
export function withinTimes<T>(query: Query, time: (item: T) => number): (item: T) => boolean {
  const from = query.integer('min_ts');
  const to = query.integer('max_ts');
  return (item) => {
    const seconds = unixSeconds(time(item));
    return seconds >= (from ?? seconds) && seconds <= (to ?? seconds);
  };
}

/** `ticker`: one market. */
export function ofTicker(query: Query): (item: { ticker: string }) => boolean {
  const ticker = query.text('ticker');
  return (item) => ticker === undefined || item.ticker === ticker;
}
