import type { FoundOrder, OrderReference, PreparedOrder } from '../../exchange.js';
import type { OrderSearch } from '../../order-search.js';
import type { OrderDto } from '../../unified.trading.dto.js';
import type { SignedKalshiClient } from '../connection/client.js';
import { isSameOrder, toFoundOrder } from './order-lookup.js';
import { type OrderTerms, toCreateBody, toCreatedOrder, toOrder } from './order.mapper.js';
import { wireCreated } from './order.wire.js';
import type { KalshiOrders } from './orders.js';

/** An order that is ready to be sent; the exchange takes its client order id once (kalshi.md 5). */
export class KalshiPreparedOrder implements PreparedOrder {
  readonly reference: OrderReference;

  constructor(
    private readonly client: SignedKalshiClient,
    private readonly orders: KalshiOrders,
    private readonly terms: OrderTerms,
  ) {
    const details = { client_order_id: terms.clientOrderId };
    this.reference = { details, isSafeToResend: false, isOurs: !terms.isNamedByClient };
  }

  async place(): Promise<OrderDto> {
    const body = JSON.stringify(toCreateBody(this.terms));
    const created = await this.client.sendOrder('/portfolio/events/orders', body, wireCreated, this.reference);
    return toCreatedOrder(this.terms, created.value);
  }

  /** On the order's own market; where it is not known when the order was sent, then on all others too. */
  async find(search: OrderSearch): Promise<FoundOrder | null> {
    const { clientOrderId, ticker } = this.terms;
    let found = await this.orders.findByClientOrderId(clientOrderId, ticker, search);
    if (search.sentWithinMs === null) found ??= await this.orders.findByClientOrderId(clientOrderId, null, search);
    if (found === null) return null;
    const isAsAsked = isSameOrder(this.terms, found);
    return { order: isAsAsked ? toFoundOrder(this.terms, found) : toOrder(found), isAsAsked };
  }
}
