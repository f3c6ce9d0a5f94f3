import { Secret } from '../secrets/secret.js';

/** One variable of the environment: what it means, what is expected, how its text is read (contract.md 2). */
export interface Setting<T> {
  readonly description: string;
  /** Completes "NAME must be …"; never holds the value. */
  readonly expected: string;
  /** The text that stands in for an unset variable; undefined where unset has a meaning of its own. */
  readonly fallback: string | undefined;
  /** Null where the text is not what is expected. */
  readonly parse: (text: string) => T | null;
}

export type SettingTable = Readonly<Record<string, Setting<unknown>>>;

/** What a table of settings reads as: unset without a fallback is undefined. */
export type SettingValues<Table extends SettingTable> = {
  readonly [Name in keyof Table]: Table[Name] extends Setting<infer T>
    ? Table[Name]['fallback'] extends string
      ? T
      : T | undefined
    : never;
};

interface Facts<Fallback extends string | undefined> {
  readonly description: string;
  readonly fallback: Fallback;
}

type Made<T, Fallback extends string | undefined> = Setting<T> & { readonly fallback: Fallback };

const DURATION_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const isUnit = (unit: string | undefined): unit is keyof typeof DURATION_MS =>
  unit !== undefined && unit in DURATION_MS;

function parseDurationMs(text: string): number | null {
  const match = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text);
  const unit = match?.[2];
  return isUnit(unit) ? Number(match?.[1]) * DURATION_MS[unit] : null;
}

/** Any text. */
export function text<F extends string | undefined>(facts: Facts<F>): Made<string, F> {
  return { ...facts, expected: 'a text', parse: (value) => value };
}

/** A text that must never be shown. */
export function secretText<F extends string | undefined>(facts: Facts<F>): Made<Secret, F> {
  return { ...facts, expected: 'a text', parse: (value) => new Secret(value) };
}

/** A whole number within bounds, both included. */
export function wholeNumber<F extends string | undefined>(
  facts: Facts<F> & { readonly min: number; readonly max: number },
): Made<number, F> {
  return {
    ...facts,
    expected: `a whole number from ${facts.min} to ${facts.max}`,
    parse: (value) => {
      const number = /^\d{1,9}$/.test(value) ? Number(value) : NaN;
      return number >= facts.min && number <= facts.max ? number : null;
    },
  };
}

/** `true` or `false`. */
export function flag<F extends string | undefined>(facts: Facts<F>): Made<boolean, F> {
  const values: Readonly<Record<string, boolean>> = { true: true, false: false };
  return { ...facts, expected: '"true" or "false"', parse: (value) => values[value] ?? null };
}

/** One of the given words. */
export function oneOf<const Word extends string, F extends string | undefined>(
  words: readonly Word[],
  facts: Facts<F>,
): Made<Word, F> {
  return {
    ...facts,
    expected: `one of ${words.join(', ')}`,
    parse: (value) => words.find((word) => word === value) ?? null,
  };
}

/** A duration such as `250ms`, `15m`, `30d`; reads as milliseconds. */
export function duration<F extends string | undefined>(
  facts: Facts<F> & { readonly minMs: number; readonly maxMs: number; readonly range: string },
): Made<number, F> {
  return {
    ...facts,
    expected: `a duration ${facts.range}: a whole number with ms, s, m, h or d`,
    parse: (value) => {
      const ms = value === '0' ? 0 : parseDurationMs(value);
      return ms !== null && ms >= facts.minMs && ms <= facts.maxMs ? ms : null;
    },
  };
}

/** A number of calls in a window. */
export interface Rate {
  readonly limit: number;
  readonly windowMs: number;
}

/** A rate such as `30/1m`. */
export function rate<F extends string | undefined>(facts: Facts<F>): Made<Rate, F> {
  return {
    ...facts,
    expected: 'a rate such as 30/1m: a whole number, a slash and a duration of 1s or more',
    parse: (value) => {
      const match = /^(\d{1,9})\/(\w+)$/.exec(value);
      const windowMs = parseDurationMs(match?.[2] ?? '');
      const limit = Number(match?.[1]);
      return windowMs !== null && windowMs >= 1_000 && limit >= 1 ? { limit, windowMs } : null;
    },
  };
}

/** Parts of a comma-separated list, trimmed, empty ones left out. */
export function splitList(value: string): string[] {
  return value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** An address of one of the protocols without user, query, fragment and slashes at its end; null where it is none. */
function plainAddress(value: string, protocols: readonly string[]): string | null {
  const url = URL.canParse(value) ? new URL(value) : null;
  const plain = url !== null && url.username === '' && url.password === '' && url.search === '' && url.hash === '';
  return plain && protocols.includes(url.protocol) ? url.href.replace(/(?<!\/)\/+$/, '') : null;
}

/** The base address of another server, without a trailing slash: `https://host/path`. */
export function baseUrl<F extends string | undefined>(facts: Facts<F>): Made<string, F> {
  return {
    ...facts,
    expected: 'an http: or https: address without user, query and fragment',
    parse: (value) => plainAddress(value, ['http:', 'https:']),
  };
}

/** The address of a WebSocket, without a trailing slash: `wss://host/path`. */
export function socketUrl<F extends string | undefined>(facts: Facts<F>): Made<string, F> {
  return {
    ...facts,
    expected: 'a ws: or wss: address without user, query and fragment',
    parse: (value) => plainAddress(value, ['ws:', 'wss:']),
  };
}
