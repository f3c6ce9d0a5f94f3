import {
  type InfiniteData,
  useInfiniteQuery,
  type UseInfiniteQueryResult,
  useQuery,
  type UseQueryResult,
} from '@tanstack/react-query';
import type { KnownKey } from '../session/keyring.js';
import { apiWithKey, type ExchangeId, type Market, type Schemas, take } from './client.js';
import { queries } from './queries.js';

export type ExchangeEvent = Schemas['EventDto'];
export type Candle = Schemas['CandlestickDto'];
export type Interval = Candle['interval'];

/** What is looked for; empty is anything. Words are Polymarket's alone to find, series Kalshi's alone. */
export interface MarketFilter {
  readonly exchanges: readonly ExchangeId[];
  readonly status: 'open' | 'closed' | 'settled';
  readonly words: string;
  readonly series: string;
  readonly event: string;
}

/** Where each exchange's list goes on; undefined is its beginning, null its end. */
type Cursors = Partial<Record<ExchangeId, string | null | undefined>>;

const BEGINNING: Cursors = {};

/** What one exchange gave of a page: an exchange that failed is no reason to hide the others. */
interface Part {
  readonly exchange: ExchangeId;
  readonly markets: readonly Market[];
  readonly next: string | null | undefined;
  readonly error: unknown;
}

export type MarketPages = UseInfiniteQueryResult<InfiniteData<readonly Part[]>>;

const PAGE = 25;

async function partOf(
  key: KnownKey,
  { exchange, cursor }: { exchange: ExchangeId; cursor: string | undefined },
  filter: MarketFilter,
): Promise<Part> {
  const { status, words: search, series: series_id, event: event_id } = filter;
  const narrowed = { ...(search && { search }), ...(series_id && { series_id }), ...(event_id && { event_id }) };
  const query = { status, limit: PAGE, ...narrowed, ...(cursor === undefined ? {} : { cursor }) };
  try {
    const page = await take(apiWithKey(key.key).GET('/{exchange}/markets', { params: { path: { exchange }, query } }));
    return { exchange, markets: page.data, next: page.next_cursor, error: null };
  } catch (error) {
    return { exchange, markets: [], next: cursor, error };
  }
}

/** Markets of all exchanges asked, a page of each at a time; one that failed is asked again for the same page. */
export function useMarketSearch(key: KnownKey, filter: MarketFilter): MarketPages {
  return useInfiniteQuery({
    queryKey: ['markets', key.prefix, filter],
    initialPageParam: BEGINNING,
    queryFn: ({ pageParam }) =>
      Promise.all(
        filter.exchanges
          .filter((exchange) => pageParam[exchange] !== null)
          .map((exchange) => partOf(key, { exchange, cursor: pageParam[exchange] ?? undefined }, filter)),
      ),
    getNextPageParam: (last, _pages, before) => {
      const next: Cursors = { ...before };
      for (const part of last) next[part.exchange] = part.next;
      const isOver = filter.exchanges.every((exchange) => next[exchange] === null);
      return isOver ? undefined : next;
    },
  });
}

/** Events of Kalshi, which has no search for words. */
export function useKalshiEvents(
  key: KnownKey,
  filter: Pick<MarketFilter, 'status' | 'series'>,
): UseInfiniteQueryResult<InfiniteData<Schemas['EventListDto']>> {
  const { status, series } = filter;
  return useInfiniteQuery({
    queryKey: ['kalshi-events', key.prefix, status, series],
    initialPageParam: '',
    queryFn: ({ pageParam: cursor }) => {
      const query = { status, limit: PAGE, ...(series && { series_id: series }), ...(cursor && { cursor }) };
      const params = { path: { exchange: 'kalshi' as const }, query };
      return take(apiWithKey(key.key).GET('/{exchange}/events', { params }));
    },
    getNextPageParam: ({ next_cursor: next }) => next,
  });
}

/** One market at one exchange. */
export interface MarketPlace {
  readonly exchange: ExchangeId;
  readonly id: string;
}

export function useMarket(key: KnownKey, { exchange, id }: MarketPlace): UseQueryResult<Schemas['MarketAnswerDto']> {
  const path = { exchange, market_id: id };
  return useQuery({
    queryKey: ['market', exchange, id, key.prefix],
    queryFn: () => take(apiWithKey(key.key).GET('/{exchange}/markets/{market_id}', { params: { path } })),
  });
}

const DEPTH = 10;

export function useOrderBook(
  key: KnownKey,
  { exchange, id }: MarketPlace,
  outcome: number,
): UseQueryResult<Schemas['OrderBookAnswerDto']> {
  const query = { market_id: id, outcome: String(outcome), depth: DEPTH };
  return useQuery({
    queryKey: ['order-book', exchange, id, outcome, key.prefix],
    queryFn: () => take(apiWithKey(key.key).GET('/{exchange}/orderbooks', { params: { path: { exchange }, query } })),
  });
}

const TRADES = 20;

export function useTrades(key: KnownKey, { exchange, id }: MarketPlace): UseQueryResult<Schemas['TradeListDto']> {
  const query = { market_id: id, limit: TRADES };
  return useQuery({
    queryKey: ['trades', exchange, id, key.prefix],
    queryFn: () => take(apiWithKey(key.key).GET('/{exchange}/trades', { params: { path: { exchange }, query } })),
  });
}

/** What candles are asked for: those of the last 100 intervals. */
export interface CandleChoice {
  readonly outcome: number;
  readonly interval: Interval;
}

export function useCandles(
  key: KnownKey,
  { exchange, id }: MarketPlace,
  { outcome, interval }: CandleChoice,
): UseQueryResult<Schemas['CandlestickListDto']> {
  const query = { market_id: id, outcome: String(outcome), interval };
  return useQuery({
    queryKey: ['candles', exchange, id, outcome, interval, key.prefix],
    queryFn: () => take(apiWithKey(key.key).GET('/{exchange}/candlesticks', { params: { path: { exchange }, query } })),
  });
}

/** Reads all that is shown of a market once more. */
export function readAgain({ exchange, id }: MarketPlace): Promise<void> {
  const of = [exchange, id];
  return queries.invalidateQueries({
    predicate: ({ queryKey }) => of.every((part) => queryKey.includes(part)),
  });
}
