import { type WireResponse } from '../../wire/server.js';
import { type EventDefinition, EVENTS, SERIES } from '../seeds/events.js';
import { refusal } from '../refusals.js';
import { lastUpdate, liveMarketsOf, marketsOf, toEventJson, toSeriesJson } from './event.view.js';
import { type KalshiExchange } from '../exchange.js';
import { ok } from './market.routes.js';
import { hasStatus } from './market.filter.js';
import { toMarketJson } from './market.view.js';
import { paged, Query } from '../query.js';
import { type Call, type Router } from '../router.js';
import { unixSeconds } from '../../times.js';

/** Events and series (kalshi.md 4), public. */
export function addEventRoutes(router: Router, exchange: KalshiExchange): void {
  router.open('GET', '/events', (call) => listEvents(exchange, call));
  router.open('GET', '/events/*', (call) => getEvent(exchange, call));
  router.open('GET', '/series', (call) => listSeries(exchange, call));
  router.open('GET', '/series/*', (call) => getSeries(exchange, call));
}

function listEvents(exchange: KalshiExchange, { request, now }: Call): WireResponse {
  const query = new Query('GetEvents', request.query);
  const nested = query.boolean('with_nested_markets') === true ? { now } : undefined;
  const milestones = query.boolean('with_milestones') === true ? { milestones: [] } : {};
  const { page, cursor } = paged(EVENTS.filter(eventFilter(exchange, query, now)), query, {
    default: 200,
    max: 200,
    id: (event) => event.ticker,
  });
  return ok({ events: page.map((event) => toEventJson(exchange, event, nested)), ...milestones, cursor });
}

/** An event matches a status or a closing time where any of its markets does, archived ones included. */
function eventFilter(exchange: KalshiExchange, query: Query, now: number): (event: EventDefinition) => boolean {
  const status = query.oneOf('status', ['unopened', 'open', 'closed', 'settled']);
  const series = query.text('series_ticker');
  const tickers = query.list('tickers');
  const closesAfter = query.integer('min_close_ts');
  const updatedAfter = query.integer('min_updated_ts');
  return (event) => {
    const markets = marketsOf(exchange, event);
    return (
      (series === undefined || event.series.ticker === series) &&
      (tickers === undefined || tickers.includes(event.ticker)) &&
      (status === undefined || markets.some((market) => hasStatus(market.statusAt(now), status))) &&
      (closesAfter === undefined || markets.some((market) => unixSeconds(market.closeTime) > closesAfter)) &&
      (updatedAfter === undefined || unixSeconds(lastUpdate(exchange, event)) > updatedAfter)
    );
  };
}

function getEvent(exchange: KalshiExchange, { path, request, now }: Call): WireResponse {
  const event = EVENTS.find(({ ticker }) => ticker === path[0]);
  if (event === undefined) throw refusal(404, 'not_found');
  const nested = new Query('GetEvent', request.query).boolean('with_nested_markets') === true;
  if (nested) return ok({ event: toEventJson(exchange, event, { now }), markets: [] });
  const markets = liveMarketsOf(exchange, event).map((market) => toMarketJson(market, now));
  return ok({ event: toEventJson(exchange, event, undefined), markets });
}

function listSeries(exchange: KalshiExchange, { request }: Call): WireResponse {
  const query = new Query('GetSeriesList', request.query);
  const category = query.text('category');
  const tags = query.list('tags');
  const withVolume = query.boolean('include_volume') === true;
  const series = SERIES.filter(
    (one) =>
      (category === undefined || one.category === category) &&
      (tags === undefined || one.tags.some((tag) => tags.includes(tag))),
  );
  return ok({ series: series.map((one) => toSeriesJson(exchange, one, withVolume)) });
}

function getSeries(exchange: KalshiExchange, { path, request }: Call): WireResponse {
  const series = SERIES.find(({ ticker }) => ticker === path[0]);
  if (series === undefined) throw refusal(404, 'not_found');
  const withVolume = new Query('GetSeries', request.query).boolean('include_volume') === true;
  return ok({ series: toSeriesJson(exchange, series, withVolume) });
}
