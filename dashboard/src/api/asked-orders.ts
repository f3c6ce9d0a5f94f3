import {
  infiniteQueryOptions,
  queryOptions,
  useInfiniteQuery,
  useQuery,
  type UseQueryResult,
} from '@tanstack/react-query';
import { written } from '../address.js';
import { api } from '../session/session.js';
import { type ExchangeId, type Schemas, take } from './client.js';
import type { MorePages } from './pages.js';

/** An order or a transfer that was asked of this service. */
export type Asked = Schemas['AccountOrderDto'];
type State = Asked['state'];

interface AskedQuery {
  readonly state?: State;
  readonly exchange?: ExchangeId;
  readonly bot_id?: string;
  /** ISO 8601. */
  readonly start?: string;
  readonly end?: string;
  readonly cursor?: string;
}

const ASKED = 'asked-orders';
const PAGE_SIZE = 100;

function readPage(query: AskedQuery): Promise<Schemas['AccountOrderListDto']> {
  return take(api.GET('/account/orders', { params: { query: { ...query, limit: PAGE_SIZE } } }));
}

/** One reading has so many pages at most: of unknown fate each matters, of what was refused how much it is about. */
const MOST_PAGES = { unknown: 10, refused: 3 } as const;

export interface AskedRows {
  /** Newest first. */
  readonly rows: readonly Asked[];
  /** Whether there may be older ones, which were not read. */
  readonly hasMore: boolean;
}

async function readAll(query: AskedQuery & { readonly state: keyof typeof MOST_PAGES }): Promise<AskedRows> {
  const rows: Asked[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < MOST_PAGES[query.state]; page += 1) {
    const at: string | null = cursor;
    const read: Schemas['AccountOrderListDto'] = await readPage(at === null ? query : { ...query, cursor: at });
    rows.push(...read.data);
    cursor = read.next_cursor;
    if (cursor === null) break;
  }
  return { rows, hasMore: cursor !== null };
}

/** Sent so long ago and without an answer, nobody waits for one any more, in milliseconds. */
const SENT_MS = 60_000;

/** From when on nobody knows what became of what was sent, in milliseconds; 0 where that is known to be so. */
export function doubtfulAt({ state, updated_at: at }: Asked): number {
  return state === 'unknown' ? 0 : Date.parse(at) + SENT_MS;
}

/** What became of which is not known, however long ago it was asked; what was sent and not answered is soon one of those. */
const doubtfulQuery = queryOptions({
  queryKey: [ASKED, 'doubtful'],
  queryFn: async (): Promise<AskedRows> => {
    const [unknown, sending] = await Promise.all([readAll({ state: 'unknown' }), readPage({ state: 'sending' })]);
    return {
      rows: [...unknown.rows, ...sending.data].filter((row) => doubtfulAt(row) < Date.now()),
      hasMore: unknown.hasMore,
    };
  },
});

/** How often these are read where bots go on, in milliseconds: what becomes of them has no stream. */
const DOUBTFUL_MS = 10_000;
const REFUSED_MS = 60_000;

export function useDoubtful(isWatched: boolean): UseQueryResult<AskedRows> {
  return useQuery({ ...doubtfulQuery, refetchInterval: isWatched && DOUBTFUL_MS });
}

/** What was refused since `start` (ISO 8601), by this service or by the exchange. */
function refusedQuery(start: string) {
  return queryOptions({ queryKey: [ASKED, 'refused', start], queryFn: () => readAll({ state: 'refused', start }) });
}

export function useRefused(start: string, isWatched: boolean): UseQueryResult<AskedRows> {
  return useQuery({ ...refusedQuery(start), refetchInterval: isWatched && REFUSED_MS });
}

/** Which of them a list holds. */
interface AskedFilter {
  readonly state?: State | undefined;
  readonly exchange?: ExchangeId | undefined;
  readonly bot?: string | undefined;
  /** Asked for at or after `start`, before `end`; ISO 8601. */
  readonly start?: string | undefined;
  readonly end?: string | undefined;
}

function askedQuery({ state, exchange, bot, start, end }: AskedFilter) {
  return infiniteQueryOptions({
    queryKey: [ASKED, 'list', state, exchange, bot, start, end],
    queryFn: ({ pageParam }: { pageParam: string | null }) =>
      readPage(written<AskedQuery>({ state, exchange, bot_id: bot, start, end, cursor: pageParam ?? undefined })),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });
}

/** What was asked of this service, newest first, page by page. */
export function useAsked(filter: AskedFilter): MorePages<Asked> {
  const { data, error, refetch, isFetching, hasNextPage, fetchNextPage } = useInfiniteQuery(askedQuery(filter));
  return {
    data: data?.pages.flatMap((page) => page.data),
    error,
    refetch,
    isReading: isFetching,
    hasMore: hasNextPage,
    loadMore: () => void fetchNextPage(),
  };
}

/** Of an order or a transfer, that by which its life is found. */
export function nameOf({ order_id: order, client_order_id: client, request_ids: requests, id }: Asked): string {
  return order ?? client ?? requests[0] ?? id;
}
