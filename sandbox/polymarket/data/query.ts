import { Refusal } from '../../wire/refusal.js';
import { isAddress } from '../signing/address.js';

/** A 400 of the Data API. */
export function badRequest(text: string): Refusal {
  return new Refusal(400, { error: text });
}

const CONDITION_ID = /^0x[0-9a-f]{64}$/;

/** The parameters of a Data API call (`polymarket.md` 6, 8); every method refuses a bad value. */
export class DataQuery {
  constructor(private readonly query: URLSearchParams) {}

  get user(): string {
    const user = this.optionalUser;
    if (user === undefined) throw badRequest('required query param user not provided');
    return user;
  }

  get optionalUser(): string | undefined {
    const user = this.query.get('user');
    if (user === null || user === '') return undefined;
    if (!isAddress(user)) throw badRequest('invalid user address');
    return user;
  }

  /** A whole number; above `max` it is cut, or refused where `strict`. */
  whole(name: string, fallback: number, { max, strict = false }: { max: number; strict?: boolean }): number {
    const text = this.query.get(name);
    if (text === null) return fallback;
    if (!/^\d{1,12}$/.test(text)) throw badRequest(`invalid ${name}`);
    if (strict && Number(text) > max) throw badRequest(`max historical ${name} of ${max} exceeded`);
    return Math.min(Number(text), max);
  }

  number(name: string, fallback: number): number {
    const text = this.query.get(name);
    if (text === null) return fallback;
    if (!/^\d+(\.\d+)?$/.test(text)) throw badRequest(`invalid ${name}`);
    return Number(text);
  }

  flag(name: string, fallback: boolean): boolean {
    const text = this.query.get(name);
    if (text === null) return fallback;
    if (text !== 'true' && text !== 'false') throw badRequest(`invalid ${name}`);
    return text === 'true';
  }

  oneOf<T extends string>(name: string, allowed: readonly T[]): T | undefined {
    const text = this.query.get(name);
    if (text === null) return undefined;
    const found = allowed.find((one) => one === text);
    if (found === undefined) throw badRequest(`invalid ${name}`);
    return found;
  }

  /** The condition ids of `market` or the event ids of `eventId`; not both. */
  get scope(): { conditions?: ReadonlySet<string>; events?: ReadonlySet<string> } {
    const conditions = this.#list('market', CONDITION_ID);
    const events = this.#list('eventId', /^\d{1,18}$/);
    if (conditions !== undefined && events !== undefined) {
      throw badRequest('market and eventId are mutually exclusive');
    }
    return { ...(conditions === undefined ? {} : { conditions }), ...(events === undefined ? {} : { events }) };
  }

  get title(): string {
    return this.query.get('title')?.toLowerCase() ?? '';
  }

  /** Comma-separated, possibly repeated. */
  #list(name: string, pattern: RegExp): ReadonlySet<string> | undefined {
    const values = this.query.getAll(name).flatMap((text) => text.toLowerCase().split(','));
    if (values.length === 0) return undefined;
    if (values.some((value) => !pattern.test(value))) throw badRequest(`invalid ${name}`);
    return new Set(values);
  }
}
