import { AppError } from '../../../platform/errors/app-error.js';
import { pathOf } from '../../../platform/upstream/path.js';
import type { CancelReport, ReasonOf } from '../../cancel-batches.js';
import { cancelOpen, listOf, type OpenOrders } from '../../cancel-walk.js';
import { endOf, endWithoutSizes } from '../../ended-order.js';
import type { EndedOrder, RecordedOrder } from '../../orders.contract.js';
import type { LongReads, ReadInParts } from '../../long-reads.js';
import type { CancelFilters } from '../../trading.contract.js';
import type { NotCancelledReason } from '../../unified.words.js';
import { readOptional } from '../../optional-read.js';
import { isNotFound } from '../../upstream-errors.js';
import type { SignedKalshiClient } from '../connection/client.js';
import type { KalshiShards } from '../connection/shards.js';
import { KALSHI } from '../kalshi.ids.js';
import { toOrder } from './order.mapper.js';
import {
  type WireCancelOutcome,
  type WireNamed,
  type WireOrder,
  type WireCancellable,
  wireCancelled,
  wireCancelledBatch,
  wireOneOrCancellable,
  wireOneCancellable,
  wireOrder,
  wireCancellable,
} from './order.wire.js';
import { type KalshiOrders, unrecorded, unusableList } from './orders.js';

/** The most cancels that fit the smallest write budget at once (kalshi.md 10). */
const BATCH = 20;

/** The most orders of one cancel-all that are read again. */
const MOST_LOOKS = 10;

/** An order in another state, also in one that is new since, may rest. */
const FINAL_STATES: ReadonlySet<string | null> = new Set(['canceled', 'executed']);

/** Codes of an order's error that prove no refusal of its cancel: the exchange has trouble of its own, or does not take calls. */
const NO_REFUSAL = /unavailable|internal|timeout|paused/;
const RATE_LIMITED = /rate_limit|too_many/;

/** An order as it was found, of which more or less can be read. */
type Found = WireNamed | WireOrder | WireCancellable;

/** What a cancel among others needs of an order. */
type Cancellable = Pick<WireCancellable, 'id' | 'ticker'>;

/** What became of an order that the exchange shows in a state; null where it may rest. */
type Fate = 'cancelled' | 'executed' | null;

/** Takes orders out of the book. A cancel is sent once; the exchange finds the order's shard by its market. */
export class KalshiCancels {
  #looks = 0;

  constructor(
    private readonly client: SignedKalshiClient,
    private readonly orders: KalshiOrders,
    private readonly shards: KalshiShards,
    private readonly longReads: LongReads,
  ) {}

  /**
   * Cancels one order on its market. The market is the one that we recorded or, where we recorded none, the one that the lists
   * name. Of an order that is over it returns how the order ended. Throws `not_found` only where neither the lists nor the
   * archive show the order: a cancel without a market finds orders on shard 0 alone (kalshi.md 9.2).
   */
  async one(orderId: string, recorded: RecordedOrder = unrecorded): Promise<EndedOrder> {
    const known = await recorded();
    try {
      return await this.#one(orderId, known?.marketId ?? null);
    } catch (error) {
      const wasCancelled = known !== null && known.cancelledMsAgo !== null;
      if (!wasCancelled || !isNotFound(error)) throw error;
      return endWithoutSizes({ exchange: KALSHI, id: orderId }, this.client.now());
    }
  }

  /**
   * All orders that are open now, of one market or all, or those that are named, and of these those that are wanted, page by page, in batches: never the
   * exchange's own cancel-all, which may hit later orders, and those of other subaccounts, too. What is named without its market is looked for among all.
   */
  all({ market_id: ticker, orders, wanted }: CancelFilters): Promise<CancelReport> {
    const known = orders?.flatMap(({ id, marketId }) => (marketId === null ? [] : [{ id, ticker: marketId }]));
    const lists = [
      ...(known === undefined || known.length === 0 ? [] : [listOf(known)]),
      ...(orders !== undefined && orders.length === known?.length ? [] : [this.orders.resting(ticker)]),
    ];
    const opens = lists.map((readPage) => this.#open(readPage));
    return cancelOpen(opens, this.longReads, wanted);
  }

  #open(readPage: OpenOrders<Cancellable>['readPage']): OpenOrders<Cancellable> {
    return {
      readPage,
      now: () => this.client.now(),
      unusable: unusableList,
      batchSize: BATCH,
      cancel: (batch, read) => this.#batch(batch, read),
    };
  }

