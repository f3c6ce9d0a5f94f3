import { Query } from '../../wire/query.js';
import { Refusal } from '../../wire/refusal.js';
import { isAddress } from '../signing/address.js';

/** A 400 of the Data API. */
export function badRequest(text: string): Refusal {
  return new Refusal(400, { error: text });
}

const CONDITION_ID = /^0x[0-9a-f]{64}$/;

/** The parameters of a Data API call (polymarket.md 6, 8); a bad value is refused. */
export class DataQuery extends Query {
  get user(): string {
    const user = this.optionalUser;
    if (user === undefined) throw badRequest('required query param user not provided');
    return user;
  }

  get optionalUser(): string | undefined {
    const user = this.text('user');
    if (user === undefined || user === '') return undefined;
    if (!isAddress(user)) throw badRequest('invalid user address');
    return user;
  }

  /** A whole number; above `max` it is cut, or refused where `strict`. */
  whole(name: string, fallback: number, { max, strict = false }: { max: number; strict?: boolean }): number {
    const value = this.matching(name, 'whole', /^\d{1,12}$/);
    if (value === undefined) return fallback;
    if (strict && value > max) throw badRequest(`max historical ${name} of ${max} exceeded`);
    return Math.min(value, max);
  }

  number(name: string): number | undefined {
    return this.matching(name, 'number', /^\d+(\.\d+)?$/);
  }

  /** A member of the table by its name. */
  choice<T>(name: string, table: Readonly<Record<string, T>>): T | undefined {
    return this.parsed(name, 'choice', (value) => (Object.hasOwn(table, value) ? table[value] : undefined));
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
    return this.text('title')?.toLowerCase() ?? '';
  }

  protected invalid(name: string): Refusal {
    return badRequest(`invalid ${name}`);
  }

  /** Comma-separated, possibly repeated. */
  #list(name: string, pattern: RegExp): ReadonlySet<string> | undefined {
    const values = this.parameters.getAll(name).flatMap((text) => text.toLowerCase().split(','));
    if (values.length === 0) return undefined;
    if (values.some((value) => !pattern.test(value))) throw this.invalid(name);
    return new Set(values);
  }
}
