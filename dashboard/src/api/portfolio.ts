import {
  skipToken,
  useInfiniteQuery,
  useMutation,
  type UseMutationResult,
  useQueries,
  useQuery,
} from '@tanstack/react-query';
import type { installation } from '../installation.js';
import type { KnownKey } from '../session/keyring.js';
import { type Api, apiWithKey, type ExchangeId, type Market, type Schemas, take } from './client.js';
import { Failure } from './failure.js';
import { queries } from './queries.js';

export type Order = Schemas['OrderDto'];
export type Fill = Schemas['FillDto'];
export type Position = Schemas['PositionDto'];
export type Exchange = (typeof installation)['exchanges'][number];

interface Rows {
  readonly positions: Position;
  readonly orders: Order;
  readonly fills: Fill;
}
export type ListName = keyof Rows;

interface Page<T> {
  readonly data: readonly T[];
  readonly next_cursor: string | null;
}

interface PageQuery {
  readonly limit: number;
  readonly cursor?: string;
}

/** The most that the API gives at once: every page is a call of the trader's. */
const PAGE_SIZE = 100;
/** How often a list in view is read again, in milliseconds. */
export const REFRESH_MS = 15_000;
/** How many markets one call names. */
const MARKETS_A_CALL = 50;
const ROOT = 'portfolio';

const READ: { readonly [L in ListName]: (api: Api, exchange: ExchangeId, query: PageQuery) => Promise<Page<Rows[L]>> } =
  {
    positions: (api, exchange, query) =>
      take(api.GET('/{exchange}/positions', { params: { path: { exchange }, query } })),
    orders: (api, exchange, query) => take(api.GET('/{exchange}/orders', { params: { path: { exchange }, query } })),
    fills: (api, exchange, query) => take(api.GET('/{exchange}/fills', { params: { path: { exchange }, query } })),
  };

/** A list of one exchange, as far as it is read. */
export interface ExchangeList<T> {
  readonly exchange: Exchange;
  /** Undefined before the first answer. */
  readonly rows: readonly T[] | undefined;
  /** When that was, in milliseconds of this machine's clock; 0 before. */
  readonly readAt: number;
  /** Null where the last reading went well; the rows are older then. */
  readonly error: unknown;
  readonly isReading: boolean;
  readonly pages: number;
  readonly hasMore: boolean;
  readonly refresh: () => Promise<unknown>;
  readonly loadMore: () => Promise<unknown>;
  readonly loadAll: () => Promise<unknown>;
}

interface ListOptions {
  readonly known: KnownKey;
  /** Read again every 15 s while the page is visible, as long as one page is enough. */
  readonly isLive: boolean;
}

/** One list of each exchange, page by page. Each is a hook: for other exchanges a component begins anew. */
export function useLists<L extends ListName>(
  list: L,
  exchanges: readonly Exchange[],
  { known, isLive }: ListOptions,
): ExchangeList<Rows[L]>[] {
  return exchanges.map((exchange) => {
    const query = useInfiniteQuery({
      queryKey: [ROOT, list, exchange.id, known.prefix],
      queryFn: ({ pageParam }: { pageParam: string | null }) =>
        READ[list](apiWithKey(known.key), exchange.id, {
          limit: PAGE_SIZE,
          ...(pageParam === null ? {} : { cursor: pageParam }),
        }),
      initialPageParam: null as string | null,
      getNextPageParam: ({ next_cursor }) => next_cursor,
      refetchInterval: ({ state }) => (isLive && (state.data?.pages.length ?? 0) <= 1 ? REFRESH_MS : false),
    });
    return {
      exchange,
      rows: query.data?.pages.flatMap(({ data }) => data),
      readAt: query.dataUpdatedAt,
      error: query.error,
      isReading: query.isFetching,
      pages: query.data?.pages.length ?? 0,
      hasMore: query.hasNextPage,
      refresh: () => query.refetch(),
      loadMore: () => query.fetchNextPage(),
      loadAll: async () => {
        let last = await query.fetchNextPage();
        while (last.hasNextPage && !last.isError) last = await last.fetchNextPage();
      },
    };
  });
}

/** Markets of an exchange by their ids. */
export interface MarketsOf {
  readonly exchange: Exchange;
  readonly ids: readonly string[];
}

/**
 * The markets that rows name, by exchange and id; what cannot be read is missing. They are public, and do not count at the
 * exchange. Quotes are at most as old as `staleTime`, in milliseconds.
 */
