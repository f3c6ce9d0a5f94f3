import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** What the stand-in of the exchanges answers: the samples of `test/vectors`, as large as the cases want them. */

const sample = (name) => JSON.parse(readFileSync(new URL(`../test/vectors/${name}.json`, import.meta.url), 'utf8'));
const json = (value) => Buffer.from(JSON.stringify(value));
const ok = (value) => ({ status: 200, body: json(value) });

const API = '/trade-api/v2';
const BOOK_LEVELS = 40;
const LIST_BYTES = 174_000;
const LIST_MARKETS = 100;

/** A book of Kalshi: bids of both sides, worst first. */
function kalshiBook() {
  const side = (worst) =>
    Array.from({ length: BOOK_LEVELS }, (_, at) => [
      ((worst + at) / 100).toFixed(4),
      ((at * 37.25) % 900).toFixed(2).padStart(4, '1'),
    ]);
  return { orderbook_fp: { yes_dollars: side(3), no_dollars: side(15) } };
}

/** A hundred markets of Kalshi in 174 kB; their rules are made as long as that takes. */
function kalshiMarkets() {
  const { market } = sample('kalshi/kalshi-market');
  const markets = Array.from({ length: LIST_MARKETS }, (_, at) => ({ ...market, ticker: `KXBENCH-26NOV20-B${at}.5` }));
  const missing = LIST_BYTES - json({ markets, cursor: '' }).length;
  const each = Math.max(0, Math.floor(missing / LIST_MARKETS));
  for (const entry of markets) entry.rules_primary += ' Lorem ipsum'.repeat(each).slice(0, each);
  return { markets, cursor: '' };
}

const BOOK = ok(kalshiBook());
const MARKETS = ok(kalshiMarkets());
const MARKET = sample('kalshi/kalshi-market');
const STATUS = ok(sample('kalshi/kalshi-exchange-status'));
const EVENT = ok(sample('kalshi/kalshi-event'));
const SERIES = ok(sample('kalshi/kalshi-series'));
const NOT_FOUND = { status: 404, body: json({ error: { code: 'not_found', message: 'not found' } }) };

function createdOrder(body) {
  const { client_order_id, count } = JSON.parse(body);
  const order = { order_id: randomUUID(), client_order_id, fill_count: '0.00', remaining_count: count };
  return { status: 201, body: json({ ...order, ts_ms: Date.now() }) };
}

function kalshiRead(path) {
  if (path.endsWith('/orderbook')) return BOOK;
  if (path === '/markets') return MARKETS;
  if (path === '/exchange/status') return STATUS;
  if (path.startsWith('/markets/')) return ok({ market: { ...MARKET.market, ticker: path.slice('/markets/'.length) } });
  if (path.startsWith('/events/')) return EVENT;
  return path.startsWith('/series/') ? SERIES : NOT_FOUND;
}

/** The answer to one request: its status and the bytes of its JSON body. */
export function answerTo({ method, target, body }) {
  const [path] = target.split('?', 1);
  if (!path.startsWith(API)) return NOT_FOUND;
  const route = path.slice(API.length);
  if (method === 'GET') return kalshiRead(route);
  return method === 'POST' && route === '/portfolio/events/orders' ? createdOrder(body) : NOT_FOUND;
}
