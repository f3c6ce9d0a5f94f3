import { createHash } from 'node:crypto';
import { canonical, iso, maybe, minus, oneMinus, order, plus, times } from './exact.js';

/* What the unified answers must say of Polymarket's own (unified-schema.md 2 to 8), written from the text alone. */

interface Tag {
  label: string;
  slug: string;
}

export interface PolyMarket {
  id: string;
  question: string;
  conditionId: string;
  slug: string;
  description: string;
  groupItemTitle?: string;
  outcomes: string;
  outcomePrices: string;
  version: string;
  clobTokenIds: string | null;
  positionIds?: string[] | null;
  bestBid?: number;
  bestAsk?: number;
  lastTradePrice?: number;
  startDate?: string;
  endDate?: string;
  createdAt?: string;
  updatedAt?: string;
  closedTime?: string;
  volumeNum?: number;
  volume24hr?: number;
  liquidityNum?: number;
  orderPriceMinTickSize: number;
  orderMinSize: number;
  active: boolean;
  closed: boolean;
  acceptingOrders?: boolean;
  enableOrderBook?: boolean;
  negRisk: boolean;
  negRiskOther?: boolean;
  negRiskMarketID?: string;
  umaResolutionStatus?: string;
  resolutionStatus?: string;
  feesEnabled?: boolean;
  feeSchedule?: { rate: number; exponent: number; takerOnly: boolean } | null;
  events?: PolyEvent[];
}

export interface PolyEvent {
  id: string;
  slug: string;
  title: string;
  subtitle?: string;
  description: string;
  resolutionSource: string;
  startDate: string;
  endDate: string;
  updatedAt: string;
  active: boolean;
  closed: boolean;
  negRisk: boolean;
  volume: number;
  volume24hr: number;
  openInterest: number;
  liquidity: number;
  tags: Tag[];
  series: { id: string }[];
  markets?: PolyMarket[];
}

const list = (text: string): string[] => JSON.parse(text) as string[];

/** The ids of the outcomes, which the version alone chooses; none where they are not assigned. */
const idsOf = ({ version, clobTokenIds, positionIds }: PolyMarket): string[] =>
  version === 'v2' ? (positionIds ?? []) : clobTokenIds === null ? [] : list(clobTokenIds);

export const polyOutcome = (market: PolyMarket, index: 0 | 1) => ({
  id: idsOf(market)[index] ?? '',
  index,
  label: list(market.outcomes)[index] ?? '',
});

/** The condition id as 64 digits, whichever width it has. */
export const polyId = ({ conditionId }: PolyMarket): string => conditionId.padEnd(66, '0');

/** Whether the market is to be listed at all. */
export const isListed = (market: PolyMarket): boolean =>
  market.active && market.negRiskOther !== true && idsOf(market).length === 2;

const mirrored = (price: string | null): string | null => (price === null ? null : oneMinus(price));

function winner(market: PolyMarket): 0 | 1 | null {
  const prices = list(market.outcomePrices).map(canonical).join();
  return prices === '1,0' ? 0 : prices === '0,1' ? 1 : null;
}

function status(market: PolyMarket): string {
  const resolution = market.version === 'v2' ? market.resolutionStatus : market.umaResolutionStatus;
  if (market.closed) return resolution === 'resolved' || winner(market) !== null ? 'settled' : 'closed';
  return market.acceptingOrders === true ? 'open' : 'paused';
}

