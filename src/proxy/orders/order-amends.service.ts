import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import type { ApiKeyPrincipal, BotMarket } from '../../access/principal.js';
import type { SendingPermit } from '../../credentials/credentials.service.js';
import type { Exchange } from '../../exchanges/exchange.js';
import { supported } from '../../exchanges/optional-parts.js';
import type { AmendedOrder, KnownOrder, OrderChange, PreparedAmend } from '../../exchanges/orders.contract.js';
import type { Trading } from '../../exchanges/trading.contract.js';
import type { OrderDto } from '../../exchanges/unified.trading.dto.js';
import { AppError } from '../../platform/errors/app-error.js';
import { randomUuid } from '../../platform/secrets/random.js';
import { currentCallContext, withoutClientAbort } from '../../platform/upstream/call-context.js';
import { type AmendClaim, Amends } from '../placing/amends.repository.js';
import { withRoom } from '../placing/limits.js';
import { asUnknown, hasCode, isDuplicate, isUnknown } from '../placing/outcomes.js';
import { PlacementCounts } from '../placing/placement-counts.js';
import { ReservationLanes } from '../../platform/upstream/reservation-lanes.js';
import { type AmendTerms, type Sending, Sendings, unsent } from '../placing/sendings.js';
import { allowedMarket } from './allowed-markets.js';
import { askedAmend, changeIn, orderToBe } from './amended-order.js';
import { OrderParts } from './ledger-order.js';
import { OrderNotes, withRequest } from './order-notes.js';
import type { AmendOrderDto, ReadOrderDto } from './orders.dto.js';
import { OrdersService } from './orders.service.js';

/** How often a call looks whether its turn has come, in ms. */
const TURN_LOOK_MS = 100;
/** A change leaves within so many ms of the read that it was made of, or the order is read once more; so many reads at most. */
const FRESH_MS = 1_000;
const MOST_READS = 3;

/** What a call asks for. */
interface Asked {
  readonly caller: ApiKeyPrincipal;
  readonly exchange: Exchange;
  readonly change: OrderChange;
  /** As `LookUps.begin`. */
  readonly readsUntil: number;
}

/** One change of one order. */
interface Amending extends Asked {
  readonly known: KnownOrder | null;
  readonly trading: Trading;
  readonly permit: SendingPermit;
  readonly claim: AmendClaim;
  /** By which of the bot's markets it is allowed; undefined until the market is known. */
  allowedBy: BotMarket | null | undefined;
  /** As it was prepared last. */
  terms: AmendTerms | null;
}

/** What a change was made of was read too long ago by the time that it could be sent. */
class StaleRead extends Error {}

/**
 * Changes orders that rest (contract.md 5.16). A change is sent once, by what was read just before; one call at a time changes an order, on all
 * instances together. What a bot asks for is reserved before it is sent, and what a change of unknown fate may have made stays reserved.
 */
@Injectable()
export class OrderAmends {
  readonly #logger = new Logger('OrderAmends');
  /** Of the calls that change one order the first alone asks the database for its turn. */
  readonly #lanes = new ReservationLanes(1);

  constructor(
    private readonly parts: OrderParts,
    private readonly orders: OrdersService,
    private readonly notes: OrderNotes,
    private readonly amends: Amends,
    private readonly sendings: Sendings,
    private readonly counts: PlacementCounts,
  ) {}

  /**
   * Changes what is named of an order and returns the order as it is then. Throws `not_supported` where the exchange changes none, `not_found` as
   * a read does, `exchange_rejected` (`not_amendable`) for one that does not rest, and `order_outcome_unknown` where the change may have been made.
   */
  async amend(
    caller: ApiKeyPrincipal,
    exchange: Exchange,
    orderId: string,
    body: AmendOrderDto,
  ): Promise<ReadOrderDto> {
    const change = changeIn(body);
    supported(exchange.canAmend, exchange, 'canAmend');
    const id = await this.orders.ownId(caller, exchange, orderId);
    const order = await this.#told(caller, exchange, id, () => this.#amend(caller, exchange, id, change));
    return withRequest(order, await this.notes.ofPage(caller, exchange, [order]));
  }

