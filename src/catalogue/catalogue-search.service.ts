import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { ExchangeRegistry } from '../exchanges/exchange.registry.js';
import { badCursor } from '../exchanges/page-walk.js';
import type { Page, Paging } from '../exchanges/paging.contract.js';
import type { EventDto, MarketDto } from '../exchanges/unified.market-data.dto.js';
import { AppError } from '../platform/errors/app-error.js';
import {
  type CatalogueFilters,
  type CatalogueKey,
  type CatalogueQuery,
  CatalogueRows,
  type CatalogueTable,
  type FoundRow,
  MOST_RANKED,
} from './catalogue-search.repository.js';
import { CatalogueWalk } from './catalogue-walk.js';
import { CatalogueWalks } from './catalogue-walks.repository.js';
import { QuoteReads } from './quote-reads.js';
import { categoryWord, searchedWords } from './search-words.js';

export const SEARCH_SORTS = ['relevance', 'volume_24h', 'closes_at', 'newest'] as const;
export type SearchSort = (typeof SEARCH_SORTS)[number];

/** What is looked for among the open markets and events of several exchanges; what is undefined is no condition. */
export interface Search {
  /** Of which the first 8 words count. */
  readonly search?: string | undefined;
  /** Ids of exchanges; all where left out. */
  readonly exchanges?: readonly string[] | undefined;
  readonly category?: string | undefined;
  readonly closesAfter?: Date | undefined;
  readonly closesBefore?: Date | undefined;
  readonly minVolume24h?: number | undefined;
  /** `relevance` with words, else `volume_24h`. */
  readonly sort?: SearchSort | undefined;
}

/** An event without its markets, but with their ids. */
export interface FoundEvent extends EventDto {
  readonly market_ids: string[];
}

/** Of when an exchange's part of the catalogue is: null before its first complete walk; `since` the first began, null before that. */
export interface Age {
  readonly asOf: Date | null;
  readonly since: Date | null;
}

/** One page, and the age of each exchange's part. */
export interface Found<T> extends Page<T> {
  readonly ages: Readonly<Record<string, Age>>;
}

/** A query without the place where its page begins. */
type Asked = Omit<CatalogueQuery, 'after' | 'limit'>;

const KEY = z.tuple([z.string(), z.string(), z.string()]);
/** A cursor by volume has the last row of each unit; null before the first. */
const PLACES = z.record(z.string(), KEY.nullable());
const RANKED_OR_OTHERS = z.union([KEY, PLACES]);
const ORDERS = { relevance: 'best', volume_24h: 'volume', closes_at: 'closes', newest: 'newest' } as const;

/** Finds markets and events of all exchanges by words (contract.md 5.19). Throws `not_supported` where the catalogue is off. */
@Injectable()
export class CatalogueSearch {
  constructor(
    private readonly rows: CatalogueRows,
    private readonly walks: CatalogueWalks,
    private readonly walk: CatalogueWalk,
    private readonly quotes: QuoteReads,
    private readonly registry: ExchangeRegistry,
  ) {}

  get isOn(): boolean {
    return this.walk.isOn;
  }

  /** Open markets with the quotes of the last seconds, or none. `cursor` is the `next` of the page before. */
  async findMarkets(search: Search, paging: Paging): Promise<Found<MarketDto>> {
    const { items, next, ages } = await this.#find('catalogue_markets', search, paging);
    return { items: await this.quotes.add(items.map(({ shown }) => shown as MarketDto)), next, ages };
  }

  async findEvents(search: Search, paging: Paging): Promise<Found<FoundEvent>> {
    const { items, next, ages } = await this.#find('catalogue_events', search, paging);
    const markets = items.length === 0 ? new Map<string, string[]>() : await this.rows.marketsOf(items);
    const events = items.map(({ shown, exchange, id }) =>
      Object.assign({}, shown as EventDto, { market_ids: markets.get(`${exchange} ${id}`) ?? [] }),
    );
    return { items: events, next, ages };
  }

  async #find(table: CatalogueTable, search: Search, { limit, cursor }: Paging): Promise<Found<FoundRow>> {
    if (!this.isOn) throw new AppError('not_supported', 'This service keeps no catalogue: CATALOGUE_REFRESH is 0.');
    const all = this.registry.all.map(({ id }) => id);
    const exchanges = all.filter((id) => search.exchanges?.includes(id) ?? true);
    const ages = this.#readAges(exchanges);
    const units = [...new Set(exchanges.map((id) => this.registry.get(id).marketData.volumeUnit))];
    const query = { table, units, ...conditionsOf(search, exchanges) };
    if (isEmpty(search, query)) return { items: [], next: null, ages: await ages };
    const [{ items, next }, known] = await Promise.all([this.#read(query, limit, cursor), ages]);
    return { items, next, ages: known };
  }

  #read(query: Asked, limit: number, cursor: string | null): Promise<Page<FoundRow>> {
    if (query.order === 'volume') return this.#byVolume(query, limit, cursor);
    return query.order === 'best' ? this.#byRelevance(query, limit, cursor) : this.#page(query, limit, cursor);
  }

