import type { z } from 'zod';
import { pathOf } from '../../../platform/upstream/path.js';
import { add, type Decimal } from '../../decimal.js';
import type { LongReads } from '../../long-reads.js';
import type { OrderSearch } from '../../order-search.js';
import { allItems, type ReadPage } from '../../page-walk.js';
import type { Page } from '../../paging.contract.js';
import { secondsFrom } from '../../time.js';
import type { Query, SignedPolymarketClient } from '../connection/client.js';
import { wirePage } from '../connection/wire.js';
import { isV2Condition, oppositeOf } from '../position-ids.js';
import { type WireUserTrade, wireUserTrade } from './account.wire.js';
import { fillStatus, type OwnFill, ownFillsOf } from './fill.mapper.js';
import type { OrderTerms } from './order.mapper.js';
import { type WireOrder, wireOneOrder, wireOrder, wireOrderName, type WireOrderName } from './order.wire.js';
import type { Wallet } from './wallet.js';

const ORDERS = wirePage(wireOrder);
const ORDER_NAMES = wirePage(wireOrderName);
const TRADES = wirePage(wireUserTrade);

/** By what the trades of an order are found. */
type TradedTerms = Pick<OrderTerms, 'id' | 'marketId'> & { readonly outcome: Pick<OrderTerms['outcome'], 'id'> };

/** What trades show of an order. */
export interface TradedPart {
  readonly filledSize: Decimal;
  readonly tradeIds: readonly string[];
  /** When the newest of them was matched. */
  readonly newestAt: Date;
}

/** Reads the orders and trades of one wallet (polymarket.md 7.2, 9.1). */
export class PolymarketOrders {
  constructor(
    private readonly client: SignedPolymarketClient,
    private readonly wallet: Wallet,
    private readonly longReads: LongReads,
  ) {}

  /** Reads the orders in the book. */
  open(filters: Query): ReadPage<WireOrder> {
    return this.#pages('/data/orders', filters, ORDERS);
  }

  /** Returns all orders in the book. */
  async allOpen(): Promise<WireOrder[]> {
    return allItems(this.open([]), () => this.client.unusable());
  }

  /** Reads the names of the orders in the book. */
  openNames(): ReadPage<WireOrderName> {
    return this.#pages('/data/orders', [], ORDER_NAMES);
  }

  /** Returns the ids of all orders in the book. Throws `exchange_timeout` where the list takes too long. */
  async allOpenIds(): Promise<string[]> {
    const orders = await this.longReads.run(() => allItems(this.openNames(), () => this.client.unusable()));
    return orders.flatMap(({ id }) => (id === null ? [] : [id]));
  }

  /** Reads the trades of the account wallet. */
  trades(filters: Query): ReadPage<WireUserTrade> {
    return this.#pages('/data/trades', [['maker_address', this.wallet.account.reveal()], ...filters], TRADES);
  }

  /** Returns the order as the exchange lists it; null for one that it does not have or has forgotten. */
  async find(orderId: string, signal?: AbortSignal): Promise<WireOrder | null> {
    return (await this.client.find(pathOf`/data/order/${orderId}`, wireOneOrder, signal)).value;
  }

  /**
   * Reads an order that the exchange no longer lists from the user's trades: old closed orders disappear, their trades do not.
   * Trades prove that the order exists and the least that it has filled, but not how it ended. Returns null where no trade
   * belongs to it. `notBefore` is the earliest time at which it was signed, null where that is not known.
   */
  async findInTrades(terms: TradedTerms, notBefore: Date | null, search: OrderSearch): Promise<TradedPart | null> {
    const since = latest(notBefore, search.earliest(this.client.now()));
    const after = ['after', since && secondsFrom(since)] as const;
    const byOutcome = isV2Condition(terms.marketId) ? await this.#fillsByOutcomes(terms, after, search) : [];
    const fills =
      byOutcome.length > 0 ? byOutcome : await this.#fillsOf(terms, [['market', terms.marketId], after], search);
    if (fills.length === 0) return null;
    const happened = fills.filter(({ trade }) => fillStatus(trade) !== 'failed');
    return {
      filledSize: happened.reduce((sum, fill) => add(sum, fill.size), '0'),
      tradeIds: [...new Set(happened.map(({ trade }) => trade.id))],
      newestAt: new Date(Math.max(...fills.map(({ trade }) => trade.match_time.getTime()))),
    };
  }

  /** Whether a complete list of the orders in the book, which is read now, has an order. */
  async isOpen(orderId: string, search: OrderSearch): Promise<boolean> {
    await search.nextCall();
    return (await this.allOpenIds()).some((id) => id.toLowerCase() === orderId);
  }

  /**
   * Of a V2 market: in which width its trades are filtered by the market is not known, so they are searched by its outcomes.
   * By both: an order trades against the other outcome too, and such a trade may be listed under its taker's alone.
   */
  async #fillsByOutcomes(terms: TradedTerms, after: Query[number], search: OrderSearch): Promise<OwnFill[]> {
    const fills = new Map<string, OwnFill>();
    for (const outcomeId of [terms.outcome.id, oppositeOf(terms.outcome.id)]) {
      for (const fill of await this.#fillsOf(terms, [['asset_id', outcomeId], after], search)) fills.set(fill.id, fill);
    }
    return [...fills.values()];
  }

  /** Returns the own executions of an order among the trades that fit the filters, on all their pages. */
  async #fillsOf({ id }: TradedTerms, filters: Query, search: OrderSearch): Promise<OwnFill[]> {
    const read = this.trades(filters);
    const announced: typeof read = async (cursor) => {
      await search.nextCall();
      return read(cursor);
    };
    const trades = await this.longReads.run(() => allItems(announced, () => this.client.unusable()));
    return trades
      .flatMap((trade) => ownFillsOf(trade, this.wallet))
      .filter((fill) => fill.orderId.toLowerCase() === id);
  }

  #pages<T>(path: string, filters: Query, page: z.ZodType<Page<T>>): ReadPage<T> {
    return async (cursor) => (await this.client.read(path, [...filters, ['next_cursor', cursor]], page)).value;
  }
}

function latest(one: Date | null, other: Date | null): Date | null {
  if (one === null || other === null) return one ?? other;
  return one > other ? one : other;
}
