import { canonical, iso, maybe, minus, oneMinus, order, plus, times } from './exact.js';

/* What the unified answers must say of Kalshi's own (unified-schema.md 2 to 8), written from the text alone. */

export interface KalshiMarket {
  ticker: string;
  event_ticker: string;
  title: string;
  yes_sub_title: string;
  rules_primary: string;
  rules_secondary: string;
  status: string;
  open_time: string;
  close_time: string;
  expected_expiration_time: string;
  created_time: string;
  updated_time: string;
  yes_bid_dollars: string;
  yes_bid_size_fp: string;
  yes_ask_dollars: string;
  yes_ask_size_fp: string;
  last_price_dollars: string;
  volume_fp: string;
  volume_24h_fp: string;
  open_interest_fp: string;
  price_ranges: { start: string; end: string; step: string }[];
  result: string;
  settlement_value_dollars?: string;
  settlement_ts?: string;
  exchange_index: number;
}

export interface KalshiEvent {
  event_ticker: string;
  series_ticker: string;
  title: string;
  sub_title: string;
  category: string;
  mutually_exclusive: boolean;
  strike_date?: string;
  last_updated_ts: string;
  settlement_sources: { name: string; url: string }[];
  markets?: KalshiMarket[];
}

export interface KalshiSeries {
  fee_type: string;
  category: string;
  tags: string[];
}

const STATUS: Record<string, string> = {
  initialized: 'unopened',
  active: 'open',
  inactive: 'paused',
  closed: 'closed',
  determined: 'closed',
  disputed: 'closed',
  amended: 'closed',
  finalized: 'settled',
};

const plain = (text: string): string => text.replaceAll('**', '');

export const kalshiOutcome = (ticker: string, index: 0 | 1) =>
  index === 0 ? { id: `${ticker}:yes`, index: 0, label: 'Yes' } : { id: `${ticker}:no`, index: 1, label: 'No' };

function quoted(price: string, size: string, empty: string): { price: string | null; size: string | null } {
  const none = canonical(size) === '0' || canonical(price) === empty || canonical(price) === '0';
  return none ? { price: null, size: null } : { price: canonical(price), size: canonical(size) };
}

const mirrored = (price: string | null): string | null => (price === null ? null : oneMinus(price));

function outcomes(market: KalshiMarket): object[] {
  const bid = quoted(market.yes_bid_dollars, market.yes_bid_size_fp, '0');
  const ask = quoted(market.yes_ask_dollars, market.yes_ask_size_fp, '1');
  const traded = !(canonical(market.last_price_dollars) === '0' && canonical(market.volume_fp) === '0');
  const last = traded ? canonical(market.last_price_dollars) : null;
  return [
    {
      ...kalshiOutcome(market.ticker, 0),
      bid: bid.price,
      ask: ask.price,
      last_price: last,
      bid_size: bid.size,
      ask_size: ask.size,
    },
    {
      ...kalshiOutcome(market.ticker, 1),
      bid: mirrored(ask.price),
      ask: mirrored(bid.price),
      last_price: mirrored(last),
      bid_size: ask.size,
      ask_size: bid.size,
    },
  ];
}

