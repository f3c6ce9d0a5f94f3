import { AppError } from '../../../platform/errors/app-error.js';
import { pathOf } from '../../../platform/upstream/path.js';
import type { CancelReport, ReasonOf } from '../../cancel-batches.js';
import { cancelOpen } from '../../cancel-walk.js';
import type { RecordedMarket } from '../../exchange.js';
import type { LongReads, ReadInParts } from '../../long-reads.js';
import type { CancelledOrderDto } from '../../unified.trading.dto.js';
import type { NotCancelledReason } from '../../unified.words.js';
import { readOptional } from '../../optional-read.js';
import { isNotFound } from '../../upstream-errors.js';
import type { SignedKalshiClient } from '../connection/client.js';
import type { KalshiShards } from '../connection/shards.js';
import { KALSHI } from '../kalshi.ids.js';
import {
  type WireCancelOutcome,
  type WirePlace,
  wireCancelled,
  wireCancelledBatch,
  wireOnePlace,
  wirePlace,
} from './order.wire.js';
import { type KalshiOrders, notFound, unrecorded, unusableList } from './orders.js';

/** The most cancels that fit the smallest write budget at once (kalshi.md 6). */
const BATCH = 20;

/** The most orders of one cancel-all that are read again. */
const MOST_LOOKS = 10;

/** An order in another state, also in one that is new since, may rest. */
const FINAL_STATES: ReadonlySet<string | null> = new Set(['canceled', 'executed']);

/** Codes of an order's error that prove no refusal of its cancel: the exchange has trouble of its own, or does not take calls. */
const NO_REFUSAL = /unavailable|internal|timeout|paused/;
const RATE_LIMITED = /rate_limit|too_many/;

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
   * Cancels one order on its market: the recorded one, else the one that the lists name. Throws `not_found` only where the
   * order does not rest by what both say: an unrouted cancel is not found on other shards than 0 (kalshi-2026.md 2).
   */
  async one(orderId: string, recorded: RecordedMarket = unrecorded): Promise<CancelledOrderDto> {
    const ticker = await recorded();
    if (ticker !== null) return this.#onMarket({ id: orderId, ticker }, false);
    let found: WirePlace | null;
    try {
      found = await this.#find(orderId, null);
    } catch (error) {
      if (error instanceof AppError) return this.#unrouted(orderId, error);
      throw error;
    }
    if (found === null) return this.#send(orderId, null);
    if (!mayRest(found)) throw notOpen();
    return this.#onMarket(found, true);
  }

  /**
   * All orders that are open now, of one market or all, page by page, in batches: never the exchange's own cancel-all, which may hit later
   * orders, and those of other subaccounts, too.
   */
  all(ticker?: string): Promise<CancelReport> {
    const open = {
      readPage: this.orders.resting(ticker),
      now: () => this.client.now(),
      unusable: unusableList,
      batchSize: BATCH,
      cancel: (batch: readonly WirePlace[], read: ReadInParts) => this.#batch(batch, read),
    };
    return cancelOpen([open], this.longReads);
  }

  async #batch(places: readonly WirePlace[], read: ReadInParts): Promise<ReasonOf<WirePlace>> {
    const path = '/portfolio/events/orders/batched';
    const { value } = await this.client.account.named((subaccount) => {
      const orders = places.map(({ id, ticker }) => ({ order_id: id, market_ticker: ticker, subaccount }));
      return this.client.cancel(path, { body: JSON.stringify({ orders }) }, wireCancelledBatch);
    });
    const outcomes = new Map<string, WireCancelOutcome[]>();
    for (const outcome of value.orders) {
      outcomes.set(outcome.order_id, [...(outcomes.get(outcome.order_id) ?? []), outcome].slice(0, 2));
    }
    const fates = new Map<string, Fate>();
    for (const place of places) {
      if ((outcomes.get(place.id) ?? []).some(isOfNothing)) fates.set(place.id, await this.#fateOf(place, read));
    }
    return ({ id }) => {
      const reason = reasonOf(outcomes.get(id) ?? []);
      return reason === null && fates.has(id) ? reasonOfFate(fates.get(id) ?? null) : reason;
    };
  }

  /** What became of an order, by a look at its market; null also where it cannot be read, or too many were looked at. */
  async #fateOf({ id, ticker }: WirePlace, read: ReadInParts): Promise<Fate> {
    this.#looks += 1;
    if (this.#looks > MOST_LOOKS) return null;
    const found = await readOptional(
      read(() => this.orders.readOn(ticker, id, wireOnePlace)),
      null,
    );
    return fateOf(found);
  }

  async #onMarket(place: Pick<WirePlace, 'id' | 'ticker'>, wasSeenResting: boolean): Promise<CancelledOrderDto> {
    try {
      return await this.#send(place.id, place.ticker);
    } catch (error) {
      if (error instanceof AppError && isNotFound(error)) throw await this.#explained(error, place, wasSeenResting);
      throw error;
    }
  }

  /** For an order whose market could not be read, which `doubt` tells: then "not found" proves nothing. */
  async #unrouted(orderId: string, doubt: AppError): Promise<CancelledOrderDto> {
    try {
      return await this.#send(orderId, null);
    } catch (error) {
      throw isNotFound(error) ? doubt : error;
    }
  }

  async #send(orderId: string, ticker: string | null): Promise<CancelledOrderDto> {
    const market = ticker === null ? {} : { market_ticker: ticker, exchange_index: this.shards.indexOf(ticker) };
    const path = pathOf`/portfolio/events/orders/${orderId}`;
    const { value, at } = await this.client.account.named((subaccount) =>
      this.client.cancel(path, { query: { ...market, subaccount } }, wireCancelled),
    );
    // The answer may describe another order, though the cancel is right (kalshi-2026.md 5).
    const own = value.order_id === orderId ? value : { reduced_by: null, ts_ms: null };
    const isOfNone = isOfNothing(own);
    if (isOfNone) await this.#assertCancelled(orderId, ticker);
    return {
      exchange: KALSHI,
      id: orderId,
      status: 'cancelled',
      cancelled_size: isOfNone ? null : own.reduced_by,
      timestamp: new Date(own.ts_ms ?? at).toISOString(),
    };
  }

  /** For a cancel that took nothing out: throws where another look does not show the order cancelled. */
  async #assertCancelled(orderId: string, ticker: string | null): Promise<void> {
    const look = ticker === null ? this.#find(orderId, null) : this.#look(orderId, ticker);
    const fate = fateOf(await readOptional(look, null));
    if (fate === 'executed') throw this.client.refusal('not_cancellable', 200);
    if (fate === null) throw unproven();
  }

  /** What it means that a cancel on the right market was not found: by another look at the order. */
  async #explained(
    refusal: AppError,
    { id, ticker }: Pick<WirePlace, 'id' | 'ticker'>,
    wasSeenResting: boolean,
  ): Promise<unknown> {
    let found: WirePlace | null;
    try {
      found = await this.#look(id, ticker);
    } catch (error) {
      // A key that may not read cannot know better.
      return isDenied(error) ? refusal : error;
    }
    if (found === null) return refusal;
    if (mayRest(found)) return contradiction(refusal);
    return wasSeenResting ? this.client.refusal('not_cancellable', 404) : notOpen();
  }

  async #look(orderId: string, ticker: string): Promise<WirePlace | null> {
    return (await this.orders.readOn(ticker, orderId, wireOnePlace)) ?? this.#find(orderId, ticker);
  }

  /** Only among live orders: what is archived does not rest. */
  async #find(orderId: string, ticker: string | null): Promise<WirePlace | null> {
    const found = await this.orders.findById(orderId, { ticker, archive: false });
    return found === null ? null : this.client.parsed(wirePlace, found);
  }
}

