import { HttpAdapterHost } from '@nestjs/core';
import request, { type Response } from 'supertest';
import type { LimitedExpressAdapter } from '../../src/platform/http/express.adapter.js';
import { startTestApp, type TestApp } from './app.js';
import { API, sample, TICKER } from './fake-kalshi.js';
import { FakeServer } from './fake-server.js';

export const BOOK = `/kalshi/orderbooks?market_id=${TICKER}`;
export const MARKET = `/kalshi/markets/${TICKER}`;

/** The answer lane changes no answer (contract.md 5.10): what asks again for the same is proved with and without it. */
export const LANES = ['true', 'false'] as const;

/** How many requests came past the answer lane. */
export interface Ordinary {
  readonly count: number;
}

/** Counts what comes past the lane, at the door of the ordinary way. */
export function countOrdinary(app: TestApp): Ordinary {
  const adapter = app.get(HttpAdapterHost).httpAdapter as LimitedExpressAdapter;
  const counted = { count: 0 };
  const answer = adapter.answer.bind(adapter);
  adapter.answer = (...given) => {
    counted.count += 1;
    answer(...given);
  };
  return counted;
}

/** A Kalshi that a test plays, with the samples of one market. */
export async function startUpstream(): Promise<FakeServer> {
  const upstream = await FakeServer.start();
  const serve = (path: string, name: string): void =>
    void upstream.on(`GET ${API}${path}`, () => ({ body: sample(name) }));
  serve(`/markets/${TICKER}/orderbook`, 'orderbook');
  serve(`/markets/${TICKER}`, 'market');
  serve('/events/KXHIGHNY-26NOV20', 'event');
  serve('/series/KXHIGHNY', 'series');
  serve('/exchange/status', 'exchange-status');
  serve('/markets', 'markets-list');
  serve('/markets/trades', 'trades');
  return upstream;
}

/** Settings of a service in front of it, which keeps answers and keys. */
export function laneEnvironment(upstream: FakeServer): Record<string, string> {
  return { MARKET_DATA_CACHE_TTL: '60s', API_KEY_CACHE_TTL: '5s', KALSHI_API_URL: `${upstream.url}${API}` };
}

/** The service in front of it. */
export function startLaneApp(upstream: FakeServer, overrides: Readonly<Record<string, string>> = {}): Promise<TestApp> {
  return startTestApp({ ...laneEnvironment(upstream), ...overrides });
}

/** A request of the kind that the lane answers. */
export function read(
  app: Pick<TestApp, 'url'>,
  path: string,
  key: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const call = request(app.url).get(path).auth(key, { type: 'bearer' }).set(headers);
  return call.then((answer) => answer);
}
