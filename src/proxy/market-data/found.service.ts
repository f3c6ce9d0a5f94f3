import { Injectable } from '@nestjs/common';
import { exchangeNotAllowed } from '../../access/bot-exchange.guard.js';
import type { Principal } from '../../access/principal.js';
import { CatalogueSearch, type Found, type Search } from '../../catalogue/catalogue-search.service.js';
import type { Exchange } from '../../exchanges/exchange.js';
import { type Aged, type EventFilters, type MarketFilters } from '../../exchanges/market-data.contract.js';
import type { Page, Paging } from '../../exchanges/paging.contract.js';
import type { EventDto, MarketDto } from '../../exchanges/unified.market-data.dto.js';
import { notSupported } from '../../exchanges/upstream-errors.js';
import { badField } from '../../platform/errors/app-error.js';
import { noteEndOfUse } from '../../platform/upstream/call-context.js';
import { type CursorScope, Cursors } from '../paging/cursors.js';
import { limitOf } from '../paging/paging.dto.js';
import { timeOf } from '../request/query-fields.js';
import type { FoundEventListDto, FoundMarketListDto, SearchQueryDto } from './found.dto.js';

/** Markets and events of all exchanges by words, and of one exchange that has no search of its own (contract.md 5.19). */
@Injectable()
export class FoundService {
  constructor(
    private readonly catalogue: CatalogueSearch,
    private readonly cursors: Cursors,
  ) {}

  async listMarkets(caller: Principal, query: SearchQueryDto): Promise<FoundMarketListDto> {
    return this.#list('markets', caller, query, (search, paging) => this.catalogue.findMarkets(search, paging));
  }

  async listEvents(caller: Principal, query: SearchQueryDto): Promise<FoundEventListDto> {
    return this.#list('events', caller, query, async (search, paging) => this.catalogue.findEvents(search, paging));
  }

  /** Whether `search` at this exchange is answered by the catalogue. */
  searches({ marketData }: Exchange, { search }: MarketFilters): boolean {
    return search !== undefined && !marketData.hasSearch && this.catalogue.isOn;
  }

  async listMarketsOf(exchange: Exchange, filters: MarketFilters, paging: Paging): Promise<Aged<Page<MarketDto>>> {
    const { event_id, series_id, ids, sort } = filters;
    if ([event_id, series_id, ids, sort].some((filter) => filter !== undefined)) {
      throw notSupported(`${exchange.name} cannot list by search together with ids, event_id, series_id or sort.`);
    }
    return aged(await this.catalogue.findMarkets(searchOf(exchange, filters), paging), exchange);
  }

  async listEventsOf(exchange: Exchange, filters: EventFilters, paging: Paging): Promise<Aged<Page<EventDto>>> {
    if (filters.series_id !== undefined) {
      throw notSupported(`${exchange.name} cannot list by search together with series_id.`);
    }
    const found = await this.catalogue.findEvents(searchOf(exchange, filters), paging);
    for (const event of found.items) Reflect.deleteProperty(event, 'market_ids');
    return aged(found, exchange);
  }

  async #list<T extends { readonly exchange: string; readonly id: string }>(
    operation: string,
    caller: Principal,
    query: SearchQueryDto,
    find: (search: Search, paging: Paging) => Promise<Found<T>>,
  ): Promise<{ data: T[]; next_cursor: string | null; as_of: Record<string, string | null> }> {
    const exchanges = exchangesOf(caller, query.exchange);
    const search = toSearch(query, exchanges);
    const filters = Object.assign({}, query, { limit: undefined, cursor: undefined, exchanges });
    const list: CursorScope = { exchange: 'all exchanges', operation, filters };
    const from = this.cursors.read(list, limitOf(query), query.cursor);
    const page = await find(search, from.paging);
    const { data, next_cursor } = this.cursors.list(list, from, page, ({ exchange, id }) => `${exchange} ${id}`);
    const as_of = Object.entries(page.ages).map(([id, { asOf }]) => [id, asOf?.toISOString() ?? null] as const);
    return { data, next_cursor, as_of: Object.fromEntries(as_of) };
  }
}

/** Those that a bot may use; throws `forbidden` where it names another one. */
function exchangesOf(caller: Principal, exchange: string | undefined): readonly string[] | undefined {
  const own = caller.kind === 'api-key' ? (caller.bot?.exchanges ?? null) : null;
  if (exchange === undefined) return own ?? undefined;
  if (own !== null && !own.includes(exchange)) throw exchangeNotAllowed();
  return [exchange];
}

function toSearch(query: SearchQueryDto, exchanges: readonly string[] | undefined): Search {
  const { search, category, status = 'open', min_volume_24h: volume, sort } = query;
  requireOpen(status);
  const closesAfter = timeOf('closes_after', query.closes_after);
  const closesBefore = timeOf('closes_before', query.closes_before);
  if (closesAfter !== undefined && closesBefore !== undefined && closesAfter >= closesBefore) {
    throw badField('closes_after', 'must be before closes_before');
  }
  if (search === undefined && sort === 'relevance')
    throw badField('sort', 'must have search beside it to be relevance');
  const minVolume24h = volume === undefined ? undefined : Number(volume);
  return { search, exchanges, category, closesAfter, closesBefore, minVolume24h, sort };
}

function requireOpen(status: string): void {
  if (status !== 'open') throw notSupported('Only open markets are in the catalogue. Leave status out.');
}

function searchOf({ id }: Exchange, { search, category, status = 'open' }: EventFilters): Search {
  requireOpen(status);
  return { search, category, exchanges: [id] };
}

/** As old as the last complete walk, else as the first, else empty by now; what a catalogue says is no answer that may be used again. */
function aged<T>({ items, next, ages }: Found<T>, { id }: Exchange): Aged<Page<T>> {
  noteEndOfUse(0);
  return { value: { items, next }, at: ages[id]?.asOf ?? ages[id]?.since ?? new Date(), source: 'received' };
}
