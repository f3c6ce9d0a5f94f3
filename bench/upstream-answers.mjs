import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** What the stand-in of the exchanges answers: the samples of `test/vectors`, as large as the cases want them. */

const sample = (name) => JSON.parse(readFileSync(new URL(`../test/vectors/${name}.json`, import.meta.url), 'utf8'));
const json = (value) => Buffer.from(JSON.stringify(value));
const ok = (value) => ({ status: 200, body: json(value) });

const NOT_FOUND = { status: 404, body: json({ error: { code: 'not_found', message: 'not found' } }) };

const BOOK_LEVELS = 40;
const LIST_BYTES = 174_000;
const LIST_MARKETS = 100;

/** A book of Kalshi: bids of both sides, worst first. */
function kalshiBook() {
  const sizeAt = (at) => (((at * 37.25) % 900) + 1).toFixed(2);
  const side = (worst) => Array.from({ length: BOOK_LEVELS }, (_, at) => [((worst + at) / 100).toFixed(4), sizeAt(at)]);
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

const KALSHI_MARKET = sample('kalshi/kalshi-market').market;
/** A member of the tier `advanced`, as in the sandbox: a batch of 15 fits its bucket (docs/exchanges/kalshi.md 10). */
const BUDGET = { refill_rate: 300, bucket_capacity: 900 };

const KALSHI = new Map([
  ['/markets', ok(kalshiMarkets())],
  ['/account/limits', ok({ usage_tier: 'advanced', read: BUDGET, write: BUDGET, grants: [] })],
  ['/exchange/status', ok(sample('kalshi/kalshi-exchange-status'))],
]);
const KALSHI_BOOK = ok(kalshiBook());
const KALSHI_EVENT = ok(sample('kalshi/kalshi-event'));
const KALSHI_SERIES = ok(sample('kalshi/kalshi-series'));

const placed = ({ client_order_id, count }) => ({
  ...{ order_id: randomUUID(), client_order_id, fill_count: '0.00', remaining_count: count, ts_ms: Date.now() },
});

const KALSHI_ORDERS = new Map([
  ['/portfolio/events/orders', placed],
  ['/portfolio/events/orders/batched', ({ orders }) => ({ orders: orders.map(placed) })],
]);

function kalshiOrders(path, body) {
  const answer = KALSHI_ORDERS.get(path);
  return answer === undefined ? NOT_FOUND : { status: 201, body: json(answer(JSON.parse(body))) };
}

function kalshi({ method, body }, path) {
  if (method === 'POST') return kalshiOrders(path, body);
  if (path.endsWith('/orderbook')) return KALSHI_BOOK;
  const known = KALSHI.get(path);
  if (known !== undefined) return known;
  if (path.startsWith('/markets/')) return ok({ market: { ...KALSHI_MARKET, ticker: path.slice('/markets/'.length) } });
  if (path.startsWith('/events/')) return KALSHI_EVENT;
  return path.startsWith('/series/') ? KALSHI_SERIES : NOT_FOUND;
}

/** A market of Polymarket's version 1 with the token of the signed order in the samples. */
const { order: SIGNED_ORDER } = sample('vectors-polymarket-2026').orders.find(
  ({ name }) => name === 'v1-standard-eoa-buy',
).post_order_body;
const OTHER_TOKEN = '7305630249804085635496399869905769372294302716159034447326228509068694952392';
const TOKENS = [SIGNED_ORDER.tokenId, OTHER_TOKEN];
const GAMMA_MARKET = {
  ...sample('polymarket/polymarket-gamma-market'),
  clobTokenIds: JSON.stringify(TOKENS),
};
const CLOB_MARKET = sample('polymarket/polymarket-clob-market-info');
CLOB_MARKET.t.forEach((token, at) => (token.t = TOKENS[at]));

const POLYMARKET = new Map([
  ['/gamma/markets', ok([GAMMA_MARKET])],
  ['/gamma/markets/keyset', ok({ markets: [GAMMA_MARKET], next_cursor: null })],
  [`/clob/clob-markets/${CLOB_MARKET.c}`, ok(CLOB_MARKET)],
  ['/clob/auth/api-key', ok(sample('polymarket/polymarket-api-key-session.response'))],
  ['/clob/auth/derive-api-key', ok(sample('polymarket/polymarket-api-key-session.response'))],
  ['/clob/balance-allowance', ok(sample('polymarket/polymarket-clob-balance-allowance-three-exchanges'))],
]);

function polymarketOrder() {
  const orderID = `0x${randomBytes(32).toString('hex')}`;
  return ok({ success: true, errorMsg: '', orderID, status: 'live', takingAmount: '', makingAmount: '' });
}

function polymarket({ method }, path) {
  if (path === '/clob/time') return ok(Math.floor(Date.now() / 1_000));
  if (method === 'POST' && path === '/clob/order') return polymarketOrder();
  return POLYMARKET.get(path) ?? NOT_FOUND;
}

/** What the cases ask for by name. */
export const SAMPLES = { signedOrder: SIGNED_ORDER, polymarketMarket: CLOB_MARKET.c, polymarketTokens: TOKENS };

const KALSHI_API = '/trade-api/v2';

/** The answer to one request: its status and the bytes of its JSON body. */
export function answerTo(request) {
  const [path] = request.target.split('?', 1);
  if (path.startsWith(KALSHI_API)) return kalshi(request, path.slice(KALSHI_API.length));
  return polymarket(request, path);
}
