import { type Refusal } from './refusal.js';

/** What a value is expected to be. */
export type Kind = 'whole' | 'number' | 'boolean' | 'choice';

/** Query parameters; the class of each API says in its own words what is wrong with one. */
export abstract class Query {
  constructor(protected readonly parameters: URLSearchParams) {}

  /** The refusal of a value that is not of the kind. */
  protected abstract invalid(name: string, kind: Kind, value: string): Refusal;

  /** The value as received; undefined where it is absent. */
  text(name: string): string | undefined {
    return this.parameters.get(name) ?? undefined;
  }

  boolean(name: string): boolean | undefined {
    const value = this.oneOf(name, ['true', 'false'], 'boolean');
    return value === undefined ? undefined : value === 'true';
  }

  oneOf<T extends string>(name: string, allowed: readonly T[], kind: Kind = 'choice'): T | undefined {
    return this.parsed(name, kind, (value) => allowed.find((candidate) => candidate === value));
  }

  /** A number written as the pattern says. */
  protected matching(name: string, kind: 'whole' | 'number', pattern: RegExp): number | undefined {
    return this.parsed(name, kind, (value) => (pattern.test(value) ? Number(value) : undefined));
  }

  /** What `parse` makes of a value; refused where that is undefined. */
  protected parsed<T>(name: string, kind: Kind, parse: (value: string) => T | undefined): T | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    const result = parse(value);
    if (result === undefined) throw this.invalid(name, kind, value);
    return result;
  }
}
