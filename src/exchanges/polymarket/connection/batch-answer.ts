import { z } from 'zod';
import { parsed } from '../../checked-answer.js';
import { type BatchItem, partsByName } from '../../order-batch.js';
import { boundedList } from '../../wire-list.js';

/** What is needed to tell whose part of an answer to several orders it is. */
const wireParts = boundedList(
  z.looseObject({
    orderID: z
      .string()
      .nullish()
      .catch(null)
      .transform((id) => id?.toLowerCase() ?? null),
  }),
);

/** What the exchange answers to each order alone. */
export function answersIn(
  body: unknown,
  items: readonly BatchItem[],
): (item: BatchItem) => { readonly status: number; readonly body: unknown } | null {
  const partOf = partsByName(items, parsed(wireParts, body), ({ orderID }) => orderID);
  return (item) => {
    const part = partOf(item);
    return part === null ? null : { status: 200, body: part };
  };
}
