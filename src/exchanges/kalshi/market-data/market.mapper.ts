import { compare, type Decimal } from '../../decimal.js';
import type { MarketStatus } from '../../unified.words.js';
import type { EventDto, MarketDto, MarketResultDto, OutcomeDto } from '../../unified.market-data.dto.js';
import { outcomeIndexOf, outcomeOf, priceFor } from './outcomes.js';
import type { WireEvent, WireMarket } from './market.wire.js';

/** What a market does not tell of itself; null where it has not been read (unified.md 2). */
export interface MarketSetting {
  readonly seriesId: string | null;
  readonly category: string | null;
  readonly tags: readonly string[];
  readonly mutuallyExclusive: boolean | null;
  readonly feeType: string | null;
}

export const UNKNOWN_SETTING: MarketSetting = {
  seriesId: null,
  category: null,
  tags: [],
  mutuallyExclusive: null,
  feeType: null,
};

const STATUSES: Readonly<Record<WireMarket['status'], MarketStatus>> = {
  initialized: 'unopened',
  active: 'open',
  inactive: 'paused',
  closed: 'closed',
  determined: 'closed',
  disputed: 'closed',
  amended: 'closed',
  finalized: 'settled',
};

/** How open a status is, most open first. */
const OPENNESS: readonly MarketStatus[] = ['open', 'paused', 'unopened', 'closed', 'settled'];

/** A market in the unified shape (unified.md 2). */
export function toMarket(market: WireMarket, setting: MarketSetting = UNKNOWN_SETTING): MarketDto {
  return {
    exchange: 'kalshi',
    id: market.ticker,
    event_id: market.event_ticker,
    series_id: setting.seriesId,
    ...words(market),
    category: setting.category,
    tags: [...setting.tags],
    status: STATUSES[market.status],
    tradable: market.status === 'active',
    outcomes: outcomes(market),
    result: result(market),
    open_time: market.open_time,
    close_time: market.close_time,
    expected_resolution_time: market.expected_expiration_time,
    created_at: market.created_time,
    updated_at: market.updated_time,
    volume: market.volume_fp,
    volume_24h: market.volume_24h_fp,
    open_interest: market.open_interest_fp,
    liquidity: null,
    volume_unit: 'contracts',
    price_ranges: market.price_ranges ?? [],
    min_order_size: '0.01',
    size_step: '0.01',
    mutually_exclusive_group_id: setting.mutuallyExclusive === true ? market.event_ticker : null,
    currency: 'USD',
    fees:
      setting.feeType === null ? null : { type: setting.feeType, taker_rate: null, exponent: null, taker_only: null },
    url: null,
    refs: refs(market, setting),
  };
}

/** An event in the unified shape (unified.md 3); `listedAs` stands in for the status where its markets are not there. */
export function toEvent(event: WireEvent, markets: readonly WireMarket[] | null, listedAs: MarketStatus): EventDto {
  const setting = settingOf(event);
  const nested = markets?.map((market) => toMarket(market, setting)) ?? null;
  const statuses = new Set(nested?.map(({ status }) => status));
  return {
    exchange: 'kalshi',
    id: event.event_ticker,
    series_id: event.series_ticker,
    title: plain(event.title) ?? event.event_ticker,
    subtitle: plain(event.sub_title),
    description: null,
    category: event.category,
    tags: [],
    status: OPENNESS.find((status) => statuses.has(status)) ?? listedAs,
    mutually_exclusive: event.mutually_exclusive ?? null,
    start_time: null,
    end_time: event.strike_date,
    updated_at: event.last_updated_ts,
    volume: null,
    volume_24h: null,
    open_interest: null,
    liquidity: null,
    volume_unit: 'contracts',
    resolution_sources: event.settlement_sources ?? [],
    markets: nested,
    url: null,
    refs: { ticker: event.event_ticker },
  };
}

/** What an event tells of its markets. */
export function settingOf(event: WireEvent): MarketSetting {
  return {
    seriesId: event.series_ticker,
    category: event.category,
    tags: [],
    mutuallyExclusive: event.mutually_exclusive ?? null,
    feeType: event.fee_type_override,
  };
}

function words(market: WireMarket): Pick<MarketDto, 'title' | 'subtitle' | 'description'> {
  const rules = [market.rules_primary, market.rules_secondary].filter((text) => text !== null);
  return {
    title: plain(market.title) ?? plain(market.yes_sub_title) ?? market.ticker,
    subtitle: plain(market.yes_sub_title),
    description: rules.length > 0 ? rules.join('\n\n') : null,
  };
}

/** Titles may hold `**markdown**`. */
function plain(text: string | null): string | null {
  return text?.replaceAll('**', '') ?? null;
}

function outcomes(market: WireMarket): [OutcomeDto, OutcomeDto] {
  const bid = quote(market.yes_bid_dollars, market.yes_bid_size_fp);
  const ask = quote(market.yes_ask_dollars, market.yes_ask_size_fp);
  const last = lastPrice(market);
  const seen = (index: 0 | 1, price: Decimal | null) => (price === null ? null : priceFor(index, price));
  const facing = (index: 0 | 1, buying: Quote, selling: Quote): OutcomeDto => ({
    ...outcomeOf(market.ticker, index),
    bid: seen(index, buying.price),
    ask: seen(index, selling.price),
    last_price: seen(index, last),
    bid_size: buying.size,
    ask_size: selling.size,
  });
  return [facing(0, bid, ask), facing(1, ask, bid)];
}

interface Quote {
  readonly price: Decimal | null;
  readonly size: Decimal | null;
}

/** An empty side shows as 0 or 1, or with nothing in it: that is no quote (kalshi.md 4). */
function quote(price: Decimal | null, size: Decimal | null): Quote {
  const real = price !== null && compare(price, '0') > 0 && compare(price, '1') < 0 && size !== '0';
  return real ? { price, size } : { price: null, size: null };
}

/** The last price of YES; 0 on a market that never traded is none. */
function lastPrice({ last_price_dollars: price, volume_fp: volume }: WireMarket): Decimal | null {
  return price === '0' && (volume ?? '0') === '0' ? null : price;
}

function result({ result: known, settlement_value_dollars, settlement_ts }: WireMarket): MarketResultDto | null {
  if (known === undefined || known === null || known === '') return null;
  return {
    outcome_index: known === 'scalar' ? null : outcomeIndexOf(known),
    settlement_price: settlement_value_dollars,
    settled_at: settlement_ts,
  };
}

function refs({ ticker, exchange_index: shard }: WireMarket, { seriesId }: MarketSetting): MarketDto['refs'] {
  return {
    ticker,
    ...(seriesId === null ? {} : { series_ticker: seriesId }),
    ...(typeof shard === 'number' ? { exchange_index: shard } : {}),
  };
}
