import { type BookSide, type Level } from '../../matching-engine.js';
import { DAY, HOUR, isoSeconds } from '../../times.js';
import { ONE, toUnits } from '../../units.js';
import { count, dollars, isoMicros } from '../format.js';
import { type Market, type TradeRecord } from '../market.js';
import { type Lifecycle } from '../seeds/seed.js';

/** `Market` of the exchange's OpenAPI document at a moment (kalshi.md 4). */
export function toMarketJson(market: Market, now: number) {
  const { seed } = market;
  const status = market.statusAt(now);
  return {
    ticker: market.ticker,
    event_ticker: seed.event.ticker,
    market_type: 'binary',
    title: seed.title,
    subtitle: seed.subtitle,
    yes_sub_title: seed.subtitle,
    no_sub_title: seed.subtitle,
    ...times(market),
    settlement_timer_seconds: 3_600,
    status,
    ...quotes(market, status),
    ...activity(market, now),
    can_close_early: true,
    notional_value_dollars: dollars(ONE),
    ...outcome(market),
    occurrence_datetime: isoSeconds(market.closeTime + 9 * HOUR),
    early_close_condition: null,
    ...strike(market),
    rules_primary: seed.rules,
    rules_secondary: '',
    price_level_structure: seed.grid.name,
    price_ranges: seed.grid.toJson(),
    ...bounds(market),
    ...combo(market),
    exchange_index: market.shard,
  };
}

/** The settlement floor, where the market may have one (kalshi.md 4.1). */
function bounds({ seed: { settlementFloor } }: Market) {
  if (settlementFloor === undefined) return { settlement_bounds_type: 'default' };
  return { settlement_bounds_type: 'floor', settlement_floor_dollars: dollars(toUnits(settlementFloor)) };
}

function combo({ seed: { combo } }: Market) {
  if (combo === undefined) return {};
  const legs = combo.legs.map(({ event, market, side }) => ({ event_ticker: event, market_ticker: market, side }));
  return { mve_collection_ticker: combo.collection, mve_selected_legs: legs };
}

function times(market: Market) {
  return {
    created_time: isoMicros(market.createdTime),
    updated_time: isoMicros(market.updatedTime),
    open_time: isoSeconds(market.openTime),
    close_time: isoSeconds(market.closeTime),
    expected_expiration_time: isoSeconds(market.closeTime + 9 * HOUR),
    expiration_time: isoSeconds(market.closeTime + 7 * DAY),
    latest_expiration_time: isoSeconds(market.closeTime + 7 * DAY),
  };
}

/** An empty side reads 0 and 1; all is 0 before the market opens. */
function quotes(market: Market, status: Lifecycle) {
  const bid = market.book.best('bid') ?? { price: 0n, size: 0n };
  const ask = market.book.best('ask') ?? { price: status === 'initialized' ? 0n : ONE, size: 0n };
  const opened = status !== 'initialized';
  return {
    yes_bid_dollars: dollars(bid.price),
    yes_bid_size_fp: count(bid.size),
    yes_ask_dollars: dollars(ask.price),
    yes_ask_size_fp: count(ask.size),
    no_bid_dollars: dollars(opened ? ONE - ask.price : 0n),
    no_ask_dollars: dollars(opened ? ONE - bid.price : 0n),
  };
}

function activity(market: Market, now: number) {
  const dayAgo = now - DAY;
  const quote = market.quotes.findLast(({ at }) => at < dayAgo);
  const trade = market.trades.findLast(({ at }) => at < dayAgo);
  return {
    last_price_dollars: dollars(market.lastTrade?.price ?? 0n),
    volume_fp: count(market.volumeSince(0)),
    volume_24h_fp: count(market.volumeSince(dayAgo)),
    open_interest_fp: count(market.openInterest),
    previous_yes_bid_dollars: dollars(quote?.bid ?? 0n),
    previous_yes_ask_dollars: dollars(quote?.ask ?? 0n),
    previous_price_dollars: dollars(trade?.price ?? 0n),
  };
}

function outcome(market: Market) {
  const ended = market.outcome;
  if (ended === undefined) return { result: '', expiration_value: '' };
  return {
    result: ended.result,
    expiration_value: ended.expirationValue,
    settlement_value_dollars: dollars(ended.result === 'yes' ? ONE : 0n),
    ...(ended.settledAt === undefined ? {} : { settlement_ts: isoMicros(ended.settledAt) }),
  };
}

function strike(market: Market) {
  const { type, floor, cap, custom } = market.seed.strike;
  return {
    strike_type: type,
    ...(floor === undefined ? {} : { floor_strike: floor }),
    ...(cap === undefined ? {} : { cap_strike: cap }),
    ...(custom === undefined ? {} : { custom_strike: custom }),
  };
}

/** `orderbook_fp`: bids of both outcomes, rising, best last. `depth` 0 is everything; the best levels stay. */
export function toOrderbookJson(market: Market, depth: number) {
  const side = (levels: Level[], price: (level: Level) => bigint) =>
    (depth === 0 ? levels : levels.slice(0, depth))
      .map((level) => [dollars(price(level)), count(level.size)])
      .reverse();
  return {
    yes_dollars: side(market.book.levels('bid'), (level) => level.price),
    no_dollars: side(market.book.levels('ask'), (level) => ONE - level.price),
  };
}

/** `Trade`. */
export function toTradeJson(trade: TradeRecord) {
  return {
    trade_id: trade.id,
    ticker: trade.ticker,
    count_fp: count(trade.size),
    ...bothPrices(trade.price),
    taker_side: outcomeOf(trade.side),
    taker_outcome_side: outcomeOf(trade.side),
    taker_book_side: trade.side,
    created_time: isoMicros(trade.at),
    is_block_trade: trade.isBlock,
  };
}

export function bothPrices(yesPrice: bigint) {
  return { yes_price_dollars: dollars(yesPrice), no_price_dollars: dollars(ONE - yesPrice) };
}

/** `bid` is always yes and `ask` always no (kalshi.md 5.2). */
export function outcomeOf(side: BookSide): 'yes' | 'no' {
  return side === 'bid' ? 'yes' : 'no';
}
