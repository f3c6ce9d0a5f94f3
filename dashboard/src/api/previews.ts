import { queryOptions, skipToken, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { api } from '../session/session.js';
import { type Schemas, take } from './client.js';
import { type MarketPlace, placeKey } from './markets.js';
import type { OrderBody } from './order-body.js';

export type OrderPreview = Schemas['OrderPreviewDto'];

/** What an order would come to. It is asked once, costs several calls at the exchange, and is not kept once nobody looks. */
function previewQuery(place: MarketPlace, body: OrderBody | null) {
  const path = { exchange: place.exchange };
  return queryOptions({
    queryKey: [...placeKey(place), 'preview', body],
    queryFn: body === null ? skipToken : () => take(api.POST('/{exchange}/orders/preview', { params: { path }, body })),
    retry: false,
    staleTime: Infinity,
    gcTime: 0,
  });
}

/** Of null nothing is asked. */
export function usePreview(place: MarketPlace, body: OrderBody | null): UseQueryResult<OrderPreview> {
  return useQuery(previewQuery(place, body));
}