  /** Counts and notes how it ends. */
  async #told(
    caller: ApiKeyPrincipal,
    { id: exchange }: Exchange,
    order_id: string,
    amend: () => Promise<OrderDto>,
  ): Promise<OrderDto> {
    const { journal } = this.parts;
    try {
      const made = async () => ({ placed: await amend(), origin: 'made' as const });
      const { placed: order } = await this.counts.count('amend', exchange, made);
      const { status: outcome, price, size, expires_at } = order;
      await journal.noteAmended(caller, exchange, { outcome, order_id, price, size, expires_at });
      return order;
    } catch (error) {
      if (hasCode(error, 'limit_exceeded')) await journal.noteLimit(caller, exchange, error.details);
      if (isUnknown(error)) await journal.noteAmended(caller, exchange, { outcome: 'unknown', order_id });
      throw error;
    }
  }

  async #amend(caller: ApiKeyPrincipal, exchange: Exchange, orderId: string, change: OrderChange): Promise<OrderDto> {
    const readsUntil = this.parts.lookUps.begin();
    const wait = { until: readsUntil, signal: currentCallContext()?.signal };
    const leave = await this.#lanes.enter(`${caller.userId} ${exchange.id} ${orderId}`, wait);
    try {
      return await this.#inLane({ caller, exchange, change, readsUntil }, orderId);
    } finally {
      leave();
    }
  }

  async #inLane(asked: Asked, orderId: string): Promise<OrderDto> {
    const { credentials, limits } = this.parts;
    const { caller, exchange, readsUntil } = asked;
    const { userId } = caller;
    const known = await this.notes.find(userId, exchange.id, orderId);
    const market = known?.marketId ?? null;
    const allowedBy = market === null ? undefined : await this.#allowed(caller, exchange, market, readsUntil);
    const rights = await credentials.tradingToSend(caller, exchange);
    const claim = { userId, exchange: exchange.id, orderId, claim: randomUuid() };
    const amending: Amending = { ...asked, known, ...rights, claim, allowedBy, terms: null };
    await this.#turn(amending);
    const call = { records: this.amends, claim, terms: () => amending.terms, readsUntil };
    const sending = this.sendings.amend(call, rights.permit);
    let end: Parameters<Amends['end']> = [claim, 'undone'];
    try {
      const room = { findRoom: () => limits.findRoom(userId, exchange.id) };
      // Each try reads the order and the book anew.
      const { order, isFilledKnown } = await withRoom(
        room,
        () => Promise.resolve(),
        () => this.#send(amending, sending),
      );
      end = [claim, 'made', isFilledKnown ? order.filled_size : null];
      return order;
    } catch (error) {
      if (!mayBeMade(error, sending)) throw error;
      end = [claim, 'unknown'];
      throw unknownAmend(exchange, orderId, error);
    } finally {
      await this.#end(end);
    }
  }

  /** Waits until no call at another instance changes the order. */
  async #turn({ claim, readsUntil }: Amending): Promise<void> {
    const signal = currentCallContext()?.signal;
    while (!(await this.amends.take(claim, this.sendings.busyMs))) {
      if (performance.now() >= readsUntil || signal?.aborted === true)
        throw unsent('Another change of this order is not done yet.');
      await delay(TURN_LOOK_MS);
    }
  }

  /** Reads, prepares and sends; reads again where that took too long. */
  async #send(amending: Amending, sending: Sending): Promise<AmendedOrder> {
    for (let reads = 1; reads <= MOST_READS; reads += 1) {
      await this.#turn(amending);
      const readAt = performance.now();
      const amend = await this.#prepare(amending);
      const send = (before: () => Promise<void>) =>
        amend.place(async () => {
          if (performance.now() - readAt > FRESH_MS) throw new StaleRead();
          await before();
        });
      try {
        return await withoutClientAbort(() => sending.through(send, undefined));
      } catch (error) {
        if (!(error instanceof StaleRead)) throw error;
      }
    }
    throw unsent('The change could not leave soon enough after the order was read.');
  }

  async #prepare(amending: Amending): Promise<PreparedAmend> {
    const { caller, exchange, change, trading, known, claim, readsUntil } = amending;
    const { lookUps, limits } = this.parts;
    const { bot } = caller;
    const amend = await lookUps.beforeSending(readsUntil, () =>
      supported(trading.prepareAmend?.bind(trading), exchange, 'canAmend')(claim.orderId, change, () =>
        Promise.resolve(known),
      ),
    );
    amending.allowedBy ??= await this.#allowed(caller, exchange, amend.order.market_id, readsUntil);
    const allowedBy = amending.allowedBy;
    const asked = orderToBe(amend);
    const read = bot && (() => limits.factsOf(bot, exchange, asked, allowedBy));
    const facts = read && (await lookUps.beforeSending(readsUntil, read));
    amending.terms = { asked: askedAmend(amend, change), facts };
    return amend;
  }

  #allowed(
    { bot }: ApiKeyPrincipal,
    exchange: Exchange,
    market_id: string,
    readsUntil: number,
  ): Promise<BotMarket | null> {
    return this.parts.lookUps.beforeSending(readsUntil, () => allowedMarket(bot, exchange, { market_id }));
  }

  /** Where that cannot be written, the turn ends by time, and what is reserved by proof. */
  async #end(end: Parameters<Amends['end']>): Promise<void> {
    try {
      await this.amends.end(...end);
    } catch (error) {
      this.#logger.error({ err: error, message: 'the end of a change of an order could not be stored' });
    }
  }
}

/** Whether the exchange may have made the change, or may make it yet. */
function mayBeMade(error: unknown, sending: Sending): boolean {
  if (!sending.mayHaveLeft(error)) return false;
  return !(error instanceof AppError) || isUnknown(error) || isDuplicate(error);
}

function unknownAmend({ name }: Exchange, order_id: string, error: unknown): AppError {
  const message =
    `It is not known whether ${name} took the change. Read the order, for 30 seconds at least, or repeat the call: it says how the ` +
    'order is to be.';
  return asUnknown('order', error, { order_id }).retold(message, {}, 1);
}