export function useMarkets(
  wanted: readonly MarketsOf[],
  known: KnownKey,
  staleTime: number,
): ReadonlyMap<string, Market> {
  const calls = wanted.flatMap(({ exchange, ids }) => {
    const all = [...new Set(ids)].sort();
    const starts = Array.from({ length: Math.ceil(all.length / MARKETS_A_CALL) }, (_, index) => index * MARKETS_A_CALL);
    return starts.map((start) => ({ exchange: exchange.id, ids: all.slice(start, start + MARKETS_A_CALL).join(',') }));
  });
  const pages = useQueries({
    queries: calls.map(({ exchange, ids }) => ({
      queryKey: [ROOT, 'markets', exchange, ids],
      queryFn: () =>
        take(
          apiWithKey(known.key).GET('/{exchange}/markets', {
            params: { path: { exchange }, query: { ids, limit: MARKETS_A_CALL } },
          }),
        ),
      staleTime,
      refetchInterval: staleTime === Infinity ? (false as const) : staleTime,
    })),
  });
  // Those of earlier calls too, so that no title is gone while a longer list of them is read.
  const earlier = queries.getQueriesData<{ data: Market[] }>({ queryKey: [ROOT, 'markets'] });
  const markets = [...earlier.map(([, page]) => page), ...pages.map(({ data }) => data)].flatMap(
    (page) => page?.data ?? [],
  );
  return new Map(markets.map((market) => [marketKey(market.exchange, market.id), market]));
}

export function marketKey(exchange: string, id: string): string {
  return `${exchange} ${id}`;
}

/** What is to be cancelled at one exchange. */
export type CancelTarget =
  | { readonly kind: 'order'; readonly exchange: Exchange; readonly id: string }
  | { readonly kind: 'market'; readonly exchange: Exchange; readonly id: string }
  | { readonly kind: 'all'; readonly exchange: Exchange };

/** What became of it, as far as the service could tell. */
export interface CancelReport {
  readonly target: CancelTarget;
  readonly cancelled: readonly string[];
  readonly notCancelled: readonly Schemas['NotCancelledDto'][];
  /** What the call failed with; null where it was answered. */
  readonly failure: unknown;
  /** Whether something may be cancelled all the same. */
  readonly isUnsure: boolean;
}

/** Failures that say for sure that nothing was sent to the exchange. */
const NOTHING_SENT = new Set([
  'bad_request',
  'unauthorized',
  'forbidden',
  'rate_limited',
  'credentials_not_configured',
  'not_supported',
]);
/** Failures that say for sure that one order was not cancelled by this call; of several orders some may be. */
const REFUSED = new Set(['not_found', 'exchange_rejected', 'exchange_rate_limited', 'credentials_rejected']);

function isUnsure(target: CancelTarget, error: unknown): boolean {
  if (!(error instanceof Failure)) return true;
  if (NOTHING_SENT.has(error.code)) return false;
  return target.kind !== 'order' || !REFUSED.has(error.code);
}

async function send(api: Api, target: CancelTarget): Promise<Pick<CancelReport, 'cancelled' | 'notCancelled'>> {
  const exchange = target.exchange.id;
  if (target.kind === 'order') {
    const path = { exchange, order_id: target.id };
    const { id } = await take(api.DELETE('/{exchange}/orders/{order_id}', { params: { path } }));
    return { cancelled: [id], notCancelled: [] };
  }
  const query = target.kind === 'market' ? { market_id: target.id } : {};
  const report = await take(api.DELETE('/{exchange}/orders', { params: { path: { exchange }, query } }));
  return { cancelled: report.cancelled, notCancelled: report.not_cancelled };
}

async function cancel(api: Api, target: CancelTarget): Promise<CancelReport> {
  try {
    return { target, ...(await send(api, target)), failure: null, isUnsure: false };
  } catch (failure) {
    return { target, cancelled: [], notCancelled: [], failure, isUnsure: isUnsure(target, failure) };
  }
}

/** What a cancel came to, with the orders as they stood before it. */
export interface CancelResult {
  readonly reports: readonly CancelReport[];
  readonly before: readonly Order[];
}

/** Under the key that it was asked with: it is of nobody else's interest. */
function resultKey({ prefix }: KnownKey): readonly string[] {
  return [ROOT, 'cancel-result', prefix];
}

/** Cancels at each exchange by itself, once; never fails: what became of each is the result, on whatever page it comes. */
export function useCancel(
  known: KnownKey,
  before: readonly Order[],
): UseMutationResult<CancelResult, Error, readonly CancelTarget[]> {
  return useMutation({
    // Now or never: a cancel that waits for the network would come as a surprise.
    networkMode: 'always',
    mutationFn: async (targets) => {
      const api = apiWithKey(known.key);
      return { reports: await Promise.all(targets.map((target) => cancel(api, target))), before };
    },
    onSuccess: (result) => {
      queries.setQueryData(resultKey(known), result);
      void queries.invalidateQueries({ queryKey: [ROOT, 'orders'] });
      void queries.invalidateQueries({ queryKey: ['balance'] });
    },
  });
}

/** The last result; null where there is none, or the reader has put it away. */
export function useCancelResult(known: KnownKey): CancelResult | null {
  return (
    useQuery<CancelResult | null>({ queryKey: resultKey(known), queryFn: skipToken, gcTime: Infinity }).data ?? null
  );
}

export function putResultAway(known: KnownKey): void {
  queries.setQueryData(resultKey(known), null);
}

/** One order as its exchange has it now. Throws Failure. */
export function readOrder(known: KnownKey, exchange: Exchange, id: string): Promise<Order> {
  const path = { exchange: exchange.id, order_id: id };
  return take(apiWithKey(known.key).GET('/{exchange}/orders/{order_id}', { params: { path } }));
}
