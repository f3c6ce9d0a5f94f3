import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { botIdOf, type Principal } from '../../access/principal.js';
import type { Exchange } from '../../exchanges/exchange.js';
import type { OrderDto } from '../../exchanges/unified.trading.dto.js';
import { AppError } from '../../platform/errors/app-error.js';
import { type KeyRecord, LedgerKeys } from '../placing/ledger-keys.repository.js';
import { OpenPlacements } from '../placing/ledger-open.repository.js';
import { inProgress } from '../placing/outcomes.js';
import type { IdempotencyScope } from '../placing/placement.js';
import { Sendings } from '../placing/sendings.js';
import { checkKey } from './idempotency.decorator.js';
import { orderIn } from './order-answers.js';
import { asMade } from './order-notes.js';
import type { AbandonedKeyDto, ReadOrderDto } from './orders.dto.js';
import { OrdersService } from './orders.service.js';
import { SentOrders } from './sent-orders.js';

/** So many keys of a user may be abandoned within 24 h that made no order (contract.md 5). */
const MOST_WITHOUT_ORDER = 1_000;
const TOO_MANY_SECONDS = 3_600;
/** How often a key is given up that is bound and freed at the same time. */
const MOST_TRIES = 10;
/** How often it is looked whether the call that sends has ended, in ms. */
const LOOK_EVERY_MS = 200;

/** Gives up keys of orders: nothing is sent under them any more, and what was sent is looked up and cancelled (contract.md 5). */
@Injectable()
export class AbandonedKeysService {
  constructor(
    private readonly keys: LedgerKeys,
    private readonly open: OpenPlacements,
    private readonly sent: SentOrders,
    private readonly orders: OrdersService,
    private readonly sendings: Sendings,
  ) {}

  /**
   * From its answer on, an error too, no call sends under the key. Throws `order_outcome_unknown` where it may have made an order that
   * does not show yet, and what kept the order from being cancelled: to be repeated.
   */
  async abandon(caller: Principal, exchange: Exchange, given: string): Promise<AbandonedKeyDto> {
    const key = checkKey('idempotency_key', given);
    const keyPrefix = caller.kind === 'session' ? '' : caller.keyPrefix;
    const sender = { userId: caller.userId, botId: botIdOf(caller), keyPrefix };
    const scope = { ...sender, exchange: exchange.id, kind: 'order', key } as const;
    const record = await this.#abandoned(scope);
    const order = record && (await this.#orderOf(record));
    if (record === null || order === null) return { state: 'none', order: null };
    return this.#cancelled(caller, exchange, { made: order, placementId: record.id });
  }

  /** What the record says once no call works on it; null where nothing was sent under the key. */
  async #abandoned(scope: IdempotencyScope): Promise<KeyRecord | null> {
    const until = performance.now() + this.sendings.busyMs;
    let record = await this.#givenUp(scope);
    while (record?.busy === true) {
      if (performance.now() >= until) throw mayShow(record);
      await delay(LOOK_EVERY_MS);
      record = await this.keys.find(scope);
    }
    return record;
  }

  /** Null where the key was bound to nothing. A call may bind it, and free it again, between any two statements. */
  async #givenUp(scope: IdempotencyScope): Promise<KeyRecord | null> {
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const record = await this.keys.abandon(scope);
      if (record !== null) return record;
      const isFree = await this.keys.abandonFree(scope, MOST_WITHOUT_ORDER);
      if (isFree === 'too_many') throw tooMany();
      if (isFree) return null;
    }
    throw inProgress();
  }

  /** The order that was made under the key, by the record or at the exchange; null where there is none. */
  async #orderOf(record: KeyRecord): Promise<OrderDto | null> {
    const known = orderIn(record.answer);
    if (known !== null) return known;
    const refused = await this.open.findRefused(record.id);
    if (refused !== null) return this.sent.findRefused(refused);
    const taken = await this.open.take(record.id, this.sendings.busyMs);
    if (taken === null) {
      // Somebody else looks at it, or has just ended it.
      if (record.isOpen) throw mayShow(record);
      return null;
    }
    const settled = await this.sent.settle(taken);
    if (settled === 'unknown') throw mayShow(record);
    return settled === 'none' ? null : settled.order;
  }

  /** An end that is only assumed closes nothing: the order is cancelled again, should it show. */
  async #cancelled(
    caller: Principal,
    exchange: Exchange,
    { made, placementId }: { readonly made: OrderDto; readonly placementId: string },
  ): Promise<AbandonedKeyDto> {
    const { ended, isAssumed } = await this.orders.cancelSent(caller, exchange, made.id);
    if (!isAssumed) await this.open.close(placementId);
    const { status, filled_size, timestamp } = ended;
    const read = await this.#read(caller, exchange, made);
    const order = {
      ...read,
      status,
      filled_size: filled_size ?? read.filled_size,
      updated_at: read.updated_at ?? timestamp,
    };
    return { state: status === 'cancelled' ? 'cancelled' : 'closed', order };
  }

  /** As the exchange has it, or as it was made where the exchange forgets what is over. */
  async #read(caller: Principal, exchange: Exchange, made: OrderDto): Promise<ReadOrderDto> {
    try {
      return await this.orders.get(caller, exchange, made.id);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return asMade(made, botIdOf(caller));
    }
  }
}

function mayShow({ refusalHoldsAt }: KeyRecord): AppError {
  const message =
    'The key is abandoned: nothing is sent under it any more. What was sent before may exist, and does not show yet. Repeat this call: it ' +
    'cancels the order once it shows.';
  return new AppError('order_outcome_unknown', message, {
    retryable: true,
    details: { refusal_holds_at: refusalHoldsAt?.toISOString() ?? null },
  });
}

function tooMany(): AppError {
  const message = 'Too many keys were abandoned today that made no order.';
  return new AppError('rate_limited', message, {
    details: { reason: 'abandoned_keys' },
    retryAfterSeconds: TOO_MANY_SECONDS,
  });
}
