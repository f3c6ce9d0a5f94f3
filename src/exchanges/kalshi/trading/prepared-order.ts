import type { BeforeSend, FoundOrder, OrderReference, PreparedOrder } from '../../exchange.js';
import type { OrderSearch } from '../../order-search.js';
import type { OrderDto } from '../../unified.trading.dto.js';
import { AppError, type ShardFunds } from '../../../platform/errors/app-error.js';
import type { Answer } from '../../checked-answer.js';
import type { SignedKalshiClient } from '../connection/client.js';
import type { KalshiShards } from '../connection/shards.js';
import type { KalshiBalance } from './balance.js';
import { isOnSide, isSameOrder, toFoundOrder } from './order-lookup.js';
import { type OrderTerms, toCreateBody, toCreatedOrder, toOrder } from './order.mapper.js';
import { type WireCreated, wireCreatedOf } from './order.wire.js';
import type { KalshiOrders } from './orders.js';

/** An order that is ready to be sent; the exchange takes its client order id once (kalshi.md 5). */
export class KalshiPreparedOrder implements PreparedOrder {
  readonly reference: OrderReference;

  constructor(
    private readonly client: SignedKalshiClient,
    private readonly orders: KalshiOrders,
    private readonly balance: KalshiBalance,
    private readonly shards: KalshiShards,
    private readonly terms: OrderTerms,
  ) {
    const details = { client_order_id: terms.clientOrderId };
    this.reference = { details, isSafeToResend: false, isOurs: !terms.isNamedByClient };
  }

  async place(beforeSend?: BeforeSend): Promise<OrderDto> {
    const body = JSON.stringify(toCreateBody(this.terms, this.shards.indexOf(this.terms.ticker)));
    const created = (await this.#send(body, beforeSend)).value;
    if (isCrossed(this.terms, created)) throw this.client.refusal('would_cross', 201);
    return toCreatedOrder(this.terms, created);
  }

  async #send(body: string, beforeSend: BeforeSend | undefined): Promise<Answer<WireCreated>> {
    try {
      const sending = { path: '/portfolio/events/orders', body, beforeSend };
      return await this.client.sendOrder(sending, wireCreatedOf(this.terms), this.reference);
    } catch (error) {
      const lacksFunds = error instanceof AppError && error.details?.reason === 'insufficient_funds';
      throw lacksFunds ? withFunds(error, await this.balance.fundsFor(this.terms.ticker)) : error;
    }
  }

  /** On the order's own market; where it is not known when the order was sent, then on all others too. */
  async find(search: OrderSearch): Promise<FoundOrder | null> {
    const { clientOrderId, ticker } = this.terms;
    let found = await this.orders.findByClientOrderId(clientOrderId, ticker, search);
    if (search.sentWithinMs === null) found ??= await this.orders.findByClientOrderId(clientOrderId, null, search);
    if (found === null) return null;
    if (isOnSide(this.terms, found)) {
      return { order: toFoundOrder(this.terms, found), isAsAsked: isSameOrder(this.terms, found), isOnSide: true };
    }
    // Nobody else has an id of ours: the answer contradicts itself.
    if (this.reference.isOurs) throw this.client.unusable();
    return { order: toOrder(found), isAsAsked: false, isOnSide: false };
  }
}

/** A post-only order that is neither filled nor left was cancelled since it would have traded (kalshi-2026.md 5). */
function isCrossed({ postOnly }: OrderTerms, { fill_count: filled, remaining_count: left }: WireCreated): boolean {
  return postOnly === true && filled === '0' && left === '0';
}

/** The same refusal, which also says where the money lies and where it should be. */
function withFunds(refusal: AppError, shard: ShardFunds | null): AppError {
  if (shard === null) return refusal;
  const message =
    `Kalshi refused the order: the funds on shard ${shard.needed}, where this market is, do not cover it. ` +
    'Move money there (POST /kalshi/transfers) or send a smaller order.';
  return new AppError(refusal.code, message, { details: { ...refusal.details, shard }, cause: refusal });
}
