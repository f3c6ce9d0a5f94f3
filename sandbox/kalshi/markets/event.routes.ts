import { unixSeconds } from '../../times.js';
import { type Call, type Routes } from '../../wire/router.js';
import { type Exchange } from '../exchange.js';
import { paged } from '../pages.js';
import { KalshiQuery } from '../query.js';
import { refusal } from '../refusals.js';
import { type EventSeed } from '../seeds/seed.js';
import { lastUpdate, liveMarketsOf, toEventJson, toSeriesJson } from './event.view.js';
import { hasStatus } from './market.filter.js';
import { toMarketJson } from './market.view.js';

/** Events and series (kalshi.md 4), public. */
export function eventRoutes(exchange: Exchange): Routes {
  return {
    'GET /events': (call) => listEvents(exchange, call),
    'GET /events/:ticker': (call) => getEvent(exchange, call),
    'GET /series': (call) => listSeries(exchange, call),
    'GET /series/:ticker': (call) => getSeries(exchange, call),
  };
}

function listEvents(exchange: Exchange, { request, now }: Call): unknown {
  const query = new KalshiQuery('GetEvents', request.query);
  const nested = query.boolean('with_nested_markets') === true ? { now } : undefined;
  const milestones = query.boolean('with_milestones') === true ? { milestones: [] } : {};
  const { page, cursor } = paged(exchange.events.filter(isListed).filter(eventFilter(exchange, query, now)), query, {
    default: 200,
    max: 200,
    id: (event) => event.ticker,
  });
  return { events: page.map((event) => toEventJson(exchange, event, nested)), ...milestones, cursor };
}

/** Combos have a list of their own. */
function isListed(event: EventSeed): boolean {
  return event.isCombo !== true;
}

/** An event matches a status or a closing time where any of its markets does, archived ones included. */
function eventFilter(exchange: Exchange, query: KalshiQuery, now: number): (event: EventSeed) => boolean {
  const status = query.oneOf('status', ['unopened', 'open', 'closed', 'settled']);
  const series = query.text('series_ticker');
  const tickers = query.list('tickers');
  const closesAfter = query.integer('min_close_ts');
  const updatedAfter = query.integer('min_updated_ts');
  return (event) => {
    const markets = exchange.marketsOf(event);
    return (
      (series === undefined || event.series.ticker === series) &&
      (tickers === undefined || tickers.includes(event.ticker)) &&
      (status === undefined || markets.some((market) => hasStatus(market.statusAt(now), status))) &&
      (closesAfter === undefined || markets.some((market) => unixSeconds(market.closeTime) > closesAfter)) &&
      (updatedAfter === undefined || unixSeconds(lastUpdate(exchange, event)) > updatedAfter)
    );
  };
}

function getEvent(exchange: Exchange, { params, request, now }: Call): unknown {
  const event = exchange.events.find(({ ticker }) => ticker === params.ticker);
  if (event === undefined) throw refusal(404, 'not_found');
  const nested = new KalshiQuery('GetEvent', request.query).boolean('with_nested_markets') === true;
  if (nested) return { event: toEventJson(exchange, event, { now }), markets: [] };
  const markets = liveMarketsOf(exchange, event).map((market) => toMarketJson(market, now));
  return { event: toEventJson(exchange, event, undefined), markets };
}

function listSeries(exchange: Exchange, { request }: Call): unknown {
  const query = new KalshiQuery('GetSeriesList', request.query);
  const category = query.text('category');
  const tags = query.list('tags');
  const withVolume = query.boolean('include_volume') === true;
  const series = exchange.series.filter(
    (one) =>
      (category === undefined || one.category === category) &&
      (tags === undefined || one.tags.some((tag) => tags.includes(tag))),
  );
  return { series: series.map((one) => toSeriesJson(exchange, one, withVolume)) };
}

function getSeries(exchange: Exchange, { params, request }: Call): unknown {
  const series = exchange.series.find(({ ticker }) => ticker === params.ticker);
  if (series === undefined) throw refusal(404, 'not_found');
  const withVolume = new KalshiQuery('GetSeries', request.query).boolean('include_volume') === true;
  return { series: toSeriesJson(exchange, series, withVolume) };
}
