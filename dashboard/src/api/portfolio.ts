import {
  type InfiniteData,
  infiniteQueryOptions,
  InfiniteQueryObserver,
  type QueryKey,
  queryOptions,
  skipToken,
  useMutation,
  type UseMutationResult,
  useQueries,
  useQuery,
  type UseQueryOptions,
  type UseQueryResult,
} from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { written } from '../address.js';
import type { installation } from '../installation.js';
import { api } from '../session/session.js';
import { type ExchangeId, type Schemas, take } from './client.js';
import { explain } from './explain.js';
import { Failure } from './failure.js';
import { queries, readMoney } from './queries.js';

export type Order = Schemas['ReadOrderDto'];
export type Fill = Schemas['ReadFillDto'];
export type Position = Schemas['PositionDto'];
export type Settlement = Schemas['SettlementDto'];
export type Exchange = (typeof installation)['exchanges'][number];

interface Rows {
  readonly positions: Position;
  readonly orders: Order;
  readonly fills: Fill;
  readonly settlements: Settlement;
}
export type ListName = keyof Rows;

interface Page<T> {
  readonly data: readonly T[];
  readonly next_cursor: string | null;
}

/** Times of rows, ISO 8601: at or after `start`, before `end`; what is left out is no bound. */
export interface TimeSpan {
  readonly start?: string;
  readonly end?: string;
}

/** Which rows of a list: those of a market, of fills and settlements those of a time too; what is left out is no bound. */
export interface ListPart extends TimeSpan {
  readonly market_id?: string;
}

interface PageQuery extends ListPart {
  readonly limit: number;
  readonly cursor?: string;
}

/** The most that the API gives at once: every page is a call of the trader's. */
const PAGE_SIZE = 100;

const READ: { readonly [L in ListName]: (exchange: ExchangeId, query: PageQuery) => Promise<Page<Rows[L]>> } = {
  positions: (exchange, query) => take(api.GET('/{exchange}/positions', { params: { path: { exchange }, query } })),
  orders: (exchange, query) => take(api.GET('/{exchange}/orders', { params: { path: { exchange }, query } })),
  fills: (exchange, query) => take(api.GET('/{exchange}/fills', { params: { path: { exchange }, query } })),
  settlements: (exchange, query) => take(api.GET('/{exchange}/settlements', { params: { path: { exchange }, query } })),
};

/** What the lists of one name at all exchanges begin with. */
export function listKey(list: ListName) {
  return ['portfolio', list] as const;
}

/** What the lists of one name of an exchange begin with; the part that each holds is behind that. */
export function listsOf(list: ListName, exchange: ExchangeId) {
  return [...listKey(list), exchange] as const;
}

