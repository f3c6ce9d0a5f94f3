import { z } from 'zod';
import { type DriftSheet, type KnownFields, names } from '../drift-sheet.js';
import { boundedList } from '../wire-list.js';
import { maybeIds } from './connection/wire.js';
import { wirePriceHistory, wirePricePage } from './market-data/candlestick.wire.js';
import {
  wireClobMarket,
  wireEvent,
  wireEventPage,
  wireMarket,
  wireMarketByToken,
  wireMarketPage,
  wireNegRisk,
  wireSearchPage,
  wireTag,
} from './market-data/market.wire.js';
import { wireOrderBook, wireTrades } from './market-data/order-book.wire.js';
import { ADDRESS } from './polymarket.ids.js';
import type { POLYMARKET_SETTINGS } from './polymarket.settings.js';
import { CONDITION_ID, wideId } from './position-ids.js';
import { wireAccountValue, wirePositions } from './trading/account.wire.js';

/*
 * What is known of Polymarket's public answers beside what we read: polymarket.md 4 to 6 and 10, the OpenAPI
 * documents and the samples. Gamma leaves out what has no value.
 */

const TAG: KnownFields = {
  sometimes: ['label', 'slug'],
  unused: names(
    'forceShow publishedAt createdBy updatedBy createdAt updatedAt forceHide isCarousel requiresTranslation',
  ),
};

const SERIES: KnownFields = {
  unused: names(`
    ticker slug title subtitle seriesType recurrence description image icon layout active closed archived new featured
    restricted isTemplate templateVariables publishedAt createdBy updatedBy createdAt updatedAt commentsEnabled competitive
    volume24hr volume liquidity startDate pythTokenID cgAssetName score events collections categories tags commentCount chats`),
};

/** What nobody of ours reads of an event, wherever it is. */
const EVENT_UNUSED = names(`
  ticker creationDate image icon archived new featured restricted sortBy category subcategory isTemplate templateVariables
  published_at createdBy updatedBy createdAt commentsEnabled competitive volume1wk volume1mo volume1yr featuredImage disqusThread
  parentEvent enableOrderBook liquidityAmm liquidityClob negRiskMarketID negRiskFeeBips commentCount imageOptimized
  iconOptimized featuredImageOptimized subEvents categories collections cyom closedTime showAllOutcomes showMarketImages
  automaticallyResolved enableNegRisk negRiskAugmented automaticallyActive eventDate startTime eventWeek seriesSlug score elapsed
  period live ended finishedTimestamp gmpChartMode eventCreators tweetCount chats featuredOrder estimateValue cantEstimate
  estimatedValue templates spreadsMainLine totalsMainLine carouselMap pendingDeployment deploying deployingTimestamp
  scheduledDeploymentTimestamp gameStatus version`);

const VERSIONS = ['v1', 'v2'];

/** An event inside a market. */
const EVENT_HEAD: KnownFields = {
  sometimes: ['slug', 'series', 'tags'],
  unused: EVENT_UNUSED.concat(
    names(`
      title subtitle description resolutionSource startDate endDate updatedAt active closed liquidity volume openInterest
      volume24hr negRisk markets`),
  ),
  values: { version: VERSIONS },
  within: { series: SERIES, tags: TAG },
};

