import { exchangeIn, oneOf, textIn, timeIn, written } from '../../address.js';
import type { ExchangeId } from '../../api/client.js';

/** How what was asked for may stand. */
export const ASKED_STATES = ['refused', 'unknown', 'sending', 'made', 'closed', 'abandoned'] as const;
export type AskedState = (typeof ASKED_STATES)[number];

/** What the address of Activity says; what is left out is anything, and the list of what happened. */
export interface ActivitySearch {
  readonly list?: 'orders' | 'devices';
  readonly about?: 'orders' | 'account';
  readonly exchange?: ExchangeId;
  /** Of orders that were asked for: how they stand, and the id of the bot that asked. */
  readonly state?: AskedState;
  readonly bot?: string;
  /** Asked for at or after this time; ISO 8601. */
  readonly start?: string;
}

/** Reads an address, or fields, that anybody may have written. */
export function activitySearchOf(raw: Record<string, unknown>): ActivitySearch {
  return written<Required<ActivitySearch>>({
    list: oneOf(raw.list, ['orders', 'devices']),
    about: oneOf(raw.about, ['orders', 'account']),
    exchange: exchangeIn(raw.exchange),
    state: oneOf(raw.state, ASKED_STATES),
    bot: textIn(raw.bot),
    start: timeIn(raw.start),
  });
}
