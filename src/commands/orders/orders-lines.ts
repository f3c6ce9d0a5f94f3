import { plain } from '../doctor/failure.js';
import type { OrderHistory } from './order-history.service.js';
import type { OrderStep } from './order-steps.js';

/** The ids of all the requests that a record keeps fit. */
const LONGEST_VALUE = 1_000;

/** Everything but ASCII, which could move a cursor or turn the direction of what follows. */
const UNFIT = /[^\n\x20-\x7e]/g;

function wordsOf({ details }: OrderStep): string[] {
  return Object.entries(details)
    .filter(([, value]) => value !== null && value !== '')
    .map(([name, value]) => `${name}=${plain(String(value), LONGEST_VALUE)}`);
}

/** A line that names the order, then one a step: time, source, what, and more; tabs between. */
export function linesOf(histories: readonly OrderHistory[]): string[] {
  return histories.flatMap(({ exchange, userId, orderId, clientOrderId, steps }) => [
    ['order', exchange, userId, orderId ?? '-', clientOrderId ?? '-'].map((text) => plain(text)).join('\t'),
    ...steps.map((step) => [step.at.toISOString(), step.source, plain(step.what), ...wordsOf(step)].join('\t')),
  ]);
}

/** What `--json` prints, in ASCII alone: whatever an exchange said goes to a terminal. */
export function jsonOf(histories: readonly OrderHistory[]): string {
  const orders = histories.map(({ exchange, userId, orderId, clientOrderId, steps }) => ({
    exchange,
    user_id: userId,
    order_id: orderId,
    client_order_id: clientOrderId,
    steps: steps.map(({ at, source, what, details }) => ({ at: at.toISOString(), source, what, details })),
  }));
  const text = JSON.stringify({ orders }, null, 2);
  return text.replace(UNFIT, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
