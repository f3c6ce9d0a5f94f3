import { useMemo } from 'react';
import { add, multiply, subtract } from '../../../src/exchanges/decimal.js';
import type { Market } from './client.js';
import { ownLines, useStream } from './live.js';
import { marketKey, useQuotedMarkets } from './markets.js';
import { type Exchange, type Position, useLists } from './portfolio.js';

/** What a position is worth now. */
export interface Worth {
  readonly mark: string | null;
  readonly value: string | null;
  readonly result: string | null;
  /** Whether it is figured out here, from the best bid. */
  readonly isByBid: boolean;
}

/** The one rule for what a position is worth, as it is said where one is shown. */
export const RULE =
  'A position is worth what the exchange itself says; where it says nothing, what the best bid of its market would pay now, before fees; without a bid that is unknown.';

/** By the one rule: the exchange's own mark, else the best bid, else unknown. Exact. */
export function worthOf(position: Position, market: Market | undefined): Worth {
  const { current_price: mark, market_value: value, unrealized_pnl: result, cost_basis: cost, size } = position;
  if (mark !== null || value !== null) return { mark, value, result, isByBid: false };
  const bid = market?.outcomes.find(({ id }) => id === position.outcome.id)?.bid ?? null;
  if (bid === null) return { mark, value, result, isByBid: false };
  const paid = multiply(bid, size);
  return { mark: bid, value: paid, result: cost === null ? null : subtract(paid, cost), isByBid: true };
}

/** What the positions at one exchange are worth together, as far as that is known. */
export interface WorthSum {
  readonly value: string;
  /** How many were read. */
  readonly count: number;
  /** How many of them are of unknown worth, and in no sum. */
  readonly unknown: number;
  /** Whether there are more than were read. */
  readonly hasMore: boolean;
}

/** The sum of what positions are worth, by exchange; an exchange that has not answered, or could not, has none. */
export function useWorthSums(exchanges: readonly Exchange[]): ReadonlyMap<string, WorthSum> {
  const lists = useLists('positions', exchanges);
  useStream(ownLines(exchanges, 'orders', 'fills'));
  const unmarked = lists.flatMap(({ exchange, rows = [] }) =>
    rows
      .filter(({ current_price: mark, market_value: value }) => mark === null && value === null)
      .map(({ market_id: id }) => ({ exchange: exchange.id, id })),
  );
  const markets = useQuotedMarkets(unmarked);
  return useMemo(() => {
    const sums = new Map<string, WorthSum>();
    for (const { exchange, rows, hasMore } of lists) {
      if (rows === undefined) continue;
      const values = rows.map((row) => worthOf(row, markets.get(marketKey(row.exchange, row.market_id))).value);
      const known = values.filter((value) => value !== null);
      const unknown = values.length - known.length;
      sums.set(exchange.id, { value: known.reduce(add, '0'), count: values.length, unknown, hasMore });
    }
    return sums;
  }, [lists, markets]);
}
