import { SAMPLES } from './upstream-answers.mjs';

/**
 * What is measured. `ask(subject)` is the request of one subject: `{n}` in it is another number each time, `{uuid}` another id.
 * A subject without a request for a case is left out of it.
 */
const UPSTREAM_API = '/trade-api/v2';
const TICKER = 'KXBENCH-26NOV20-B';
const CONNECTIONS = 64;

const bearer = (token) => ({ Authorization: `Bearer ${token}` });
const keyed = ({ facts }) => bearer(facts.key);

function get(path, headers) {
  return { method: 'GET', path, headers, expect: 200 };
}

/** The same read of a market's book or of a list of markets, as each subject names it. */
function read(unified, upstream) {
  return (subject) => {
    if (isOurs(subject)) return get(`/kalshi/${unified}`, keyed(subject));
    if (subject.name === 'nest') return get(`/kalshi/${unified.replace('series_id', 'series_ticker')}`, keyed(subject));
    return get(UPSTREAM_API + upstream, keyed(subject));
  };
}

const book = (market) => read(`orderbooks?market_id=${market}`, `/markets/${market}/orderbook`);
const list = (series) => read(`markets?series_id=${series}&limit=100`, `/markets?series_ticker=${series}&limit=100`);

const READERS = ['ours', 'before', 'node', 'hpm', 'nest', 'auth', 'nginx'];

function post(path, headers, body, expect) {
  return { method: 'POST', path, headers, body: JSON.stringify(body), expect };
}

const KALSHI_ORDER = { market_id: `${TICKER}55.5`, outcome: 'yes', side: 'buy', price: '0.42', size: '10' };

const OWN = ['ours', 'before'];
const isOurs = ({ name }) => OWN.includes(name);

/** An order at Kalshi; only this service knows an `Idempotency-Key`. */
function kalshiOrder(headers) {
  return (subject) =>
    post('/kalshi/orders', { ...keyed(subject), ...headers }, KALSHI_ORDER, isOurs(subject) ? 200 : 201);
}

/** As many as a batch may hold. */
const BATCH = { orders: Array.from({ length: 15 }, () => KALSHI_ORDER) };

function kalshiBatch(subject) {
  return post('/kalshi/orders/batch', keyed(subject), BATCH, 200);
}

const PLAIN_ORDER = { market_id: SAMPLES.polymarketMarket, outcome: 'yes', side: 'buy', price: '0.42', size: '10' };

function plainOrder({ facts }) {
  return post('/polymarket/orders', bearer(facts.sessionKey), PLAIN_ORDER, 200);
}

function signedOrder(subject) {
  return post('/polymarket/orders', keyed(subject), { signed_order: SAMPLES.signedOrder }, 200);
}

function logIn({ name, facts }) {
  return post(name === 'auth' ? '/api/auth/sign-in/email' : '/auth/login', {}, facts.logIn, 200);
}

function profile({ name, facts }) {
  if (name === 'auth') return get('/api/auth/get-session', { Cookie: facts.cookie });
  return get('/account/profile', bearer(facts.token));
}

function refresh() {
  return {
    method: 'POST',
    path: '/auth/refresh',
    headers: { Cookie: 'refresh_token={state}' },
    expect: 200,
    cookie: 'refresh_token',
  };
}

/** One session for each connection: a token that is used up comes back anew with each answer. */
async function openSessions(subject, connections) {
  const sessions = [];
  for (let at = 0; at < connections; at += 1) sessions.push(await subject.facts.ours.openSession(subject.facts.logIn));
  return sessions;
}

/** The same cached read with few and with many connections. */
const SWEEP = [1, 16, 256, 1_024].map((connections) => ({
  id: `connections-${connections}`,
  title: `order book, asked again`,
  subjects: [...OWN, 'node', 'hpm'],
  ask: book(`${TICKER}55.5`),
  connections,
  isQuick: connections === 1_024,
  isLong: connections === 1_024,
}));

/** What the special measurements send. */
export const ASKS = {
  ask: book(`${TICKER}55.5`),
  askEach: book(`${TICKER}{n}`),
  askOrder: kalshiOrder({}),
};

export const CASES = [
  {
    id: 'me',
    title: '/me',
    subjects: ['ours', 'before', 'hpm', 'nest', 'auth'],
    ask: (subject) => get('/me', keyed(subject)),
  },
  { id: 'orderbook', title: 'order book, asked again', subjects: READERS, ask: book(`${TICKER}55.5`) },
  { id: 'orderbook-each', title: 'order book, each another', subjects: READERS, ask: book(`${TICKER}{n}`) },
  { id: 'markets', title: 'market list 174 kB, asked again', subjects: READERS, ask: list('KXBENCH') },
  { id: 'markets-each', title: 'market list 174 kB, each another', subjects: READERS, ask: list('KXB{n}') },
  { id: 'order', title: 'Kalshi order', subjects: [...OWN, 'nest', 'undici'], ask: kalshiOrder({}) },
  {
    id: 'order-key',
    title: 'Kalshi order with Idempotency-Key',
    subjects: [...OWN, 'nest'],
    ask: kalshiOrder({ 'Idempotency-Key': '{uuid}' }),
  },
  { id: 'order-batch', title: 'batch of 15 Kalshi orders', subjects: OWN, ask: kalshiBatch },
  { id: 'polymarket-plain', title: 'Polymarket order, signed here', subjects: OWN, ask: plainOrder },
  { id: 'polymarket-signed', title: 'Polymarket order that comes signed', subjects: OWN, ask: signedOrder },
  { id: 'profile', title: 'profile', subjects: [...OWN, 'nest', 'auth'], ask: profile },
  {
    id: 'refresh',
    title: 'refresh',
    subjects: OWN,
    ask: refresh,
    connections: 8,
    prepare: openSessions,
  },
  {
    id: 'login',
    title: 'log-in',
    subjects: [...OWN, 'nest', 'auth'],
    ask: logIn,
    connections: 4,
    isLong: true,
    isCostly: true,
  },
  ...SWEEP,
].map((definition) => ({ connections: CONNECTIONS, upstreamMs: 0, isQuick: true, ...definition }));
