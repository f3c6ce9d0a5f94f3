import {
  type InfiniteData,
  infiniteQueryOptions,
  queryOptions,
  useInfiniteQuery,
  type UseInfiniteQueryResult,
  useIsFetching,
  useQueries,
  useQuery,
  type UseQueryResult,
} from '@tanstack/react-query';
import { useMemo } from 'react';
import { api } from '../session/session.js';
import { type ExchangeId, type Market, type Schemas, take } from './client.js';
import type { Line } from '../streams/subscriptions.js';
import { useStream } from './live.js';
import { queries } from './queries.js';

export type Candle = Schemas['CandlestickDto'];
export type Interval = Candle['interval'];
export type MarketStatus = 'open' | 'closed' | 'settled';

/** Markets of one event, as its exchange lists them. */
export interface EventFilter {
  readonly exchange: ExchangeId;
  readonly event: string;
  readonly status: MarketStatus;
}

const PAGE = 25;

function eventMarketsQuery({ exchange, event, status }: EventFilter) {
  return infiniteQueryOptions({
    queryKey: ['event-markets', exchange, event, status],
    initialPageParam: '',
    queryFn: ({ pageParam: cursor }) => {
      const query = { status, event_id: event, limit: PAGE, ...(cursor && { cursor }) };
      return take(api.GET('/{exchange}/markets', { params: { path: { exchange }, query } }));
    },
    getNextPageParam: ({ next_cursor: next }) => next,
  });
}

/** The markets of an event, page by page. */
export function useEventMarkets(filter: EventFilter): UseInfiniteQueryResult<InfiniteData<Schemas['MarketListDto']>> {
  return useInfiniteQuery(eventMarketsQuery(filter));
}

/** One market at one exchange. */
export interface MarketPlace {
  readonly exchange: ExchangeId;
  readonly id: string;
}

/** What all that is shown of a market begins with. */
export function placeKey({ exchange, id }: MarketPlace) {
  return ['market', exchange, id] as const;
}

export function marketQuery(place: MarketPlace) {
  const path = { exchange: place.exchange, market_id: place.id };
  return queryOptions({
    queryKey: [...placeKey(place), 'market'],
    queryFn: () => take(api.GET('/{exchange}/markets/{market_id}', { params: { path } })),
  });
}

export function useMarket(place: MarketPlace): UseQueryResult<Schemas['MarketAnswerDto']> {
  return useQuery(marketQuery(place));
}

/** Levels of each side that are shown. */
export const DEPTH = 10;

export function orderBookQuery(place: MarketPlace, outcome: number) {
  const path = { exchange: place.exchange };
  const query = { market_id: place.id, outcome: String(outcome), depth: DEPTH };
  return queryOptions({
    queryKey: [...placeKey(place), 'order-book', outcome],
    queryFn: () => take(api.GET('/{exchange}/orderbooks', { params: { path, query } })),
  });
}

export function useOrderBook(place: MarketPlace, outcome: number): UseQueryResult<Schemas['OrderBookAnswerDto']> {
  return useQuery(orderBookQuery(place, outcome));
}

/** Trades that are shown. */
export const TRADES = 20;

export function tradesQuery(place: MarketPlace) {
  const path = { exchange: place.exchange };
  const query = { market_id: place.id, limit: TRADES };
  return queryOptions({
    queryKey: [...placeKey(place), 'trades'],
    queryFn: () => take(api.GET('/{exchange}/trades', { params: { path, query } })),
  });
}

export function useTrades(place: MarketPlace): UseQueryResult<Schemas['TradeListDto']> {
  return useQuery(tradesQuery(place));
}

export const RANGES = ['day', 'week', 'month', 'all'] as const;
export type Range = (typeof RANGES)[number];

