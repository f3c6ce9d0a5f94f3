import { queryOptions, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { api } from '../session/session.js';
import { type ExchangeId, type Schemas, take } from './client.js';

/** The most that the API gives at once; an order with more of them says so. */
const LIMIT = 100;

export function orderFillsQuery(exchange: ExchangeId, id: string) {
  const params = { path: { exchange }, query: { order_id: id, limit: LIMIT } };
  return queryOptions({
    queryKey: ['order-fills', exchange, id],
    queryFn: () => take(api.GET('/{exchange}/fills', { params })),
  });
}

/** The newest fills of one order. */
export function useOrderFills(exchange: ExchangeId, id: string): UseQueryResult<Schemas['FillListDto']> {
  return useQuery(orderFillsQuery(exchange, id));
}