  async #batch(batch: readonly Cancellable[], read: ReadInParts): Promise<ReasonOf<Cancellable>> {
    const path = '/portfolio/events/orders/batched';
    const { value } = await this.client.account.named((subaccount) => {
      const orders = batch.map(({ id, ticker }) => ({ order_id: id, market_ticker: ticker, subaccount }));
      return this.client.cancel(path, { body: JSON.stringify({ orders }) }, wireCancelledBatch);
    });
    const outcomes = new Map<string, WireCancelOutcome[]>();
    for (const outcome of value.orders) {
      outcomes.set(outcome.order_id, [...(outcomes.get(outcome.order_id) ?? []), outcome].slice(0, 2));
    }
    const fates = new Map<string, Fate>();
    for (const order of batch) {
      if ((outcomes.get(order.id) ?? []).some(isOfNothing)) fates.set(order.id, await this.#fateOf(order, read));
    }
    return ({ id }) => {
      const reason = reasonOf(outcomes.get(id) ?? []);
      return reason === null && fates.has(id) ? reasonOfFate(fates.get(id) ?? null) : reason;
    };
  }

  /** What became of an order, by a look at its market; null also where it cannot be read, or too many were looked at. */
  async #fateOf({ id, ticker }: Cancellable, read: ReadInParts): Promise<Fate> {
    this.#looks += 1;
    if (this.#looks > MOST_LOOKS) return null;
    const found = await readOptional(
      read(() => this.orders.readOn(ticker, id, wireOneCancellable)),
      null,
    );
    return fateOf(found);
  }

