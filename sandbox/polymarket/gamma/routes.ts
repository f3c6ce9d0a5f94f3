import { type WireRequest, type WireResponse } from '../../wire/server.js';
import { type Catalogue, type ListedEvent } from '../catalogue.js';
import { eventFilter, marketFilter } from './filters.js';
import { flag, InvalidQuery, pageOf, pageQuery, type Sortable } from './query.js';
import { eventView, isClosed, marketView, tagView } from './view.js';
import { type Market } from '../market.js';
import { type RouteHandler, type Routes } from '../router.js';

const MARKET_ORDER = new Set(
  'id,slug,question,startDate,endDate,createdAt,volumeNum,volume24hr,volume1wk,volume1mo,volume1yr,liquidityNum,competitive,spread,bestBid,bestAsk,lastTradePrice'.split(
    ',',
  ),
);
const EVENT_ORDER = new Set(
  'id,slug,title,startDate,endDate,createdAt,volume,volume24hr,volume1wk,volume1mo,volume1yr,liquidity,openInterest,competitive'.split(
    ',',
  ),
);
const PER_TYPE = 5;

/** Gamma: what is listed (`polymarket.md` 4). */
export function gammaRoutes(catalogue: Catalogue): Routes {
  const routes: Routes = {
    'GET /status': () => ({ status: 200, body: 'OK', headers: { 'content-type': 'text/plain' } }),
    'GET /markets/keyset': (request) => listMarkets(catalogue, request.query),
    'GET /markets/slug/:slug': (request, { slug }) =>
      single(
        catalogue,
        catalogue.markets.find((market) => market.seed.slug === slug),
        request,
      ),
    'GET /markets/:id': (request, { id }) =>
      single(
        catalogue,
        catalogue.markets.find((market) => market.seed.id === numeric(id)),
        request,
      ),
    'GET /events/keyset': (request) => listEvents(catalogue, request.query),
    'GET /events/slug/:slug': (_request, { slug }) => found(catalogue.events.find(({ seed }) => seed.slug === slug)),
    'GET /events/:id': (_request, { id }) => found(catalogue.events.find(({ seed }) => seed.id === numeric(id))),
    'GET /public-search': (request) => search(catalogue, request.query),
    'GET /tags/slug/:slug': (_request, { slug }) => tag(catalogue, (one) => one.slug === slug),
    'GET /tags/:id': (_request, { id }) => tag(catalogue, (one) => one.id === numeric(id)),
  };
  return Object.fromEntries(Object.entries(routes).map(([pattern, handler]) => [pattern, answering(handler)]));
}

/** Gamma's `{ type, error }`. */
export function gammaError(status: number): unknown {
  const types: Readonly<Record<number, string>> = { 404: 'not found error', 422: 'validation error' };
  return { type: types[status] ?? 'internal error', error: status === 404 ? 'not found' : `status ${status}` };
}

function answering(handler: RouteHandler): RouteHandler {
  return (request, params) => {
    try {
      return handler(request, params);
    } catch (error) {
      if (!(error instanceof InvalidQuery)) throw error;
      return { status: 422, body: { type: 'validation error', error: error.message } };
    }
  };
}

function listMarkets(catalogue: Catalogue, query: URLSearchParams): WireResponse {
  const page = pageQuery(query, MARKET_ORDER);
  const fits = marketFilter(query);
  const withTags = flag(query, 'include_tag') === true;
  const entries = catalogue.markets
    .filter(fits)
    .map((market) => ({ ...marketView(market), id: market.seed.id, market }));
  const { items, cursor } = pageOf(entries, page);
  const markets = items.map(({ market, ...view }) => inList(catalogue, market, view, withTags));
  return { status: 200, body: { markets, ...(cursor === undefined ? {} : { next_cursor: cursor }) } };
}

function listEvents(catalogue: Catalogue, query: URLSearchParams): WireResponse {
  const page = pageQuery(query, EVENT_ORDER);
  const fits = eventFilter(query);
  const entries: Sortable[] = catalogue.events
    .filter(fits)
    .map((event) => ({ ...eventView(event), id: event.seed.id, markets: event.markets.map(marketView) }));
  const { items, cursor } = pageOf(entries, page);
  return { status: 200, body: { events: items, ...(cursor === undefined ? {} : { next_cursor: cursor }) } };
}

function single(catalogue: Catalogue, market: Market | undefined, { query }: WireRequest): WireResponse {
  if (market === undefined) return { status: 404, body: gammaError(404) };
  return { status: 200, body: inList(catalogue, market, marketView(market), flag(query, 'include_tag') === true) };
}

/** A market with its event, and with tags where they are asked for. */
function inList(catalogue: Catalogue, market: Market, view: object, withTags: boolean): object {
  const event = catalogue.events.find(({ seed }) => seed === market.event);
  const tags = withTags ? { tags: market.event.tags.map((one) => tagView(one, catalogue.start)) } : {};
  return { ...view, events: event === undefined ? [] : [eventView(event)], ...tags };
}

function found(event: ListedEvent | undefined): WireResponse {
  if (event === undefined) return { status: 404, body: gammaError(404) };
  return { status: 200, body: { ...eventView(event), markets: event.markets.map(marketView) } };
}

/** Page-numbered, by event: every word must be in its title or in a market's question. */
function search(catalogue: Catalogue, query: URLSearchParams): WireResponse {
  const words = (query.get('q') ?? '')
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0) throw new InvalidQuery('q is required');
  const status = query.get('events_status');
  const hits = catalogue.events.filter(
    (event) =>
      (status === null || (status === 'active') === !isClosed(event.markets)) &&
      words.every((word) => searchText(event).includes(word)),
  );
  const [size, page] = [whole(query, 'limit_per_type', PER_TYPE), whole(query, 'page', 1)];
  const events = hits.slice((page - 1) * size, page * size);
  return {
    status: 200,
    body: {
      events: events.map((event) => ({ ...eventView(event), markets: event.markets.map(marketView) })),
      tags: [],
      profiles: [],
      pagination: { hasMore: hits.length > page * size, totalResults: hits.length },
    },
  };
}

function searchText({ seed, markets }: ListedEvent): string {
  return [seed.title, ...markets.map((market) => market.seed.question)].join(' ').toLowerCase();
}

function whole(query: URLSearchParams, name: string, fallback: number): number {
  const text = query.get(name);
  if (text === null) return fallback;
  if (!/^\d{1,6}$/.test(text) || Number(text) === 0) throw new InvalidQuery(`${name} must be a positive integer`);
  return Number(text);
}

function tag(catalogue: Catalogue, fits: (one: { id: string; slug: string }) => boolean): WireResponse {
  const hit = catalogue.tags.find(fits);
  if (hit === undefined) return { status: 404, body: gammaError(404) };
  return { status: 200, body: tagView(hit, catalogue.start) };
}

function numeric(id: string | undefined): string {
  if (id === undefined || !/^\d{1,18}$/.test(id)) throw new InvalidQuery('id is invalid');
  return id;
}
