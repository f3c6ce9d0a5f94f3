import { isoSeconds, unixSeconds } from '../../times.js';
import { ONE } from '../../units.js';
import { payout, type SettlementRecord } from '../account.js';
import { cents, count, isoMicros, longDollars } from '../format.js';
import { type Holding } from '../ledger.js';
import { bothPrices, outcomeOf } from '../markets/market.view.js';
import { type FillRecord, type OrderRecord } from '../order.js';

/** `Order` of the exchange's OpenAPI document, deprecated members included. */
export function toOrderJson(order: OrderRecord, userId: string) {
  return {
    order_id: order.id,
    user_id: userId,
    client_order_id: order.clientOrderId,
    ticker: order.ticker,
    side: outcomeOf(order.side),
    action: 'buy',
    outcome_side: outcomeOf(order.side),
    book_side: order.side,
    type: 'limit',
    status: order.status,
    ...bothPrices(order.price),
    fill_count_fp: count(order.filled),
    remaining_count_fp: count(order.remaining),
    initial_count_fp: count(order.initial),
    taker_fill_cost_dollars: longDollars(order.takerCost),
    maker_fill_cost_dollars: longDollars(order.makerCost),
    taker_fees_dollars: longDollars(order.takerFees),
    maker_fees_dollars: longDollars(order.makerFees),
    expiration_time: order.expiresAt === null ? null : isoSeconds(order.expiresAt),
    created_time: isoMicros(order.createdAt),
    last_update_time: isoMicros(order.updatedAt),
    self_trade_prevention_type: order.selfTradePrevention,
    order_group_id: null,
    cancel_order_on_pause: order.cancelOnPause,
    subaccount_number: order.subaccount,
    exchange_index: order.shard,
  };
}

/** `Fill`. */
export function toFillJson(fill: FillRecord) {
  return {
    fill_id: fill.id,
    exchange_index: fill.shard,
    trade_id: fill.id,
    order_id: fill.orderId,
    ticker: fill.ticker,
    market_ticker: fill.ticker,
    side: outcomeOf(fill.side),
    action: 'buy',
    outcome_side: outcomeOf(fill.side),
    book_side: fill.side,
    count_fp: count(fill.size),
    ...bothPrices(fill.price),
    is_taker: fill.isTaker,
    created_time: isoMicros(fill.at),
    fee_cost: longDollars(fill.fee),
    subaccount_number: fill.subaccount,
    ts: unixSeconds(fill.at),
  };
}

/** A holding with the market and event that it is in. */
export interface PlacedHolding {
  ticker: string;
  eventTicker: string;
  shard: number;
  holding: Holding;
}

/** `MarketPosition`. */
export function toPositionJson({ ticker, shard, holding }: PlacedHolding) {
  return {
    ticker,
    exchange_index: shard,
    total_traded_dollars: longDollars(holding.totalTraded),
    position_fp: count(holding.position),
    market_exposure_dollars: longDollars(holding.exposure),
    realized_pnl_dollars: longDollars(holding.realizedPnl),
    fees_paid_dollars: longDollars(holding.fees),
    last_updated_ts: isoMicros(holding.updatedAt),
  };
}

/** `EventPosition` for each event that the holdings belong to, in their order. */
export function toEventPositionsJson(holdings: readonly PlacedHolding[]) {
  const events = [...new Set(holdings.map(({ eventTicker }) => eventTicker))];
  return events.map((eventTicker) => {
    const own = holdings.filter((placed) => placed.eventTicker === eventTicker).map(({ holding }) => holding);
    const sum = (read: (holding: Holding) => bigint): bigint =>
      own.reduce((total, holding) => total + read(holding), 0n);
    return {
      event_ticker: eventTicker,
      total_cost_dollars: longDollars(sum((holding) => holding.totalTraded)),
      total_cost_shares_fp: count(sum((holding) => holding.tradedContracts)),
      event_exposure_dollars: longDollars(sum((holding) => holding.exposure)),
      realized_pnl_dollars: longDollars(sum((holding) => holding.realizedPnl)),
      fees_paid_dollars: longDollars(sum((holding) => holding.fees)),
    };
  });
}

/** `Settlement`; `revenue` and `value` are whole cents (kalshi.md 3). */
export function toSettlementJson(settlement: SettlementRecord) {
  const { position, exposure } = settlement.holding;
  const yes = position > 0n;
  return {
    ticker: settlement.ticker,
    exchange_index: settlement.shard,
    event_ticker: settlement.eventTicker,
    market_result: settlement.result,
    yes_count_fp: count(yes ? position : 0n),
    yes_total_cost_dollars: longDollars(yes ? exposure : 0n),
    no_count_fp: count(yes ? 0n : -position),
    no_total_cost_dollars: longDollars(yes ? 0n : exposure),
    revenue: cents(payout(position, settlement.result)),
    settled_time: isoMicros(settlement.at),
    fee_cost: longDollars(settlement.holding.fees),
    value: settlement.result === 'yes' ? cents(ONE) : 0,
  };
}