export function kalshiMarket(market: KalshiMarket, event?: KalshiEvent, series?: KalshiSeries): object {
  const rules =
    market.rules_secondary === '' ? market.rules_primary : `${market.rules_primary}\n\n${market.rules_secondary}`;
  return {
    exchange: 'kalshi',
    id: market.ticker,
    event_id: market.event_ticker,
    series_id: event?.series_ticker ?? null,
    title: plain(market.title),
    subtitle: plain(market.yes_sub_title),
    description: rules,
    category: event?.category ?? null,
    tags: series?.tags ?? [],
    status: STATUS[market.status],
    tradable: market.status === 'active',
    outcomes: outcomes(market),
    result:
      market.result === ''
        ? null
        : {
            outcome_index: { yes: 0, no: 1 }[market.result] ?? null,
            settlement_price: maybe(market.settlement_value_dollars),
            settled_at: iso(market.settlement_ts),
          },
    open_time: iso(market.open_time),
    close_time: iso(market.close_time),
    expected_resolution_time: iso(market.expected_expiration_time),
    created_at: iso(market.created_time),
    updated_at: iso(market.updated_time),
    volume: canonical(market.volume_fp),
    volume_24h: canonical(market.volume_24h_fp),
    open_interest: canonical(market.open_interest_fp),
    liquidity: null,
    volume_unit: 'contracts',
    price_ranges: market.price_ranges.map(({ start, end, step }) => ({
      start: canonical(start),
      end: canonical(end),
      step: canonical(step),
    })),
    min_order_size: '0.01',
    size_step: '0.01',
    mutually_exclusive_group_id: event?.mutually_exclusive === true ? market.event_ticker : null,
    currency: 'USD',
    fees: series === undefined ? null : { type: series.fee_type, taker_rate: null, exponent: null, taker_only: null },
    url: null,
    refs: {
      ticker: market.ticker,
      exchange_index: market.exchange_index,
      ...(event === undefined ? {} : { series_ticker: event.series_ticker }),
    },
  };
}

const MOST_OPEN_FIRST = ['open', 'paused', 'unopened', 'closed', 'settled'];

/** `markets` are all children, those of the archive too; undefined where the list does not nest them. */
export function kalshiEvent(event: KalshiEvent, listedAs: string, markets?: KalshiMarket[]): object {
  const statuses = markets?.map(({ status }) => STATUS[status]) ?? [];
  return {
    exchange: 'kalshi',
    id: event.event_ticker,
    series_id: event.series_ticker,
    title: plain(event.title),
    subtitle: event.sub_title,
    description: null,
    category: event.category,
    tags: [],
    status: MOST_OPEN_FIRST.find((status) => statuses.includes(status)) ?? listedAs,
    mutually_exclusive: event.mutually_exclusive,
    start_time: null,
    end_time: iso(event.strike_date),
    updated_at: iso(event.last_updated_ts),
    volume: null,
    volume_24h: null,
    open_interest: null,
    liquidity: null,
    volume_unit: 'contracts',
    resolution_sources: event.settlement_sources.map(({ name, url }) => ({ name, url })),
    markets: markets?.map((market) => kalshiMarket(market, event)) ?? null,
    url: null,
    refs: { ticker: event.event_ticker },
  };
}

export interface KalshiBook {
  yes_dollars: [string, string][];
  no_dollars: [string, string][];
}

/** `depth` counts from the best level. */
export function kalshiBook(ticker: string, index: 0 | 1, book: KalshiBook): object {
  const [own, other] = index === 0 ? [book.yes_dollars, book.no_dollars] : [book.no_dollars, book.yes_dollars];
  const level = ([price, size]: [string, string]) => ({ price: canonical(price), size: canonical(size) });
  const bids = own.map(level).sort((a, b) => order(b.price, a.price));
  const asks = other
    .map(level)
    .map(({ price, size }) => ({ price: oneMinus(price), size }))
    .sort((a, b) => order(a.price, b.price));
  return { exchange: 'kalshi', market_id: ticker, outcome: kalshiOutcome(ticker, index), bids, asks };
}

export interface KalshiTrade {
  trade_id: string;
  ticker: string;
  count_fp: string;
  yes_price_dollars: string;
  no_price_dollars: string;
  taker_outcome_side: 'yes' | 'no';
  created_time: string;
  is_block_trade: boolean;
}

export function kalshiTrade(trade: KalshiTrade): object {
  const index = trade.taker_outcome_side === 'yes' ? 0 : 1;
  const price = canonical(index === 0 ? trade.yes_price_dollars : trade.no_price_dollars);
  return {
    exchange: 'kalshi',
    id: trade.trade_id,
    market_id: trade.ticker,
    outcome: kalshiOutcome(trade.ticker, index),
    side: 'buy',
    price,
    size: canonical(trade.count_fp),
    notional: times(price, trade.count_fp),
    timestamp: iso(trade.created_time),
    taker_side: 'buy',
    is_block_trade: trade.is_block_trade,
    transaction_hash: null,
  };
}

