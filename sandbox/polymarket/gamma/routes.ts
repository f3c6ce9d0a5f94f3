import { Refusal } from '../../wire/refusal.js';
import { Reply, type Routes } from '../../wire/router.js';
import { type Catalogue, type ListedEvent } from '../catalogue.js';
import { type Exchange } from '../exchange.js';
import { type Market } from '../market.js';
import { type TagSeed } from '../seeds/seed.js';
import { eventFilter, marketFilter } from './filters.js';
import { pageOf, pageQuery, type Sortable } from './pages.js';
import { GammaQuery, invalid } from './query.js';
import { eventView, isClosed, marketView, tagView } from './view.js';

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

/** Gamma: what is listed (polymarket.md 4). */
export function gammaRoutes({ catalogue }: Exchange): Routes {
  const { markets, events, tags } = catalogue;
  return {
    'GET /status': () => new Reply(200, 'OK', { 'content-type': 'text/plain' }),
    'GET /markets/keyset': ({ request }) => listMarkets(catalogue, request.query),
    'GET /markets/slug/:slug': ({ request, params }) =>
      getMarket(
        catalogue,
        markets.find(({ seed }) => seed.slug === params.slug),
        new GammaQuery(request.query),
      ),
    'GET /markets/:id': ({ request, params }) =>
      getMarket(
        catalogue,
        markets.find(({ seed }) => seed.id === numeric(params.id)),
        new GammaQuery(request.query),
      ),
    'GET /events/keyset': ({ request }) => listEvents(catalogue, request.query),
    'GET /events/slug/:slug': ({ params }) => withMarkets(found(events.find(({ seed }) => seed.slug === params.slug))),
    'GET /events/:id': ({ params }) => withMarkets(found(events.find(({ seed }) => seed.id === numeric(params.id)))),
    'GET /public-search': ({ request }) => search(catalogue, new GammaQuery(request.query)),
    'GET /tags/slug/:slug': ({ params }) =>
      getTag(
        catalogue,
        tags.find(({ slug }) => slug === params.slug),
      ),
    'GET /tags/:id': ({ params }) =>
      getTag(
        catalogue,
        tags.find(({ id }) => id === numeric(params.id)),
      ),
  };
}

/** Gamma's `{ type, error }`. */
export function gammaError(status: number): unknown {
  const types: Readonly<Record<number, string>> = { 404: 'not found error', 422: 'validation error' };
  return { type: types[status] ?? 'internal error', error: status === 404 ? 'not found' : `status ${status}` };
}

function found<T>(entry: T | undefined): T {
  if (entry === undefined) throw new Refusal(404, gammaError(404));
  return entry;
}

function listMarkets(catalogue: Catalogue, parameters: URLSearchParams): unknown {
  const page = pageQuery(parameters, MARKET_ORDER);
  const query = new GammaQuery(parameters);
  const fits = marketFilter(query);
  const withTags = query.boolean('include_tag') === true;
  const entries = catalogue.markets
    .filter(fits)
    .map((market) => ({ ...marketView(market), id: market.seed.id, market }));
  const { items, cursor } = pageOf(entries, page);
  const markets = items.map(({ market, ...view }) => inList(catalogue, market, view, withTags));
  return { markets, ...(cursor === undefined ? {} : { next_cursor: cursor }) };
}

function listEvents(catalogue: Catalogue, parameters: URLSearchParams): unknown {
  const page = pageQuery(parameters, EVENT_ORDER);
  const fits = eventFilter(new GammaQuery(parameters));
  const entries: Sortable[] = catalogue.events
    .filter(fits)
    .map((event) => ({ ...withMarkets(event), id: event.seed.id }));
  const { items, cursor } = pageOf(entries, page);
  return { events: items, ...(cursor === undefined ? {} : { next_cursor: cursor }) };
}

function getMarket(catalogue: Catalogue, one: Market | undefined, query: GammaQuery): unknown {
  const market = found(one);
  return inList(catalogue, market, marketView(market), query.boolean('include_tag') === true);
}

/** A market with its event, and with tags where they are asked for. */
function inList(catalogue: Catalogue, market: Market, view: object, withTags: boolean): object {
  const event = catalogue.events.find(({ seed }) => seed === market.event);
  const tags = withTags ? { tags: market.event.tags.map((one) => tagView(one, catalogue.start)) } : {};
  return { ...view, events: event === undefined ? [] : [eventView(event)], ...tags };
}

function withMarkets(event: ListedEvent) {
  return { ...eventView(event), markets: event.markets.map(marketView) };
}

/** Page-numbered, by event: every word must be in its title or in a market's question. */
function search(catalogue: Catalogue, query: GammaQuery): unknown {
  const words = (query.text('q') ?? '')
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0) throw invalid('q is required');
  const status = query.text('events_status');
  const hits = catalogue.events.filter(
    (event) =>
      (status === undefined || (status === 'active') === !isClosed(event.markets)) &&
      words.every((word) => searchText(event).includes(word)),
  );
  const [size, page] = [query.positive('limit_per_type', 6) ?? PER_TYPE, query.positive('page', 6) ?? 1];
  const events = hits.slice((page - 1) * size, page * size);
  return {
    events: events.map(withMarkets),
    tags: [],
    profiles: [],
    pagination: { hasMore: hits.length > page * size, totalResults: hits.length },
  };
}

function searchText({ seed, markets }: ListedEvent): string {
  return [seed.title, ...markets.map((market) => market.seed.question)].join(' ').toLowerCase();
}

function getTag(catalogue: Catalogue, tag: TagSeed | undefined): unknown {
  return tagView(found(tag), catalogue.start);
}

function numeric(id: string | undefined): string {
  if (id === undefined || !/^\d{1,18}$/.test(id)) throw invalid('id is invalid');
  return id;
}
