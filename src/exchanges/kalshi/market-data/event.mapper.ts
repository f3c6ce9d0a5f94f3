import type { EventDto } from '../../unified.market-data.dto.js';
import type { MarketStatus } from '../../unified.words.js';
import { KALSHI } from '../kalshi.ids.js';
import { type MarketContext, plain, toMarket } from './market.mapper.js';
import { type WireEvent, type WireMarket, wireNestedEvent } from './market.wire.js';

/** How open a status is, most open first. */
const OPENNESS: readonly MarketStatus[] = ['open', 'paused', 'unopened', 'closed', 'settled'];

/** An event in the unified shape (unified-schema.md 3); `listedAs` stands in for the status where its markets are not there. */
export function toEvent(event: WireEvent, markets: readonly WireMarket[] | null, listedAs: MarketStatus): EventDto {
  const context = contextOf(event);
  const nested = markets?.map((market) => toMarket(market, context)) ?? null;
  const statuses = new Set(nested?.map(({ status }) => status));
  return {
    exchange: KALSHI,
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

/** Returns an event that came with its markets; null where it does not fit or has none: an open event has some. */
export function readEvent(raw: unknown): EventDto | null {
  const { data } = wireNestedEvent().safeParse(raw);
  return data?.markets === undefined || data.markets.length === 0 ? null : toEvent(data, data.markets, 'open');
}

/** What the markets of an event have from it. */
export function contextOf(event: WireEvent): MarketContext {
  return {
    seriesId: event.series_ticker,
    category: event.category,
    tags: [],
    mutuallyExclusive: event.mutually_exclusive ?? null,
    feeType: event.fee_type_override,
  };
}
