import { isoSeconds } from '../../times.js';
import { ONE, product, toUnits } from '../../units.js';
import { type Json } from '../../wire/json.js';
import { type ListedEvent } from '../catalogue.js';
import { imageOf, toDecimal, toNumber } from '../format.js';
import { type Market, positionIds } from '../market.js';
import { type EventSeed, type TagSeed } from '../seeds/seed.js';
import { keccakText, toHex } from '../signing/hex.js';
import { wideConditionId } from '../signing/position-id.js';

/** A market as Gamma sends it: JSON texts inside JSON for the outcomes, numbers as numbers, unknown fields left out. */
export function marketView(market: Market): Json {
  const { seed } = market;
  return {
    id: seed.id,
    question: seed.question,
    conditionId: market.gammaId,
    slug: seed.slug,
    resolutionSource: '',
    endDate: isoSeconds(market.endsAt),
    liquidity: toDecimal(liquidityOf(market)),
    startDate: market.listedAt.toISOString(),
    image: imageOf(seed.slug),
    icon: imageOf(seed.slug),
    description: seed.description,
    outcomes: JSON.stringify(seed.outcomes),
    ...(market.active ? { outcomePrices: outcomePrices(market) } : {}),
    volume: toDecimal(volumeOf(market)),
    ...stateFields(market),
    groupItemTitle: seed.label,
    groupItemThreshold: String(market.event.markets.indexOf(seed)),
    enableOrderBook: market.assigned,
    orderPriceMinTickSize: Number(seed.tick),
    orderMinSize: toNumber(market.minSize),
    ...volumeFields(market),
    endDateIso: market.endsAt.toISOString().slice(0, 10),
    startDateIso: market.listedAt.toISOString().slice(0, 10),
    hasReviewedDates: true,
    ...idFields(market),
    acceptingOrders: market.acceptingOrders,
    ...negRiskFields(market),
    ready: false,
    funded: false,
    acceptingOrdersTimestamp: market.listedAt.toISOString(),
    competitive: 0.82,
    rewardsMinSize: 200,
    rewardsMaxSpread: 3.5,
    ...quoteFields(market),
    automaticallyActive: true,
    clearBookOnStart: false,
    manualActivation: false,
    ...resolutionFields(market),
    pendingDeployment: false,
    deploying: false,
    rfqEnabled: false,
    ...feeFields(market),
    version: market.version,
  };
}

/** An event without its markets, as it is nested in a market. */
export function eventView({ seed, markets }: ListedEvent): Json {
  const first = markets[0];
  if (first === undefined) throw new Error('An event has at least one market.');
  const volume = total(markets, volumeOf);
  const day = total(markets, dayVolumeOf);
  const liquidity = toNumber(total(markets, liquidityOf));
  return {
    id: seed.id,
    ticker: seed.slug,
    slug: seed.slug,
    title: seed.title,
    description: seed.description,
    resolutionSource: '',
    startDate: first.listedAt.toISOString(),
    creationDate: first.listedAt.toISOString(),
    endDate: isoSeconds(first.endsAt),
    image: imageOf(seed.slug),
    icon: imageOf(seed.slug),
    active: true,
    closed: isClosed(markets),
    archived: false,
    new: false,
    featured: isFeatured({ seed, markets }),
    restricted: true,
    liquidity,
    volume: toNumber(volume),
    openInterest: Number(seed.openInterest),
    createdAt: first.listedAt.toISOString(),
    updatedAt: first.start.toISOString(),
    competitive: 0.9,
    volume24hr: toNumber(day),
    volume1wk: toNumber(day * 5n),
    volume1mo: toNumber(day * 18n),
    volume1yr: toNumber(volume),
    enableOrderBook: true,
    liquidityClob: liquidity,
    ...eventNegRisk(seed),
    commentCount: 112,
    ...(isClosed(markets) ? { closedTime: isoSeconds(first.endsAt) } : {}),
    series: seed.series === undefined ? [] : [seriesView(seed.series, first)],
    tags: seed.tags.map((tag) => tagView(tag, first.start)),
    cyom: false,
    showAllOutcomes: true,
    showMarketImages: true,
    automaticallyActive: true,
    pendingDeployment: false,
    deploying: false,
    version: eventVersion(markets),
  };
}

export function tagView(tag: TagSeed, start: Date): Json {
  return { ...tag, forceShow: false, createdAt: '2023-11-02T21:02:00Z', updatedAt: start.toISOString() };
}

export function isClosed(markets: readonly Market[]): boolean {
  return markets.every((market) => market.closed);
}

export function isFeatured({ markets }: ListedEvent): boolean {
  return markets.length > 2;
}

/** Money turned over, in millionths. */
export function volumeOf(market: Market): bigint {
  return toUnits(market.seed.volume) + market.turnover;
}

/** What rests in the book, at what it would cost to take. */
export function liquidityOf(market: Market): bigint {
  const bids = market.book.levels('bid').map(({ price, size }) => product(price, size));
  const asks = market.book.levels('ask').map(({ price, size }) => product(ONE - price, size));
  return [...bids, ...asks].reduce((sum, one) => sum + one, 0n);
}

/** `negRiskMarketID` of an event; all its markets share it. */
function negRiskId(event: EventSeed): string {
  return toHex(keccakText(`neg-risk event ${event.slug}`));
}