type Ohlc = Partial<Record<'open_dollars' | 'high_dollars' | 'low_dollars' | 'close_dollars', string>>;

export interface KalshiCandle {
  end_period_ts: number;
  price: Ohlc & { mean_dollars?: string; previous_dollars?: string };
  yes_bid: Ohlc;
  yes_ask: Ohlc;
  volume_fp: string;
  open_interest_fp: string;
}

function ohlc(prices: Ohlc, index: 0 | 1) {
  const seen = (price: string | undefined) => (index === 0 ? maybe(price) : mirrored(maybe(price)));
  const [high, low] =
    index === 0 ? [prices.high_dollars, prices.low_dollars] : [prices.low_dollars, prices.high_dollars];
  return { open: seen(prices.open_dollars), high: seen(high), low: seen(low), close: seen(prices.close_dollars) };
}

export function kalshiCandle(ticker: string, index: 0 | 1, candle: KalshiCandle, seconds = 3_600): object {
  const end = candle.end_period_ts * 1_000;
  const seen = (price: string | undefined) => (index === 0 ? maybe(price) : mirrored(maybe(price)));
  return {
    exchange: 'kalshi',
    market_id: ticker,
    outcome: kalshiOutcome(ticker, index),
    interval: { 60: '1m', 3_600: '1h', 86_400: '1d' }[seconds],
    start: new Date(end - seconds * 1_000).toISOString(),
    end: new Date(end).toISOString(),
    ...ohlc(candle.price, index),
    mean: seen(candle.price.mean_dollars),
    previous_close: seen(candle.price.previous_dollars),
    volume: canonical(candle.volume_fp),
    open_interest: canonical(candle.open_interest_fp),
    bid: ohlc(index === 0 ? candle.yes_bid : candle.yes_ask, index),
    ask: ohlc(index === 0 ? candle.yes_ask : candle.yes_bid, index),
    trade_count: null,
    source: 'trades',
    samples: null,
  };
}

export interface KalshiOrder {
  order_id: string;
  client_order_id: string;
  ticker: string;
  outcome_side: 'yes' | 'no';
  type: string;
  status: 'resting' | 'executed' | 'canceled';
  yes_price_dollars: string;
  no_price_dollars: string;
  initial_count_fp: string;
  fill_count_fp: string;
  remaining_count_fp: string;
  taker_fill_cost_dollars: string;
  maker_fill_cost_dollars: string;
  taker_fees_dollars: string;
  maker_fees_dollars: string;
  created_time: string;
  last_update_time: string;
  expiration_time: string | null;
}

/** `average_fill_price` is left out: it is a quotient, compare it with `isQuotient`. */
export function kalshiOrder(raw: KalshiOrder, fills: readonly KalshiFill[]): object {
  const index = raw.outcome_side === 'yes' ? 0 : 1;
  const filled = canonical(raw.fill_count_fp);
  const resting = filled === '0' ? 'open' : 'partially_filled';
  return {
    exchange: 'kalshi',
    id: raw.order_id,
    client_order_id: raw.client_order_id,
    market_id: raw.ticker,
    outcome: kalshiOutcome(raw.ticker, index),
    side: 'buy',
    type: raw.type,
    time_in_force: raw.expiration_time === null ? null : 'gtd',
    post_only: null,
    price: canonical(index === 0 ? raw.yes_price_dollars : raw.no_price_dollars),
    size: canonical(raw.initial_count_fp),
    filled_size: filled,
    remaining_size: canonical(raw.remaining_count_fp),
    fees: plus(raw.taker_fees_dollars, raw.maker_fees_dollars),
    currency: 'USD',
    status: { resting, executed: 'filled', canceled: 'cancelled' }[raw.status],
    status_reason: null,
    created_at: iso(raw.created_time),
    updated_at: iso(raw.last_update_time),
    expires_at: iso(raw.expiration_time),
    trade_ids: fills.filter(({ order_id }) => order_id === raw.order_id).map(({ fill_id }) => fill_id),
    requested: null,
    bot_id: null,
  };
}

