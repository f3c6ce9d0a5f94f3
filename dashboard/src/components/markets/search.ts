import { installation } from '../../installation.js';
import type { ExchangeId } from '../../api/client.js';
import type { MarketFilter } from '../../api/markets.js';

/** What the address of the list says; what is left out is anything. */
export interface MarketSearch {
  readonly exchange?: ExchangeId;
  readonly status?: MarketFilter['status'];
  readonly words?: string;
  readonly series?: string;
  readonly event?: string;
}

/** Of a text, in characters. */
export const LONGEST = 200;

function text(value: unknown): string | undefined {
  const written = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
  return written === '' ? undefined : written.slice(0, LONGEST);
}

function oneOf<T extends string>(value: unknown, allowed: readonly T[]): T | undefined {
  return allowed.find((one) => one === value);
}

/** Reads an address, or a form, that anybody may have written. */
export function searchOf(raw: Record<string, unknown>): MarketSearch {
  const read = {
    exchange: installation.exchanges.find(({ id }) => id === raw.exchange)?.id,
    status: oneOf(raw.status, ['open', 'closed', 'settled'] as const),
    words: text(raw.words),
    series: text(raw.series),
    event: text(raw.event),
  };
  return Object.fromEntries(Object.entries(read).filter(([, value]) => value !== undefined));
}
