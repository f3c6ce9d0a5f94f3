import {
  queryOptions,
  useMutation,
  type UseMutationResult,
  useQuery,
  type UseQueryResult,
} from '@tanstack/react-query';
import { api } from '../session/session.js';
import type { Activity } from './activity.js';
import type { Asked } from './asked-orders.js';
import { type Schemas, take } from './client.js';
import { Failure } from './failure.js';
import { queries } from './queries.js';

/** What is known of one order here. */
export interface OrderLife {
  /** Null where none was asked of this service under the id, or its record is older than 90 days. */
  readonly asked: Asked | null;
  /** How many others a request worked on. */
  readonly others: number;
  /** The exchange's id, as far as it is known. */
  readonly orderId: string | null;
  /** What was done to it after it was made, oldest first. */
  readonly done: readonly Activity[];
}

/** The most of what was done that the API gives at once. */
const MOST_DONE = 100;

/** As many rows as the API gives at once. */
const PAGE_SIZE = 100;

/** Of several that one id names, what exists hides what was refused, and the one that was asked for first its repeats. */
const LIKELIEST: readonly Asked['state'][][] = [
  ['made', 'closed'],
  ['sending', 'unknown'],
];

function likeliestOf(orders: readonly Asked[]): Asked | null {
  const found = LIKELIEST.map((states) => orders.findLast(({ state }) => states.includes(state)));
  return found.find((order) => order !== undefined) ?? orders.at(-1) ?? null;
}

/** Those that an id names: their own, the exchange's, the one they were sent under, or that of a request. */
async function findOrders(id: string): Promise<Asked[]> {
  const { data } = await take(api.GET('/account/orders', { params: { query: { id, limit: PAGE_SIZE } } }));
  return data.filter(({ kind }) => kind === 'order');
}

/** The order that an id names; null where there is none. */
export async function findOrder(id: string): Promise<Asked | null> {
  return likeliestOf(await findOrders(id));
}

async function doneTo(orderId: string): Promise<readonly Activity[]> {
  const query = { order_id: orderId, limit: MOST_DONE };
  const { data } = await take(api.GET('/account/activity', { params: { query } }));
  return data.reverse();
}

function orderLifeQuery(id: string) {
  return queryOptions({
    queryKey: ['order-life', id],
    queryFn: async (): Promise<OrderLife> => {
      const orders = await findOrders(id);
      const asked = likeliestOf(orders);
      const orderId = asked === null ? id : asked.order_id;
      return {
        asked,
        others: Math.max(0, orders.length - 1),
        orderId,
        done: orderId === null ? [] : await doneTo(orderId),
      };
    },
  });
}

/** One order's life by any of its ids. */
export function useOrderLife(id: string): UseQueryResult<OrderLife> {
  return useQuery(orderLifeQuery(id));
}

/** What came of giving an order up. */
export interface GivenUp {
  /** `unknown` where it may show yet. */
  readonly state: Schemas['AbandonedKeyDto']['state'] | 'unknown';
  /** Of that, how long; ISO 8601, null where no time says so. */
  readonly until: string | null;
}

/** Gives up the key that is bound to it. A page may be old: by now the key may stand for another order. */
async function giveUp({ id, exchange, idempotency_key: key }: Asked): Promise<GivenUp> {
  const now = await findOrder(id);
  if (key === null || now?.idempotency_key !== key)
    throw new Failure('free_key', 'Its key is free again, so that nothing was given up. Look again.', null);
  const path = { exchange, idempotency_key: key };
  try {
    const { state } = await take(api.DELETE('/{exchange}/orders/by-key/{idempotency_key}', { params: { path } }));
    return { state, until: null };
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'order_outcome_unknown') throw error;
    const { refusal_holds_at: until } = error.details;
    return { state: 'unknown', until: typeof until === 'string' ? until : null };
  }
}

/** Gives up an order of which it is not known what became of it; then all that is shown is read anew. */
export function useGiveUp(): UseMutationResult<GivenUp, Error, Asked> {
  return useMutation({
    // Now or never, as a cancel.
    networkMode: 'always',
    mutationFn: giveUp,
    onSuccess: () => {
      void queries.invalidateQueries();
    },
  });
}
