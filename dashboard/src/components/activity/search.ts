import { exchangeIn, oneOf, written } from '../../address.js';
import type { ExchangeId } from '../../api/client.js';

/** What the address of Activity says; what is left out is anything, and the list of what happened. */
export interface ActivitySearch {
  readonly list?: 'devices';
  readonly about?: 'orders' | 'account';
  readonly exchange?: ExchangeId;
}

/** Reads an address, or fields, that anybody may have written. */
export function activitySearchOf(raw: Record<string, unknown>): ActivitySearch {
  return written<Required<ActivitySearch>>({
    list: oneOf(raw.list, ['devices']),
    about: oneOf(raw.about, ['orders', 'account']),
    exchange: exchangeIn(raw.exchange),
  });
}
