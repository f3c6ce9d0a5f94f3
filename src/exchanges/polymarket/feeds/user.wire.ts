import { z } from 'zod';
import { boundedList } from '../../wire-list.js';
import { type WireUserTrade, wireUserTrade } from '../trading/account.wire.js';
import { type WireOrder, wireOrder } from '../trading/order.wire.js';

/* Frames of the user channel (streams.md 2.7), as the objects that HTTP has for the same things. */

const MOST_EVENTS = 1_000;

export const wireUserEvents = boundedList(z.unknown(), MOST_EVENTS);
export const wireUserEvent = z.object({ event_type: z.string() });

/** What names an order, whatever else its frame says, and whose it is: of several API keys of one wallet. */
export const wireNamedOrder = z.object({ id: z.string().min(1), owner: z.unknown() });

const fields = z.record(z.string(), z.unknown());

/** The order as HTTP has it; null where the frame lacks something of that. */
export function orderOfFrame(event: unknown): WireOrder | null {
  const { data: frame } = fields.safeParse(event);
  if (frame === undefined) return null;
  const { data: order } = wireOrder.safeParse({ ...frame, created_at: secondsOf(frame.created_at) });
  return order === undefined || order.created_at === null ? null : order;
}

/** The trade as HTTP has it; null where the frame lacks something of that. */
export function tradeOfFrame(event: unknown): WireUserTrade | null {
  const { data: frame } = fields.safeParse(event);
  if (frame === undefined) return null;
  const { data: trade } = wireUserTrade.safeParse({
    ...frame,
    match_time: secondsOf(frame.match_time ?? frame.matchtime),
  });
  return trade ?? null;
}

/** Whole Unix seconds of a time in seconds, in milliseconds or in ISO 8601: all three were seen. */
function secondsOf(time: unknown): string | null {
  const text = typeof time === 'number' ? String(time) : time;
  if (typeof text !== 'string' || text === '' || text.length > 40) return null;
  if (/^\d{1,12}$/.test(text)) return text;
  if (/^\d{13,15}$/.test(text)) return text.slice(0, -3);
  const ms = Date.parse(text);
  return Number.isNaN(ms) || ms < 0 ? null : String(Math.floor(ms / 1_000));
}
