import { z } from 'zod';
import { boundedEvents, boundedList } from '../../wire-list.js';
import {
  id,
  maybeIds,
  maybeList,
  orNull,
  maybeDecimal,
  maybeFlag,
  maybeText,
  maybeTextList,
  maybeTime,
} from '../connection/wire.js';

/* What is used of answers about markets and events, most of them Gamma's (polymarket.md 4). */

export const wireTag = z.object({ id, label: maybeText, slug: maybeText });

const tags = maybeList(wireTag);

const series = maybeList(z.object({ id }));

/** What a market says of its event, and an event of itself. */
const eventHead = z.object({ id, slug: maybeText, series, tags });

const feeSchedule = z.object({ rate: maybeDecimal, exponent: maybeDecimal, takerOnly: maybeFlag });

/** `v1` or `v2`; null where it is left out. What is no text is a version that nobody knows (polymarket.md 10.2). */
const version = orNull(
  z.union([z.literal('').transform(() => null), z.string(), z.unknown().transform(() => 'unknown')]),
);

/** The versions of markets that are understood; empty text is none. */
const KNOWN_VERSIONS: ReadonlySet<unknown> = new Set(['', 'v1', 'v2']);

const NAMES: ReadonlySet<string> = new Set(['conditionId', 'slug']);
/** Read in every form: what cannot be read is none. */
const IDS: ReadonlySet<string> = new Set(['clobTokenIds', 'positionIds']);

/** Lists have the order of the outcomes. The version alone says whether tokens or positions are the ids of these. */
const understoodMarket = z.object({
  id,
  conditionId: maybeText,
  question: z.string(),
  slug: maybeText,
  description: maybeText,
  groupItemTitle: maybeText,
  outcomes: maybeTextList,
  outcomePrices: maybeTextList,
  version,
  clobTokenIds: maybeIds,
  positionIds: maybeIds,
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
  resolutionStatus: maybeText,
  feesEnabled: maybeFlag,
  feeSchedule: orNull(feeSchedule),
  events: maybeList(eventHead),
  tags,
});

/**
 * A market. Of one whose version nobody knows only that and its names are read, whatever form the rest may have: it is left out of lists, and
 * must not spoil them (polymarket.md 15).
 */
export const wireMarket = z.preprocess(withoutUnknown, understoodMarket);

function withoutUnknown(market: unknown): unknown {
  if (typeof market !== 'object' || market === null || !('version' in market) || !('id' in market)) return market;
  const { version: stated } = market;
  if (stated === null || stated === undefined || KNOWN_VERSIONS.has(stated)) return market;
  const names = Object.entries(market).filter(([name, value]) => NAMES.has(name) && typeof value === 'string');
  const ids = Object.entries(market).filter(([name]) => IDS.has(name));
  return { ...Object.fromEntries([...names, ...ids]), id: market.id, question: '', version: stated };
}

export const wireEvent = z.object({
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
  markets: maybeList(wireMarket),
});

/** One page; the last one has no `next_cursor`. */
export const wireMarketPage = z
  .object({ markets: boundedList(wireMarket), next_cursor: maybeText })
  .transform(({ markets, next_cursor: next }) => ({ items: markets, next }));
export const wireEventPage = z
  .object({ events: boundedEvents(wireEvent), next_cursor: maybeText })
  .transform(({ events, next_cursor: next }) => ({ items: events, next }));

/** Events of a page as they came. */
export const wireRawEventPage = z
  .object({ events: boundedList(z.unknown()), next_cursor: maybeText })
  .transform(({ events, next_cursor: next }) => ({ items: events, next }));

let compiled: z.ZodType<WireEvent> | undefined;

/** `wireEvent`, compiled when it is first used. */
export function compiledEvent(): z.ZodType<WireEvent> {
  return (compiled ??= z.compile(wireEvent));
}

/** The id of an event that may not fit otherwise; null where it has none. */
export function eventIdOf(raw: unknown): string | null {
  return z.object({ id }).safeParse(raw).data?.id ?? null;
}

export const wireSearchPage = z.object({
  events: boundedEvents(wireEvent)
    .nullable()
    .transform((events) => events ?? []),
  pagination: z
    .object({ hasMore: maybeFlag })
    .nullish()
    .transform((pagination) => pagination?.hasMore === true),
});

/** What the CLOB says of a market (polymarket.md 5). */
export const wireMarketByToken = z.object({ condition_id: z.string().min(1) });
export const wireNegRisk = z.object({ neg_risk: z.boolean() });
export const wireClobMarket = z.object({
  c: maybeText,
  t: boundedList(z.object({ t: z.string(), o: z.string() })),
  nr: z.boolean().nullish(),
  v: version,
});

/** What the CLOB says of the fees of a market; without `fd` there are none. */
export const wireClobFees = z.object({
  fd: orNull(z.object({ r: maybeDecimal, e: maybeDecimal, to: maybeFlag })),
});
export type WireClobFees = z.output<typeof wireClobFees>;

/** A token and its label. */
const clobToken = z.object({ t: z.string(), o: maybeText });

/** What the CLOB says of the orders of a market: tick, smallest size, tokens (none where it names none) and neg-risk flag. */
export const wireMarketRules = z.object({
  c: maybeText,
  mts: maybeDecimal,
  mos: maybeDecimal,
  t: maybeList(orNull(clobToken)).transform((tokens) => tokens.flatMap((token) => (token?.t ? [token] : []))),
  nr: maybeFlag,
});

export type WireMarket = z.output<typeof wireMarket>;
export type WireMarketRules = z.output<typeof wireMarketRules>;
export type WireEvent = z.output<typeof wireEvent>;
export type WireEventHead = z.output<typeof eventHead>;
