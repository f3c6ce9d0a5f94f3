import { z } from 'zod';
import { complement, parseDecimal } from '../../decimal.js';
import { isoTime } from '../../time.js';
import { wireFill, type WireFill } from '../trading/account.wire.js';
import { type WireOrder, wireOrder } from '../trading/order.wire.js';
import { subaccountNumber } from '../connection/wire.js';

/* Frames of the channels `user_orders` and `fill` (streams.md 1.3), as the objects that HTTP has for the same things. */

/** What names an order, whatever else its frame says. */
export const wireNamedOrder = z.object({
  order_id: z.string().min(1),
  ticker: z.string().min(1),
  subaccount_number: subaccountNumber,
});

/** What names the account of a fill. */
export const wireFillAccount = z.object({ subaccount: subaccountNumber });

const fields = z.record(z.string(), z.unknown());
const time = z.int().positive();

/** The order as HTTP has it; null where the frame lacks something of that. */
export function orderOfFrame(msg: unknown): WireOrder | null {
  const { data: frame } = fields.safeParse(msg);
  if (frame === undefined) return null;
  const { data: order } = wireOrder.safeParse({
    ...frame,
    // There are no others any more (kalshi.md 5.1).
    type: 'limit',
    no_price_dollars: otherPrice(frame.yes_price_dollars),
    expiration_time: frame.expiration_time ?? isoOf(frame.expiration_ts_ms),
    created_time: frame.created_time ?? isoOf(frame.created_ts_ms),
    last_update_time: frame.last_updated_time ?? isoOf(frame.last_updated_ts_ms),
  });
  return order === undefined || order.status === null || order.outcome_side === null ? null : order;
}

/** The fill as HTTP has it; null where the frame lacks something of that. */
export function fillOfFrame(msg: unknown): WireFill | null {
  const { data: frame } = fields.safeParse(msg);
  if (frame === undefined) return null;
  const { data: fill } = wireFill.safeParse({
    ...frame,
    fill_id: frame.trade_id,
    ticker: frame.market_ticker,
    no_price_dollars: otherPrice(frame.yes_price_dollars),
    created_time: isoOf(frame.ts_ms),
    subaccount_number: frame.subaccount,
  });
  return fill ?? null;
}

function otherPrice(price: unknown): string | null {
  const known = typeof price === 'string' ? parseDecimal(price) : null;
  return known === null ? null : complement(known);
}

function isoOf(ms: unknown): string | null {
  const { data } = time.safeParse(ms);
  return data === undefined ? null : isoTime(data);
}
