import { Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { type ApiKeyPrincipal, botIdOf, type Principal } from '../../access/principal.js';
import { type ActivityEvent, ActivityService } from '../../activity/activity.service.js';
import type { ErrorDetails } from '../../platform/errors/app-error.js';
import { within } from '../../platform/time/within.js';
import type { OrderDto } from '../../exchanges/unified.trading.dto.js';
import { type CancelledPlacement, LedgerReads, NOTED, type PlacementName } from '../placing/ledger-reads.repository.js';
import type { Placement } from '../placing/outcomes.js';
import type { Claim } from '../placing/placement.js';

/** Whose order it is, by which key, and of which bot. */
export type Sender = Pick<Claim, 'userId' | 'keyPrefix' | 'botId'>;

type Details = Readonly<Record<string, string | number | boolean | null>>;

const UNKNOWN = 'unknown';

/** A limit that refuses again and again is noted so often, in ms. */
const LIMIT_NOTED_MS = 60_000;
const MOST_LIMITS = 10_000;

/** How long the answer of a cancel, or a change, waits for its note, in ms. */
const NOTE_LIMIT_MS = 2_000;

/**
 * Notes orders in their owner's activity, each with its outcome (contract.md 4, S-41): once as made, and before that at most once as of
 * unknown fate. What cannot be noted is logged, and fails no order.
 */
@Injectable()
export class OrderJournal {
  readonly #logger = new Logger('OrderJournal');
  /** Refusals by limits that were noted within a minute: what spares the question whether another instance has. */
  readonly #limits = new LRUCache<string, true>({ max: MOST_LIMITS, ttl: LIMIT_NOTED_MS });

  constructor(
    private readonly activity: ActivityService,
    private readonly reads: LedgerReads,
  ) {}

  /** Notes an order by itself: one that was made or found without a key, or whose record does not take it. */
  async notePlacement(caller: Sender, exchange: string, placement: Placement<OrderDto>): Promise<void> {
    await this.#safely(async () => {
      const note = await this.#noteOf(caller, exchange, placement);
      if (note === null) return;
      const { id, client_order_id } = placement.placed;
      await this.reads.note(nameOf(caller, exchange, client_order_id, id), NOTED.made, this.activity.prepare(note));
    });
  }

  /** Returns the note of an order that was made or found; null where it is noted already, or nobody can tell. */
  async noteOf(caller: Sender, exchange: string, placement: Placement<OrderDto>): Promise<ActivityEvent | null> {
    let note: ActivityEvent | null = null;
    await this.#safely(async () => {
      note = await this.#noteOf(caller, exchange, placement);
    });
    return note;
  }

  /** Notes an order of unknown fate, by the details of its `order_outcome_unknown`, unless it is noted already. */
  async noteUnknown(caller: Sender, exchange: string, details: ErrorDetails = {}): Promise<void> {
    await this.#safely(() => this.#noteUnknown(caller, exchange, details));
  }

  /** Notes that a limit refused an order of a bot, once a minute for a bot and limit. */
  async noteLimit(
    { userId, keyPrefix, bot }: ApiKeyPrincipal,
    exchange: string,
    details: ErrorDetails = {},
  ): Promise<void> {
    const { allowed = null, used = null, asked = null } = details;
    const limit = details.limit ?? '';
    if (bot === null || this.#limits.has(`${bot.id} ${limit}`)) return;
    this.#limits.set(`${bot.id} ${limit}`, true);
    const event = { type: 'limit_refused', userId, keyPrefix, botId: bot.id, exchange } as const;
    await this.#safely(() => this.activity.recordLimit({ ...event, details: { allowed, used, asked } }, limit));
  }

  /** Notes a change of an order, or that one may have been made; the answer waits for it at most 2 s. */
  async noteAmended(caller: ApiKeyPrincipal, exchange: string, details: Details): Promise<void> {
    const { userId, keyPrefix } = caller;
    const event = { type: 'order_amended', userId, keyPrefix, botId: botIdOf(caller), exchange, details } as const;
    const noted = this.#safely(() => this.activity.recordAll([event]));
    await within(NOTE_LIMIT_MS, noted, () => undefined);
  }

  /** All in one statement; the answer waits for it at most 2 s. */
  async noteCancelled(caller: Principal, exchange: string, cancelled: readonly CancelledPlacement[]): Promise<void> {
    const { userId } = caller;
    const by = caller.kind === 'session' ? { sessionId: caller.sessionId } : { keyPrefix: caller.keyPrefix };
    const event = { type: 'order_cancelled', userId, ...by, botId: botIdOf(caller), exchange } as const;
    const events = cancelled.map(({ orderId }) => ({ ...event, details: { order_id: orderId } }));
    const noted = this.#safely(() =>
      this.reads.noteCancelled(userId, exchange, cancelled, this.activity.prepare(...events)),
    );
    await within(NOTE_LIMIT_MS, noted, () => undefined);
  }

  /** Whether an order under an id of the exchange was cancelled here. Throws what the database does. */
  async wasCancelled(
    { userId, exchange }: { readonly userId: string; readonly exchange: string },
    orderId: string | undefined,
  ): Promise<boolean> {
    return orderId !== undefined && (await this.reads.wasCancelled(userId, exchange, orderId));
  }

  /** A replay was noted the first time; so was an order that the exchange had already, if it came from here. */
  async #noteOf(
    caller: Sender,
    exchange: string,
    { placed: order, origin }: Placement<OrderDto>,
  ): Promise<ActivityEvent | null> {
    if (origin === 'replayed') return null;
    if (origin !== 'made') {
      const noted = await this.reads.findNoted(nameOf(caller, exchange, order.client_order_id, order.id));
      const isOurs = origin === 'found' || noted > 0;
      if (!isOurs || noted >= NOTED.made) return null;
    }
    return eventOf(caller, exchange, {
      outcome: order.status,
      order_id: order.id,
      client_order_id: order.client_order_id,
      market_id: order.market_id,
      outcome_index: order.outcome.index,
      outcome_label: order.outcome.label,
      side: order.side,
      price: order.price,
      size: order.size,
      time_in_force: order.time_in_force,
      post_only: order.post_only,
    });
  }

  async #noteUnknown(caller: Sender, exchange: string, details: ErrorDetails): Promise<void> {
    const { client_order_id = null, order_id = null } = details;
    const name = nameOf(caller, exchange, client_order_id, order_id);
    if ((await this.reads.findNoted(name)) > 0) return;
    const note = eventOf(caller, exchange, { outcome: UNKNOWN, order_id, client_order_id });
    await this.reads.note(name, NOTED.unknown, this.activity.prepare(note));
  }

  async #safely(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#logger.error({ err: error, message: 'an order could not be noted in the activity' });
    }
  }
}

/** An exchange with client order ids names no other id before it answers. */
function nameOf(
  { userId }: Sender,
  exchange: string,
  clientId: string | null,
  exchangeId: string | null,
): PlacementName {
  return { userId, exchange, kind: 'order', clientId, exchangeId };
}

function eventOf({ userId, keyPrefix, botId }: Sender, exchange: string, details: Details): ActivityEvent {
  return { type: 'order_created', userId, keyPrefix, botId, exchange, details };
}