export function polyMarket(market: PolyMarket, event = market.events?.[0]): Record<string, unknown> {
  const [bid, ask, last] = [maybe(market.bestBid), maybe(market.bestAsk), maybe(market.lastTradePrice)];
  const state = status(market);
  const sizes = { bid_size: null, ask_size: null };
  return {
    exchange: 'polymarket',
    id: polyId(market),
    event_id: event?.id ?? null,
    series_id: event?.series[0]?.id ?? null,
    title: market.question,
    subtitle: market.groupItemTitle === '' ? null : (market.groupItemTitle ?? null),
    description: market.description,
    category: event?.tags[0]?.label ?? null,
    tags: event?.tags.map(({ slug }) => slug) ?? [],
    status: state,
    tradable: market.active && !market.closed && market.acceptingOrders === true && market.enableOrderBook === true,
    outcomes: [
      { ...polyOutcome(market, 0), bid, ask, last_price: last, ...sizes },
      { ...polyOutcome(market, 1), bid: mirrored(ask), ask: mirrored(bid), last_price: mirrored(last), ...sizes },
    ],
    result:
      state === 'settled'
        ? {
            outcome_index: winner(market),
            settlement_price: maybe(list(market.outcomePrices)[0]),
            settled_at: iso(market.closedTime),
          }
        : null,
    open_time: iso(market.startDate),
    close_time: iso(market.endDate),
    expected_resolution_time: iso(market.endDate),
    created_at: iso(market.createdAt),
    updated_at: iso(market.updatedAt),
    volume: maybe(market.volumeNum),
    volume_24h: maybe(market.volume24hr),
    open_interest: null,
    liquidity: maybe(market.liquidityNum),
    volume_unit: 'currency',
    price_ranges: [{ start: '0', end: '1', step: canonical(market.orderPriceMinTickSize) }],
    min_order_size: canonical(market.orderMinSize),
    size_step: '0.01',
    mutually_exclusive_group_id: market.negRiskMarketID ?? null,
    currency: 'PUSD',
    fees:
      market.feesEnabled === true && market.feeSchedule
        ? {
            type: 'price_curve',
            taker_rate: canonical(market.feeSchedule.rate),
            exponent: canonical(market.feeSchedule.exponent),
            taker_only: market.feeSchedule.takerOnly,
          }
        : null,
    url: `https://polymarket.com/event/${event?.slug ?? ''}/${market.slug}`,
    refs: {
      gamma_id: market.id,
      slug: market.slug,
      condition_id: polyId(market),
      neg_risk: market.negRisk,
      protocol: market.version,
    },
  };
}

export function polyEvent(event: PolyEvent): object {
  const markets = (event.markets ?? []).filter(isListed).map((market) => polyMarket(market, event));
  const settled = markets.length > 0 && markets.every((market) => market.status === 'settled');
  const source = event.resolutionSource;
  return {
    exchange: 'polymarket',
    id: event.id,
    series_id: event.series[0]?.id ?? null,
    title: event.title,
    subtitle: event.subtitle ?? null,
    description: event.description,
    category: event.tags[0]?.label ?? null,
    tags: event.tags.map(({ slug }) => slug),
    status: event.closed ? (settled ? 'settled' : 'closed') : 'open',
    mutually_exclusive: event.negRisk,
    start_time: iso(event.startDate),
    end_time: iso(event.endDate),
    updated_at: iso(event.updatedAt),
    volume: canonical(event.volume),
    volume_24h: canonical(event.volume24hr),
    open_interest: canonical(event.openInterest),
    liquidity: canonical(event.liquidity),
    volume_unit: 'currency',
    resolution_sources:
      source === '' ? [] : [source.startsWith('http') ? { name: null, url: source } : { name: source, url: null }],
    markets,
    url: `https://polymarket.com/event/${event.slug}`,
    refs: { slug: event.slug },
  };
}

export interface PolyBook {
  timestamp: string;
  hash: string;
  bids: { price: string; size: string }[];
  asks: { price: string; size: string }[];
  min_order_size: string;
  tick_size: string;
  last_trade_price: string;
}

export function polyBook(market: PolyMarket, index: 0 | 1, book: PolyBook): object {
  const levels = (side: PolyBook['bids'], sign: 1 | -1) =>
    side
      .map(({ price, size }) => ({ price: canonical(price), size: canonical(size) }))
      .sort((a, b) => sign * order(a.price, b.price));
  const last = maybe(book.last_trade_price);
  return {
    exchange: 'polymarket',
    market_id: polyId(market),
    outcome: polyOutcome(market, index),
    bids: levels(book.bids, -1),
    asks: levels(book.asks, 1),
    timestamp: new Date(Number(book.timestamp)).toISOString(),
    timestamp_source: 'exchange',
    hash: book.hash,
    tick_size: canonical(book.tick_size),
    min_order_size: canonical(book.min_order_size),
    last_price: index === 0 ? last : mirrored(last),
  };
}

