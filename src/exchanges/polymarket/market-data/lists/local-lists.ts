import type { AppError } from '../../../../platform/errors/app-error.js';
import { received } from '../../../checked-answer.js';
import { compare } from '../../../decimal.js';
import type { Aged, MarketFilters } from '../../../market-data.contract.js';
import type { Page, Paging } from '../../../paging.contract.js';
import type { MarketDto } from '../../../unified.market-data.dto.js';
import type { MarketSort, MarketStatus } from '../../../unified.words.js';
import { notSupported } from '../../../upstream-errors.js';
import { parseOffset } from '../../connection/pages.js';

/* What is filtered, sorted and cut here because the exchange cannot (unified-schema.md 9). */

/** `closed` of Gamma for a status; the exchange has no market that waits to open, and cannot list paused ones. */
export function closedFor(status: MarketStatus | undefined): boolean {
  if (status === 'unopened' || status === 'paused') throw cannotListBy(`status ${status}`);
  return status === 'closed' || status === 'settled';
}

export function cannotListBy(what: string): AppError {
  return notSupported(`Polymarket cannot list by ${what}. Leave it out.`);
}

/** What a list answers that cannot hold anything, without a call. */
export function emptyPage(): Aged<Page<never>> {
  return received({ value: { items: [], next: null }, at: new Date() });
}

/** A tag's slug from a slug or from a label as `category` shows it: `Climate & Weather` is `climate-weather`. */
export function slugOf(category: string): string {
  return category
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}

/** Whether a market belongs into a list; open ones must also be tradable. */
export function matches(market: MarketDto, filters: Pick<MarketFilters, 'status' | 'category' | 'event_id'>): boolean {
  const { status, category, event_id: eventId } = filters;
  if (status !== undefined && market.status !== status) return false;
  if (status === 'open' && !market.tradable) return false;
  if (eventId !== undefined && market.event_id !== eventId) return false;
  return category === undefined || isInCategory(market, slugOf(category));
}

function isInCategory({ category, tags }: MarketDto, slug: string): boolean {
  return tags.includes(slug) || (category !== null && slugOf(category) === slug);
}

const SORT_FIELDS = {
  volume_24h: 'volume_24h',
  volume: 'volume',
  liquidity: 'liquidity',
  close_time: 'close_time',
} as const satisfies Record<MarketSort, keyof MarketDto>;

/** Sorted as asked; what has no value comes last. */
export function sorted(markets: readonly MarketDto[], sort: MarketFilters['sort']): readonly MarketDto[] {
  if (sort === undefined) return markets;
  const field = SORT_FIELDS[sort.by];
  const order = field === 'close_time' ? (a: string, b: string) => Date.parse(a) - Date.parse(b) : compare;
  return markets.toSorted((one, other) => {
    const [a, b] = [one[field], other[field]];
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    return sort.descending ? order(b, a) : order(a, b);
  });
}

/** One page of a list that is wholly here; its cursor is an offset. */
export function pageOf<T>(items: readonly T[], { limit, cursor }: Paging): Page<T> {
  const offset = cursor === null ? 0 : parseOffset(cursor);
  const end = offset + limit;
  return { items: items.slice(offset, end), next: end < items.length ? String(end) : null };
}
