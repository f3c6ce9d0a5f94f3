import { z } from 'zod';
import { type DriftSheet, type KnownFields, names } from '../drift-sheet.js';
import { wireCutoff } from './connection/archive.js';
import { wireStatus } from './connection/shards.wire.js';
import type { KALSHI_SETTINGS } from './kalshi.settings.js';
import { wireArchivedCandlesticks, wireCandlestickBatch } from './market-data/candlestick.wire.js';
import {
  wireEventPage,
  wireMarketPage,
  wireOneEvent,
  wireOneMarket,
  wireOneSeries,
} from './market-data/market.wire.js';
import { wireOrderBook, wireOrderBooks, wireTradePage } from './market-data/order-book.wire.js';

/* What is known of Kalshi's public answers beside what we read: kalshi.md 4, OpenAPI 3.28.0 and the samples. */

const MARKET: KnownFields = {
  needed: ['event_ticker', 'title', 'yes_bid_dollars', 'yes_ask_dollars', 'close_time'],
  sometimes: names(`
    rules_primary rules_secondary settlement_value_dollars settlement_ts result created_time updated_time
    expected_expiration_time price_ranges yes_bid_size_fp yes_ask_size_fp`),
  unused: names(`
    market_type subtitle no_sub_title expiration_time latest_expiration_time settlement_timer_seconds no_bid_dollars
    no_ask_dollars can_close_early notional_value_dollars previous_yes_bid_dollars previous_yes_ask_dollars
    previous_price_dollars liquidity_dollars expiration_value occurrence_datetime fee_waiver_expiration_time
    early_close_condition strike_type floor_strike cap_strike functional_strike custom_strike mve_collection_ticker
    mve_selected_legs primary_participant_key price_level_structure is_provisional settlement_bounds_type
    settlement_floor_dollars`),
  values: {
    market_type: ['binary', 'scalar'],
    strike_type: names('greater greater_or_equal less less_or_equal between functional custom structured').concat(''),
    settlement_bounds_type: ['default', 'floor'],
  },
};

const FEE_TYPES = names('quadratic quadratic_with_maker_fees quadratic_with_combo_maker_fees flat').concat('');

const EVENT: KnownFields = {
  needed: ['title', 'series_ticker'],
  sometimes: names(
    'sub_title strike_date last_updated_ts fee_type_override fee_multiplier_override settlement_sources markets category',
  ),
  unused: names(`
    collateral_return_type strike_period available_on_brokers product_metadata exchange_index`),
  values: { fee_type_override: FEE_TYPES },
  within: { markets: MARKET },
};

const SERIES: KnownFields = {
  sometimes: ['tags', 'fee_multiplier'],
  unused: names(`
    ticker frequency title categories settlement_sources contract_url contract_terms_url product_metadata
    additional_prohibitions volume_fp last_updated_ts exchange_index`),
  values: { fee_type: FEE_TYPES },
};

const TRADE: KnownFields = {
  sometimes: ['is_block_trade'],
  unused: ['taker_side', 'taker_book_side'],
  values: { taker_side: ['yes', 'no'], taker_book_side: ['bid', 'ask'] },
};

/** A candle, in which nothing may have happened; live ones name prices `open_dollars`, archived ones `open`. */
function candle(suffix: '_dollars' | ''): KnownFields {
  const quote = { sometimes: ['open', 'high', 'low', 'close'].map((name) => `${name}${suffix}`) };
  const price = {
    sometimes: [...quote.sometimes, `mean${suffix}`, `previous${suffix}`],
    unused: [`min${suffix}`, `max${suffix}`],
  };
  return { sometimes: ['price', 'yes_bid', 'yes_ask'], within: { price, yes_bid: quote, yes_ask: quote } };
}

const STATUS: KnownFields = {
  unused: ['intra_exchange_transfers_active', 'exchange_estimated_resume_time'],
  within: {
    exchange_index_statuses: { sometimes: ['description'], unused: ['intra_exchange_transfers_active'] },
  },
};

const base = 'KALSHI_API_URL';