function listQuery<L extends ListName>(list: L, exchange: ExchangeId, part: ListPart) {
  return infiniteQueryOptions({
    queryKey: [...listsOf(list, exchange), part],
    queryFn: ({ pageParam }: { pageParam: string | null }) =>
      READ[list](exchange, { limit: PAGE_SIZE, ...part, ...(pageParam === null ? {} : { cursor: pageParam }) }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    // A call a page: what is long, the stream moves.
    refetchOnWindowFocus: ({ state }) => (state.data?.pages.length ?? 0) < 2,
  });
}

export type Pages<T> = InfiniteData<Page<T>, string | null>;

/** As one of several, which `useQueries` tells from a query without pages by this mark alone. */
function oneOfSeveral<L extends ListName>(
  list: L,
  exchange: ExchangeId,
  part: ListPart,
): UseQueryOptions<Pages<Rows[L]>> {
  return { ...listQuery(list, exchange, part), _type: 'infinite' } as unknown as UseQueryOptions<Pages<Rows[L]>>;
}

/** The part that a list of this key holds. */
export function partOf(queryKey: QueryKey): ListPart {
  return queryKey.at(-1) as ListPart;
}

/** Whether a row is of a part. */
export function isOf(row: Order | Fill, { market_id: market, start, end }: ListPart): boolean {
  if (market !== undefined && row.market_id !== market) return false;
  const time = 'timestamp' in row ? Date.parse(row.timestamp) : NaN;
  return !(time < Date.parse(start ?? '')) && !(time >= Date.parse(end ?? ''));
}

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

/** A part of one list of each exchange, page by page. */
export function useLists<L extends ListName>(
  list: L,
  exchanges: readonly Exchange[],
  { market_id, start, end }: ListPart = {},
): ExchangeList<Rows[L]>[] {
  const part = useMemo(() => written<Required<ListPart>>({ market_id, start, end }), [market_id, start, end]);
  const combine = useCallback(
    (results: UseQueryResult<Pages<Rows[L]>>[]) =>
      exchanges.flatMap((exchange, index) => {
        const result = results[index];
        return result === undefined ? [] : [listOf(listQuery(list, exchange.id, part), exchange, result)];
      }),
    [list, exchanges, part],
  );
  return useQueries({
    queries: exchanges.map((exchange) => oneOfSeveral(list, exchange.id, part)),
    combine,
  });
}

function listOf<L extends ListName>(
  query: ReturnType<typeof listQuery<L>>,
  exchange: Exchange,
  { data, dataUpdatedAt, error, isFetching, refetch }: UseQueryResult<Pages<Rows[L]>>,
): ExchangeList<Rows[L]> {
  const pages = data?.pages ?? [];
  const loadMore = () => new InfiniteQueryObserver(queries, query).fetchNextPage({ cancelRefetch: false });
  return {
    exchange,
    rows: data?.pages.flatMap((page) => page.data),
    readAt: dataUpdatedAt,
    error,
    isReading: isFetching,
    pages: pages.length,
    hasMore: (pages.at(-1)?.next_cursor ?? null) !== null,
    refresh: () => refetch(),
    loadMore,
    loadAll: async () => {
      let last = await loadMore();
      while (last.hasNextPage && !last.isError) last = await last.fetchNextPage();
    },
  };
}

/** A page reads so many pages of a list by itself: a call each, of a hundred rows at most. */
const MOST_READ_ON = 10;

/** Begins to read the next page of a list that is short; what is longer than ten pages the reader alone reads on. */
export function readOn(list: ExchangeList<unknown>, isShort: boolean): void {
  if (isShort && list.pages < MOST_READ_ON && !list.isReading && list.error === null) void list.loadMore();
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
  /** From when on cancelling again can help, in milliseconds of this machine's clock; 0 for at once. */
  readonly retryAt: number;
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

/** What an exchange says of an order that it did not cancel as it wants a pause, and how long that is where it says no more. */
const PAUSE = 'exchange_rate_limited';
const PAUSE_MS = 2_000;
/** Failures after which nothing was done, and that pass. */
const PAUSES = new Set([PAUSE, 'rate_limited', 'exchange_unavailable', 'service_unavailable']);
/** Of an order that was not cancelled, or how it was over before: nothing more can be done. */
const FINAL = new Set(['not_found', 'not_cancellable', 'filled', 'expired', 'rejected']);

async function send(target: CancelTarget): Promise<Pick<CancelReport, 'cancelled' | 'notCancelled'>> {
  const exchange = target.exchange.id;
  if (target.kind === 'order') {
    const path = { exchange, order_id: target.id };
    const { id, status } = await take(api.DELETE('/{exchange}/orders/{order_id}', { params: { path } }));
    if (status === 'cancelled') return { cancelled: [id], notCancelled: [] };
    return { cancelled: [], notCancelled: [{ id, reason: status }] };
  }
  const query = target.kind === 'market' ? { market_id: target.id } : {};
  const report = await take(api.DELETE('/{exchange}/orders', { params: { path: { exchange }, query } }));
  return { cancelled: report.cancelled, notCancelled: report.not_cancelled };
}

type Told = Pick<CancelReport, 'cancelled' | 'notCancelled'>;

/** What an error of a cancel of several orders says of those before it (contract.md 5). */
function toldBefore(failure: unknown): Told {
  const { cancelled, not_cancelled: notCancelled } = failure instanceof Failure ? failure.details : {};
  return {
    cancelled: Array.isArray(cancelled) ? (cancelled as Told['cancelled']) : [],
    notCancelled: Array.isArray(notCancelled) ? (notCancelled as Told['notCancelled']) : [],
  };
}

async function cancel(target: CancelTarget): Promise<CancelReport> {
  try {
    const sent = await send(target);
    const isPaused = sent.notCancelled.some(({ reason }) => reason === PAUSE);
    return { target, ...sent, failure: null, isUnsure: false, retryAt: isPaused ? Date.now() + PAUSE_MS : 0 };
  } catch (failure) {
    const { retryAt } = explain(failure);
    return { target, ...toldBefore(failure), failure, isUnsure: isUnsure(target, failure), retryAt };
  }
}

/** Of one order: what rests of it in a moment can be cancelled then (errors.md). */
function isBeingMatched({ details }: Failure): boolean {
  return details.reason === 'not_cancellable';
}

/** Whether cancelling once more may close what is open still. */
export function hasRest({ failure, isUnsure, notCancelled }: CancelReport): boolean {
  if (failure instanceof Failure) return isUnsure || PAUSES.has(failure.code) || isBeingMatched(failure);
  return failure !== null || notCancelled.some(({ reason }) => !FINAL.has(reason));
}

/** The same once more where something is left; what was cancelled before stays in the report. */
async function cancelRest(report: CancelReport): Promise<CancelReport> {
  if (!hasRest(report)) return report;
  const again = await cancel(report.target);
  return { ...again, cancelled: [...new Set([...report.cancelled, ...again.cancelled])] };
}

/** What a cancel came to, with the orders as they stood before it. */
export interface CancelResult {
  readonly reports: readonly CancelReport[];
  readonly before: readonly Order[];
}

/** What the last cancel in this tab came to; null once the reader has put it away. */
const cancelResultQuery = queryOptions<CancelResult | null>({
  queryKey: ['cancel-result'],
  queryFn: skipToken,
  gcTime: Infinity,
});

/** Cancels at each exchange by itself, once; never fails: what became of each is the result, on whatever page it comes. */
export function useCancel(before: readonly Order[]): UseMutationResult<CancelResult, Error, readonly CancelTarget[]> {
  return useMutation({
    // Now or never: a cancel that waits for the network would come as a surprise.
    networkMode: 'always',
    mutationFn: async (targets) => ({ reports: await Promise.all(targets.map(cancel)), before }),
    onSuccess: tell,
  });
}

/** Cancels once more what a cancel has left open. */
export function useCancelRest({ reports, before }: CancelResult): UseMutationResult<CancelResult, Error, void> {
  return useMutation({
    networkMode: 'always',
    mutationFn: async () => ({ reports: await Promise.all(reports.map(cancelRest)), before }),
    onSuccess: tell,
  });
}

/** Cancels all open orders at each of them, once; never fails either. */
export async function cancelAll(exchanges: readonly Exchange[]): Promise<void> {
  tell({ reports: await Promise.all(exchanges.map((exchange) => cancel({ kind: 'all', exchange }))), before: [] });
}

function tell(result: CancelResult): void {
  queries.setQueryData(cancelResultQuery.queryKey, result);
  void queries.invalidateQueries({ queryKey: listKey('orders') });
  void readMoney();
}

/** The last result; null where there is none, or the reader has put it away. */
export function useCancelResult(): CancelResult | null {
  return useQuery(cancelResultQuery).data ?? null;
}

export function putResultAway(): void {
  queries.setQueryData(cancelResultQuery.queryKey, null);
}

/** One order as its exchange has it now. Throws Failure. */
export function readOrder(exchange: ExchangeId, id: string): Promise<Order> {
  const path = { exchange, order_id: id };
  return take(api.GET('/{exchange}/orders/{order_id}', { params: { path } }));
}

export function orderQuery(exchange: ExchangeId, id: string) {
  return queryOptions({ queryKey: ['order', exchange, id], queryFn: () => readOrder(exchange, id) });
}

export function useOrder(exchange: ExchangeId, id: string): UseQueryResult<Order> {
  return useQuery(orderQuery(exchange, id));
}
