import {
  infiniteQueryOptions,
  queryOptions,
  useInfiniteQuery,
  useMutation,
  useQuery,
  type UseMutationResult,
  type UseQueryResult,
} from '@tanstack/react-query';
import { api } from '../session/session.js';
import { type Schemas, take } from './client.js';
import { queries } from './queries.js';

export type Activity = Schemas['ActivityDto'];
export type Session = Schemas['SessionDto'];

const PAGE_SIZE = 100;
/** A search reads at most so many pages: 5,000 entries. */
const MAX_PAGES = 50;

async function readPage(cursor: string | null): Promise<Schemas['ActivityListDto']> {
  const query = { limit: String(PAGE_SIZE), ...(cursor === null ? {} : { cursor }) };
  // The limit is a number in the document, and text in every address.
  return take(api.GET('/account/activity', { params: { query: query as unknown as { limit: number } } }));
}

/** What happened to the account, as far as it is read. */
export interface ActivityPages {
  /** Undefined before the first answer. */
  readonly data: readonly Activity[] | undefined;
  readonly error: unknown;
  readonly refetch: () => unknown;
  readonly isReading: boolean;
  readonly hasMore: boolean;
  readonly loadMore: () => void;
}

const activityQuery = infiniteQueryOptions({
  queryKey: ['activity'],
  queryFn: ({ pageParam }: { pageParam: string | null }) => readPage(pageParam),
  initialPageParam: null as string | null,
  getNextPageParam: ({ next_cursor }) => next_cursor,
});

/** What happened to the account, newest first, page by page. */
export function useActivity(): ActivityPages {
  const query = useInfiniteQuery(activityQuery);
  return {
    data: query.data?.pages.flatMap(({ data }) => data),
    error: query.error,
    refetch: query.refetch,
    isReading: query.isFetching,
    hasMore: query.hasNextPage,
    loadMore: () => void query.fetchNextPage(),
  };
}

/** The ids by which entries are found. */
export interface OrderIds {
  readonly order: string | null;
  readonly client: string | null;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

const OF_ORDERS: readonly string[] = [
  'order_created',
  'order_amended',
  'order_cancelled',
  'order_settled',
] satisfies Activity['type'][];

/** The ids of the order that an entry is about; null each where it is about none. */
export function orderIdsOf({ type, details }: Activity): OrderIds {
  if (!OF_ORDERS.includes(type)) return { order: null, client: null };
  const { order_id: order, client_order_id: client } = details as Readonly<Record<string, unknown>>;
  return { order: textOf(order), client: textOf(client) };
}

function idsIn(event: Activity): string[] {
  const { order, client } = orderIdsOf(event);
  return [order, client].filter((one) => one !== null);
}

/** What was found of one order. */
export interface OrderLife {
  /** Oldest first. */
  readonly events: readonly Activity[];
  readonly ids: OrderIds;
  /** The exchange of it; null where nothing was found. */
  readonly exchange: string | null;
  /** How many entries were read. */
  readonly read: number;
  /** Whether all that is kept was read. */
  readonly isWhole: boolean;
}

/** Everything that shares an id with what `id` names: an order, its client order id, or the request that made it. */
function lifeIn(all: readonly Activity[], id: string, isWhole: boolean): OrderLife {
  const named = all.filter((event) => {
    const { order, client } = orderIdsOf(event);
    const isOrder = order !== null || client !== null;
    return isOrder && [order, client, event.request_id].includes(id);
  });
  const known = new Set(named.flatMap(idsIn));
  const events = all.filter((event) => idsIn(event).some((one) => known.has(one))).reverse();
  const first = (kind: keyof OrderIds): string | null => {
    return events.map((event) => orderIdsOf(event)[kind]).find((one) => one !== null) ?? null;
  };
  const ids = { order: first('order'), client: first('client') };
  return { events, ids, exchange: events[0]?.exchange ?? null, read: all.length, isWhole };
}

function orderLifeQuery(id: string) {
  return queryOptions({
    queryKey: ['order-life', id],
    queryFn: async () => {
      const all: Activity[] = [];
      let cursor: string | null = null;
      for (let page = 0; page < MAX_PAGES; page += 1) {
        const { data, next_cursor }: Schemas['ActivityListDto'] = await readPage(cursor);
        all.push(...data);
        cursor = next_cursor;
        if (cursor === null) break;
      }
      return lifeIn(all, id, cursor === null);
    },
  });
}

/** One order's life by its id, its client order id or a request id; reads on until it has been seen whole. */
export function useOrderLife(id: string): UseQueryResult<OrderLife> {
  return useQuery(orderLifeQuery(id));
}

const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: async () => (await take(api.GET('/account/sessions'))).sessions,
});

/** Where the account is signed in, newest first. */
export function useSessions(): UseQueryResult<Session[]> {
  return useQuery(sessionsQuery);
}

/** Reads anew where the account is signed in. */
export function readSessions(): Promise<void> {
  return queries.invalidateQueries(sessionsQuery);
}

/** Signs one device out by the id of its session, or all others by null. `onDone` is called before anything is read anew. */
export function useEndSessions(onDone: () => void): UseMutationResult<unknown, Error, string | null> {
  return useMutation<unknown, Error, string | null>({
    mutationFn: (id) =>
      id === null
        ? take(api.DELETE('/account/sessions'))
        : take(api.DELETE('/account/sessions/{id}', { params: { path: { id } } })),
    onSuccess: async () => {
      onDone();
      await readSessions();
    },
  });
}
