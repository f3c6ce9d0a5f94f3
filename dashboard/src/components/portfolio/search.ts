import { exchangeIn, oneOf, spanIn, textIn, written } from '../../address.js';
import type { ExchangeId } from '../../api/client.js';

/** What the portfolio shows one at a time. */
const VIEWS = ['positions', 'orders', 'fills', 'settlements', 'course'] as const;
export type View = (typeof VIEWS)[number];

/** How far back the course of equity goes. */
export const SPANS = ['day', 'week', 'month', 'all'] as const;
export type Span = (typeof SPANS)[number];

/** What the address of the portfolio says; what is left out is anything, and the list of positions. */
export interface PortfolioSearch {
  readonly list?: View;
  readonly exchange?: ExchangeId;
  readonly market?: string;
  readonly side?: 'buy' | 'sell';
  /** The id of a bot. */
  readonly bot?: string;
  /** Of fills and settlements: at or after `start`, before `end`; ISO 8601. */
  readonly start?: string;
  readonly end?: string;
  readonly span?: Span;
  /** A column of the list, behind `-` for the greatest first. */
  readonly sort?: string;
}

/** Reads an address, or fields, that anybody may have written. */
export function portfolioSearchOf(raw: Record<string, unknown>): PortfolioSearch {
  return written<Required<PortfolioSearch>>({
    list: oneOf(raw.list, VIEWS),
    exchange: exchangeIn(raw.exchange),
    market: textIn(raw.market),
    side: oneOf(raw.side, ['buy', 'sell']),
    bot: textIn(raw.bot),
    ...spanIn(raw),
    span: oneOf(raw.span, SPANS),
    sort: textIn(raw.sort),
  });
}