export interface PolyTrade {
  proxy_wallet: string;
  side: 'BUY' | 'SELL';
  token_id: string;
  condition_id: string;
  size: number;
  price: number;
  timestamp: number;
  transaction_hash: string;
  outcome: string;
  outcome_index: 0 | 1;
}

export function polyTrade(trade: PolyTrade): object {
  const [price, size, side] = [canonical(trade.price), canonical(trade.size), trade.side.toLowerCase()];
  const { transaction_hash: hash, token_id: token, proxy_wallet: wallet } = trade;
  const facts = [hash, token, wallet.toLowerCase(), trade.side, size, price].join('|');
  return {
    exchange: 'polymarket',
    id: createHash('sha256').update(facts).digest('hex').slice(0, 32),
    market_id: trade.condition_id,
    outcome: { id: token, index: trade.outcome_index, label: trade.outcome },
    side,
    price,
    size,
    notional: times(price, size),
    timestamp: new Date(trade.timestamp * 1_000).toISOString(),
    taker_side: side,
    is_block_trade: null,
    transaction_hash: hash,
  };
}

export interface PolyPoint {
  t: number;
  p: number;
}

/** Candles that start from `from` on and before `to`, Unix seconds. */
export function polyCandles(
  market: PolyMarket,
  index: 0 | 1,
  points: PolyPoint[],
  range: { from: number; to: number; seconds: number },
): object[] {
  const { from, to, seconds } = range;
  const starts = [...new Set(points.map(({ t }) => Math.floor(t / seconds) * seconds))].sort((a, b) => a - b);
  const candles: { close: string | null }[] = [];
  for (const start of starts.filter((at) => at >= from && at < to)) {
    const prices = points
      .filter(({ t }) => Math.floor(t / seconds) * seconds === start)
      .sort((a, b) => a.t - b.t)
      .map(({ p }) => canonical(p));
    const sorted = prices.toSorted(order);
    const many = prices.length > 1;
    candles.push({
      ...{ exchange: 'polymarket', market_id: polyId(market), outcome: polyOutcome(market, index) },
      ...{ interval: { 60: '1m', 3_600: '1h', 86_400: '1d' }[seconds], mean: null },
      ...{ start: new Date(start * 1_000).toISOString(), end: new Date((start + seconds) * 1_000).toISOString() },
      ...{ open: many ? prices[0] : null, high: many ? sorted.at(-1) : null, low: many ? sorted[0] : null },
      ...{ volume: null, open_interest: null, bid: null, ask: null, trade_count: null },
      ...{ source: 'price_points', samples: prices.length },
      close: prices.at(-1) ?? null,
    });
  }
  return candles;
}

export interface PolyOrder {
  id: string;
  status: string;
  market: string;
  asset_id: string;
  side: 'BUY' | 'SELL';
  original_size: string;
  size_matched: string;
  price: string;
  outcome: string;
  expiration: string;
  order_type: string;
  associate_trades: string[];
  created_at: number;
}

export function polyOrder(raw: PolyOrder, market: PolyMarket): object {
  const index = idsOf(market)[0] === raw.asset_id ? 0 : 1;
  const filled = canonical(raw.size_matched);
  const standing: Record<string, string> = {
    LIVE: filled === '0' ? 'open' : 'partially_filled',
    MATCHED: 'filled',
    CANCELED: 'cancelled',
    CANCELED_MARKET_RESOLVED: 'cancelled',
    INVALID: 'rejected',
  };
  return {
    exchange: 'polymarket',
    id: raw.id,
    client_order_id: null,
    market_id: polyId(market),
    outcome: polyOutcome(market, index),
    side: raw.side.toLowerCase(),
    type: 'limit',
    time_in_force: { GTC: 'gtc', GTD: 'gtd', FOK: 'fok', FAK: 'ioc' }[raw.order_type],
    post_only: null,
    price: canonical(raw.price),
    size: canonical(raw.original_size),
    filled_size: filled,
    remaining_size: minus(raw.original_size, raw.size_matched),
    average_fill_price: null,
    fees: null,
    currency: 'PUSD',
    status: standing[raw.status],
    status_reason: raw.status === 'CANCELED_MARKET_RESOLVED' ? 'market_resolved' : null,
    created_at: new Date(raw.created_at * 1_000).toISOString(),
    updated_at: null,
    expires_at: raw.expiration === '0' ? null : new Date(Number(raw.expiration) * 1_000).toISOString(),
    trade_ids: raw.associate_trades,
    requested: null,
    bot_id: null,
  };
}

