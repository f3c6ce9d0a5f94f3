import type { CancelReport, ReasonOf } from '../../cancel-batches.js';
import { AppError } from '../../../platform/errors/app-error.js';
import { cancelOpen, type ListedOrder, listOf, type OpenOrders } from '../../cancel-walk.js';
import type { LongReads } from '../../long-reads.js';
import { endOf, endWithoutSizes } from '../../ended-order.js';
import type { EndedOrder } from '../../orders.contract.js';
import type { SignedPolymarketClient } from '../connection/client.js';
import { SYSTEM_TROUBLE } from '../polymarket.errors.js';
import { POLYMARKET } from '../polymarket.ids.js';
import type { CancelFilters } from '../../trading.contract.js';
import { wideId } from '../position-ids.js';
import { toOrder } from './order.mapper.js';
import { type WireCancelled, wireCancelled, type WireOrderName } from './order.wire.js';
import type { PolymarketOrders } from './orders.js';

/** The status of an answer to a cancel that failed. */
const OK = 200;

/** As many as the exchange takes in one call. */
const BATCH = 1_000;

/** Texts by which a failed cancel says that there is no such open order (unified-schema.md 7). */
const NOT_FOUND = /can't be found|not found|does not exist|unknown order/i;

/** Why an order is not cancelled. */
type Reason = 'not_found' | 'not_cancellable';

interface OrderName {
  readonly id: string;
}

/** Takes orders out of the book. A cancel that failed is a 200 with the reason in it (polymarket.md 8). */
export class PolymarketCancels {
  constructor(
    private readonly client: SignedPolymarketClient,
    private readonly orders: PolymarketOrders,
  ) {}

  /**
   * Cancels one order. Of an order that is over it returns how the order ended, where the exchange still shows that. Throws
   * `not_found`, and `exchange_rejected` with reason `not_cancellable` for an order that is being matched at this moment.
   */
  async one(orderId: string): Promise<EndedOrder> {
    const { value } = await this.client.cancel('/order', JSON.stringify({ orderID: orderId }), wireCancelled);
    const text = textsOf(value).get(orderId);
    if (value.canceled.some((id) => id.toLowerCase() === orderId)) {
      // An answer that says both is believed in neither.
      if (text !== undefined) throw this.client.unusable('cancel');
      return endWithoutSizes({ exchange: POLYMARKET, id: orderId }, this.client.now());
    }
    if (text === undefined) throw this.client.unusable('cancel');
    const end = await this.#endShown(orderId, reasonOf(text));
    if (end === null) throw this.client.refused(reasonOf(text), OK, { code: null, text });
    return end;
  }

  /** How an order is over that was not cancelled; null where the exchange shows it no more. Throws where it is not over. */
  async #endShown(orderId: string, reason: Reason): Promise<EndedOrder | null> {
    const found = await this.orders.find(orderId);
    if (found === null) return null;
    const order = toOrder(found, undefined);
    if (order?.id.toLowerCase() !== orderId) throw this.client.unusable();
    const end = endOf(order, this.client.now());
    if (end !== null) return { ...end, id: orderId };
    if (order.status !== 'pending' && reason === 'not_found') throw this.client.unusable();
    throw this.client.refused('not_cancellable', OK, { code: null, text: null });
  }

  /** The orders that are open by this key, of one market where it is given by its condition id. */
  open(marketId?: string): OpenOrders<OrderName> {
    const read = this.orders.openNames();
    return this.#listed(async (cursor) => {
      const { items, next } = await read(cursor);
      const isWanted = ({ market }: WireOrderName) =>
        marketId === undefined || market === null || wideId(market) === marketId;
      return { items: items.filter(isWanted).map((name) => listedOf(name, marketId !== undefined)), next };
    });
  }

  /** Orders by their ids, whether this key has them or not. */
  named(orders: readonly OrderName[]): OpenOrders<OrderName> {
    return this.#listed(listOf(orders));
  }

  #listed(readPage: OpenOrders<OrderName>['readPage']): OpenOrders<OrderName> {
    return {
      readPage,
      now: () => this.client.now(),
      unusable: () => this.client.unusable(),
      batchSize: BATCH,
      cancel: (batch) => this.#batch(batch),
    };
  }

  async #batch(orders: readonly OrderName[]): Promise<ReasonOf<OrderName>> {
    const { value } = await this.client.cancel('/orders', JSON.stringify(orders.map(({ id }) => id)), wireCancelled);
    const cancelled = new Set(value.canceled.map((id) => id.toLowerCase()));
    const texts = textsOf(value);
    return ({ id }) => {
      const text = texts.get(id.toLowerCase());
      if (cancelled.has(id.toLowerCase())) return text === undefined ? null : 'unknown';
      return text === undefined || SYSTEM_TROUBLE.test(text) ? 'unknown' : reasonOf(text);
    };
  }
}

/**
 * Cancels all orders that are open now, by the keys that list them, page by page: never the exchange's own cancel-all, which may
 * hit later orders too. `market_id`, a condition id, wants those of one market: in which width the exchange filters V2 markets is
 * not known, so that is done here; an order whose market it does not state stays, and is reported as of unknown fate. Where one
 * key is refused the others' orders are cancelled, and the report has its `failure`.
 */
export function cancelAll(
  keys: readonly PolymarketCancels[],
  longReads: LongReads,
  { market_id: marketId, wanted }: CancelFilters,
): Promise<CancelReport> {
  return cancelOpen(
    keys.map((key) => key.open(marketId)),
    longReads,
    wanted,
  );
}

/**
 * Cancels orders by their ids: what the first key does not have is asked of the next. One that no key has is in the report as the last key said. Once a key
 * has answered, what keeps the next from an answer leaves the fate of what it was asked for unknown.
 */
export async function cancelNamed(
  [key, ...others]: readonly PolymarketCancels[],
  longReads: LongReads,
  { orders = [], wanted }: CancelFilters,
): Promise<CancelReport> {
  if (key === undefined || orders.length === 0) return { cancelled: [], not_cancelled: [] };
  const report = await cancelOpen([key.named(orders.map(({ id }) => ({ id })))], longReads, wanted);
  const missing = report.not_cancelled.filter(({ reason }) => reason === 'not_found');
  if (others.length === 0 || missing.length === 0) return report;
  const asked = missing.map(({ id }) => ({ id, marketId: null }));
  const rest = await cancelNamed(others, longReads, { orders: asked }).catch((error: unknown): CancelReport => {
    if (!(error instanceof AppError)) throw error;
    return { cancelled: [], not_cancelled: asked.map(({ id }) => ({ id, reason: 'unknown' })) };
  });
  const told = report.not_cancelled.filter((one) => !missing.includes(one));
  return { cancelled: [...report.cancelled, ...rest.cancelled], not_cancelled: [...told, ...rest.not_cancelled] };
}

function listedOf({ id, market, created_at: createdAt }: WireOrderName, needsMarket: boolean): ListedOrder<OrderName> {
  const isPlaced = id !== null && !(needsMarket && market === null);
  return { id, clientOrderId: null, createdAt, order: isPlaced ? { id } : null };
}

/** What the answer says of the orders that it did not cancel, by their ids in small letters. */
function textsOf({ not_canceled: texts }: WireCancelled): Map<string, string> {
  return new Map(Object.entries(texts).map(([id, text]) => [id.toLowerCase(), text]));
}

function reasonOf(text: string): Reason {
  return NOT_FOUND.test(text) ? 'not_found' : 'not_cancellable';
}
