import { pathOf } from '../../../../platform/upstream/path.js';
import { received } from '../../../checked-answer.js';
import type { Aged, MarketFilters } from '../../../market-data.contract.js';
import type { Page, Paging } from '../../../paging.contract.js';
import type { MarketDto } from '../../../unified.market-data.dto.js';
import type { MarketSort } from '../../../unified.words.js';
import type { PolymarketClient, Query } from '../../connection/client.js';
import { parseOffset } from '../../connection/pages.js';
import { GAMMA_ID } from '../../polymarket.ids.js';
import type { MarketFinder } from '../directory/market-finder.js';
import { marketsOf } from '../event.mapper.js';
import { isListed, toMarket } from '../market.mapper.js';
import { wireMarketPage, wireSearchPage, wireTag } from '../market.wire.js';
import type { VersionCounts } from '../version-counts.js';
import type { EventLists } from './event-lists.js';
import { cannotListBy, closedFor, emptyPage, matches, pageOf, slugOf, sorted } from './local-lists.js';

type MarketPage = Aged<Page<MarketDto>>;

const SORT_NAMES: Readonly<Record<MarketSort, string>> = {
  volume_24h: 'volume24hr',
  volume: 'volumeNum',
  liquidity: 'liquidityNum',
  close_time: 'endDate',
};

/** Search pages are numbered, so all pages of one search must be of one size, whatever `limit` is. */
const EVENTS_PER_SEARCH_PAGE = 20;

/** `GET /polymarket/markets` from the four places that list markets (unified-schema.md 9). */
export class MarketLists {
  constructor(
    private readonly client: PolymarketClient,
    private readonly finder: MarketFinder,
    private readonly events: EventLists,
    private readonly versions: VersionCounts,
  ) {}

  async list(filters: MarketFilters, paging: Paging): Promise<MarketPage> {
    const closed = closedFor(filters.status);
    if (filters.series_id !== undefined) throw cannotListBy('series_id; list the events of the series');
    if (filters.search !== undefined) return this.#search(filters, filters.search, paging);
    if (filters.ids !== undefined) return this.#listIds(filters, filters.ids, paging);
    if (filters.event_id !== undefined) return this.#listEvent(filters, filters.event_id, paging);
    return this.#listAll(filters, closed, paging);
  }

  async #listAll(filters: MarketFilters, closed: boolean, { limit, cursor }: Paging): Promise<MarketPage> {
    const tagId = await this.#findTag(filters.category);
    if (tagId === null) return emptyPage();
    const query: Query = [
      ['limit', limit],
      ['closed', closed],
      ['include_tag', true],
      ['tag_id', tagId],
      ['order', filters.sort && SORT_NAMES[filters.sort.by]],
      ['ascending', filters.sort && !filters.sort.descending],
      ['after_cursor', cursor],
    ];
    const { value, at } = await this.client.read({ host: 'gamma', path: '/markets/keyset', query }, wireMarketPage);
    if (cursor !== null && value.next === cursor) throw this.client.unusable();
    this.versions.add(value.items);
    const markets = value.items.filter(isListed).flatMap((market) => toMarket(market) ?? []);
    const items = markets.filter((market) => matches(market, { status: filters.status }));
    return received({ value: { items, next: value.next }, at });
  }

  /** Returns the tag id of a category: undefined without one, null where the exchange has no such tag. */
  async #findTag(category: string | undefined): Promise<string | null | undefined> {
    if (category === undefined) return undefined;
    const slug = slugOf(category);
    if (slug === '') return null;
    const { value } = await this.client.find({ host: 'gamma', path: pathOf`/tags/slug/${slug}` }, wireTag);
    return value === null ? null : value.id;
  }

  async #search(filters: MarketFilters, text: string, { limit, cursor }: Paging): Promise<MarketPage> {
    const { sort, ids, event_id: eventId, status } = filters;
    if (sort !== undefined) throw cannotListBy('search and sort together');
    if (ids !== undefined || eventId !== undefined) throw cannotListBy('search together with ids or event_id');
    const [page, skip] = cursor === null ? [1, 0] : searchPageOf(cursor);
    const query: Query = [
      ['q', text],
      ['page', page],
      ['limit_per_type', EVENTS_PER_SEARCH_PAGE],
      ['search_profiles', false],
      ['search_tags', false],
      status === 'open' ? ['events_status', 'active'] : ['keep_closed_markets', '1'],
    ];
    const { value, at } = await this.client.read({ host: 'gamma', path: '/public-search', query }, wireSearchPage);
    this.versions.add(value.events.flatMap(({ markets }) => markets));
    const found = value.events.flatMap(marketsOf).filter((market) => matches(market, filters));
    const end = skip + limit;
    const following = value.pagination && value.events.length > 0 ? `${page + 1}:0` : null;
    const next = end < found.length ? `${page}:${end}` : following;
    return received({ value: { items: found.slice(skip, end), next }, at });
  }

  async #listIds(filters: MarketFilters, ids: readonly string[], paging: Paging): Promise<MarketPage> {
    const { event_id: eventId } = filters;
    if (eventId !== undefined && !GAMMA_ID.test(eventId)) throw cannotListBy("ids together with an event's slug");
    const { value, at } = await this.finder.findMany(ids);
    this.versions.add(value);
    const markets = value.flatMap((market) => toMarket(market) ?? []);
    return this.#local(markets, filters, paging, at);
  }

  async #listEvent(filters: MarketFilters, eventId: string, paging: Paging): Promise<MarketPage> {
    const { value, at } = await this.events.find(eventId);
    this.versions.add(value?.markets ?? []);
    const markets = value === null ? [] : marketsOf(value);
    return this.#local(markets, { ...filters, event_id: undefined }, paging, at);
  }

  #local(markets: readonly MarketDto[], filters: MarketFilters, paging: Paging, at: Date): MarketPage {
    const wanted = sorted(
      markets.filter((market) => matches(market, filters)),
      filters.sort,
    );
    return received({ value: pageOf(wanted, paging), at });
  }
}

/** What a cursor of a search says: the number of the exchange's page and how many of its markets earlier pages held. */
function searchPageOf(cursor: string): [page: number, skip: number] {
  const [page = '', skip = ''] = cursor.split(':');
  return [parseOffset(page), parseOffset(skip)];
}
