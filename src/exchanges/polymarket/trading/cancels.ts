import type { AppError } from '../../../platform/errors/app-error.js';
import { batchesOf, type CancelBatch, cancelBatches, type CancelReport, type ReasonOf } from '../../cancel-batches.js';
import type { CancelledOrderDto } from '../../unified.trading.dto.js';
import { isKeyRefused } from '../../upstream-errors.js';
import type { SignedPolymarketClient } from '../connection/client.js';
import { SYSTEM_TROUBLE } from '../polymarket.errors.js';
import { POLYMARKET } from '../polymarket.ids.js';
import { wideId } from '../position-ids.js';
import { type WireCancelled, wireCancelled, type WireOrderName } from './order.wire.js';
import type { PolymarketOrders } from './orders.js';

/** The status of an answer to a cancel that failed. */
const OK = 200;

/** As many as the exchange takes in one call. */
const BATCH = 1_000;

/** Texts by which a failed cancel says that there is no such open order (unified-schema.md 7). */
const NOT_FOUND = /can't be found|not found|does not exist|unknown order/i;

/** The open orders of one key. */
interface OpenOrders {
  readonly wanted: readonly WireOrderName[];
  /** Whose market the exchange does not state, where one market's are wanted. */
  readonly unplaced: readonly WireOrderName[];
  /** Why they could not be listed. */
  readonly failure?: AppError;
}

/** Takes orders out of the book. A cancel that failed is a 200 with the reason in it (polymarket.md 7). */
export class PolymarketCancels {
  constructor(
    private readonly client: SignedPolymarketClient,
    private readonly orders: PolymarketOrders,
  ) {}

  /** Throws `not_found`, or `exchange_rejected` with reason `not_cancellable`. */
  async one(orderId: string): Promise<CancelledOrderDto> {
    const { value } = await this.client.cancel('/order', JSON.stringify({ orderID: orderId }), wireCancelled);
    if (value.canceled.some((id) => id.toLowerCase() === orderId)) {
      const timestamp = this.client.now().toISOString();
      return { exchange: POLYMARKET, id: orderId, status: 'cancelled', cancelled_size: null, timestamp };
    }
    const text = textsOf(value).get(orderId);
    if (text === undefined) throw this.client.unusable();
    throw this.client.refused(reasonOf(text), OK, { code: null, text });
  }

  /** Returns the orders that are open now by this key, of one market where it is given by its condition id. */
  async list(marketId?: string): Promise<OpenOrders> {
    const open = await this.orders.allOpenNames();
    if (marketId === undefined) return { wanted: open, unplaced: [] };
    return {
      wanted: open.filter(({ market }) => market !== null && wideId(market) === marketId),
      unplaced: open.filter(({ market }) => market === null),
    };
  }

  /** Returns the calls that cancel these orders. */
  batchesOf(orders: readonly WireOrderName[]): CancelBatch[] {
    return batchesOf(orders, BATCH, (batch) => this.#batch(batch));
  }

  async #batch(orders: readonly WireOrderName[]): Promise<ReasonOf<WireOrderName>> {
    const { value } = await this.client.cancel('/orders', JSON.stringify(orders.map(({ id }) => id)), wireCancelled);
    const cancelled = new Set(value.canceled.map((id) => id.toLowerCase()));
    const texts = textsOf(value);
    return ({ id }) => {
      const text = texts.get(id.toLowerCase());
      if (cancelled.has(id.toLowerCase())) return null;
      return text === undefined || SYSTEM_TROUBLE.test(text) ? 'unknown' : reasonOf(text);
    };
  }
}

/**
 * Cancels all orders that are open now, by the keys that list them, in batches: never the exchange's own cancel-all, which may
 * hit later orders too. `marketId`, a condition id, wants those of one market: in which width the exchange filters V2 markets is
 * not known, so that is done here; an order whose market it does not state stays, and is reported as of unknown fate. Where one
 * key is refused the others' orders are cancelled, and the report has its `failure`.
 */
export async function cancelAll(keys: readonly PolymarketCancels[], marketId?: string): Promise<CancelReport> {
  const lists = await Promise.all(keys.map((key) => key.list(marketId).catch(refusedList)));
  const seen = new Set<string>();
  const isNew = ({ id }: WireOrderName): boolean => {
    const lower = id.toLowerCase();
    return !seen.has(lower) && seen.add(lower).has(lower);
  };
  const batches = keys.map((key, index) => key.batchesOf(lists[index]?.wanted.filter(isNew) ?? []));
  const report = await cancelByKeys(batches.filter(({ length }) => length > 0));
  const unplaced = lists.flatMap((list) => list.unplaced.filter(isNew));
  const failure = lists.find((list) => list.failure !== undefined)?.failure ?? report.failure;
  return {
    ...report,
    not_cancelled: [...report.not_cancelled, ...unplaced.map(({ id }) => ({ id, reason: 'unknown' as const }))],
    ...(failure && { failure }),
  };
}

/** A key that is refused lists nothing; the orders of the others are cancelled all the same. Throws every other error. */
function refusedList(error: unknown): OpenOrders {
  if (!isKeyRefused(error)) throw error;
  return { wanted: [], unplaced: [], failure: error };
}

/** As `cancelBatches`, of the batches of each key; where the first key is refused, those of the others are cancelled. */
async function cancelByKeys([first = [], ...others]: readonly CancelBatch[][]): Promise<CancelReport> {
  try {
    return await cancelBatches([...first, ...others.flat()]);
  } catch (error) {
    if (!isKeyRefused(error) || others.length === 0) throw error;
    return { ...(await cancelByKeys(others)), failure: error };
  }
}

/** What the answer says of the orders that it did not cancel, by their ids in small letters. */
function textsOf({ not_canceled: texts }: WireCancelled): Map<string, string> {
  return new Map(Object.entries(texts).map(([id, text]) => [id.toLowerCase(), text]));
}

function reasonOf(text: string): 'not_found' | 'not_cancellable' {
  return NOT_FOUND.test(text) ? 'not_found' : 'not_cancellable';
}
