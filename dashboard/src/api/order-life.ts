import { queryOptions, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { api } from '../session/session.js';
import type { Activity } from './activity.js';
import type { Asked } from './asked-orders.js';
import { type Schemas, take } from './client.js';
import type { paths } from './schema.js';

/** What is known of one order here. */
export interface OrderLife {
  /** Null where none was asked of this service under the id, or its record is older than 90 days. */
  readonly asked: Asked | null;
  /** The exchange's id, as far as it is known. */
  readonly orderId: string | null;
  /** What was done to it after it was made, oldest first. */
  readonly done: readonly Activity[];
}

/** The most of what was done that the API gives at once. */
const MOST_DONE = 100;

/** The id of a request: behind its mark a ULID, whose first ten signs are its time in base 32. */
const REQUEST = /^req_([0-9A-HJKMNP-TV-Z]{10})[0-9A-HJKMNP-TV-Z]{16}$/;
const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** The clocks of the service and of its database agree within so many milliseconds. */
const CLOCKS_MS = 60_000;

type Query = NonNullable<paths['/account/orders']['get']['parameters']['query']>;

/** What a request worked on was asked for before its end: newer rows need not be looked at. */
function waysOf(id: string): Query[] {
  const time = REQUEST.exec(id)?.[1];
  if (time === undefined) return [{ order_id: id }, { client_order_id: id }];
  const asked = Array.from(time).reduce((sum, digit) => sum * DIGITS.length + DIGITS.indexOf(digit), 0);
  return [{ request_id: id, end: new Date(asked + CLOCKS_MS).toISOString() }];
}

const PAGE_SIZE = 100;
/** The API looks at 2,000 rows a page, of which none may fit. */
const MOST_PAGES = 10;

/** The first page that has an order; empty where none of the first ten has. */
async function readOrders(query: Query): Promise<readonly Asked[]> {
  let cursor: string | null = null;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const whole: Query = { ...query, limit: PAGE_SIZE, ...(cursor !== null && { cursor }) };
    const read: Schemas['AccountOrderListDto'] = await take(api.GET('/account/orders', { params: { query: whole } }));
    const orders = read.data.filter(({ kind }) => kind === 'order');
    if (orders.length > 0 || read.next_cursor === null) return orders;
    cursor = read.next_cursor;
  }
  return [];
}

/** Of several that one id names, what exists hides what was refused, and the one that was asked for first its repeats. */
const LIKELIEST: readonly Asked['state'][][] = [
  ['made', 'closed'],
  ['sending', 'unknown'],
];

function likeliestOf(orders: readonly Asked[]): Asked | null {
  const found = LIKELIEST.map((states) => orders.findLast(({ state }) => states.includes(state)));
  return found.find((order) => order !== undefined) ?? orders.at(-1) ?? null;
}

/** The order that an id names: the exchange's, the one it was sent under, or that of a request; null where there is none. */
export async function findOrder(id: string): Promise<Asked | null> {
  for (const query of waysOf(id)) {
    const order = likeliestOf(await readOrders(query));
    if (order !== null) return order;
  }
  return null;
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
      const asked = await findOrder(id);
      const orderId = asked === null ? id : asked.order_id;
      return { asked, orderId, done: orderId === null ? [] : await doneTo(orderId) };
    },
  });
}

/** One order's life by its id, its client order id or a request id. */
export function useOrderLife(id: string): UseQueryResult<OrderLife> {
  return useQuery(orderLifeQuery(id));
}
