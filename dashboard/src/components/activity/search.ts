import { exchangeIn, oneOf, spanIn, textIn, written } from '../../address.js';
import type { ExchangeId } from '../../api/client.js';
import type { Ordering } from '../table/table.js';

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
  /** Asked for at or after `start`, before `end`; ISO 8601. */
  readonly start?: string;
  readonly end?: string;
  /** A column of the list, behind `-` for the greatest first. */
  readonly sort?: string;
}

/** What each list is shown with. */
export interface ListProps {
  readonly search: ActivitySearch;
  /** Empty for anything. */
  readonly change: (change: Readonly<Record<string, string>>) => void;
  readonly ordering: Ordering;
}

/** Reads an address, or fields, that anybody may have written. */
export function activitySearchOf(raw: Record<string, unknown>): ActivitySearch {
  return written<Required<ActivitySearch>>({
    list: oneOf(raw.list, ['orders', 'devices']),
    about: oneOf(raw.about, ['orders', 'account']),
    exchange: exchangeIn(raw.exchange),
    state: oneOf(raw.state, ASKED_STATES),
    bot: textIn(raw.bot),
    ...spanIn(raw),
    sort: textIn(raw.sort),
  });
}
