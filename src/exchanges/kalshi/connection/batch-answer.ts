import { z } from 'zod';
import { type BatchItem, partsByName } from '../../order-batch.js';
import { boundedList } from '../../wire-list.js';
import { parsed } from '../../checked-answer.js';
import { maybeText } from './wire.js';

/** What is needed to tell whose part of an answer to several orders it is, and whether that order was refused. */
const wireParts = z.object({
  orders: boundedList(
    z.looseObject({
      client_order_id: maybeText.catch(null),
      error: z.looseObject({ code: z.string().nullish().catch(null) }).nullish(),
    }),
  ),
});

/** What the exchange answers to each order alone: 409 to one whose name it has, 400 to another that it refuses. */
export function answersIn(
  body: unknown,
  items: readonly BatchItem[],
): (item: BatchItem) => { readonly status: number; readonly body: unknown } | null {
  const { orders } = parsed(wireParts, body);
  const partOf = partsByName(items, orders, (part) => part.client_order_id);
  return (item) => {
    const part = partOf(item);
    if (part === null) return null;
    if (!part.error) return { status: 201, body: part };
    return { status: part.error.code === 'order_already_exists' ? 409 : 400, body: { error: part.error } };
  };
}