const MARKET: KnownFields = {
  needed: ['conditionId', 'outcomes', 'clobTokenIds|positionIds'],
  sometimes: names(`
    slug description groupItemTitle outcomePrices startDate endDate closedTime createdAt updatedAt bestBid bestAsk lastTradePrice
    volume volumeNum volume24hr liquidity liquidityNum orderPriceMinTickSize orderMinSize negRisk negRiskMarketID negRiskOther
    umaResolutionStatus resolutionStatus version feesEnabled feeSchedule events tags`),
  unused: names(`
    twitterCardImage resolutionSource category ammType sponsorName sponsorImage xAxisValue yAxisValue denominationToken fee image
    icon lowerBound upperBound marketType formatType lowerBoundDate upperBoundDate marketMakerAddress createdBy updatedBy
    wideFormat new mailchimpTag featured archived resolvedBy restricted marketGroup groupItemThreshold questionID umaEndDate
    curationOrder endDateIso startDateIso umaEndDateIso hasReviewedDates readyForCron commentsEnabled volume1wk volume1mo
    volume1yr gameStartTime secondsDelay disqusThread shortOutcomes teamAID teamBID umaBond umaReward fpmmLive volume24hrAmm
    volume1wkAmm volume1moAmm volume1yrAmm volume24hrClob volume1wkClob volume1moClob volume1yrClob volumeAmm volumeClob
    liquidityAmm liquidityClob makerBaseFee takerBaseFee customLiveness notificationsEnabled score imageOptimized iconOptimized
    categories creator ready funded pastSlugs readyTimestamp fundedTimestamp acceptingOrdersTimestamp competitive
    rewardsMinSize rewardsMaxSpread spread automaticallyResolved oneDayPriceChange oneHourPriceChange oneWeekPriceChange
    oneMonthPriceChange oneYearPriceChange automaticallyActive clearBookOnStart chartColor seriesColor showGmpSeries
    showGmpOutcome manualActivation gameId groupItemRange sportsMarketType line umaResolutionStatuses pendingDeployment
    deploying deployingTimestamp scheduledDeploymentTimestamp rfqEnabled eventStartTime negRiskRequestID`),
  values: {
    version: VERSIONS,
    umaResolutionStatus: names('proposed challenged reproposed disputed settled resolved').concat(''),
    resolutionStatus: names('inactive active proposed disputed resolved').concat(''),
  },
  within: { feeSchedule: { unused: ['rebateRate'] }, events: EVENT_HEAD, tags: TAG },
};

const EVENT: KnownFields = {
  sometimes: names(`
    slug series tags subtitle description resolutionSource startDate endDate updatedAt negRisk volume volume24hr openInterest
    liquidity`),
  unused: EVENT_UNUSED,
  values: { version: VERSIONS },
  within: { series: SERIES, tags: TAG, markets: MARKET },
};

const BOOK: KnownFields = {
  sometimes: ['hash', 'min_order_size', 'tick_size', 'last_trade_price'],
  unused: ['neg_risk', 'version'],
  values: { version: VERSIONS },
};

const CLOB_MARKET: KnownFields = {
  sometimes: ['nr', 'v'],
  unused: names('gst r mos mts mbf tbf rfqe itode ibce fd oas ao cbos aot'),
  values: { v: VERSIONS },
};

const PAGE: KnownFields = { unused: ['limit', 'offset'] };

const TRADE: KnownFields = {
  unused: names(`
    condition_id title slug icon event_slug outcome outcome_index name pseudonym bio profile_image profile_image_optimized`),
};

const POSITION: KnownFields = {
  needed: ['status', 'redeemable'],
  sometimes: names('event_id entry_fees_usdc outcome_index last_event_at'),
  unused: names(`
    proxy_wallet total_cost_usdc total_size total_pnl percent_pnl percent_realized_pnl mergeable negative_risk archived icon
    event_slug opposite_outcome opposite_token_id end_date name profile_image verified`),
  values: { status: ['OPEN', 'REDEEMABLE', 'CLOSED'] },
};

const clob = 'POLYMARKET_CLOB_URL';
const gamma = 'POLYMARKET_GAMMA_URL';
const data = 'POLYMARKET_DATA_URL';

const WITH_TAGS = { include_tag: 'true' };
const BUSIEST = { closed: 'false', order: 'volume24hr', ascending: 'false' };

