import { AppError } from '../../../../platform/errors/app-error.js';
import { pathOf } from '../../../../platform/upstream/path.js';
import { type Answer, received } from '../../../checked-answer.js';
import type { Aged, EventFilters, ListedEvent } from '../../../market-data.contract.js';
import type { Page, Paging } from '../../../paging.contract.js';
import { backgroundBytes } from '../../../wire-list.js';
import type { EventDto } from '../../../unified.market-data.dto.js';
import type { PolymarketClient, Query } from '../../connection/client.js';
import { GAMMA_ID } from '../../polymarket.ids.js';
import { readEvent, toEvent } from '../event.mapper.js';
import { eventIdOf, wireEventPage, type WireEvent, wireEvent, wireRawEventPage } from '../market.wire.js';
import type { VersionCounts } from '../version-counts.js';
import { closedFor, emptyPage, slugOf } from './local-lists.js';

/** Reads events in Gamma (polymarket.md 4). */
export class EventLists {
  constructor(
    private readonly client: PolymarketClient,
    private readonly versions: VersionCounts,
  ) {}

  /** By Gamma id or slug, closed ones too; null where there is none. */
  async find(eventId: string): Promise<Answer<WireEvent | null>> {
    const path = GAMMA_ID.test(eventId) ? pathOf`/events/${eventId}` : pathOf`/events/slug/${eventId}`;
    return this.client.find({ host: 'gamma', path }, wireEvent);
  }

  /** As `find`, but throws `not_found`. */
  async get(eventId: string): Promise<Aged<EventDto>> {
    const { value, at } = await this.find(eventId);
    if (value === null) throw new AppError('not_found', 'Polymarket has no event with this id.');
    return received({ value: toEvent(value), at });
  }

  /** As `MarketData.listOpenEvents`. */
  async listOpen({ limit, cursor }: Paging): Promise<Page<ListedEvent>> {
    const query: Query = [
      ['limit', limit],
      ['closed', false],
      ['after_cursor', cursor],
    ];
    const once = { maxBodyBytes: backgroundBytes(limit) };
    const read = { host: 'gamma', path: '/events/keyset', query, uncached: true, once } as const;
    const { value } = await this.client.read(read, wireRawEventPage);
    const items = value.items.map((raw) => ({ id: eventIdOf(raw), read: () => readEvent(raw) }));
    return { items, next: value.next };
  }

  /** `GET /polymarket/events` (unified-schema.md 9). */
  async list(filters: EventFilters, { limit, cursor }: Paging): Promise<Aged<Page<EventDto>>> {
    const { status, search, category, series_id: seriesId } = filters;
    const slug = category === undefined ? undefined : slugOf(category);
    const query: Query = [
      ['limit', limit],
      ['closed', closedFor(status)],
      ['title_search', search],
      ['tag_slug', slug],
      ['series_id', seriesId],
      ['after_cursor', cursor],
    ];
    if (slug === '') return emptyPage();
    const { value, at } = await this.client.read({ host: 'gamma', path: '/events/keyset', query }, wireEventPage);
    if (cursor !== null && value.next === cursor) throw this.client.unusable();
    this.versions.add(value.items.flatMap(({ markets }) => markets));
    const events = value.items.map(toEvent);
    const items = status === undefined ? events : events.filter((event) => event.status === status);
    return received({ value: { items, next: value.next }, at });
  }
}
