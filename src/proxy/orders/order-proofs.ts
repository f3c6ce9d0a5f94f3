import { Injectable, Logger } from '@nestjs/common';
import { CredentialsService } from '../../credentials/credentials.service.js';
import { isEnd } from '../../exchanges/ended-order.js';
import type { Exchange } from '../../exchanges/exchange.js';
import { ExchangeRegistry } from '../../exchanges/exchange.registry.js';
import { allItems } from '../../exchanges/page-walk.js';
import type { Trading } from '../../exchanges/trading.contract.js';
import type { FillDto, OrderDto } from '../../exchanges/unified.trading.dto.js';
import { AppError } from '../../platform/errors/app-error.js';
import { withCallContext, withoutClientAbort } from '../../platform/upstream/call-context.js';
import { hasCode } from '../placing/outcomes.js';
import { type OrderProof, type ReservedOrder, Reservations } from '../placing/reservations.repository.js';
import { OrderNotes } from './order-notes.js';

/** Orders that one reading looks at; the others come with the next one. */
const MOST_ORDERS = 500;
/** Orders whose end or trades are read at the same time. */
const LANES = 4;
/** A reading of a user's orders at an exchange serves all who ask for one within so many ms. */
const SHARED_FOR_MS = 1_000;
const PAGE = 100;
/** As many readings are remembered. */
const MOST_READINGS = 10_000;

/** The signed reads of one user at one exchange. */
interface Account {
  readonly userId: string;
  readonly exchange: string;
  readonly trading: Trading;
}

/** What the exchange says of an order, but for its trades. */
type Shown = Omit<OrderProof, 'trades'>;

/** A reading, and when it began, by `performance.now()`. */
interface Reading {
  readonly began: number;
  readonly done: Promise<void>;
}

function endless(): AppError {
  return new AppError('exchange_error', 'The exchange repeats the pages of a list.');
}

/**
 * Reads at the exchanges what became of orders of bots, and gives back by that what was reserved for them. An order is over where the
 * exchange states so, or where two complete lists of open orders 30 s apart lack it; its trades are read after that (contract.md 5.12).
 */
@Injectable()
export class OrderProofs {
  readonly #logger = new Logger('OrderProofs');
  readonly #readings = new Map<string, Reading>();

  constructor(
    private readonly reservations: Reservations,
    private readonly credentials: CredentialsService,
    private readonly registry: ExchangeRegistry,
    private readonly notes: OrderNotes,
  ) {}

  /**
   * Reads the open and the unproved orders of all bots of a user at an exchange, at most once a second for all who ask. What cannot be
   * read is left as it is.
   */
  async read(userId: string, exchange: string): Promise<void> {
    const name = `${userId} ${exchange}`;
    const known = this.#readings.get(name);
    if (known !== undefined && performance.now() - known.began < SHARED_FOR_MS) return known.done;
    if (this.#readings.size >= MOST_READINGS) this.#readings.clear();
    const done = this.#read(userId, this.registry.get(exchange)).catch((error: unknown) => {
      if (!(error instanceof AppError)) this.#logger.error({ err: error, message: 'orders of bots could not be read' });
    });
    this.#readings.set(name, { began: performance.now(), done });
    return done;
  }

  async #read(userId: string, exchange: Exchange): Promise<void> {
    const orders = await this.reservations.list(userId, exchange.id, MOST_ORDERS);
    if (orders.length === 0) return;
    const context = { caller: userId, fresh: true };
    await withoutClientAbort(() =>
      withCallContext(context, async () => {
        const trading = await this.credentials.trading(userId, exchange);
        const began = await this.reservations.now();
        const at = { userId, exchange: exchange.id, trading };
        const open = orders.every(isEnded) ? new Map<string, OrderDto>() : await listOpen(trading);
        const shown = orders.filter(({ orderId }) => open.has(orderId));
        await this.reservations.markShown(shown.map(({ placementId }) => placementId));
        const left = [...orders];
        const work = async (): Promise<void> => {
          for (let order = left.shift(); order !== undefined; order = left.shift())
            await this.#prove(at, order, open.get(order.orderId), began);
        };
        await Promise.all(Array.from({ length: LANES }, work));
      }),
    );
  }

  /** One that fails keeps no other from being read. */
  async #prove(at: Account, order: ReservedOrder, listed: OrderDto | undefined, began: string): Promise<void> {
    try {
      const proof = isEnded(order) ? null : await this.#endOf(at, order, listed, began);
      if (proof !== null || isEnded(order)) await this.#withTrades(at, order, proof);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
    }
  }

  /** What the exchange says of an order whose end is not known; null where that is nothing new. */
  async #endOf(at: Account, order: ReservedOrder, listed: OrderDto | undefined, began: string): Promise<Shown | null> {
    const shown = listed ?? (await this.#stateOf(at, order));
    if (shown === null) {
      const isAbsent = await this.reservations.markMissing(order.placementId, began);
      return isAbsent ? { status: null, filledSize: null, isOver: true } : null;
    }
    const isOver = isEnd(shown.status);
    if (!isOver && listed === undefined) await this.reservations.markShown([order.placementId]);
    const { status, filled_size: filledSize } = shown;
    const isNew = isOver || filledSize !== order.confirmed || order.pending !== '0';
    return isNew ? { status: isOver ? status : null, filledSize, isOver } : null;
  }

  /** Of an order that ended before, the trades are all that is missing. */
  async #withTrades({ trading }: Account, { placementId, orderId }: ReservedOrder, shown: Shown | null): Promise<void> {
    const end = shown ?? { status: null, filledSize: null, isOver: true };
    await this.reservations.prove(placementId, { ...end, trades: await listTrades(trading, orderId) });
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
function isEnded({ isOpen, isUnproved }: ReservedOrder): boolean {
  return !isOpen && !isUnproved;
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