/** Polymarket's public routes, for `npm run drift`: those that the adapter reads (polymarket.md 4 to 6). */
export const POLYMARKET_DRIFT: DriftSheet<keyof typeof POLYMARKET_SETTINGS> = {
  routes: [
    {
      base: gamma,
      path: '/markets/keyset',
      query: { ...WITH_TAGS, ...BUSIEST, limit: '100' },
      schema: wireMarketPage,
      known: { sometimes: ['next_cursor'], within: { markets: MARKET } },
      finds: {
        market: 'markets[].id',
        market_slug: 'markets[].slug',
        condition: tradedCondition,
        v1_token: v1Token,
        event: 'markets[].events[].id',
        event_slug: 'markets[].events[].slug',
        tag_slug: 'markets[].tags[].slug',
      },
      counts: { list: 'markets', by: 'version' },
    },
    { base: gamma, path: '/markets/{market}', query: WITH_TAGS, schema: wireMarket, known: MARKET },
    { base: gamma, path: '/markets/slug/{market_slug}', query: WITH_TAGS, schema: wireMarket, known: MARKET },
    {
      base: gamma,
      path: '/events/keyset',
      query: { ...BUSIEST, limit: '5' },
      schema: wireEventPage,
      known: { sometimes: ['next_cursor'], within: { events: EVENT } },
      finds: { event: 'events[].id', event_slug: 'events[].slug', tag_slug: 'events[].tags[].slug' },
    },
    { base: gamma, path: '/events/{event}', schema: wireEvent, known: EVENT },
    { base: gamma, path: '/events/slug/{event_slug}', schema: wireEvent, known: EVENT },
    { base: gamma, path: '/tags/slug/{tag_slug}', schema: wireTag, known: TAG },
    {
      base: gamma,
      path: '/public-search',
      query: {
        q: 'bitcoin',
        limit_per_type: '5',
        search_profiles: 'false',
        search_tags: 'false',
        events_status: 'active',
      },
      schema: wireSearchPage,
      known: {
        unused: ['tags', 'profiles'],
        within: { events: EVENT, pagination: { unused: ['totalResults'] } },
      },
    },
    { base: clob, path: '/time', schema: z.unknown() },
    {
      base: clob,
      path: '/clob-markets/{condition}',
      schema: wireClobMarket,
      known: CLOB_MARKET,
      finds: { token: 't[].t' },
    },
    { base: clob, path: '/book', query: { token_id: '{token}' }, schema: wireOrderBook, known: BOOK },
    {
      base: clob,
      path: '/markets-by-token/{token}',
      schema: wireMarketByToken,
      known: { unused: ['primary_token_id', 'secondary_token_id'] },
    },
    { base: clob, path: '/neg-risk', query: { token_id: '{token}' }, schema: wireNegRisk },
    {
      base: clob,
      path: '/prices-history',
      query: { market: '{v1_token}', startTs: '{day_ago}', endTs: '{now}', fidelity: '60' },
      schema: wirePriceHistory,
    },
    {
      base: data,
      path: '/v2/trades',
      query: { condition: '{condition}', taker_only: 'true', limit: '50' },
      schema: wireTrades,
      known: { within: { data: TRADE, pagination: PAGE } },
      finds: { wallet: traderIn },
    },
    {
      base: data,
      path: '/v2/positions',
      query: { user: '{wallet}', filter_amount: '0.000001', limit: '50' },
      schema: wirePositions,
      known: { within: { data: POSITION, pagination: PAGE } },
    },
    {
      base: data,
      path: '/v2/value',
      query: { user: '{wallet}' },
      schema: wireAccountValue,
      known: { within: { data: { unused: ['proxy_wallet'] } } },
    },
    {
      base: data,
      path: '/v2/prices-history',
      query: { token_id: '{token}', start: '{day_ago}', end: '{now}', bucket_seconds: '3600', limit: '50' },
      schema: wirePricePage,
      known: { within: { data: { unused: ['resolution_seconds'] }, pagination: PAGE } },
    },
  ],
};

const open = z.object({ acceptingOrders: z.literal(true) });
const openMarket = open.extend({ conditionId: z.string().regex(CONDITION_ID) });
const openV1Market = open.extend({ version: z.literal('v1').nullish(), clobTokenIds: maybeIds });

/** The first market of a page that fits. */
function firstMarket<T>(body: unknown, market: z.ZodType<T>): T | undefined {
  const { data } = z.object({ markets: boundedList(z.unknown()) }).safeParse(body);
  return data?.markets.flatMap((one) => market.safeParse(one).data ?? [])[0];
}

/** The wide id of a market that has a book (polymarket.md 2.3). */
function tradedCondition(body: unknown): string | undefined {
  const market = firstMarket(body, openMarket);
  return market && wideId(market.conditionId);
}

/** The CLOB may have no prices of V2 markets (polymarket.md 15). */
function v1Token(body: unknown): string | undefined {
  return firstMarket(body, openV1Market)?.clobTokenIds?.[0];
}

/** Has no positions. */
const NOBODY = `0x${'0'.repeat(40)}`;

/** Who made the first trade of a page; where there are none, nobody. */
function traderIn(body: unknown): string {
  const page = z.object({ data: boundedList(z.object({ proxy_wallet: z.string().regex(ADDRESS) })) });
  return page.safeParse(body).data?.data[0]?.proxy_wallet ?? NOBODY;
}