export interface PolyUserTrade {
  id: string;
  taker_order_id: string;
  market: string;
  asset_id: string;
  side: 'BUY' | 'SELL';
  size: string;
  price: string;
  status: string;
  match_time: string;
  transaction_hash?: string;
  trader_side: 'TAKER' | 'MAKER';
  maker_orders: {
    order_id: string;
    owner: string;
    matched_amount: string;
    price: string;
    asset_id: string;
    side: 'BUY' | 'SELL';
  }[];
}

/** All fills of `owner` (the API key) in a trade. */
export function polyFills(trade: PolyUserTrade, market: PolyMarket, owner: string): object[] {
  const common = {
    exchange: 'polymarket',
    market_id: polyId(market),
    fee: null,
    status: { CONFIRMED: 'confirmed', FAILED: 'failed' }[trade.status] ?? 'pending',
    timestamp: new Date(Number(trade.match_time) * 1_000).toISOString(),
    transaction_hash: trade.transaction_hash ?? null,
    bot_id: null,
  };
  const outcome = (token: string) => polyOutcome(market, idsOf(market)[0] === token ? 0 : 1);
  if (trade.trader_side === 'TAKER') {
    const { price, size, side, asset_id: token } = trade;
    const own = { id: trade.id, order_id: trade.taker_order_id, outcome: outcome(token), role: 'taker' };
    return [{ ...common, ...own, side: side.toLowerCase(), price: canonical(price), size: canonical(size) }];
  }
  return trade.maker_orders
    .filter((maker) => maker.owner === owner)
    .map((maker) => ({
      ...common,
      id: `${trade.id}:${maker.order_id}`,
      order_id: maker.order_id,
      outcome: outcome(maker.asset_id),
      role: 'maker',
      side: maker.side.toLowerCase(),
      price: canonical(maker.price),
      size: canonical(maker.matched_amount),
    }));
}

export interface PolyPosition {
  token_id: string;
  condition_id: string;
  current_size: number;
  avg_price: number;
  entry_cost_usdc: number;
  entry_fees_usdc?: number;
  current_value: number;
  unrealized_pnl: number;
  realized_pnl: number;
  current_price: number;
  redeemable: boolean;
  status: string;
  title: string;
  event_id?: string;
  outcome: string;
  outcome_index: 0 | 1;
  last_event_at: number;
}

export function polyPosition(position: PolyPosition): object {
  return {
    exchange: 'polymarket',
    market_id: position.condition_id,
    event_id: position.event_id ?? null,
    outcome: { id: position.token_id, index: position.outcome_index, label: position.outcome },
    size: canonical(position.current_size),
    average_price: canonical(position.avg_price),
    cost_basis: canonical(position.entry_cost_usdc),
    current_price: canonical(position.current_price),
    market_value: canonical(position.current_value),
    unrealized_pnl: canonical(position.unrealized_pnl),
    realized_pnl: canonical(position.realized_pnl),
    fees_paid: maybe(position.entry_fees_usdc),
    currency: 'PUSD',
    status: position.redeemable || position.status === 'REDEEMABLE' ? 'redeemable' : 'open',
    title: position.title,
    updated_at: position.last_event_at > 0 ? new Date(position.last_event_at * 1_000).toISOString() : null,
  };
}

/** From the collateral in millionths, the open orders and `/v2/value`. */
export function polyBalance(millionths: string, orders: PolyOrder[], value: number): object {
  const reserved = orders
    .filter(({ side }) => side === 'BUY')
    .map((open) => times(minus(open.original_size, open.size_matched), open.price));
  return {
    exchange: 'polymarket',
    currency: 'PUSD',
    available: times(millionths, '0.000001'),
    reserved: plus('0', ...reserved),
    total: null,
    portfolio_value: canonical(value),
    breakdown: [],
    updated_at: null,
  };
}
