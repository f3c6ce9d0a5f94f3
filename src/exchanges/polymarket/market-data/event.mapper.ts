import type { EventDto, MarketDto, ResolutionSourceDto } from '../../unified.market-data.dto.js';
import type { MarketStatus } from '../../unified.words.js';
import { POLYMARKET } from '../polymarket.ids.js';
import { isListed, slugsOf, toMarket } from './market.mapper.js';
import { compiledEvent, type WireEvent } from './market.wire.js';

const SITE = 'https://polymarket.com';

/** The markets of an event without placeholders, in the event's own order (polymarket.md 4). */
export function marketsOf(event: WireEvent): MarketDto[] {
  return event.markets.filter(isListed).flatMap((market) => toMarket(market, event) ?? []);
}

function statusOf(event: WireEvent, markets: readonly MarketDto[]): MarketStatus {
  if (event.closed !== true) return event.active === false ? 'paused' : 'open';
  const settled = markets.length > 0 && markets.every(({ status }) => status === 'settled');
  return settled ? 'settled' : 'closed';
}

/** Mostly an address, at times a name. */
function sourceOf(source: string): ResolutionSourceDto {
  return /^https?:\/\//i.test(source) ? { name: null, url: source } : { name: source, url: null };
}

/** Returns an event that came with its markets; null where it does not fit or has none: an open event has some. */
export function readEvent(raw: unknown): EventDto | null {
  const { data } = compiledEvent().safeParse(raw);
  return data === undefined || data.markets.length === 0 ? null : toEvent(data);
}

/** A Gamma event (unified-schema.md 3). */
export function toEvent(event: WireEvent): EventDto {
  const markets = marketsOf(event);
  return {
    exchange: POLYMARKET,
    id: event.id,
    series_id: event.series[0]?.id ?? null,
    title: event.title,
    subtitle: event.subtitle,
    description: event.description,
    category: event.tags[0]?.label ?? null,
    tags: slugsOf(event.tags),
    status: statusOf(event, markets),
    mutually_exclusive: event.negRisk,
    start_time: event.startDate,
    end_time: event.endDate,
    updated_at: event.updatedAt,
    volume: event.volume,
    volume_24h: event.volume24hr,
    open_interest: event.openInterest,
    liquidity: event.liquidity,
    volume_unit: 'currency',
    resolution_sources: event.resolutionSource === null ? [] : [sourceOf(event.resolutionSource)],
    markets,
    url: event.slug === null ? null : `${SITE}/event/${encodeURIComponent(event.slug)}`,
    refs: event.slug === null ? {} : { slug: event.slug },
  };
}