export interface KalshiFill {
  fill_id: string;
  order_id: string;
  ticker: string;
  outcome_side: 'yes' | 'no';
  count_fp: string;
  yes_price_dollars: string;
  no_price_dollars: string;
  is_taker: boolean;
  fee_cost: string;
  created_time: string;
}

export function kalshiFill(fill: KalshiFill): object {
  const index = fill.outcome_side === 'yes' ? 0 : 1;
  return {
    exchange: 'kalshi',
    id: fill.fill_id,
    order_id: fill.order_id,
    market_id: fill.ticker,
    outcome: kalshiOutcome(fill.ticker, index),
    side: 'buy',
    price: canonical(index === 0 ? fill.yes_price_dollars : fill.no_price_dollars),
    size: canonical(fill.count_fp),
    fee: canonical(fill.fee_cost),
    role: fill.is_taker ? 'taker' : 'maker',
    status: 'confirmed',
    timestamp: iso(fill.created_time),
    transaction_hash: null,
    bot_id: null,
  };
}

export interface KalshiPosition {
  ticker: string;
  position_fp: string;
  market_exposure_dollars: string;
  realized_pnl_dollars: string;
  fees_paid_dollars: string;
  last_updated_ts: string;
}

/** `average_price` is left out: it is a quotient. */
export function kalshiPosition(position: KalshiPosition): object {
  const held = canonical(position.position_fp);
  const no = held.startsWith('-');
  return {
    exchange: 'kalshi',
    market_id: position.ticker,
    event_id: null,
    outcome: kalshiOutcome(position.ticker, no ? 1 : 0),
    size: no ? minus('0', held) : held,
    cost_basis: canonical(position.market_exposure_dollars),
    current_price: null,
    market_value: null,
    unrealized_pnl: null,
    realized_pnl: canonical(position.realized_pnl_dollars),
    fees_paid: canonical(position.fees_paid_dollars),
    currency: 'USD',
    status: 'open',
    title: null,
    updated_at: iso(position.last_updated_ts),
  };
}

interface OnShard {
  exchange_index: number;
  balance: string;
}

export interface KalshiBalance {
  balance_dollars: string;
  portfolio_value: number;
  updated_ts: number;
  balance_breakdown: OnShard[];
}

/** What orders hold back. */
export interface KalshiReserved {
  resting_order_value_breakdown: OnShard[];
}

export interface KalshiStatus {
  exchange_index_statuses: { exchange_index: number; description: string }[];
}

export function kalshiBalance(balance: KalshiBalance, reserved: KalshiReserved, status: KalshiStatus): object {
  const held = reserved.resting_order_value_breakdown;
  const named = ({ exchange_index }: OnShard) => {
    const shard = status.exchange_index_statuses.find((candidate) => candidate.exchange_index === exchange_index);
    return shard === undefined || shard.description === '' ? `Shard ${exchange_index}` : shard.description;
  };
  return {
    exchange: 'kalshi',
    currency: 'USD',
    available: canonical(balance.balance_dollars),
    reserved: plus('0', ...held.map((part) => part.balance)),
    total: null,
    portfolio_value: times(balance.portfolio_value, '0.01'),
    breakdown: balance.balance_breakdown.map((part) => ({
      key: String(part.exchange_index),
      label: named(part),
      available: canonical(part.balance),
      reserved: canonical(held.find(({ exchange_index }) => exchange_index === part.exchange_index)?.balance ?? '0'),
    })),
    updated_at: new Date(balance.updated_ts * 1_000).toISOString(),
  };
}
