import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { AccountFeed } from '../../feeds/account-feed.js';
import type { AccountMessage, AccountReader } from '../../feeds/private-messages.js';
import type { Exchange } from '../../exchanges/exchange.js';
import type { FillDto } from '../../exchanges/unified.trading.dto.js';
import { AppError } from '../../platform/errors/app-error.js';
import { type KnownOrders, type OrderNotes, type ShownOrder, withRequest } from '../orders/order-notes.js';
import type { ReadOrderDto } from '../orders/orders.dto.js';
import type { ReadFillDto } from '../trading/portfolio.dto.js';
import type { BotObservations } from './bot-observations.js';

/** What the exchange says of an order may be quicker than its answer to the placement: the name is waited for so long. */
const UNNAMED_MS = 2_000;
const LOOK_MS = 100;
/** The database is asked again after so long, until the streams end without it (S-60). */
const AGAIN_MS = 500;
/** Messages that are looked up together, and that wait at most. */
const [BATCH, MOST_WAITING] = [100, 5_000];

/** What readers of own orders and fills are told, with whose they are; see `AccountMessage`. */
export type OwnMessage =
  | { readonly type: 'order'; readonly order: ReadOrderDto }
  | { readonly type: 'orders'; readonly orders: readonly ReadOrderDto[] }
  | { readonly type: 'fill'; readonly fill: ReadFillDto }
  | Exclude<AccountMessage, { readonly type: 'order' | 'orders' | 'fill' }>;

/** Somebody who reads what becomes of the orders of an account. */
export interface OwnReader {
  tell(message: OwnMessage): void;
}

/** Whose orders they are. */
export interface Owner {
  readonly userId: string;
  readonly exchange: Exchange;
}

interface Joined {
  readonly reader: OwnReader;
  hasLeft: boolean;
}

interface Waiting {
  readonly message: AccountMessage;
  /** By `performance.now()`. */
  readonly atMs: number;
  /** Who alone is told; null for all who have begun. */
  readonly to: Joined | null;
}

/**
 * What becomes of the orders of one account, with the bots that sent them, for all its readers: looked up once, told in the order in which
 * the feed says it. What is said of orders of bots is proved at once (contract.md 5.12).
 */
export class OwnEvents implements AccountReader {
  readonly #logger = new Logger('OwnEvents');
  readonly #readers = new Set<Joined>();
  #waiting: Waiting[] = [];
  #isWorking = false;

  constructor(
    private readonly feed: AccountFeed,
    private readonly owner: Owner,
    private readonly notes: OrderNotes,
    private readonly observations: BotObservations,
  ) {
    feed.join(this);
  }

  /** Tells somebody the open orders, where these are sure, and how they stand, then what happens, until what is returned is called. */
  begin(reader: OwnReader): () => void {
    const joined: Joined = { reader, hasLeft: false };
    const { feed } = this;
    if (feed.status.state === 'live') this.#add({ type: 'orders', orders: feed.open }, joined);
    this.#add(feed.status, joined);
    return () => {
      joined.hasLeft = true;
      this.#readers.delete(joined);
    };
  }

  tell(message: AccountMessage): void {
    this.#add(message, null);
  }

  /** The same fills with the bots whose orders they are of. Throws where the database does not say. */
  async named(fills: readonly FillDto[]): Promise<ReadFillDto[]> {
    const known = await this.#find(fills.map(({ order_id: id }) => ({ id })));
    return fills.map((fill) => withBot(fill, known));
  }

  #add(message: AccountMessage, to: Joined | null): void {
    if (this.#waiting.length >= MOST_WAITING) {
      const error = new AppError('service_unavailable', 'Too much waits to be told. Open the stream again.');
      this.#waiting = [{ message: { type: 'failed', error }, atMs: performance.now(), to: null }];
      return;
    }
    this.#waiting.push({ message, atMs: performance.now(), to });
    if (!this.#isWorking) void this.#work();
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, BATCH);
      const known = await this.#known(batch);
      for (const one of batch) this.#deliver(one, known);
    }
    this.#isWorking = false;
  }

  /** What is known of the orders of some messages. It waits for those that are just being placed, and for the database. */
  async #known(batch: readonly Waiting[]): Promise<KnownOrders> {
    const orders = batch.flatMap(({ message }) => ordersOf(message));
    for (;;) {
      try {
        const known = await this.#find(orders);
        if (!isUnnamed(batch, known)) return known;
        if (!(await this.notes.hasUnnamed(this.owner.userId, this.owner.exchange))) return await this.#find(orders);
        await delay(LOOK_MS);
      } catch (error) {
        this.#logger.warn({ err: error, message: 'The bots of streamed orders could not be looked up; they wait' });
        await delay(AGAIN_MS);
      }
    }
  }

  #find(orders: readonly ShownOrder[]): Promise<KnownOrders> {
    return this.notes.ofOrders(this.owner.userId, this.owner.exchange, orders);
  }

  #deliver({ message, to }: Waiting, known: KnownOrders): void {
    const told = ownMessage(message, known);
    if (to === null) {
      this.#observe(told);
      for (const { reader } of [...this.#readers]) reader.tell(told);
    } else if (!to.hasLeft) {
      to.reader.tell(told);
      if (told.type === 'status') this.#readers.add(to);
    }
  }

  #observe(told: OwnMessage): void {
    if (told.type === 'order' && told.order.bot_id !== null) this.observations.noteOrder(told.order);
    if (told.type === 'fill' && told.fill.bot_id !== null) this.observations.noteFill(told.fill);
  }
}

/** The orders that a message is of. */
function ordersOf(message: AccountMessage): readonly ShownOrder[] {
  if (message.type === 'order') return [message.order];
  if (message.type === 'orders') return message.orders;
  return message.type === 'fill' ? [{ id: message.fill.order_id }] : [];
}

/** Whether an order that something was just said of is nobody's, and may still be named. */
function isUnnamed(batch: readonly Waiting[], known: KnownOrders): boolean {
  const now = performance.now();
  return batch.some(
    ({ message, atMs }) =>
      message.type !== 'orders' &&
      now - atMs < UNNAMED_MS &&
      ordersOf(message).some((order) => known.ownerOf(order) === undefined),
  );
}

function ownMessage(message: AccountMessage, known: KnownOrders): OwnMessage {
  if (message.type === 'order') return { type: 'order', order: withRequest(message.order, known) };
  if (message.type === 'fill') return { type: 'fill', fill: withBot(message.fill, known) };
  if (message.type !== 'orders') return message;
  return { type: 'orders', orders: message.orders.map((order) => withRequest(order, known)) };
}

function withBot(fill: FillDto, known: KnownOrders): ReadFillDto {
  return Object.assign({}, fill, { bot_id: known.ownerOf({ id: fill.order_id }) ?? null });
}
