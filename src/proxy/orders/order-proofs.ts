import { Injectable, Logger } from '@nestjs/common';
import { CredentialsService } from '../../credentials/credentials.service.js';
import { add, compare, complement, isPositive } from '../../exchanges/decimal.js';
import { isEnd } from '../../exchanges/ended-order.js';
import { canonicalId, type Exchange } from '../../exchanges/exchange.js';
import { ExchangeRegistry } from '../../exchanges/exchange.registry.js';
import { allItems } from '../../exchanges/page-walk.js';
import type { Trading } from '../../exchanges/trading.contract.js';
import type { FillDto, OrderDto } from '../../exchanges/unified.trading.dto.js';
import { AppError } from '../../platform/errors/app-error.js';
import { withCallContext, withoutClientAbort } from '../../platform/upstream/call-context.js';
import { hasCode } from '../placing/outcomes.js';
import { type OrderProof, Proofs, type ReservedOrder } from '../placing/proofs.repository.js';
import { SharedReadings } from '../request/shared-readings.js';
import { OrderNotes } from './order-notes.js';

/** Orders that one reading looks at; the others come with the next one. */
const MOST_ORDERS = 500;
/** Orders whose end or trades are read at the same time. */
const LANES = 4;
/** A reading of a user's orders at an exchange serves all who ask for one while it runs, and so many ms after its end. */
const SHARED_FOR_MS = 1_000;
const PAGE = 100;

/** The signed reads of one user at one exchange. */
interface Account {
  readonly userId: string;
  readonly exchange: string;
  readonly trading: Trading;
}

/** One reading of orders: what the exchange lists as open, by id, from a time of the database on. */
interface Listing {
  readonly account: Account;
  readonly began: string;
  readonly open: ReadonlyMap<string, OrderDto>;
  /** Whether these are all that are open: what another one lacks may only not have been asked for. */
  readonly isWhole: boolean;
}

/** What the exchange says of an order, but for its trades. */
type Shown = Pick<OrderProof, 'status' | 'filledSize' | 'isOver' | 'isGone' | 'terms'>;

/** Its trades are all that is new of it. */
const OVER: Shown = { status: null, filledSize: null, isOver: true, isGone: false, terms: null };

function endless(): AppError {
  return new AppError('exchange_error', 'The exchange repeats the pages of a list.');
}

/**
 * Reads at the exchanges what became of orders of bots, and gives back by that what was reserved for them. An order is over where the
 * exchange states so, or where two complete lists of open orders 30 s apart lack it; its trades are read after that (contract.md 5.12).
 * Where the stored credentials are of another account than sent the order, only what shows counts.
 */
@Injectable()
export class OrderProofs {
  readonly #logger = new Logger('OrderProofs');
  readonly #readings = new SharedReadings<void>(SHARED_FOR_MS);

  constructor(
    private readonly proved: Proofs,
    private readonly credentials: CredentialsService,
    private readonly registry: ExchangeRegistry,
    private readonly notes: OrderNotes,
  ) {}

