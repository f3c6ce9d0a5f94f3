import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import type { ApiKeyPrincipal } from '../../access/principal.js';
import { type ActivityEvent, ActivityService } from '../../activity/activity.service.js';
import type { ErrorDetails } from '../../platform/errors/app-error.js';
import type { Placement } from './order-outcomes.js';

type Details = Readonly<Record<string, string | number | null>>;

const UNKNOWN = 'unknown';

/** How long the answer of a cancel waits for its note, in ms. */
const CANCEL_NOTE_LIMIT_MS = 2_000;

/** How long a read or a cancel waits for the market of its order, in ms: it only makes the call at the exchange better. */
const MARKET_LIMIT_MS = 2_000;

/**
 * Notes orders in their owner's activity, each with its outcome (contract.md 4): once as made, and before that at most once as of
 * unknown fate. What cannot be noted is logged, and fails no order.
 */
@Injectable()
export class OrderJournal {
  readonly #logger = new Logger('OrderJournal');

  constructor(private readonly activity: ActivityService) {}

  /** Notes an order by itself: one that was made or found without a key, or whose record does not take it. */
  async notePlacement(caller: ApiKeyPrincipal, exchange: string, placement: Placement): Promise<void> {
    await this.#safely(async () => {
      const note = await this.#noteOf(caller, exchange, placement);
      if (note !== null) await this.activity.record(note);
    });
  }

  /** Returns the note of an order that was made or found; null where it is noted already, or nobody can tell. */
  async noteOf(caller: ApiKeyPrincipal, exchange: string, placement: Placement): Promise<ActivityEvent | null> {
    let note: ActivityEvent | null = null;
    await this.#safely(async () => {
      note = await this.#noteOf(caller, exchange, placement);
    });
    return note;
  }

  /** Notes an order of unknown fate, by the details of its `order_outcome_unknown`, unless it is noted already. */
  async noteUnknown(caller: ApiKeyPrincipal, exchange: string, details: ErrorDetails = {}): Promise<void> {
    await this.#safely(() => this.#noteUnknown(caller, exchange, details));
  }

  /** All in one statement; the answer waits for it at most 2 s. */
  async noteCancelled(
    { userId, keyPrefix }: ApiKeyPrincipal,
    exchange: string,
    orderIds: readonly string[],
  ): Promise<void> {
    const cancelled = { type: 'order_cancelled', userId, keyPrefix, exchange } as const;
    const events = orderIds.map((order_id) => ({ ...cancelled, details: { order_id } }));
    const noted = this.#safely(() => this.activity.recordAll(events));
    await Promise.race([noted, delay(CANCEL_NOTE_LIMIT_MS, undefined, { ref: false })]);
  }

  /**
   * The market of an order that was noted as made or found; null where no note says, and where the database does not within
   * 2 s (contract.md 9). Notes are kept for longer than the 30 days that are promised.
   */
  async marketOf(userId: string, exchange: string, orderId: string): Promise<string | null> {
    const late = delay(MARKET_LIMIT_MS, null, { ref: false });
    return Promise.race([this.#findMarket(userId, exchange, orderId), late]);
  }

  /** Whether an order under an id of the exchange was cancelled here. Throws what the database does. */
  async wasCancelled(
    { userId, exchange }: { readonly userId: string; readonly exchange: string },
    orderId: string | undefined,
  ): Promise<boolean> {
    return orderId !== undefined && this.activity.wasOrderCancelled(userId, exchange, orderId);
  }

  async #findMarket(userId: string, exchange: string, orderId: string): Promise<string | null> {
    try {
      return await this.activity.findOrderMarket(userId, exchange, orderId);
    } catch (error) {
      this.#logger.error({ err: error, message: 'the market of an order could not be read from the activity' });
      return null;
    }
  }

  /** A replay was noted the first time; so was an order that the exchange had already, if it came from here. */
  async #noteOf(
    caller: ApiKeyPrincipal,
    exchange: string,
    { order, origin }: Placement,
  ): Promise<ActivityEvent | null> {
    if (origin === 'replayed') return null;
    if (origin !== 'made') {
      const outcomes = await this.#noted(caller, exchange, order.client_order_id, order.id);
      const isOurs = origin === 'found' || outcomes.length > 0;
      if (!isOurs || outcomes.some((outcome) => outcome !== UNKNOWN)) return null;
    }
    return eventOf(caller, exchange, {
      outcome: order.status,
      order_id: order.id,
      client_order_id: order.client_order_id,
      market_id: order.market_id,
      outcome_index: order.outcome.index,
      side: order.side,
      price: order.price,
      size: order.size,
    });
  }

  async #noteUnknown(caller: ApiKeyPrincipal, exchange: string, details: ErrorDetails): Promise<void> {
    const { client_order_id = null, order_id = null } = details;
    if ((await this.#noted(caller, exchange, client_order_id, order_id)).length > 0) return;
    await this.activity.record(eventOf(caller, exchange, { outcome: UNKNOWN, order_id, client_order_id }));
  }

  /** The outcomes that an order is noted with; an exchange with client order ids names no other id before it answers. */
  async #noted(
    { userId }: ApiKeyPrincipal,
    exchange: string,
    client_order_id: string | null,
    order_id: string | null,
  ): Promise<unknown[]> {
    const id = client_order_id ?? order_id;
    if (!id) return [];
    const named = client_order_id === null ? 'order_id' : 'client_order_id';
    const found = await this.activity.findOrderNotes(userId, exchange, named, id);
    return found.map(({ outcome }) => outcome);
  }

  async #safely(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#logger.error({ err: error, message: 'an order could not be noted in the activity' });
    }
  }
}

function eventOf({ userId, keyPrefix }: ApiKeyPrincipal, exchange: string, details: Details): ActivityEvent {
  return { type: 'order_created', userId, keyPrefix, exchange, details };
}