const RANGE_DAYS: Readonly<Record<Range, number>> = { day: 1, week: 7, month: 30, all: Infinity };
/** Length of each, in seconds. */
export const INTERVAL_SECONDS: Readonly<Record<Interval, number>> = { '1m': 60, '1h': 3_600, '1d': 86_400 };
/** More are not asked for: a day of minutes, or four years of days. */
export const MOST_CANDLES = 1_500;
/** A candle that goes on is read anew so often, in milliseconds. */
const CANDLES_AGAIN_MS = 60_000;

/** What candles are asked for. */
export interface CandleChoice {
  readonly outcome: number;
  readonly interval: Interval;
  readonly range: Range;
  /** When the market opened, as ISO 8601: nothing is before. */
  readonly opened: string | null;
}

/** From when on, in milliseconds, and whether that is later than was chosen. */
export function candlesFrom({ interval, range, opened }: CandleChoice, now: number) {
  const step = INTERVAL_SECONDS[interval] * 1_000;
  // The first candle began before the market opened in it.
  const earliest = opened === null ? -Infinity : Date.parse(opened) - step;
  const wanted = Math.max(now - RANGE_DAYS[range] * 86_400_000, earliest);
  const first = now - MOST_CANDLES * step;
  return { start: Math.max(wanted, first), isCut: wanted < first };
}

function candlesQuery(place: MarketPlace, choice: CandleChoice) {
  const { outcome, interval, range, opened } = choice;
  const path = { exchange: place.exchange };
  return queryOptions({
    queryKey: [...placeKey(place), 'candles', outcome, interval, range, opened],
    queryFn: () => {
      const { start } = candlesFrom(choice, Date.now());
      const query = { market_id: place.id, outcome: String(outcome), interval, start: new Date(start).toISOString() };
      return take(api.GET('/{exchange}/candlesticks', { params: { path, query } }));
    },
    refetchInterval: CANDLES_AGAIN_MS,
  });
}

export function useCandles(place: MarketPlace, choice: CandleChoice): UseQueryResult<Schemas['CandlestickListDto']> {
  return useQuery(candlesQuery(place, choice));
}

/** Reads all that is shown of a market once more. */
export function readAgain(place: MarketPlace): Promise<void> {
  return queries.invalidateQueries({ queryKey: placeKey(place) });
}

/** Whether something of a market is being read. */
export function useIsReading(place: MarketPlace): boolean {
  return useIsFetching({ queryKey: placeKey(place) }) > 0;
}

/** How many markets one call names. */
const MARKETS_A_CALL = 50;

/** Markets of one exchange that are asked for at the same time, and who waits for each. */
class MarketCalls {
  #waiting = new Map<string, ((found: Promise<Market | null>) => void)[]>();

  constructor(private readonly exchange: ExchangeId) {}

  /** The market; null where the exchange does not know it. Throws Failure. */
  find(id: string): Promise<Market | null> {
    if (this.#waiting.size === 0) {
      setTimeout(() => {
        this.#send();
      });
    }
    return new Promise((resolve) => {
      this.#waiting.set(id, [...(this.#waiting.get(id) ?? []), resolve]);
    });
  }

  #send(): void {
    const waiting = [...this.#waiting];
    this.#waiting = new Map();
    for (let start = 0; start < waiting.length; start += MARKETS_A_CALL) {
      const some = waiting.slice(start, start + MARKETS_A_CALL);
      const call = this.#read(some.map(([id]) => id));
      for (const [id, resolves] of some) {
        const found = call.then((markets) => markets.get(id) ?? null);
        for (const resolve of resolves) resolve(found);
      }
    }
  }

  async #read(ids: readonly string[]): Promise<ReadonlyMap<string, Market>> {
    const params = { path: { exchange: this.exchange }, query: { ids: ids.join(','), limit: MARKETS_A_CALL } };
    const { data } = await take(api.GET('/{exchange}/markets', { params }));
    return new Map(data.map((market) => [market.id, market]));
  }
}

const CALLS = new Map<ExchangeId, MarketCalls>();

function callsOf(exchange: ExchangeId): MarketCalls {
  const calls = CALLS.get(exchange) ?? new MarketCalls(exchange);
  CALLS.set(exchange, calls);
  return calls;
}