  /**
   * Reads the open and the unproved orders of all bots of a user at an exchange, one reading at a time for all who ask, and a second
   * between two, those first that were read longest ago. What cannot be read is left as it is.
   */
  read(userId: string, exchange: string): Promise<void> {
    return this.#readings.read(`${userId} ${exchange}`, async () => {
      try {
        const orders = await this.proved.take({ userId, exchange }, MOST_ORDERS, false);
        await this.#readAll(userId, exchange, orders);
      } catch (error) {
        this.#logFailure(error);
      }
    });
  }

  /** Reads those that are due, and returns how many it took. */
  async readDue(userId: string, exchange: string): Promise<number> {
    const orders = await this.proved.take({ userId, exchange }, MOST_ORDERS, true);
    await this.#readAll(userId, exchange, orders);
    return orders.length;
  }

  /**
   * Proves at once what became of an order of which the exchange has just said something by itself, by the same reading as ever: `heard` is
   * the order as it was stated, null where only a fill of it was. Nothing is read where it is no order of a bot, or all of it is proved.
   */
  async observe(userId: string, exchange: Exchange, orderId: string, heard: OrderDto | null): Promise<void> {
    const id = canonicalId(exchange, 'order', orderId);
    const [order] = await this.proved.take({ userId, exchange: exchange.id }, 1, false, id);
    if (order === undefined) return;
    const trading = await this.credentials.trading(userId, exchange);
    const began = await this.proved.now();
    // An end stays what it is; what rests may have changed since it was heard, and is read.
    const stated = heard !== null && isEnd(heard.status) ? [[order.orderId, heard] as const] : [];
    const account = { userId, exchange: exchange.id, trading };
    await this.#prove({ account, began, open: new Map(stated), isWhole: false }, order);
  }

  async #readAll(userId: string, exchange: string, orders: readonly ReservedOrder[]): Promise<void> {
    if (orders.length === 0) return;
    try {
      const context = { caller: userId, fresh: true };
      await withoutClientAbort(() =>
        withCallContext(context, () => this.#readAt(userId, this.registry.get(exchange), orders)),
      );
    } catch (error) {
      if (!(error instanceof AppError)) this.#logFailure(error);
    }
  }

  #logFailure(error: unknown): void {
    this.#logger.error({ err: error, message: 'orders of bots could not be read' });
  }

  async #readAt(userId: string, exchange: Exchange, orders: readonly ReservedOrder[]): Promise<void> {
    const trading = await this.credentials.trading(userId, exchange);
    const began = await this.proved.now();
    const open = orders.every(isOver) ? new Map<string, OrderDto>() : await listOpen(trading);
    const listing = { account: { userId, exchange: exchange.id, trading }, began, open, isWhole: true };
    const shown = orders.filter(({ orderId }) => open.has(orderId));
    await this.proved.markShown(shown.map(({ placementId }) => placementId));
    const left = [...orders];
    const work = async (): Promise<void> => {
      for (let order = left.shift(); order !== undefined; order = left.shift()) await this.#prove(listing, order);
    };
    await Promise.all(Array.from({ length: LANES }, work));
  }

  /** One that fails keeps no other from being read. */
  async #prove(listing: Listing, order: ReservedOrder): Promise<void> {
    const { began, account } = listing;
    try {
      const shown = isOver(order) ? OVER : await this.#endOf(listing, order);
      if (shown === null) return;
      const trades = await listTrades(account.trading, order.orderId);
      const stated = isOver(order) && isShort(trades, order) ? await this.#statedOf(listing, order) : shown;
      if (stated === null) return;
      await this.proved.prove(order.placementId, { ...stated, began, trades });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
    }
  }

  /** What the exchange says of an order whose end is not proved; null where that is nothing new. */
  async #endOf({ account, began, open, isWhole }: Listing, order: ReservedOrder): Promise<Shown | null> {
    const listed = open.get(order.orderId);
    const shown = listed ?? (await this.#stateOf(account, order));
    if (shown === null) {
      const isAbsent = isWhole && (await this.#isAbsent(account, order, began));
      return isAbsent ? { ...OVER, isGone: true } : null;
    }
    const { status, filled_size: filledSize } = shown;
    if (isEnd(status)) return { ...OVER, status, filledSize };
    if (listed === undefined) await this.proved.markShown([order.placementId]);
    const terms = listed === undefined ? null : termsOf(listed, order);
    return isNews(filledSize, terms, order) ? { status: null, filledSize, isOver: false, isGone: false, terms } : null;
  }

  /**
   * What the exchange states of an order that is over, and of which it has stated more than the trades show; null where the read is older
   * than the order's end, since it shows none.
   */
  async #statedOf({ account, began, isWhole }: Listing, order: ReservedOrder): Promise<Shown | null> {
    const shown = await this.#stateOf(account, order);
    if (shown !== null) return isEnd(shown.status) ? { ...OVER, filledSize: shown.filled_size } : null;
    return { ...OVER, isGone: isWhole && (await this.#isAbsent(account, order, began)) };
  }

  /** Whether the exchange has forgotten the order. What another account does not show proves nothing. */
  async #isAbsent({ trading }: Account, { account, placementId }: ReservedOrder, began: string): Promise<boolean> {
    if (account === null || trading.forAccount(account) === null) return false;
    return this.proved.markMissing(placementId, began);
  }

  /** The order as the exchange has it; null where it shows nowhere. */
  async #stateOf({ userId, exchange, trading }: Account, { orderId }: ReservedOrder): Promise<OrderDto | null> {
    try {
      return await trading.getOrder(orderId, () => this.notes.find(userId, exchange, orderId));
    } catch (error) {
      if (hasCode(error, 'not_found')) return null;
      throw error;
    }
  }
}

/** Whether its end is proved, so that its trades are all that is missing. */
function isOver({ fate }: ReservedOrder): boolean {
  return fate === 'over';
}

/** What the exchange states of an open order; null where an order of this direction is not what it shows, or nothing of it is left. */
function termsOf(listed: OrderDto, { isLong }: ReservedOrder): OrderProof['terms'] {
  const { status, side, price, outcome, filled_size: filled, remaining_size: left } = listed;
  if (outcome.index === null || ((side === 'buy') === (outcome.index === 0)) !== isLong) return null;
  if ((status !== 'open' && status !== 'partially_filled') || !isPositive(left)) return null;
  return { size: add(filled, left), unitRisk: side === 'buy' ? price : complement(price) };
}

/** Whether an open order is not as it was known. */
function isNews(filledSize: string, terms: OrderProof['terms'], known: ReservedOrder): boolean {
  if (filledSize !== known.confirmed || known.pending !== '0' || known.fate === 'cancelled') return true;
  const { size, unitRisk } = known;
  if (terms === null) return false;
  return compare(terms.size, size) !== 0 || unitRisk === null || compare(terms.unitRisk, unitRisk) !== 0;
}

/** Whether trades show less than what counts as filled. */
function isShort(trades: OrderProof['trades'], { confirmed, pending }: ReservedOrder): boolean {
  const sizes = Object.values(trades).flatMap(({ size, status }) => (status === 'failed' ? [] : [size]));
  return compare(sizes.reduce(add, '0'), add(confirmed, pending)) < 0;
}

/** All open orders, by id. */
async function listOpen(trading: Trading): Promise<Map<string, OrderDto>> {
  const read = (cursor: string | null) => trading.listOrders({ status: 'open' }, { limit: PAGE, cursor });
  const orders = await allItems(read, endless);
  return new Map(orders.map((order) => [order.id, order]));
}

async function listTrades(trading: Trading, orderId: string): Promise<OrderProof['trades']> {
  const read = (cursor: string | null) => trading.listFills({ order_id: orderId }, { limit: PAGE, cursor });
  const fills: FillDto[] = await allItems(read, endless);
  return Object.fromEntries(fills.map(({ id, size, status }) => [id, { size, status }]));
}
