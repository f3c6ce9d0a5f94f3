import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { AccountFeed } from '../../feeds/account-feed.js';
import type { AccountMessage, AccountReader } from '../../feeds/private-messages.js';
import type { Exchange } from '../../exchanges/exchange.js';
import type { FillDto, OrderDto } from '../../exchanges/unified.trading.dto.js';
import { AppError } from '../../platform/errors/app-error.js';
import { type KnownOrders, type OrderNotes, type ShownOrder, withRequest } from '../orders/order-notes.js';
import type { ReadOrderDto } from '../orders/orders.dto.js';
import type { ReadFillDto } from '../trading/holdings.dto.js';
import type { BotObservations } from './bot-observations.js';

/** What the exchange says of an order may be quicker than its answer to the placement: the name is waited for so long. */
const UNNAMED_MS = 2_000;
const LOOK_MS = 100;
/** The database is asked again after so long, until the streams end without it (S-60). */
const AGAIN_MS = 500;
/** Messages that are looked up together, and that wait at most. */
const [BATCH, MOST_WAITING] = [100, 5_000];
/** Who sent an order that is so old is known by now, or never will be. */
const NAMED_MS = 60_000;
/** Orders of a list that are looked up together. */
const PAGE = 500;

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
  /** Orders of lists whose names are sure: all readers hold the same objects. */
  readonly #sure = new WeakMap<OrderDto, ReadOrderDto>();
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
    if (feed.hasFailed) this.#add({ type: 'failed', error: ended() }, joined);
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
      this.#giveUp();
      return;
    }
    this.#waiting.push({ message, atMs: performance.now(), to });
    if (!this.#isWorking) void this.#work();
  }

  /** Ends all readers: those too who wait to begin. */
  #giveUp(): void {
    const error = new AppError('service_unavailable', 'Too much waits to be told. Open the stream again.');
    const beginners = this.#waiting.flatMap(({ to }) => (to === null ? [] : [to]));
    this.#waiting = [null, ...new Set(beginners)].map((to) => ({
      message: { type: 'failed', error },
      atMs: performance.now(),
      to,
    }));
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, BATCH);
      const known = await this.#surely(() => this.#known(batch));
      for (const one of batch) await this.#deliver(one, known);
    }
    this.#isWorking = false;
  }

  /** What is known of the orders of which some messages are, but for lists. It waits for those that are just being placed. */
  async #known(batch: readonly Waiting[]): Promise<KnownOrders> {
    const orders = batch.flatMap(({ message }) => orderOf(message));
    for (;;) {
      const known = await this.#find(orders);
      if (!isUnnamed(batch, known)) return known;
      if (!(await this.notes.hasUnnamed(this.owner.userId, this.owner.exchange))) return this.#find(orders);
      await delay(LOOK_MS);
    }
  }

  #find(orders: readonly ShownOrder[]): Promise<KnownOrders> {
    return this.notes.ofOrders(this.owner.userId, this.owner.exchange, orders);
  }

  /** Asks the database until it answers; null where the feed has ended meanwhile. */
  async #surely<T>(ask: () => Promise<T>): Promise<T | null> {
    while (!this.feed.hasFailed) {
      try {
        return await ask();
      } catch (error) {
        this.#logger.warn({ err: error, message: 'The bots of streamed orders could not be looked up; they wait' });
        await delay(AGAIN_MS);
      }
    }
    return null;
  }

  async #deliver({ message, to }: Waiting, known: KnownOrders | null): Promise<void> {
    const told = await this.#named(message, known);
    if (told === null) return;
    if (to === null) {
      this.#observe(told);
      for (const { reader } of [...this.#readers]) reader.tell(told);
    } else if (!to.hasLeft) {
      to.reader.tell(told);
      if (told.type === 'status') this.#readers.add(to);
    }
  }

  /** The message with the bots that it is of; null where these will never be known. */
  async #named(message: AccountMessage, known: KnownOrders | null): Promise<OwnMessage | null> {
    if (message.type === 'order') return known && { type: 'order', order: withRequest(message.order, known) };
    if (message.type === 'fill') return known && { type: 'fill', fill: withBot(message.fill, known) };
    if (message.type !== 'orders') return message;
    const orders: ReadOrderDto[] = [];
    for (let at = 0; at < message.orders.length; at += PAGE) {
      const page = message.orders.slice(at, at + PAGE);
      const unsure = page.filter((order) => !this.#sure.has(order));
      const knownOfPage = await this.#surely(() => this.#find(unsure));
      if (knownOfPage === null) return null;
      orders.push(...page.map((order) => this.#shown(order, knownOfPage)));
    }
    return { type: 'orders', orders };
  }

  #shown(order: OrderDto, known: KnownOrders): ReadOrderDto {
    const sure = this.#sure.get(order);
    if (sure !== undefined) return sure;
    const shown = withRequest(order, known);
    const isOld = Date.parse(order.created_at ?? '') < Date.now() - NAMED_MS;
    if (isOld || known.ownerOf(order) !== undefined) this.#sure.set(order, shown);
    return shown;
  }

  #observe(told: OwnMessage): void {
    if (told.type === 'order' && told.order.bot_id !== null) this.observations.noteOrder(told.order);
    if (told.type === 'fill' && told.fill.bot_id !== null) this.observations.noteFill(told.fill);
  }
}

/** The order of which something was just said. */
function orderOf(message: AccountMessage): readonly ShownOrder[] {
  if (message.type === 'order') return [message.order];
  return message.type === 'fill' ? [{ id: message.fill.order_id }] : [];
}

/** Whether such an order is nobody's, and may still be named. */
function isUnnamed(batch: readonly Waiting[], known: KnownOrders): boolean {
  const now = performance.now();
  return batch.some(
    ({ message, atMs }) =>
      now - atMs < UNNAMED_MS && orderOf(message).some((order) => known.ownerOf(order) === undefined),
  );
}

function ended(): AppError {
  return new AppError('service_unavailable', 'The stream has ended. Open it again.');
}

function withBot(fill: FillDto, known: KnownOrders): ReadFillDto {
  return Object.assign({}, fill, { bot_id: known.ownerOf({ id: fill.order_id }) ?? null });
}
