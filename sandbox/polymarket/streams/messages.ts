import { type BookSide } from '../../matching-engine.js';
import { isoSeconds } from '../../times.js';
import { ONE } from '../../units.js';
import { bookSummary, levelsOf } from '../clob/book.view.js';
import { tradeView } from '../clob/trade.view.js';
import { type Token } from '../catalogue.js';
import { toDecimal } from '../format.js';
import { type Market, type OutcomeIndex, OUTCOMES } from '../market.js';
import { type OrderRecord, tokenOf, type Trade } from '../order.js';
import { TEXTS } from '../refusals.js';

/** The frames of the WebSocket API, with `event_type` near the end as on the wire (streams.md 2). All numbers are text. */

/** Every id by which a fault may name a market. */
export function namesOf({ conditionId, gammaId, tokenIds }: Market): string[] {
  return [conditionId, gammaId, ...tokenIds];
}

/** The whole book of a token. Only the first one after subscribing has the tick size and the last price. */
export function bookFrame({ market, outcome }: Token, isFirst: boolean) {
  const { tick_size, last_trade_price, version, ...summary } = bookSummary(market, outcome);
  const { market: condition, asset_id, timestamp, hash, bids, asks } = summary;
  return {
    ...{ market: condition, asset_id, timestamp, hash, bids, asks },
    ...(isFirst ? { tick_size } : {}),
    event_type: 'book',
    ...(isFirst ? { last_trade_price } : {}),
    ...(version === undefined ? {} : { version }),
  };
}

/** A price of outcome 0 with the side that it is on. */
export interface Touched {
  side: BookSide;
  price: bigint;
}

/** What is at these prices now, in both tokens of the market, whichever a client asked for. */
export function priceChangeFrame(market: Market, touched: readonly Touched[]) {
  const changes = touched.flatMap((level) => OUTCOMES.map((outcome) => changeOf(market, outcome, level)));
  return {
    market: market.conditionId,
    price_changes: changes,
    timestamp: String(market.changedAt.getTime()),
    event_type: 'price_change',
  };
}

function changeOf(market: Market, outcome: OutcomeIndex, { side, price }: Touched) {
  const level = market.book.levels(side).find((one) => one.price === price);
  return {
    asset_id: market.tokenIds[outcome],
    price: toDecimal(outcome === 0 ? price : ONE - price),
    size: toDecimal(level?.size ?? 0n),
    side: (side === 'bid') === (outcome === 0) ? 'BUY' : 'SELL',
    hash: bookSummary(market, outcome).hash,
    ...bestOf({ market, outcome }),
  };
}

/** Best prices of a token; an empty side reads 0 and 1. */
function bestOf({ market, outcome }: Token): { best_bid: string; best_ask: string } {
  return {
    best_bid: toDecimal(levelsOf(market, outcome, 'bid')[0]?.price ?? 0n),
    best_ask: toDecimal(levelsOf(market, outcome, 'ask')[0]?.price ?? ONE),
  };
}

export function bestBidAskFrame(token: Token) {
  const { market, outcome } = token;
  const bid = levelsOf(market, outcome, 'bid')[0]?.price ?? 0n;
  const ask = levelsOf(market, outcome, 'ask')[0]?.price ?? ONE;
  return {
    market: market.conditionId,
    asset_id: market.tokenIds[outcome],
    ...bestOf(token),
    spread: toDecimal(ask - bid),
    timestamp: String(market.changedAt.getTime()),
    event_type: 'best_bid_ask',
  };
}

export function lastTradeFrame(trade: Trade) {
  const { taker } = trade;
  return {
    market: taker.market.conditionId,
    asset_id: tokenOf(taker),
    price: toDecimal(trade.price),
    size: toDecimal(trade.size),
    fee_rate_bps: '0',
    side: taker.side,
    timestamp: String(trade.at.getTime()),
    event_type: 'last_trade_price',
    transaction_hash: trade.transactionHash,
  };
}

export function tickFrame({ market, outcome }: Token, from: string) {
  return {
    market: market.conditionId,
    asset_id: market.tokenIds[outcome],
    old_tick_size: from,
    new_tick_size: toDecimal(market.tick),
    timestamp: String(market.changedAt.getTime()),
    event_type: 'tick_size_change',
  };
}

/** Told of every new market of the exchange, whoever follows it. */
export function newMarketFrame(market: Market, now: Date) {
  const { seed, event } = market;
  return {
    id: seed.id,
    question: seed.question,
    market: market.conditionId,
    slug: seed.slug,
    description: seed.description,
    assets_ids: market.tokenIds,
    outcomes: seed.outcomes,
    event_message: {
      ...{ id: event.id, ticker: event.slug, slug: event.slug, title: event.title, description: event.description },
    },
    timestamp: String(now.getTime()),
    event_type: 'new_market',
    tags: event.tags.map(({ label }) => label),
    condition_id: market.conditionId,
    active: market.active,
    clob_token_ids: market.tokenIds,
    sports_market_type: '',
    line: '',
    // So it comes, with a space and an offset of two digits.
    game_start_time: isoSeconds(market.endsAt).replace('T', ' ').replace('Z', '+00'),
    order_price_min_tick_size: seed.tick,
    group_item_title: seed.label,
  };
}

export function resolvedFrame(market: Market, winner: OutcomeIndex, now: Date) {
  return {
    id: market.seed.id,
    market: market.conditionId,
    assets_ids: market.tokenIds,
    winning_asset_id: market.tokenIds[winner],
    winning_outcome: market.seed.outcomes[winner],
    event_message: null,
    timestamp: String(now.getTime()),
    event_type: 'market_resolved',
    tags: market.event.tags.map(({ label }) => label),
  };
}

/** An order of the reader's; `status` where it was another one when the event happened. */
export function orderFrame(
  order: OrderRecord,
  type: 'PLACEMENT' | 'UPDATE' | 'CANCELLATION',
  { status, now }: { status: 'LIVE' | 'DELAYED' | undefined; now: Date },
) {
  const isNew = type === 'PLACEMENT';
  return {
    id: order.id,
    owner: order.owner,
    market: order.market.conditionId,
    asset_id: tokenOf(order),
    side: order.side,
    order_owner: order.owner,
    original_size: toDecimal(order.size),
    size_matched: toDecimal(isNew ? 0n : order.matched),
    price: toDecimal(order.price),
    associate_trades: isNew || order.tradeIds.length === 0 ? null : order.tradeIds,
    outcome: order.market.seed.outcomes[order.outcome],
    type,
    created_at: String(order.createdAt.getTime()),
    expiration: String(order.expiration),
    order_type: order.orderType,
    status: status ?? order.status,
    maker_address: order.maker,
    timestamp: String(now.getTime()),
    event_type: 'order',
  };
}

/** A FOK order that found too little, as third parties saw it: much of it is empty. */
export function killedFrame(order: OrderRecord, now: Date) {
  const frame = orderFrame(order, 'CANCELLATION', { status: undefined, now });
  return {
    ...frame,
    ...{ size_matched: '', outcome: '', created_at: '', associate_trades: null },
    status: `CANCELED_${TEXTS.fok}`,
  };
}

/** A trade at one step of its way to the chain; before it is mined the hash is empty. */
export function tradeFrame(trade: Trade, reader: string, now: Date) {
  const view = tradeView(trade, reader, now);
  return {
    ...view,
    match_time_nano: undefined,
    err_msg: undefined,
    event_type: 'trade',
    type: 'TRADE',
    trade_owner: view.owner,
    transaction_hash: view.transaction_hash ?? '',
    timestamp: String(now.getTime()),
  };
}
