import { exchangeIn, oneOf, textIn, written } from '../../address.js';
import type { ExchangeId } from '../../api/client.js';
import type { Interval, MarketFilter } from '../../api/markets.js';

/** What the address of the list says; what is left out is anything. */
export interface MarketSearch {
  readonly exchange?: ExchangeId;
  readonly status?: MarketFilter['status'];
  readonly words?: string;
  readonly series?: string;
  readonly event?: string;
}

/** Reads an address, or a form, that anybody may have written. */
export function searchOf(raw: Record<string, unknown>): MarketSearch {
  return written<Required<MarketSearch>>({
    exchange: exchangeIn(raw.exchange),
    status: oneOf(raw.status, ['open', 'closed', 'settled']),
    words: textIn(raw.words),
    series: textIn(raw.series),
    event: textIn(raw.event),
  });
}

/** What the address of a market says of how it is shown. */
export interface MarketView {
  /** Index of the outcome; the first where it is left out. */
  readonly outcome?: number;
  readonly interval?: Interval;
}

export function marketViewOf({ outcome, interval }: Record<string, unknown>): MarketView {
  return written<Required<MarketView>>({
    outcome: typeof outcome === 'number' && Number.isInteger(outcome) ? outcome : undefined,
    interval: oneOf(interval, ['1m', '1h', '1d']),
  });
}
