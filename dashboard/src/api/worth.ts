import { useMemo } from 'react';
import { add, multiply, subtract } from '../../../src/exchanges/decimal.js';
import type { Line } from '../streams/subscriptions.js';
import type { Market } from './client.js';
import { ownLines, useStream } from './live.js';
import { marketKey, type Markets, quoteLines, readListedAgain, useQuotedMarkets } from './markets.js';
import { type Exchange, type ExchangeList, type Position, useLists } from './portfolio.js';

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

/** Amounts of one currency together, as far as they are known. */
export interface Sum {
  /** Of those that are known; null where there are some and none is. */
  readonly value: string | null;
  /** How many are unknown, and in no sum. */
  readonly unknown: number;
}

export function sumKnown(amounts: readonly (string | null)[]): Sum {
  const known = amounts.filter((amount) => amount !== null);
  const unknown = amounts.length - known.length;
  return { value: known.length === 0 && unknown > 0 ? null : known.reduce(add, '0'), unknown };
}

/** A position with what is known of it. */
export interface Holding {
  readonly position: Position;
  readonly worth: Worth;
  /** The event of its market; null where nobody says. */
  readonly event: string | null;
}

interface Holdings {
  /** Their refresh reads the quotes too. */
  readonly lists: readonly ExchangeList<Position>[];
  /** All that were read. */
  readonly holdings: readonly Holding[];
  /** The currencies of which not all positions are loaded, or not lately. */
  readonly partial: ReadonlySet<string>;
  /** Those that were needed, for a title, a price or an event. */
  readonly markets: Markets;
  /** What moves the quotes of these. */
  readonly quotes: readonly Line[];
}

/** Whether its market is needed. */
function isUnpriced({ title, current_price: price }: Position): boolean {
  return title === null || price === null;
}

function isPart({ rows, error, hasMore }: ExchangeList<Position>): boolean {
  return rows === undefined || error !== null || hasMore;
}

/** What is held at some exchanges; what it is worth moves by itself. */
export function useHoldings(exchanges: readonly Exchange[]): Holdings {
  const lists = useLists('positions', exchanges);
  useStream(ownLines(exchanges, 'orders', 'fills'));
  const places = useMemo(
    () =>
      lists.flatMap(({ exchange, rows = [] }) =>
        rows.filter(isUnpriced).map(({ market_id: id }) => ({ exchange: exchange.id, id })),
      ),
    [lists],
  );
  const markets = useQuotedMarkets(places);
  const holdings = useMemo(
    () =>
      lists
        .flatMap(({ rows = [] }) => rows)
        .map((position) => {
          const market = markets.get(marketKey(position.exchange, position.market_id));
          return {
            position,
            worth: worthOf(position, market),
            event: position.event_id ?? market?.event_id ?? null,
          };
        }),
    [lists, markets],
  );
  const partial = useMemo(() => new Set(lists.filter(isPart).map(({ exchange }) => exchange.currency)), [lists]);
  const read = lists.map((list) => ({
    ...list,
    refresh: () => Promise.all([list.refresh(), readListedAgain(list.exchange.id)]),
  }));
  return { lists: read, holdings, partial, markets, quotes: quoteLines(places) };
}
