import { POLL_MS } from '../../feeds/account-feed.js';
import type { AccountStatus } from '../../feeds/private-messages.js';
import type { ReadOrderDto } from '../orders/orders.dto.js';
import type { OwnMessage } from './own-events.js';

/** Executions of a time that are not told, as they are too many, or of another account; Unix milliseconds. */
export interface Gap {
  readonly fromMs: number;
  readonly toMs: number;
}

type OneMessage = Extract<OwnMessage, { readonly type: 'order' | 'fill' }>;

/** Many readers are told the very same message: its text is made once. */
const TEXTS = new WeakMap<object, string>();

/** Returns the JSON text of an order or a fill (contract.md 5.14). `noteTime` hears the time of a fill, Unix milliseconds, at its first reader. */
export function ownText(message: OneMessage, noteTime?: (timeMs: number) => void): string {
  const known = TEXTS.get(message);
  if (known !== undefined) return known;
  const [channel, data] = message.type === 'order' ? ['orders', message.order] : ['fills', message.fill];
  const { exchange, market_id } = data;
  const text = JSON.stringify({ type: message.type, channel, exchange, market_id, data });
  TEXTS.set(message, text);
  if (message.type === 'fill') noteTime?.(Date.parse(message.fill.timestamp));
  return text;
}

/** Returns the JSON text of open orders. */
export function snapshotText(exchange: string, reason: 'initial' | 'resync', orders: readonly ReadOrderDto[]): string {
  return JSON.stringify({ type: 'snapshot', channel: 'orders', exchange, market_id: null, reason, data: orders });
}

/** Returns the JSON text of how orders or fills stand, `live` behind a gap where there is one. */
export function ownStatusText(
  channel: 'orders' | 'fills',
  exchange: string,
  { state, reason, sinceMs, source }: AccountStatus,
  gap: Gap | null = null,
): string {
  return JSON.stringify({
    type: 'status',
    channel,
    exchange,
    market_id: null,
    state,
    reason: gap === null ? reason : 'gap',
    since: timeOf(sinceMs),
    source,
    ...(source === 'polling' && state === 'live' && { interval_ms: POLL_MS }),
    ...(gap !== null && { from: timeOf(gap.fromMs), to: timeOf(gap.toMs) }),
  });
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}
