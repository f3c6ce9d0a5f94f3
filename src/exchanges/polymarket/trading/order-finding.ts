import type { FoundOrder } from '../../orders.contract.js';
import type { OrderSearch } from '../../order-search.js';
import type { OrderDto } from '../../unified.trading.dto.js';
import type { SignedPolymarketClient } from '../connection/client.js';
import { foundTerms, isLate, isOfHash, isToLiveAsAsked, withUnknownEnd } from './order-lookup.js';
import { orderOf, type OrderTerms, stateOf } from './order.mapper.js';
import type { PolymarketOrders, TradedPart } from './orders.js';

/** An order that two complete lists so far apart, in ms, lack is not in the book. */
const ABSENT_FOR_MS = 30_000;

/** The order that is looked for. */
export interface WantedOrder {
  readonly terms: OrderTerms;
  /** No trade of the order can be older; null where that is not known. */
  readonly notBefore: Date | null;
}

function foundIn(order: OrderDto): FoundOrder {
  return { order, isAsAsked: true, isOnSide: true };
}

/** Looks up an order by its hash, which proves its market, side, price and size (contract.md 5, polymarket.md 7.2, R-13). */
export class OrderFinding {
  constructor(
    private readonly client: SignedPolymarketClient,
    private readonly orders: PolymarketOrders,
    private readonly order: WantedOrder,
  ) {}

  /** Looks among the user's trades too, since the exchange forgets orders that are over but not those. */
  async find(search: OrderSearch): Promise<FoundOrder | null> {
    const { terms } = this.order;
    await search.nextCall();
    const listed = await this.orders.find(terms.id);
    if (listed === null) return this.#findUnlisted(search);
    if (!isOfHash(terms, listed)) throw this.client.unusable();
    const order = orderOf(foundTerms(terms, listed), stateOf(listed));
    const told = isLate(terms, listed) ? withUnknownEnd(order) : order;
    return { order: told, isAsAsked: isToLiveAsAsked(terms, listed), isOnSide: true, isAbsent: false };
  }

  /** An order that is not listed by its id is over where all of it was traded, or where it was cancelled here. */
  async #findUnlisted(search: OrderSearch): Promise<FoundOrder | null> {
    const traded = await this.#traded(search);
    if (search.isCancelled) return this.#findCancelled(traded, search);
    if (traded === null) return null;
    const order = this.#overWith(traded);
    if (order.status === 'filled') return foundIn(order);
    if (await this.orders.isOpen(this.order.terms.id, search)) {
      return { ...foundIn(withUnknownEnd(order)), isAbsent: false };
    }
    return this.#findAbsent(traded, search);
  }

  /** A cancel proves the end, but not what was filled before it: trades may show it late. */
  #findCancelled(traded: TradedPart | null, { absentMs }: OrderSearch): FoundOrder {
    const found = foundIn(this.#overWith(traded));
    const isFinal = found.order.status === 'filled' || (absentMs !== null && absentMs >= ABSENT_FOR_MS);
    return isFinal ? found : { ...found, isAbsent: true, isProvisional: true };
  }

  /**
   * An order that the book does not have now has ended where an earlier list, at least 30 s ago, lacked it too, and no trade came
   * since: then with what has been traded, which is read after the second list.
   */
  async #findAbsent(traded: TradedPart, search: OrderSearch): Promise<FoundOrder> {
    const { absentMs } = search;
    const isQuiet = absentMs === null || traded.newestAt.getTime() < this.client.now().getTime() - absentMs;
    if (isQuiet && absentMs !== null && absentMs >= ABSENT_FOR_MS) {
      return foundIn(this.#overWith(await this.#traded(search)));
    }
    return { ...foundIn(withUnknownEnd(this.#overWith(traded))), isAbsent: isQuiet };
  }

  #traded(search: OrderSearch): Promise<TradedPart | null> {
    return this.orders.findInTrades(this.order.terms, this.order.notBefore, search);
  }

  /** The order as it is if it is over with what has been traded. */
  #overWith(traded: TradedPart | null): OrderDto {
    const { filledSize = '0', tradeIds = [] } = traded ?? {};
    const state = { status: 'cancelled', statusReason: null, filledSize, createdAt: null, tradeIds } as const;
    return orderOf(foundTerms(this.order.terms, null), state);
  }
}
