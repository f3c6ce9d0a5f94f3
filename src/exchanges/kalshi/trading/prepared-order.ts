import type { BeforeSend } from '../../before-send.js';
import { compare, type Decimal } from '../../decimal.js';
import type { Execution } from '../../fees.contract.js';
import { readOptional } from '../../optional-read.js';
import type { BatchSeat } from '../../order-batch.js';
import type { AskedOrder, FoundOrder, OrderReference, PreparedOrder } from '../../orders.contract.js';
import type { OrderSearch } from '../../order-search.js';
import type { OrderDto, PositionDto } from '../../unified.trading.dto.js';
import type { Verdict } from '../../verdicts.js';
import { AppError, type ShardFunds } from '../../../platform/errors/app-error.js';
import type { Answer } from '../../checked-answer.js';
import type { SignedKalshiClient } from '../connection/client.js';
import type { KnownMarkets } from '../connection/ticks.js';
import type { KalshiBalance } from './balance.js';
import type { KalshiFills } from './fills.js';
import { moneyNeeded } from './money-needed.js';
import { isOnSide, isSameOrder, toFoundOrder } from './order-lookup.js';
import { askedOf, keptTerms, type OrderTerms, toCreateBody, toCreatedOrder, toOrder } from './order.mapper.js';
import { isCreatedOf, type WireCreated, wireCreated } from './order.wire.js';
import type { KalshiOrders } from './orders.js';

/** What else is read of the account. */
export interface KalshiReads {
  readonly orders: KalshiOrders;
  readonly fills: KalshiFills;
  readonly balance: KalshiBalance;
  /** Returns what the account holds on a market; null where that is nothing. */
  readonly positionOn: (ticker: string) => Promise<PositionDto | null>;
}

/** An order that is ready to be sent; the exchange takes its client order id once (kalshi.md 5.1). */
export class KalshiPreparedOrder implements PreparedOrder {
  readonly reference: OrderReference;
  readonly asked: AskedOrder;

  constructor(
    private readonly client: SignedKalshiClient,
    private readonly account: KalshiReads,
    private readonly markets: KnownMarkets,
    private readonly terms: OrderTerms,
  ) {
    const details = { client_order_id: terms.clientOrderId };
    const kept = keptTerms(terms);
    this.reference = { details, ...(kept && { terms: kept }), isSafeToResend: false, isOurs: !terms.isNamedByClient };
    this.asked = askedOf(terms);
  }

  async place(beforeSend?: BeforeSend, seat?: BatchSeat): Promise<OrderDto> {
    const created = (await this.#send(beforeSend, seat)).value;
    if (isCrossed(this.terms, created)) throw this.refusedAs('would_cross', 201);
    const order = toCreatedOrder(this.terms, created);
    const [joined = order] = await this.account.fills.joined([order]);
    return joined;
  }

  refusedAs(verdict: Verdict, status: number | null = null): AppError {
    return this.client.refusal(verdict, status);
  }

  /** On the market's shard (kalshi.md 9.2); what other resting orders net of the same position is not looked at. */
  async findLackOfFunds(executions: readonly Execution[], fee: Decimal): Promise<AppError | null> {
    const { terms, account } = this;
    const reads = Promise.all([account.balance.fundsFor(terms.ticker), account.positionOn(terms.ticker)]);
    const [funds, position] = (await readOptional(reads, null)) ?? [null, null];
    if (funds === null) return null;
    const there = funds.available.find(({ shard }) => shard === funds.needed)?.available ?? '0';
    const isThere = compare(there, moneyNeeded(terms, executions, { position, fee })) >= 0;
    return isThere ? null : withFunds(this.refusedAs('insufficient_funds'), funds);
  }

  async #send(beforeSend: BeforeSend | undefined, seat: BatchSeat | undefined): Promise<Answer<WireCreated>> {
    const shard = this.markets.shards.indexOf(this.terms.ticker);
    try {
      const body = JSON.stringify(toCreateBody(this.terms, shard));
      const sending = { body, beforeSend, together: seat && { seat, shard: shard ?? null } };
      const isOfThis = (created: WireCreated): boolean => isCreatedOf(this.terms, created);
      return await this.client.sendOrder(sending, wireCreated, this.reference, isOfThis);
    } catch (error) {
      throw error instanceof AppError ? await this.#explained(error) : error;
    }
  }

  /** Kalshi says neither where the money is missing, nor which field of an invalid order is wrong: that is read once. */
  async #explained(error: AppError): Promise<AppError> {
    const { reason } = error.details ?? {};
    if (reason === 'not_filled') return error.retold(error.message, this.reference.details);
    if (reason === 'insufficient_funds')
      return withFunds(error, await this.account.balance.fundsFor(this.terms.ticker));
    return reason === 'invalid_order' ? this.markets.ticks.explained(error, this.terms) : error;
  }

  /** On the order's own market; where it is not known when the order was sent, then on all others too. */
  async find(search: OrderSearch): Promise<FoundOrder | null> {
    const { clientOrderId, ticker } = this.terms;
    let found = await this.account.orders.findByClientOrderId(clientOrderId, ticker, search);
    if (search.sentWithinMs === null)
      found ??= await this.account.orders.findByClientOrderId(clientOrderId, null, search);
    if (found === null) return null;
    if (isOnSide(this.terms, found)) {
      return { order: toFoundOrder(this.terms, found), isAsAsked: isSameOrder(this.terms, found), isOnSide: true };
    }
    // Nobody else has an id of ours: the answer contradicts itself.
    if (this.reference.isOurs) throw this.client.unusable();
    return { order: toOrder(found), isAsAsked: false, isOnSide: false };
  }
}

/** A post-only order that is neither filled nor left was cancelled since it would have traded (kalshi.md 5.1). */
function isCrossed({ postOnly }: OrderTerms, { fill_count: filled, remaining_count: left }: WireCreated): boolean {
  return postOnly === true && filled === '0' && left === '0';
}

/** The same refusal, which also says where the money lies and where it should be. */
export function withFunds(refusal: AppError, shard: ShardFunds | null): AppError {
  if (shard === null) return refusal;
  const message =
    `Kalshi refused the order: the funds on shard ${shard.needed}, where this market is, do not cover it. ` +
    'Move money there (POST /kalshi/transfers) or send a smaller order.';
  return refusal.retold(message, { shard });
}
