import { compare, type Decimal } from '../../decimal.js';
import type { MarketStatus } from '../../unified.words.js';
import type { MarketDto, MarketResultDto, OutcomeDto, OutcomeRefDto } from '../../unified.market-data.dto.js';
import { CURRENCY, KALSHI } from '../kalshi.ids.js';
import { outcomeIndexOf, outcomeOf, priceFor } from './outcomes.js';
import type { WireMarket } from './market.wire.js';

/** What a market does not tell of itself; null where it has not been read (unified-schema.md 2). */
export interface MarketContext {
  readonly seriesId: string | null;
  readonly category: string | null;
  readonly tags: readonly string[];
  readonly mutuallyExclusive: boolean | null;
  readonly feeType: string | null;
}

export const UNKNOWN_CONTEXT: MarketContext = {
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

/** A market in the unified shape (unified-schema.md 2). */
export function toMarket(market: WireMarket, context: MarketContext = UNKNOWN_CONTEXT): MarketDto {
  return {
    exchange: KALSHI,
    id: market.ticker,
    event_id: market.event_ticker,
    series_id: context.seriesId,
    title: plain(market.title) ?? plain(market.yes_sub_title) ?? market.ticker,
    subtitle: plain(market.yes_sub_title),
    description: description(market),
    category: context.category,
    tags: context.tags.slice(),
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
    mutually_exclusive_group_id: context.mutuallyExclusive === true ? market.event_ticker : null,
    currency: CURRENCY,
    fees:
      context.feeType === null ? null : { type: context.feeType, taker_rate: null, exponent: null, taker_only: null },
    url: null,
    refs: refs(market, context),
  };
}

function description({ rules_primary: primary, rules_secondary: secondary }: WireMarket): string | null {
  return primary === null || secondary === null ? (primary ?? secondary) : `${primary}\n\n${secondary}`;
}

/** Removes the `**markdown**` of titles. */
export function plain(text: string | null): string | null {
  return text?.replaceAll('**', '') ?? null;
}

function outcomes(market: WireMarket): [OutcomeDto, OutcomeDto] {
  const bid = quote(market.yes_bid_dollars, market.yes_bid_size_fp);
  const ask = quote(market.yes_ask_dollars, market.yes_ask_size_fp);
  const last = lastPrice(market);
  return [outcome(outcomeOf(market.ticker, 0), bid, ask, last), outcome(outcomeOf(market.ticker, 1), ask, bid, last)];
}

/** Every field is named, here and below: objects that are spread cost several times as much, and lists are long. */
function outcome(
  { id, index, label }: OutcomeRefDto,
  buying: Quote,
  selling: Quote,
  lastOfYes: Decimal | null,
): OutcomeDto {
  return {
    id,
    index,
    label,
    bid: seen(index, buying.price),
    ask: seen(index, selling.price),
    last_price: seen(index, lastOfYes),
    bid_size: buying.size,
    ask_size: selling.size,
  };
}

function seen(index: 0 | 1, yesPrice: Decimal | null): Decimal | null {
  return yesPrice === null ? null : priceFor(index, yesPrice);
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

function refs({ ticker, exchange_index: shard }: WireMarket, { seriesId }: MarketContext): MarketDto['refs'] {
  const named: Record<string, string | number> = { ticker };
  if (seriesId !== null) named.series_ticker = seriesId;
  if (typeof shard === 'number') named.exchange_index = shard;
  return named;
}