/** Whether an answer says itself that nothing was taken out, which proves no cancel. */
function isOfNothing({ reduced_by: size }: { readonly reduced_by: string | null }): boolean {
  return size === '0';
}

function fateOf(found: WirePlace | null): Fate {
  if (found?.status === 'canceled') return 'cancelled';
  return found?.status === 'executed' ? 'executed' : null;
}

function reasonOfFate(fate: Fate): NotCancelledReason | null {
  if (fate === 'cancelled') return null;
  return fate === 'executed' ? 'not_cancellable' : 'unknown';
}

function unproven(): AppError {
  const message =
    'Kalshi took nothing of the order out, and does not show it cancelled. Read the order, then repeat the call.';
  const details = { exchange: { id: KALSHI, status: 200, code: null } };
  return new AppError('exchange_error', message, { details });
}

function mayRest({ status }: WirePlace): boolean {
  return !FINAL_STATES.has(status);
}

function isDenied(error: unknown): boolean {
  return error instanceof AppError && error.details?.reason === 'permission_denied';
}

function notOpen(): AppError {
  return notFound('Kalshi has no such open order: it is filled or cancelled already.');
}

/** Lists lag behind cancels, so that this may pass. */
function contradiction(cause: AppError): AppError {
  const message =
    'Kalshi found no such order to cancel, but shows that it rests. Read the order, then repeat the call.';
  return new AppError('exchange_error', message, { cause, ...(cause.details && { details: cause.details }) });
}

/**
 * An order that the answer does not mention may or may not be cancelled, and so may one that it mentions twice: answers may speak
 * of another order (kalshi-2026.md 5).
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
