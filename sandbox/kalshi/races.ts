import { smaller } from '../units.js';
import { type Account } from './account.js';
import { type Exchange } from './exchange.js';
import { newOrder, type OrderRecord } from './order.js';
import { settleTrades } from './trades.js';

/** Fills of chosen orders by a member whose credit has no end, at once or just before their owner changes them. */
export class Races {
  readonly #waiting = new Map<string, bigint>();
  readonly #taker: Account;

  constructor(private readonly exchange: Exchange) {
    this.#taker = exchange.openAccount({ now: exchange.startedAt, unlimited: true });
    exchange.beforeChange = (orderId, now) => {
      const size = this.#waiting.get(orderId);
      this.#waiting.delete(orderId);
      if (size !== undefined) this.fill(orderId, size, now);
    };
  }

  /** Fills that much of an order, or what is left of it; false where no such order rests. */
  fill(orderId: string, size: bigint, now: number): boolean {
    const found = this.#resting(orderId);
    const market = this.exchange.markets.get(found?.order.ticker ?? '');
    if (found === undefined || market === undefined) return false;
    const { account, order } = found;
    const filled = smaller(size, order.remaining);
    const side = order.side === 'bid' ? 'ask' : 'bid';
    const taking = newOrder(
      { ...order, subaccount: 0, clientOrderId: '', side, expiresAt: null },
      order.shard,
      filled,
      now,
    );
    market.book.reduce(orderId, filled);
    const fill = { makerId: orderId, makerOwner: account.userId, price: order.price, size: filled };
    this.#taker.orders.set(taking.id, taking);
    settleTrades(this.exchange, { account: this.#taker, market, now }, taking, {
      result: {
        outcome: 'accepted',
        fills: [{ ...fill, makerRemaining: order.remaining - filled }],
        ...{ filled, resting: 0n, cancelled: 0n, selfTradePrevented: false, cancelledMakers: [] },
      },
    });
    return true;
  }

  /** The same just before the next amend, decrease or cancel of the order is looked at. */
  fillBeforeChange(orderId: string, size: bigint): boolean {
    if (this.#resting(orderId) === undefined) return false;
    this.#waiting.set(orderId, size);
    return true;
  }

  #resting(orderId: string): { account: Account; order: OrderRecord } | undefined {
    for (const account of this.exchange.accounts.values()) {
      const order = account.orders.get(orderId);
      if (order?.status === 'resting') return { account, order };
    }
    return undefined;
  }
}