const MARKETS = { known: { sometimes: ['cursor'], within: { markets: MARKET } }, schema: wireMarketPage };
const ONE_MARKET = { known: { within: { market: MARKET } }, schema: wireOneMarket };
const TRADES = { known: { sometimes: ['cursor'], within: { trades: TRADE } }, schema: wireTradePage };

/** Kalshi's public routes, for `npm run drift`: those that the adapter reads (kalshi.md 4, 8). */
export const KALSHI_DRIFT: DriftSheet<keyof typeof KALSHI_SETTINGS> = {
  routes: [
    { base, path: '/exchange/status', schema: wireStatus, known: STATUS },
    {
      base,
      path: '/historical/cutoff',
      schema: wireCutoff,
      known: { unused: names('market_settled_ts market_positions_last_updated_ts') },
    },
    {
      base,
      path: '/markets',
      query: { status: 'open', mve_filter: 'exclude', limit: '200' },
      ...MARKETS,
      finds: { ticker: 'markets[].ticker', traded: 'markets[].ticker', event: 'markets[].event_ticker' },
      counts: { list: 'markets', by: 'exchange_index' },
    },
    { base, path: '/markets/{ticker}', ...ONE_MARKET },
    {
      base,
      path: '/markets/{ticker}/orderbook',
      schema: wireOrderBook,
      known: { within: { orderbook_fp: { sometimes: ['yes_dollars', 'no_dollars'] } } },
    },
    { base, path: '/markets/trades', query: { limit: '100' }, ...TRADES, finds: { traded: 'trades[].ticker' } },
    {
      base,
      path: '/markets/orderbooks',
      query: { tickers: '{traded}' },
      schema: wireOrderBooks,
      known: { within: { orderbooks: { within: { orderbook_fp: { sometimes: ['yes_dollars', 'no_dollars'] } } } } },
    },
    {
      base,
      path: '/markets/candlesticks',
      query: { market_tickers: '{traded}', start_ts: '{day_ago}', end_ts: '{now}', period_interval: '60' },
      schema: wireCandlestickBatch,
      known: { within: { markets: { within: { candlesticks: candle('_dollars') } } } },
    },
    {
      base,
      path: '/events',
      query: { status: 'open', limit: '50' },
      schema: wireEventPage,
      known: { sometimes: ['cursor'], unused: ['milestones'], within: { events: EVENT } },
      finds: { event: 'events[].event_ticker', series: 'events[].series_ticker' },
    },
    {
      base,
      path: '/events/{event}',
      query: { with_nested_markets: 'true' },
      schema: wireOneEvent,
      known: { sometimes: ['markets'], within: { event: EVENT, markets: MARKET } },
      finds: { series: 'event.series_ticker' },
    },
    { base, path: '/series/{series}', schema: wireOneSeries, known: { within: { series: SERIES } } },
    {
      base,
      path: '/historical/markets',
      query: { mve_filter: 'exclude', limit: '50' },
      ...MARKETS,
      finds: {
        archived: 'markets[].ticker',
        opened: (body) => seconds(body, 'open_time'),
        closed: (body) => seconds(body, 'close_time'),
      },
    },
    { base, path: '/historical/markets/{archived}', ...ONE_MARKET },
    {
      base,
      path: '/historical/markets/{archived}/candlesticks',
      query: { start_ts: '{opened}', end_ts: '{closed}', period_interval: '1440' },
      schema: wireArchivedCandlesticks,
      known: { unused: ['ticker'], within: { candlesticks: candle('') } },
    },
    { base, path: '/historical/trades', query: { limit: '100' }, ...TRADES },
  ],
};

const times = z.object({
  markets: z.array(z.looseObject({ open_time: z.string(), close_time: z.string() })).max(1_000),
});

/** A time of the first market of a page, in Unix seconds. */
function seconds(body: unknown, field: 'open_time' | 'close_time'): string | undefined {
  const ms = Date.parse(times.safeParse(body).data?.markets[0]?.[field] ?? '');
  return Number.isNaN(ms) ? undefined : String(Math.floor(ms / 1_000));
}
