import { AppError } from '../../../../platform/errors/app-error.js';
import { pathOf } from '../../../../platform/upstream/path.js';
import type { Aged, EventFilters, Page, Paging } from '../../../exchange.js';
import type { EventDto } from '../../../unified.market-data.dto.js';
import type { PolymarketClient, Answer } from '../../connection/client.js';
import { GAMMA_ID } from '../../polymarket.ids.js';
import { toEvent } from '../event.mapper.js';
import { wireEventPage, type WireEvent, wireEvent } from '../market.wire.js';
import { closedFor, slugOf } from './local-lists.js';

/** By Gamma id or slug, closed ones too. */
export async function findEvent(client: PolymarketClient, eventId: string): Promise<Answer<WireEvent | null>> {
  const path = GAMMA_ID.test(eventId) ? pathOf`/events/${eventId}` : pathOf`/events/slug/${eventId}`;
  return await client.find({ host: 'gamma', path }, wireEvent);
}

/** Throws `not_found`. */
export async function getEvent(client: PolymarketClient, eventId: string): Promise<Aged<EventDto>> {
  const { value, at } = await findEvent(client, eventId);
  if (value === null) throw new AppError('not_found', 'Polymarket has no event with this id.');
  return { value: toEvent(value), at, source: 'received' };
}

/** `GET /polymarket/events` (unified.md 9). */
export async function listEvents(
  client: PolymarketClient,
  filters: EventFilters,
  { limit, cursor }: Paging,
): Promise<Aged<Page<EventDto>>> {
  const { status, search, category, series_id: seriesId } = filters;
  const query: [name: string, value: string][] = [
    ['limit', String(limit)],
    ['closed', String(closedFor(status))],
  ];
  if (search !== undefined) query.push(['title_search', search]);
  if (category !== undefined) {
    const slug = slugOf(category);
    if (slug === '') return { value: { items: [], next: null }, at: new Date(), source: 'received' };
    query.push(['tag_slug', slug]);
  }
  if (seriesId !== undefined) query.push(['series_id', seriesId]);
  if (cursor !== null) query.push(['after_cursor', cursor]);
  const { value, at } = await client.read({ host: 'gamma', path: '/events/keyset', query }, wireEventPage);
  if (cursor !== null && value.next_cursor === cursor) throw client.unusable();
  const events = value.events.map(toEvent);
  const items = status === undefined ? events : events.filter((event) => event.status === status);
  return { value: { items, next: value.next_cursor }, at, source: 'received' };
}
