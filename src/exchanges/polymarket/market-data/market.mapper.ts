import { compare, complement, type Decimal, parseDecimal } from '../../decimal.js';
import type {
  MarketDto,
  MarketFeesDto,
  MarketResultDto,
  OutcomeDto,
  OutcomeRefDto,
  PriceRangeDto,
} from '../../unified.market-data.dto.js';
import type { MarketStatus } from '../../unified.words.js';
import { CURRENCY, POLYMARKET } from '../polymarket.ids.js';
import { identityOf, type MarketIdentity } from './market-identity.js';
import type { WireEventHead, WireMarket } from './market.wire.js';
import type { Outcomes } from './outcomes.js';

const SITE = 'https://polymarket.com';
/** Shares have two decimals in orders (unified-schema.md 2). */
const SIZE_STEP = '0.01';

/** A market that can be traded through a book, or could be: it has a condition and two outcomes that are understood, and is no placeholder. */
export function isListed(market: WireMarket): boolean {
  const placeholder = market.active === false || market.negRiskOther === true;
  return !placeholder && identityOf(market) !== null;
}

/** Whether orders are accepted now (unified-schema.md 2); an omitted flag is not taken for a yes. */
function isTradable({ active, closed, acceptingOrders, enableOrderBook }: WireMarket): boolean {
  return active === true && closed !== true && acceptingOrders === true && enableOrderBook === true;
}

/** `active` is the usual state of an open V2 market (polymarket.md 10.4). */
function statusOf(market: WireMarket): MarketStatus {
  if (market.closed !== true) return market.acceptingOrders === true ? 'open' : 'paused';
  const resolution = market.version === 'v2' ? market.resolutionStatus : market.umaResolutionStatus;
  return resolution === 'resolved' || winnerOf(market) !== null ? 'settled' : 'closed';
}

function finalPrices(market: WireMarket): (Decimal | null)[] {
  return (market.outcomePrices ?? []).map((price) => parseDecimal(price));
}

function winnerOf(market: WireMarket): 0 | 1 | null {
  const [first, second] = finalPrices(market);
  if (first === '1' && second === '0') return 0;
  return first === '0' && second === '1' ? 1 : null;
}

function resultOf(market: WireMarket): MarketResultDto {
  const [settlementPrice = null] = finalPrices(market);
  return { outcome_index: winnerOf(market), settlement_price: settlementPrice, settled_at: market.closedTime };
}

/** The quotes of outcome 0; a bid of 0 and an ask of 1 stand for an empty side, a last price of 0 for no trade yet. */
function quotesOf(market: WireMarket): { bid: Decimal | null; ask: Decimal | null; last: Decimal | null } {
  const { bestBid, bestAsk, lastTradePrice } = market;
  const volume = market.volumeNum ?? market.volume ?? '0';
  return {
    bid: bestBid !== null && compare(bestBid, '0') > 0 ? bestBid : null,
    ask: bestAsk !== null && compare(bestAsk, '1') < 0 ? bestAsk : null,
    last: lastTradePrice === '0' && volume === '0' ? null : lastTradePrice,
  };
}

function mirrored(price: Decimal | null): Decimal | null {
  return price === null ? null : complement(price);
}

/** Every field is named, here and below: objects that are spread cost several times as much, and lists are long. */
function withQuotes([first, second]: Outcomes, market: WireMarket): [OutcomeDto, OutcomeDto] {
  const { bid, ask, last } = quotesOf(market);
  return [outcomeOf(first, bid, ask, last), outcomeOf(second, mirrored(ask), mirrored(bid), mirrored(last))];
}

function outcomeOf(
  { id, index, label }: OutcomeRefDto,
  bid: Decimal | null,
  ask: Decimal | null,
  last: Decimal | null,
): OutcomeDto {
  return { id, index, label, bid, ask, last_price: last, bid_size: null, ask_size: null };
}

function feesOf({ feesEnabled, feeSchedule }: WireMarket): MarketFeesDto | null {
  if (feesEnabled !== true || feeSchedule === null) return null;
  const { rate, exponent, takerOnly } = feeSchedule;
  return { type: 'price_curve', taker_rate: rate, exponent, taker_only: takerOnly };
}

function refsOf({ id, slug, negRisk }: WireMarket, { marketId, protocol }: MarketIdentity): MarketDto['refs'] {
  const named: Record<string, string | boolean> = { gamma_id: id };
  if (slug !== null) named.slug = slug;
  named.condition_id = marketId;
  if (negRisk !== null) named.neg_risk = negRisk;
  named.protocol = protocol;
  return named;
}

function urlOf(market: WireMarket, event: WireEventHead | undefined): string | null {
  const slug = market.slug === null ? null : encodeURIComponent(market.slug);
  if (event?.slug) return `${SITE}/event/${encodeURIComponent(event.slug)}${slug === null ? '' : `/${slug}`}`;
  return slug === null ? null : `${SITE}/market/${slug}`;
}

function seriesIdOf(event: WireEventHead | undefined): string | null {
  return event?.series[0]?.id ?? null;
}

/** Those of the market itself, of which there may be none. */
function tagsOf(market: WireMarket, event: WireEventHead | undefined): WireMarket['tags'] {
  return event === undefined || market.tags.length > 0 ? market.tags : event.tags;
}

function categoryOf(market: WireMarket, event: WireEventHead | undefined): string | null {
  const [first] = event !== undefined && event.tags.length > 0 ? event.tags : market.tags;
  return first?.label ?? null;
}

/** The slugs of those tags that have one. */
export function slugsOf(tags: WireMarket['tags']): string[] {
  const slugs: string[] = [];
  for (const { slug } of tags) if (slug !== null) slugs.push(slug);
  return slugs;
}

function priceRanges({ orderPriceMinTickSize: step }: WireMarket): PriceRangeDto[] {
  return step === null ? [] : [{ start: '0', end: '1', step }];
}

/**
 * A Gamma market of either protocol (unified-schema.md 2, polymarket.md 10.2); `event` is the one that it came in. Null where
 * it has no book, or is not understood.
 */
export function toMarket(market: WireMarket, event: WireEventHead | undefined = market.events[0]): MarketDto | null {
  const identity = identityOf(market);
  if (identity === null) return null;
  const status = statusOf(market);
  return {
    exchange: POLYMARKET,
    id: identity.marketId,
    event_id: event?.id ?? null,
    series_id: seriesIdOf(event),
    category: categoryOf(market, event),
    tags: slugsOf(tagsOf(market, event)),
    url: urlOf(market, event),
    title: market.question,
    subtitle: market.groupItemTitle,
    description: market.description,
    status,
    tradable: isTradable(market),
    outcomes: withQuotes(identity.outcomes, market),
    result: status === 'settled' ? resultOf(market) : null,
    open_time: market.startDate,
    close_time: market.endDate,
    expected_resolution_time: market.endDate,
    created_at: market.createdAt,
    updated_at: market.updatedAt,
    volume: market.volumeNum ?? market.volume,
    volume_24h: market.volume24hr,
    open_interest: null,
    liquidity: market.liquidityNum ?? market.liquidity,
    volume_unit: 'currency',
    price_ranges: priceRanges(market),
    min_order_size: market.orderMinSize,
    size_step: SIZE_STEP,
    mutually_exclusive_group_id: market.negRiskMarketID,
    currency: CURRENCY,
    fees: feesOf(market),
    refs: refsOf(market, identity),
  };
}
