import { installation } from './installation.js';
import type { ExchangeId } from './api/client.js';

/** Of a text in an address, in characters. */
export const LONGEST = 200;

/** A text that anybody may have written into an address; undefined for none. */
export function textIn(value: unknown): string | undefined {
  const written = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
  return written === '' ? undefined : written.slice(0, LONGEST);
}

/** A time that anybody may have written into an address, in ISO 8601; undefined for none. */
function timeIn(value: unknown): string | undefined {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}

/** Both ends of a span of time, each undefined for none; an end that does not lie behind its start is none. */
export function spanIn(raw: Readonly<Record<string, unknown>>): Readonly<Record<'start' | 'end', string | undefined>> {
  const [start, end] = [timeIn(raw.start), timeIn(raw.end)];
  return { start, end: start !== undefined && end !== undefined && end <= start ? undefined : end };
}

export function oneOf<T extends string>(value: unknown, allowed: readonly T[]): T | undefined {
  return allowed.find((one) => one === value);
}

export function exchangeIn(value: unknown): ExchangeId | undefined {
  return installation.exchanges.find(({ id }) => id === value)?.id;
}

/** As an address says it: what is left out is not there. */
export function written<T extends object>(read: { [K in keyof T]: T[K] | undefined }): Partial<T> {
  return Object.fromEntries(Object.entries(read).filter(([, value]) => value !== undefined)) as Partial<T>;
}
