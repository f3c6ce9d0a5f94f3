import {
  type InfiniteData,
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useInfiniteQuery,
  type UseInfiniteQueryResult,
} from '@tanstack/react-query';
import { installation } from '../installation.js';
import { api } from '../session/session.js';
import type { Asked } from './asked-orders.js';
import { type ExchangeId, type Market, type Schemas, take } from './client.js';
import { findOrder } from './order-life.js';

/** When the last complete reading of each exchange's open markets began; null before the first. */
export type Ages = Schemas['FoundMarketListDto']['as_of'];

/** What is looked for among the open markets of all exchanges; empty is anything. */
export interface FoundFilter {
  readonly search: string;
  readonly exchange: ExchangeId | undefined;
  /** Closing within so many hours. */
  readonly hours: number | undefined;
  readonly sort: 'relevance' | 'volume_24h' | 'closes_at' | 'newest' | undefined;
}

const PAGE = 25;
const HOUR_MS = 3_600_000;

/** Where a list goes on: its filters stay the same from page to page. */
interface Place {
  readonly cursor: string;
  readonly before: string | undefined;
}

function queryOf({ search, exchange, sort }: FoundFilter) {
  const sorted = search === '' && sort === 'relevance' ? undefined : sort;
  return { limit: PAGE, ...(search && { search }), ...(exchange && { exchange }), ...(sorted && { sort: sorted }) };
}

function foundQuery(filter: FoundFilter) {
  return infiniteQueryOptions({
    queryKey: ['found-markets', filter],
    initialPageParam: null as Place | null,
    queryFn: async ({ pageParam }) => {
      const { hours } = filter;
      const first = hours === undefined ? undefined : new Date(Date.now() + hours * HOUR_MS).toISOString();
      const before = pageParam === null ? first : pageParam.before;
      const query = {
        ...queryOf(filter),
        ...(before && { closes_before: before }),
        ...(pageParam && { cursor: pageParam.cursor }),
      };
      return { ...(await take(api.GET('/markets', { params: { query } }))), before };
    },
    getNextPageParam: ({ next_cursor: cursor, before }) => (cursor === null ? undefined : { cursor, before }),
  });
}

export type FoundPage = Schemas['FoundMarketListDto'];

/** Open markets of all exchanges, page by page. Only where the service keeps a catalogue. */
export function useFound(filter: FoundFilter): UseInfiniteQueryResult<InfiniteData<FoundPage>> {
  return useInfiniteQuery(foundQuery(filter));
}

/** What a text finds as one types it. */
export interface Suggestions {
  /** Empty where the service keeps no catalogue. */
  readonly markets: readonly Market[];
  /** Null where the service keeps no catalogue. */
  readonly ages: Ages | null;
  readonly order: Asked | null;
  /** Whether orders were asked for, and could not be read: markets are found all the same. */
  readonly isOrderUnread: boolean;
}

/** So many markets are suggested, of more that are read so that one exchange does not hide the other. */
const SHOWN = 8;
const READ = 20;
/** So many of an exchange that is not among those. */
const READ_OF_MISSING = 3;

/** Ids and tickers of markets have no blanks and are not short; words rarely have digits. */
const MARKET_ID = /^(?=.*\d)[\w.:-]{8,200}$/;

export function mayNameMarket(text: string): boolean {
  return MARKET_ID.test(text);
}

/** Orders are asked for by any text that may be an id of one: a client may choose any signs but blanks. Of a letter or two none is. */
const ORDER_ID = /^[!-~]{3,200}$/;

export function mayNameOrder(text: string): boolean {
  return ORDER_ID.test(text);
}

/** The one market that a text names by its id, or by another name that it alone has; null where there is none. */
export function namedMarket(markets: readonly Market[], text: string): Market | null {
  const isNamed = (name: unknown): boolean => String(name).toLowerCase() === text.toLowerCase();
  const byId = markets.find(({ id }) => isNamed(id));
  if (byId !== undefined) return byId;
  const [one = null, ...more] = markets.filter(({ refs }) => Object.values(refs).some(isNamed));
  return more.length === 0 ? one : null;
}

/** The best of each exchange first, where several have some; the order is that of the service. */
function fairly(markets: readonly Market[]): readonly Market[] {
  const exchanges = new Set(markets.map(({ exchange }) => exchange));
  const share = Math.floor(SHOWN / exchanges.size);
  const best = markets.filter(({ exchange, id }) => {
    const own = markets.filter((other) => other.exchange === exchange);
    return own.findIndex((other) => other.id === id) < share;
  });
  const rest = markets.filter((market) => !best.includes(market)).slice(0, SHOWN - best.length);
  return markets.filter((market) => best.includes(market) || rest.includes(market));
}

function readFound(query: { search: string; exchange?: ExchangeId; limit: number }): Promise<FoundPage> {
  return take(api.GET('/markets', { params: { query } }));
}

/** The best over all exchanges, and some of each that has none among them: one call after the other. */
async function findMarkets(search: string): Promise<Pick<Suggestions, 'markets' | 'ages'>> {
  if (installation.catalogue_refresh_s === 0) return { markets: [], ages: null };
  const best = await readFound({ search, limit: READ });
  const markets = [...best.data];
  const isWhole = best.next_cursor === null;
  for (const { id: exchange } of installation.exchanges) {
    if (isWhole || markets.some((market) => market.exchange === exchange)) continue;
    markets.push(...(await readFound({ search, exchange, limit: READ_OF_MISSING })).data);
  }
  return { markets, ages: best.as_of };
}

/** One call after the other: markets, then orders where the text may be an id of one. Nothing is asked for an empty text. */
export function suggestionsQuery(text: string) {
  return queryOptions({
    queryKey: ['suggestions', text],
    queryFn: async (): Promise<Suggestions> => {
      const { markets, ages } = await findMarkets(text);
      const named = namedMarket(markets, text);
      const order =
        mayNameOrder(text) && named === null ? await findOrder(text).catch((error: unknown) => ({ error })) : null;
      const isOrderUnread = order !== null && 'error' in order;
      const shown = named === null ? fairly(markets) : [named];
      return { markets: shown, ages, order: isOrderUnread ? null : order, isOrderUnread };
    },
    enabled: text !== '',
    retry: false,
    placeholderData: keepPreviousData,
  });
}

/** The market that an exchange has under this id, also one that is over; null where none has it, or an exchange does not say. */
export async function marketById(exchanges: readonly ExchangeId[], id: string): Promise<Market | null> {
  for (const exchange of exchanges) {
    const params = { path: { exchange, market_id: id } };
    const market = await take(api.GET('/{exchange}/markets/{market_id}', { params })).catch(() => null);
    if (market !== null) return market;
  }
  return null;
}