  /** Those that are ranked, then the others by volume. */
  async #byRelevance(query: Asked, limit: number, cursor: string | null): Promise<Page<FoundRow>> {
    const others = { ...query, order: 'volume' } as const;
    if (cursor !== null && !Array.isArray(parsed(RANKED_OR_OTHERS, cursor))) {
      return this.#byVolume(others, limit, cursor);
    }
    const page = await this.#page(query, limit, cursor);
    const isAll = cursor === null && page.items.length < MOST_RANKED;
    if (page.next !== null || isAll) return page;
    const ends = query.units.map(async (unit) => {
      const filters = { ...query.filters, unit };
      const last = (await this.rows.find({ ...others, filters, after: null, limit: MOST_RANKED }))[MOST_RANKED - 1];
      return [unit, last === undefined ? null : keyOf(last)] as const;
    });
    const left = (await Promise.all(ends)).filter(([, end]) => end !== null);
    if (left.length === 0) return page;
    const rest = JSON.stringify(Object.fromEntries(left));
    const { items, next } = await this.#byVolume(others, limit - page.items.length, rest);
    return { items: [...page.items, ...items], next };
  }

  async #page(query: Asked, limit: number, cursor: string | null): Promise<Page<FoundRow>> {
    const after = cursor === null ? null : parsed(KEY, cursor);
    const rows = await this.rows.find({ ...query, after, limit: limit + 1 });
    const items = rows.slice(0, limit);
    const last = items.at(-1);
    return { items, next: rows.length > limit && last !== undefined ? JSON.stringify(keyOf(last)) : null };
  }

  /** Volumes of two units cannot be compared: the highest of each come in turn. */
  async #byVolume(query: Asked, limit: number, cursor: string | null): Promise<Page<FoundRow>> {
    const places: Record<string, CatalogueKey | null> = cursor === null ? {} : parsed(PLACES, cursor);
    const all = query.units;
    const units = cursor === null ? all : all.filter((unit) => unit in places).sort(asIn(Object.keys(places)));
    const lists = await Promise.all(
      units.map(async (unit) => {
        const filters = { ...query.filters, unit };
        return {
          unit,
          rows: await this.rows.find({ ...query, filters, after: places[unit] ?? null, limit: limit + 1 }),
          taken: 0,
        };
      }),
    );
    const items: FoundRow[] = [];
    let turn = 0;
    for (; items.length < limit && lists.some(({ rows, taken }) => taken < rows.length); turn += 1) {
      const list = lists[turn % lists.length];
      const row = list?.rows[list.taken];
      if (list === undefined || row === undefined) continue;
      items.push(row);
      list.taken += 1;
    }
    const first = turn % lists.length;
    const left = [...lists.slice(first), ...lists.slice(0, first)].flatMap(({ unit, rows, taken }) => {
      const last = rows[taken - 1];
      const place = last === undefined ? (places[unit] ?? null) : keyOf(last);
      return taken < rows.length ? [[unit, place] as const] : [];
    });
    return { items, next: left.length === 0 ? null : JSON.stringify(Object.fromEntries(left)) };
  }

  async #readAges(exchanges: readonly string[]): Promise<Record<string, Age>> {
    const parts = new Map((await this.walks.parts()).map(({ exchange, asOf, since }) => [exchange, { asOf, since }]));
    return Object.fromEntries(exchanges.map((id) => [id, parts.get(id) ?? { asOf: null, since: null }]));
  }
}

function conditionsOf(
  { search, category, sort = 'relevance', ...rest }: Search,
  exchanges: readonly string[],
): Pick<CatalogueQuery, 'words' | 'order' | 'filters'> {
  const words = search === undefined ? null : searchedWords(search);
  const order = words === null && sort === 'relevance' ? 'volume' : ORDERS[sort];
  const inCategory = category === undefined ? null : categoryWord(category);
  const filters: CatalogueFilters = {
    ...{ exchanges, category: inCategory, unit: null },
    closesAfter: rest.closesAfter ?? null,
    closesBefore: rest.closesBefore ?? null,
    minVolume: rest.minVolume24h ?? null,
  };
  return { words, order, filters };
}

/** Whether words or a category were asked for that have no letter and no digit. */
function isEmpty({ search }: Search, { words, filters }: Pick<CatalogueQuery, 'words' | 'filters'>): boolean {
  return (search !== undefined && words === null) || filters.category === '';
}

/** Whose turn is next comes first in the cursor. */
function asIn(order: readonly string[]): (one: string, other: string) => number {
  return (one, other) => order.indexOf(one) - order.indexOf(other);
}

function keyOf({ by, exchange, id }: FoundRow): CatalogueKey {
  return [by, exchange, id];
}

function parsed<T>(schema: z.ZodType<T>, text: string): T {
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    throw badCursor();
  }
}
