import { Query } from '../../wire/query.js';
import { type Refusal } from '../../wire/refusal.js';
import { isAddress } from '../signing/address.js';
import { CONTRACTS } from '../signing/typed-data.js';
import { invalid } from './errors.js';

const CONDITION_ID = /^0x[0-9a-f]{62}(?:[0-9a-f]{2})?$/;
const MAX_VALUES = 20;
const MAX_LIMIT = 1_000;
const DEFAULT_LIMIT = 100;

/** The parameters of a Data API v2 call (polymarket.md 6.1), in either spelling; a bad value is refused. */
export class DataQuery extends Query {
  constructor(parameters: URLSearchParams) {
    super(parameters);
    if (parameters.has('offset')) throw invalid('offset is not supported; use cursor', 'offset');
  }

  override text(name: string): string | undefined {
    const spellings = [name, camel(name), ...(name === 'condition' ? ['condition_id', 'conditionId'] : [])];
    return spellings.map((one) => super.text(one)).find((value) => value !== undefined);
  }

  get user(): string {
    const user = this.optionalUser;
    if (user === undefined) throw invalid('user is required', 'user');
    return user;
  }

  /** An account wallet; an address of the exchange's own contracts is refused. */
  get optionalUser(): string | undefined {
    const user = this.text('user');
    if (user === undefined || user === '') return undefined;
    if (!isAddress(user)) throw invalid('invalid user address', 'user');
    if (CONTRACTS.has(user.toLowerCase())) throw invalid('user is a protocol contract', 'user');
    return user;
  }

  /** How many rows: above the maximum it is refused, not cut. */
  limit(max = MAX_LIMIT, fallback = DEFAULT_LIMIT): number {
    const limit = this.whole('limit') ?? fallback;
    if (limit > max) throw invalid(`limit must be at most ${max}`, 'limit');
    if (limit === 0) throw invalid('limit must be at least 1', 'limit');
    return limit;
  }

  whole(name: string): number | undefined {
    return this.matching(name, 'whole', /^\d{1,12}$/);
  }

  /** A plain decimal; anything else counts as absent. */
  amount(name: string): number | undefined {
    const text = this.text(name) ?? '';
    return /^\d{1,12}(?:\.\d{1,12})?$/.test(text) ? Number(text) : undefined;
  }

  /** Up to 20 condition ids, in lower case. The narrow form has the shape of one, but nothing has such an id. */
  get conditions(): ReadonlySet<string> | undefined {
    return this.#list('condition', CONDITION_ID, 'condition id');
  }

  get events(): ReadonlySet<string> | undefined {
    return this.#list('event_id', /^\d{1,18}$/, 'event id');
  }

  protected invalid(name: string): Refusal {
    return invalid(`invalid ${name}`, name);
  }

  #list(name: string, pattern: RegExp, noun: string): ReadonlySet<string> | undefined {
    const text = this.text(name);
    if (text === undefined || text === '') return undefined;
    const values = new Set(text.toLowerCase().split(','));
    const bad = [...values].find((value) => !pattern.test(value));
    if (bad !== undefined) throw invalid(`invalid ${noun}: ${bad}`, name);
    if (values.size > MAX_VALUES) throw invalid(`at most ${MAX_VALUES} values`, name);
    return values;
  }
}

function camel(name: string): string {
  return name.replaceAll(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
}
