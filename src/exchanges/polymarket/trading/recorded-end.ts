import { AppError } from '../../../platform/errors/app-error.js';
import { compare, subtract } from '../../decimal.js';
import { endWithoutSizes, isEnd } from '../../ended-order.js';
import type { EndedOrder, KnownOrder, RecordedOrder } from '../../orders.contract.js';
import { readOptional } from '../../optional-read.js';
import { OrderSearch } from '../../order-search.js';
import { isNotFound } from '../../upstream-errors.js';
import { POLYMARKET } from '../polymarket.ids.js';
import type { PolymarketOrders, TradedPart } from './orders.js';

/** So long after its end, or its making, the trades and the book may not show an order as it is, in ms. */
const SETTLED_AFTER_MS = 30_000;

/** One key that may know the order: `PolymarketTrading`. */
interface OrderKey {
  readonly orders: PolymarketOrders;
  outcomeIdOf(marketId: string, index: number): Promise<string>;
  unusable(): AppError;
  notCancellable(): AppError;
}

/** An order that is cancelled by its id, and the keys that may know it. */
export interface CancelledById {
  readonly orderId: string;
  readonly recorded: RecordedOrder | undefined;
  readonly keys: readonly OrderKey[];
}

/**
 * Runs a cancel. Where the exchange has no such open order and shows it no more, it returns how the order ended by our own record
 * and the user's trades: the exchange forgets what is cancelled, and says the same of an order that never was (contract.md 5).
 */
export async function cancelOrRecordedEnd(
  cancel: () => Promise<EndedOrder>,
  order: CancelledById,
): Promise<EndedOrder> {
  try {
    return await cancel();
  } catch (error) {
    if (!(error instanceof AppError) || !(isNotFound(error) || isNotCancellable(error))) throw error;
    const known = (await order.recorded?.()) ?? null;
    if (known === null) throw error;
    return recordedEnd(order, known, error);
  }
}

async function recordedEnd(order: CancelledById, known: KnownOrder, refusal: AppError): Promise<EndedOrder> {
  const end = endWithoutSizes({ exchange: POLYMARKET, id: order.orderId }, new Date());
  if (known.cancelledMsAgo !== null) {
    const traded = await readOptional(tradedPart(order, known), undefined);
    return filledWhole(end, known, traded) ?? withSizes(end, known, traded);
  }
  await assertNotOpen(order, refusal);
  const filled = filledWhole(end, known, await tradedPart(order, known));
  if (filled !== null) return filled;
  if (known.status !== null && isEnd(known.status)) return { ...end, status: known.status };
  if (!isNotFound(refusal)) throw refusal;
  if (isOverByNow(known)) return { ...end, isAssumed: true };
  throw order.keys[0]?.notCancellable() ?? refusal;
}

type Traded = TradedPart | null | undefined;

/** The end of an order all of which was traded; null for any other. */
function filledWhole(end: EndedOrder, { size }: KnownOrder, traded: Traded): EndedOrder | null {
  if (size === null || !traded || compare(traded.filledSize, size) < 0) return null;
  return { ...end, status: 'filled', cancelled_size: '0', filled_size: traded.filledSize };
}

/** The end of a cancelled order; its trades tell sizes once they are whole. */
function withSizes(end: EndedOrder, { size, cancelledMsAgo }: KnownOrder, traded: Traded): EndedOrder {
  if (size === null || traded === undefined || (cancelledMsAgo ?? 0) < SETTLED_AFTER_MS) return end;
  const filled = traded?.filledSize ?? '0';
  return { ...end, cancelled_size: subtract(size, filled), filled_size: filled };
}

/** What has not come to the book yet is not over because the book does not have it. */
function isOverByNow({ status, madeMsAgo }: KnownOrder): boolean {
  return status === 'open' || status === 'partially_filled' || (madeMsAgo ?? 0) >= SETTLED_AFTER_MS;
}

/** Throws where a key lists the order as open: the refusal of one that is being matched, `exchange_error` of one that was not found. */
async function assertNotOpen({ orderId, keys }: CancelledById, refusal: AppError): Promise<void> {
  for (const key of keys) {
    const open = await key.orders.allOpenIds();
    if (open.some((id) => id.toLowerCase() === orderId)) throw isNotFound(refusal) ? key.unusable() : refusal;
  }
}

/** What the trades of all keys say of an order; null where none is its own, undefined where it is not known on which market. */
async function tradedPart({ orderId, keys }: CancelledById, known: KnownOrder): Promise<Traded> {
  const { marketId, outcomeIndex, madeMsAgo } = known;
  if (marketId === null || outcomeIndex === null) return undefined;
  for (const key of keys) {
    const outcome = { id: await key.outcomeIdOf(marketId, outcomeIndex) };
    const traded = await key.orders.findInTrades({ id: orderId, marketId, outcome }, null, new OrderSearch(madeMsAgo));
    if (traded !== null) return traded;
  }
  return null;
}

function isNotCancellable({ details }: AppError): boolean {
  return details?.reason === 'not_cancellable';
}