function stateFields(market: Market): Json {
  return {
    active: market.active,
    closed: market.closed,
    ...(market.version === 'v1' ? { marketMakerAddress: '', questionID: market.questionId } : {}),
    createdAt: market.listedAt.toISOString(),
    updatedAt: market.start.toISOString(),
    new: false,
    featured: false,
    archived: false,
    restricted: true,
  };
}

function volumeFields(market: Market): Json {
  const volume = toNumber(volumeOf(market));
  const liquidity = toNumber(liquidityOf(market));
  const day = dayVolumeOf(market);
  return {
    volumeNum: volume,
    liquidityNum: liquidity,
    volume24hr: toNumber(day),
    volume1wk: toNumber(day * 5n),
    volume1mo: toNumber(day * 17n),
    volume1yr: volume,
    volume24hrClob: toNumber(day),
    volumeClob: volume,
    liquidityClob: liquidity,
  };
}

function quoteFields(market: Market): Json {
  const bid = market.book.best('bid')?.price;
  const ask = market.book.best('ask')?.price;
  return {
    ...(bid === undefined || ask === undefined ? {} : { spread: toNumber(ask - bid) }),
    oneDayPriceChange: 0.005,
    ...(market.active ? { lastTradePrice: toNumber(market.last) } : {}),
    ...(bid === undefined ? {} : { bestBid: toNumber(bid) }),
    ...(ask === undefined ? {} : { bestAsk: toNumber(ask) }),
  };
}

function negRiskFields(market: Market): Json {
  if (!market.negRisk) return { negRisk: false, negRiskOther: false };
  return {
    negRisk: true,
    negRiskMarketID: negRiskId(market.event),
    negRiskRequestID: market.questionId,
    negRiskOther: market.seed.other === true,
  };
}

/** V1: JSON text, and sometimes an array that nothing trades by. Else the array alone, which may still be missing. */
function idFields({ version, seed, tokenIds }: Market): Json {
  if (version !== 'v1') {
    const unassigned = seed.unassigned === 'empty' ? [] : null;
    return { clobTokenIds: null, positionIds: seed.unassigned === undefined ? tokenIds : unassigned };
  }
  const besides = seed.besides === undefined ? {} : { positionIds: positionIds(wideConditionId(seed.besides)) };
  return { clobTokenIds: JSON.stringify(tokenIds), ...besides };
}

/** Null where an event holds markets of several versions. */
function eventVersion(markets: readonly Market[]): string | null {
  const [first, ...others] = new Set(markets.map((market) => market.version));
  return others.length === 0 ? (first ?? null) : null;
}

function resolutionFields(market: Market): Json {
  if (market.version !== 'v1') return v2ResolutionFields(market);
  if (market.seed.state === 'proposed')
    return { umaResolutionStatuses: '["proposed"]', umaResolutionStatus: 'proposed' };
  if (!market.closed) return { umaResolutionStatuses: '[]' };
  return {
    umaResolutionStatuses: '["proposed","resolved"]',
    umaResolutionStatus: 'resolved',
    closedTime: closedTime(market),
    automaticallyResolved: true,
  };
}

/** `active` is the ordinary state of an open market. */
function v2ResolutionFields(market: Market): Json {
  if (market.closed) return { resolutionStatus: 'resolved', closedTime: closedTime(market) };
  return { resolutionStatus: market.assigned ? 'active' : 'inactive' };
}

function closedTime(market: Market): string {
  return isoSeconds(market.endsAt).replace('T', ' ').replace('Z', '+00');
}

function feeFields(market: Market): Json {
  const { fee } = market.seed;
  if (fee === undefined) return { makerBaseFee: 0, takerBaseFee: 0, feesEnabled: false };
  const feeSchedule = { exponent: fee.exponent, rate: Number(fee.rate), takerOnly: true, rebateRate: 0.25 };
  return { makerBaseFee: 1000, takerBaseFee: 1000, feesEnabled: true, feeSchedule };
}

function eventNegRisk(seed: EventSeed): Json {
  const negRisk = seed.negRisk !== 'no';
  return {
    negRisk,
    ...(negRisk ? { negRiskMarketID: negRiskId(seed), negRiskFeeBips: 0 } : {}),
    enableNegRisk: negRisk,
    negRiskAugmented: seed.negRisk === 'augmented',
  };
}

function seriesView(series: NonNullable<EventSeed['series']>, market: Market): Json {
  const { recurrence, ...names } = series;
  return {
    ...names,
    ticker: series.slug,
    seriesType: 'single',
    recurrence,
    active: true,
    closed: false,
    archived: false,
    createdAt: market.listedAt.toISOString(),
    updatedAt: market.start.toISOString(),
  };
}

function outcomePrices(market: Market): string {
  if (!market.assigned) return JSON.stringify(['0', '0']);
  return JSON.stringify([toDecimal(market.worth(0)), toDecimal(market.worth(1))]);
}

function dayVolumeOf(market: Market): bigint {
  return toUnits(market.seed.volume24h) + market.turnover;
}

function total(markets: readonly Market[], of: (market: Market) => bigint): bigint {
  return markets.reduce((sum, market) => sum + of(market), 0n);
}
