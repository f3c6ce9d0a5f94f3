import { createHash } from 'node:crypto';
import { type Level, type LevelChange } from '../../matching-engine.js';
import { uuidOf } from '../../random.js';
import { isoSeconds, unixSeconds } from '../../times.js';
import { ONE, product, toFixed } from '../../units.js';
import { type Account } from '../account.js';
import { count, dollars, isoMicros, longDollars } from '../format.js';
import { type Holding, ownPrice } from '../ledger.js';
import { type Market, type TradeRecord } from '../market.js';
import { bothPrices, outcomeOf } from '../markets/market.view.js';
import { type FillRecord, type OrderRecord } from '../order.js';
import { type ChangeReason } from '../events.js';

/** The `msg` of each message of the WebSocket API, as its AsyncAPI document has them (streams.md 1). */

/** The market's UUID, which only streams name. */
export function marketIdOf(ticker: string): string {
  return uuidOf(createHash('sha256').update(ticker).digest('hex'));
}

/** Both sides are bids; with `yesPrice` those of NO come at their price in YES. An empty side is left out. */
export function snapshotOf(market: Market, yesPrice: boolean) {
  const side = (levels: Level[], price: (level: Level) => bigint): string[][] =>
    levels.map((level) => [dollars(price(level)), count(level.size)]).reverse();
  const yes = side(market.book.levels('bid'), (level) => level.price);
  const no = side(market.book.levels('ask'), (level) => (yesPrice ? level.price : ONE - level.price));
  return {
    market_ticker: market.ticker,
    market_id: marketIdOf(market.ticker),
    ...(yes.length === 0 ? {} : { yes_dollars_fp: yes }),
    ...(no.length === 0 ? {} : { no_dollars_fp: no }),
  };
}

/** `own` is the order where the connection's own key caused the change. */
export function deltaOf(
  market: Market,
  { side, price, by }: LevelChange,
  { yesPrice, now, own }: { yesPrice: boolean; now: number; own: OrderRecord | undefined },
) {
  return {
    market_ticker: market.ticker,
    market_id: marketIdOf(market.ticker),
    price_dollars: shortest(yesPrice ? price : ownPrice(side, price)),
    delta_fp: count(by),
    side: outcomeOf(side),
    ts: isoMicros(now),
    ts_ms: now,
    ...(own === undefined ? {} : { client_order_id: own.clientOrderId, subaccount: own.subaccount }),
  };
}

/** Three decimals where they do, else four: the stream writes one price in both ways. */
function shortest(price: bigint): string {
  return toFixed(price, price % 1_000n === 0n ? 3 : 4);
}

/** Without its times. */
export function tickerOf(market: Market) {
  const bid = market.book.best('bid') ?? { price: 0n, size: 0n };
  const ask = market.book.best('ask') ?? { price: ONE, size: 0n };
  const last = market.lastTrade;
  return {
    market_ticker: market.ticker,
    market_id: marketIdOf(market.ticker),
    price_dollars: last === undefined ? '' : shortest(last.price),
    yes_bid_dollars: shortest(bid.price),
    yes_ask_dollars: shortest(ask.price),
    yes_bid_size_fp: count(bid.size),
    yes_ask_size_fp: count(ask.size),
    last_trade_size_fp: count(last?.size ?? 0n),
    volume_fp: count(market.volumeSince(0)),
    open_interest_fp: count(market.openInterest),
    dollar_volume: Number(market.turnover / ONE),
    dollar_open_interest: Number(product(last?.price ?? 0n, market.openInterest) / ONE),
  };
}

/** The times of a ticker. */
export function momentOf(now: number) {
  return { ts: unixSeconds(now), ts_ms: now, time: isoMicros(now) };
}

export function tradeOf(trade: TradeRecord) {
  return {
    trade_id: trade.id,
    market_ticker: trade.ticker,
    ...bothPrices(trade.price),
    count_fp: count(trade.size),
    taker_side: outcomeOf(trade.side),
    taker_outcome_side: outcomeOf(trade.side),
    taker_book_side: trade.side,
    is_block_trade: trade.isBlock,
    ts: unixSeconds(trade.at),
    ts_ms: trade.at,
  };
}

export function fillOf(fill: FillRecord, order: OrderRecord, position: bigint) {
  return {
    trade_id: fill.id,
    order_id: fill.orderId,
    ...(order.clientOrderId === '' ? {} : { client_order_id: order.clientOrderId }),
    market_ticker: fill.ticker,
    exchange_index: fill.shard,
    is_taker: fill.isTaker,
    side: outcomeOf(fill.side),
    yes_price_dollars: dollars(fill.price),
    count_fp: count(fill.size),
    fee_cost: longDollars(fill.fee),
    action: 'buy',
    ts: unixSeconds(fill.at),
    ts_ms: fill.at,
    post_position_fp: count(position),
    purchased_side: outcomeOf(fill.side),
    outcome_side: outcomeOf(fill.side),
    book_side: fill.side,
    subaccount: fill.subaccount,
  };
}

export function userOrderOf(order: OrderRecord, userId: string, reason: ChangeReason | undefined) {
  return {
    order_id: order.id,
    user_id: userId,
    ticker: order.ticker,
    status: order.status,
    side: outcomeOf(order.side),
    is_yes: order.side === 'bid',
    outcome_side: outcomeOf(order.side),
    book_side: order.side,
    yes_price_dollars: dollars(order.price),
    fill_count_fp: count(order.filled),
    remaining_count_fp: count(order.remaining),
    initial_count_fp: count(order.initial),
    taker_fill_cost_dollars: longDollars(order.takerCost),
    maker_fill_cost_dollars: longDollars(order.makerCost),
    taker_fees_dollars: longDollars(order.takerFees),
    maker_fees_dollars: longDollars(order.makerFees),
    client_order_id: order.clientOrderId,
    exchange_index: order.shard,
    ...(reason === undefined ? {} : { last_update_reason: reason }),
    self_trade_prevention_type: order.selfTradePrevention,
    created_time: isoMicros(order.createdAt),
    created_ts_ms: order.createdAt,
    last_updated_time: isoMicros(order.updatedAt),
    last_updated_ts_ms: order.updatedAt,
    ...(order.expiresAt === null
      ? {}
      : { expiration_time: isoSeconds(order.expiresAt), expiration_ts_ms: order.expiresAt }),
    subaccount_number: order.subaccount,
  };
}

export function positionOf(account: Account, ticker: string, subaccount: number, holding: Holding) {
  return {
    user_id: account.userId,
    market_ticker: ticker,
    position_fp: count(holding.position),
    position_cost_dollars: dollars(holding.exposure),
    realized_pnl_dollars: dollars(holding.realizedPnl),
    fees_paid_dollars: dollars(holding.fees),
    position_fee_cost_dollars: dollars(0n),
    volume_fp: count(holding.tradedContracts),
    subaccount,
  };
}
