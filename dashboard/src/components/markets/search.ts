import { exchangeIn, oneOf, textIn, written } from '../../address.js';
import type { ExchangeId } from '../../api/client.js';
import { type Interval, type MarketStatus, type Range, RANGES } from '../../api/markets.js';

const SORTS = ['relevance', 'volume_24h', 'closes_at', 'newest'] as const;

/** What the address of the list says; what is left out is anything. */
export interface MarketSearch {
  readonly search?: string;
  readonly exchange?: ExchangeId;
  /** Within which time they close. */
  readonly closes?: 'day' | 'week' | 'month';
  /** Without words there is no relevance. */
  readonly sort?: (typeof SORTS)[number];
  /** Of the exchange: its markets are listed as the exchange has them, whatever else the address says. */
  readonly event?: string;
  /** Of an event's markets. */
  readonly status?: MarketStatus;
}

/** Reads an address, or a form, that anybody may have written. */
export function searchOf(raw: Record<string, unknown>): MarketSearch {
  return written<Required<MarketSearch>>({
    search: textIn(raw.search),
    exchange: exchangeIn(raw.exchange),
    closes: oneOf(raw.closes, ['day', 'week', 'month']),
    sort: oneOf(raw.sort, SORTS),
    event: textIn(raw.event),
    status: oneOf(raw.status, ['open', 'closed', 'settled']),
  });
}

/** What the address of a market says of how it is shown. */
export interface MarketView {
  /** Index of the outcome; the first where it is left out. */
  readonly outcome?: number;
  readonly interval?: Interval;
  /** How far back the chart goes; a week where it is left out. */
  readonly range?: Range;
}

export function marketViewOf({ outcome, interval, range }: Record<string, unknown>): MarketView {
  return written<Required<MarketView>>({
    outcome: typeof outcome === 'number' && Number.isInteger(outcome) ? outcome : undefined,
    interval: oneOf(interval, ['1m', '1h', '1d']),
    range: oneOf(range, RANGES),
  });
}