/** How long a market that was listed is remembered, in milliseconds. */
const REMEMBERED_MS = 3_600_000;

const LISTED = 'listed-market';
const LISTED_TOGETHER = 'listed-markets';

/** What of an exchange's markets is kept one by one, and what is kept as the records by id that rows name together. */
export function listedKeys(exchange: string) {
  return { one: [LISTED, exchange] as const, together: [LISTED_TOGETHER, exchange] as const };
}

/** One of many markets; those that are asked for at the same time share calls. */
function listedMarketQuery({ exchange, id }: MarketPlace) {
  return queryOptions({
    queryKey: [...listedKeys(exchange).one, id],
    queryFn: () => callsOf(exchange).find(id),
    gcTime: REMEMBERED_MS,
  });
}

/** The markets of one exchange that rows name. */
interface ListedMarkets {
  readonly exchange: ExchangeId;
  readonly ids: readonly string[];
  readonly maxAgeMs: number;
}

export type Found = Readonly<Record<string, Market>>;

function foundIn(markets: readonly (Market | null | undefined)[]): Found {
  return Object.fromEntries(markets.flatMap((market) => (market ? [[market.id, market]] : [])));
}

/** All that rows name as one result: what a table is drawn from changes once, and not with each of them. */
function listedMarketsQuery({ exchange, ids, maxAgeMs }: ListedMarkets) {
  const each = ids.map((id) => listedMarketQuery({ exchange, id }));
  return queryOptions({
    queryKey: [...listedKeys(exchange).together, ids],
    queryFn: async () => {
      const asked = each.map((one) => queries.query({ ...one, staleTime: maxAgeMs }));
      const answers = await Promise.allSettled(asked);
      return foundIn(answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : null)));
    },
    placeholderData: () => foundIn(each.map(({ queryKey }) => queries.getQueryData(queryKey))),
    staleTime: maxAgeMs,
  });
}

/** Markets by exchange and id. */
export type Markets = ReadonlyMap<string, Market>;

export function marketKey(exchange: string, id: string): string {
  return `${exchange} ${id}`;
}

function byKey(results: readonly { readonly data: Found | undefined }[]): Markets {
  const known = results.flatMap(({ data = {} }) => Object.values(data));
  return new Map(known.map((market) => [marketKey(market.exchange, market.id), market]));
}

/**
 * The markets that rows name, the same map as long as they are the same; what cannot be read is missing. What is read again is at most as
 * old as `maxAgeMs`; quotes that a page follows move by themselves.
 */
export function useMarkets(wanted: readonly MarketPlace[], maxAgeMs: number): Markets {
  const asked = useMemo(() => {
    const ids = new Map<ExchangeId, Set<string>>();
    for (const { exchange, id } of wanted) ids.set(exchange, (ids.get(exchange) ?? new Set()).add(id));
    return [...ids].map(([exchange, some]) => ({ exchange, ids: [...some].sort() }));
  }, [wanted]);
  return useQueries({ queries: asked.map((one) => listedMarketsQuery({ ...one, maxAgeMs })), combine: byKey });
}

/** Reads anew what is shown of an exchange's markets that rows name. */
export async function readListedAgain(exchange: ExchangeId): Promise<void> {
  const { one, together } = listedKeys(exchange);
  // Each before all: what is read together takes what is good still.
  await queries.invalidateQueries({ queryKey: one });
  await queries.invalidateQueries({ queryKey: together });
}

/** The lines of the stream that move the quotes of markets. */
export function quoteLines(places: readonly MarketPlace[]): Line[] {
  return places.map(({ exchange, id }) => ({ exchange, channel: 'markets', marketId: id }));
}

/** Quotes that were read are good for so long, in milliseconds. */
const QUOTED_MS = 15_000;

/** The same where prices count: their quotes move by themselves. */
export function useQuotedMarkets(wanted: readonly MarketPlace[]): Markets {
  useStream(quoteLines(wanted));
  return useMarkets(wanted, QUOTED_MS);
}
