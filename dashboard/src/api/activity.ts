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
import type { MorePages } from './pages.js';
import { queries } from './queries.js';

export type Activity = Schemas['ActivityDto'];
export type Session = Schemas['SessionDto'];

const PAGE_SIZE = 100;

async function readPage(cursor: string | null): Promise<Schemas['ActivityListDto']> {
  const query = { limit: PAGE_SIZE, ...(cursor === null ? {} : { cursor }) };
  return take(api.GET('/account/activity', { params: { query } }));
}

const activityQuery = infiniteQueryOptions({
  queryKey: ['activity'],
  queryFn: ({ pageParam }: { pageParam: string | null }) => readPage(pageParam),
  initialPageParam: null as string | null,
  getNextPageParam: ({ next_cursor }) => next_cursor,
});

/** What happened to the account, newest first, page by page. */
export function useActivity(): MorePages<Activity> {
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
  'order_previewed',
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
