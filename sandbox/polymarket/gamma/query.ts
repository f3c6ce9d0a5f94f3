import { type Kind, Query } from '../../wire/query.js';
import { Refusal } from '../../wire/refusal.js';

/** A 422 of Gamma. */
export function invalid(text: string): Refusal {
  return new Refusal(422, { type: 'validation error', error: text });
}

/** The parameters of a Gamma call (polymarket.md 4); a bad value is refused, unknown ones are ignored. */
export class GammaQuery extends Query {
  /** The repeated values of a key, in lower case; undefined where it is not given. */
  listed(name: string): ReadonlySet<string> | undefined {
    const values = this.parameters.getAll(name);
    return values.length === 0 ? undefined : new Set(values.map((value) => value.toLowerCase()));
  }

  /** A whole number from 1, of at most so many digits. */
  positive(name: string, digits: number): number | undefined {
    return this.parsed(name, 'whole', (value) =>
      /^\d+$/.test(value) && value.length <= digits && Number(value) !== 0 ? Number(value) : undefined,
    );
  }

  /** True for a number, or a moment where the bounds are RFC 3339, from `<name>_min` to `<name>_max`. */
  within(name: string, value: number | Date): boolean {
    const parse = typeof value === 'number' ? Number : Date.parse;
    const low = this.#bound(`${name}_min`, parse);
    const high = this.#bound(`${name}_max`, parse);
    return (low === undefined || Number(value) >= low) && (high === undefined || Number(value) <= high);
  }

  protected invalid(name: string, kind: Kind): Refusal {
    const wanted: Partial<Record<Kind, string>> = { boolean: 'true or false', whole: 'a positive integer' };
    return invalid(wanted[kind] === undefined ? `${name} is invalid` : `${name} must be ${wanted[kind]}`);
  }

  #bound(name: string, parse: (text: string) => number): number | undefined {
    return this.parsed(name, 'number', (text) => {
      const value = text === '' ? Number.NaN : parse(text);
      return Number.isNaN(value) ? undefined : value;
    });
  }
}
