import { z } from 'zod';
import { boundedEvents, boundedList } from '../../wire-list.js';
import {
  id,
  listOf,
  orNull,
  maybeDecimal,
  maybeFlag,
  maybeText,
  maybeTextList,
  maybeTime,
} from '../connection/wire.js';

/* What is used of Gamma's answers (polymarket.md 4). */

export const tag = z.object({ id, label: maybeText, slug: maybeText });

const tags = listOf(tag);

const series = listOf(z.object({ id }));

/** What a market says of its event, and an event of itself. */
const eventHead = z.object({ id, slug: maybeText, series, tags });

const feeSchedule = z.object({ rate: maybeDecimal, exponent: maybeDecimal, takerOnly: maybeFlag });

/** A list whose order is that of the outcomes; in protocol version 2 the tokens are called positions. */
export const gammaMarket = z.object({
  id,
  conditionId: maybeText,
  question: z.string(),
  slug: maybeText,
  description: maybeText,
  groupItemTitle: maybeText,
  outcomes: maybeTextList,
  outcomePrices: maybeTextList,
  clobTokenIds: maybeTextList,
  positionIds: maybeTextList,
  startDate: maybeTime,
  endDate: maybeTime,
  closedTime: maybeTime,
  createdAt: maybeTime,
  updatedAt: maybeTime,
  bestBid: maybeDecimal,
  bestAsk: maybeDecimal,
  lastTradePrice: maybeDecimal,
  volume: maybeDecimal,
  volumeNum: maybeDecimal,
  volume24hr: maybeDecimal,
  liquidity: maybeDecimal,
  liquidityNum: maybeDecimal,
  orderPriceMinTickSize: maybeDecimal,
  orderMinSize: maybeDecimal,
  active: maybeFlag,
  closed: maybeFlag,
  acceptingOrders: maybeFlag,
  enableOrderBook: maybeFlag,
  negRisk: maybeFlag,
  negRiskMarketID: maybeText,
  negRiskOther: maybeFlag,
  umaResolutionStatus: maybeText,
  feesEnabled: maybeFlag,
  feeSchedule: orNull(feeSchedule),
  events: listOf(eventHead),
  tags,
});

export const gammaEvent = z.object({
  ...eventHead.shape,
  title: z.string(),
  subtitle: maybeText,
  description: maybeText,
  resolutionSource: maybeText,
  startDate: maybeTime,
  endDate: maybeTime,
  updatedAt: maybeTime,
  active: maybeFlag,
  closed: maybeFlag,
  negRisk: maybeFlag,
  volume: maybeDecimal,
  volume24hr: maybeDecimal,
  openInterest: maybeDecimal,
  liquidity: maybeDecimal,
  markets: listOf(gammaMarket),
});

/** One page; the last one has no `next_cursor`. */
export const marketsPage = z.object({ markets: boundedList(gammaMarket), next_cursor: maybeText });
export const eventsPage = z.object({ events: boundedEvents(gammaEvent), next_cursor: maybeText });

export const searchPage = z.object({
  events: boundedEvents(gammaEvent)
    .nullable()
    .transform((events) => events ?? []),
  pagination: z
    .object({ hasMore: maybeFlag })
    .nullish()
    .transform((pagination) => pagination?.hasMore === true),
});

export type GammaMarket = z.output<typeof gammaMarket>;
export type GammaEvent = z.output<typeof gammaEvent>;
export type GammaEventHead = z.output<typeof eventHead>;