  async #one(orderId: string, ticker: string | null): Promise<EndedOrder> {
    if (ticker !== null) return this.#onMarket(orderId, ticker);
    let found: WireNamed | null;
    try {
      found = await this.orders.findById(orderId, { ticker: null, among: 'live' });
    } catch (error) {
      if (error instanceof AppError) return this.#unrouted(orderId, error);
      throw error;
    }
    if (found === null) return this.#nowhere(orderId);
    return this.#endOf(found) ?? this.#onMarket(orderId, this.client.parsed(wireCancellable, found).ticker);
  }

  async #onMarket(orderId: string, ticker: string): Promise<EndedOrder> {
    try {
      return await this.#send(orderId, ticker);
    } catch (error) {
      if (error instanceof AppError && isNotFound(error)) return this.#explained(error, orderId, ticker);
      throw error;
    }
  }

  /** For an order whose market could not be read, which `doubt` tells: then "not found" proves nothing. */
  async #unrouted(orderId: string, doubt: AppError): Promise<EndedOrder> {
    try {
      return await this.#send(orderId, null);
    } catch (error) {
      throw isNotFound(error) ? doubt : error;
    }
  }

  /** For an order that is not live: the cancel says whether that is so, then the archive may have it. */
  async #nowhere(orderId: string): Promise<EndedOrder> {
    try {
      return await this.#send(orderId, null);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      return this.#archived(error, orderId, null);
    }
  }

  async #send(orderId: string, ticker: string | null): Promise<EndedOrder> {
    const market = ticker === null ? {} : { market_ticker: ticker, exchange_index: this.shards.indexOf(ticker) };
    const path = pathOf`/portfolio/events/orders/${orderId}`;
    const { value, at } = await this.client.account.named((subaccount) =>
      this.client.cancel(path, { query: { ...market, subaccount } }, wireCancelled),
    );
    // The answer may describe another order, though the cancel is right (kalshi.md 5.3).
    const own = value.order_id === orderId ? value : { reduced_by: null, ts_ms: null };
    if (isOfNothing(own)) return this.#endShown(orderId, ticker);
    return {
      exchange: KALSHI,
      id: orderId,
      status: 'cancelled',
      cancelled_size: own.reduced_by,
      filled_size: null,
      timestamp: new Date(own.ts_ms ?? at).toISOString(),
    };
  }

  /** For a cancel that took nothing out: throws where another look does not show how the order is over. */
  async #endShown(orderId: string, ticker: string | null): Promise<EndedOrder> {
    const found = await readOptional(this.#look(orderId, ticker), null);
    const end = found && this.#endOf(found);
    if (end === null) throw this.client.unusable('cancel');
    return end;
  }

  /** What it means that a cancel on the right market was not found: by another look at the order. */
  async #explained(refusal: AppError, orderId: string, ticker: string): Promise<EndedOrder> {
    let found: Found | null;
    try {
      found = await this.#look(orderId, ticker);
    } catch (error) {
      // A key that may not read cannot know better.
      throw isDenied(error) ? refusal : error;
    }
    if (found === null) return this.#archived(refusal, orderId, ticker);
    const end = this.#endOf(found);
    if (end === null) throw contradiction(refusal);
    return end;
  }

  async #archived(refusal: unknown, orderId: string, ticker: string | null): Promise<EndedOrder> {
    const found = await this.orders.findById(orderId, { ticker, among: 'archived' });
    const end = found && this.#endOf(found);
    if (end === null) throw refusal;
    return end;
  }

  async #look(orderId: string, ticker: string | null): Promise<Found | null> {
    const routed = ticker === null ? null : await this.orders.readOn(ticker, orderId, wireOneOrCancellable);
    return routed ?? this.orders.findById(orderId, { ticker, among: 'live' });
  }

  /** How an order is over; null where it may rest. What else is shown of it stands in the way of no answer. */
  #endOf(found: Found): EndedOrder | null {
    const named = this.client.parsed(wireCancellable, found);
    if (mayRest(named)) return null;
    const { data: order } = wireOrder.safeParse(found);
    const end = order && endOf(toOrder(order), this.client.now());
    if (end) return end;
    const ended = endWithoutSizes({ exchange: KALSHI, id: named.id }, this.client.now());
    return named.status === 'executed' ? { ...ended, status: 'filled' } : ended;
  }
}

/** Whether an answer says itself that nothing was taken out, which proves no cancel. */
function isOfNothing({ reduced_by: size }: { readonly reduced_by: string | null }): boolean {
  return size === '0';
}

function fateOf(found: WireCancellable | null): Fate {
  if (found?.status === 'canceled') return 'cancelled';
  return found?.status === 'executed' ? 'executed' : null;
}

function reasonOfFate(fate: Fate): NotCancelledReason | null {
  if (fate === 'cancelled') return null;
  return fate === 'executed' ? 'not_cancellable' : 'unknown';
}

function mayRest({ status }: WireCancellable): boolean {
  return !FINAL_STATES.has(status);
}

function isDenied(error: unknown): boolean {
  return error instanceof AppError && error.details?.reason === 'permission_denied';
}

/** Lists lag behind cancels, so that this may pass. */
function contradiction(cause: AppError): AppError {
  const message =
    'Kalshi found no such order to cancel, but shows that it rests. Read the order, then repeat the call.';
  return new AppError('exchange_error', message, { cause, ...(cause.details && { details: cause.details }) });
}

/**
 * An order that the answer does not mention may or may not be cancelled, and so may one that it mentions twice: answers may speak
 * of another order (kalshi.md 5.3).
 */
function reasonOf([outcome, ...others]: readonly WireCancelOutcome[]): NotCancelledReason | null {
  if (outcome === undefined || others.length > 0) return 'unknown';
  return outcome.error ? reasonOfCode(outcome.error.code) : null;
}

function reasonOfCode(code: string | null): NotCancelledReason {
  if (code === 'not_found') return code;
  if (code === null || NO_REFUSAL.test(code)) return 'unknown';
  return RATE_LIMITED.test(code) ? 'exchange_rate_limited' : 'not_cancellable';
}
