import { exchangeIn, oneOf, textIn, written } from '../../address.js';
import type { ExchangeId } from '../../api/client.js';
import type { ListName } from '../../api/portfolio.js';

/** What the address of the portfolio says; what is left out is anything, and the list of positions. */
export interface PortfolioSearch {
  readonly list?: ListName;
  readonly exchange?: ExchangeId;
  readonly market?: string;
  readonly side?: 'buy' | 'sell';
}

/** Reads an address, or fields, that anybody may have written. */
export function portfolioSearchOf(raw: Record<string, unknown>): PortfolioSearch {
  return written<Required<PortfolioSearch>>({
    list: oneOf(raw.list, ['positions', 'orders', 'fills']),
    exchange: exchangeIn(raw.exchange),
    market: textIn(raw.market),
    side: oneOf(raw.side, ['buy', 'sell']),
  });
}
