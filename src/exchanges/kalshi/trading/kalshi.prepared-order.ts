import { AppError } from '../../../platform/errors/app-error.js';
import type { PlacedOrder, PreparedOrder } from '../../exchange.js';
import type { OrderDto } from '../../unified.trading.dto.js';
import type { SignedKalshiClient } from '../connection/kalshi.client.js';
import { isSameOrder, toFoundOrder } from './kalshi.found-order.js';
import { type OrderTerms, toCreateBody, toCreatedOrder } from './kalshi.order.mapper.js';
import { wireCreated, type WireOrder } from './kalshi.order.wire.js';
import type { KalshiOrders } from './kalshi.orders.js';

const DUPLICATE_STATUS = 409;

/** An order that is ready to be sent; its client order id is unique per account for ever (kalshi.md 5). */
export class KalshiPreparedOrder implements PreparedOrder {
  readonly reference: { readonly client_order_id: string };

  constructor(
    private readonly client: SignedKalshiClient,
    private readonly orders: KalshiOrders,
    private readonly terms: OrderTerms,
  ) {
    this.reference = { client_order_id: terms.clientOrderId };
  }

  async place(): Promise<PlacedOrder> {
    const body = JSON.stringify(toCreateBody(this.terms));
    try {
      const created = await this.client.sendOrder('/portfolio/events/orders', body, wireCreated, this.reference);
      return { order: toCreatedOrder(this.terms, created.body), made: true };
    } catch (error) {
      const isDuplicate = error instanceof AppError && error.details?.reason === 'duplicate_order';
      if (!isDuplicate) throw error;
      return { order: await this.settleDuplicate(error), made: false };
    }
  }

  /** Null also where the client order id belongs to another order: then this one cannot exist. */
  async find(): Promise<OrderDto | null> {
    const found = await this.orders.findByClientOrderId(this.terms.clientOrderId, this.terms.ticker);
    return this.own(found);
  }

  /**
   * The exchange has an order of this id. If it is this very order, an earlier try arrived: that order is the answer. If it
   * is another, or does not show up, the refusal stands. Where it cannot be looked up, its fate is unknown.
   */
  private async settleDuplicate(refusal: AppError): Promise<OrderDto> {
    const own = this.own(await this.orderOfSameId());
    if (own === null) throw refusal;
    return own;
  }

  private async orderOfSameId(): Promise<WireOrder | null> {
    const { clientOrderId, ticker } = this.terms;
    try {
      return (
        (await this.orders.findByClientOrderId(clientOrderId, ticker)) ??
        (await this.orders.findByClientOrderId(clientOrderId, null))
      );
    } catch (error) {
      if (error instanceof AppError) throw this.client.unknownOutcome(this.reference, DUPLICATE_STATUS);
      throw error;
    }
  }

  private own(found: WireOrder | null): OrderDto | null {
    return found !== null && isSameOrder(this.terms, found) ? toFoundOrder(this.terms, found) : null;
  }
}
