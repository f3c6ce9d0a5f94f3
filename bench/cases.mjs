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
    const isUnified = ['ours', 'before'].includes(subject.name);
    if (isUnified) return get(`/kalshi/${unified}`, keyed(subject));
    if (subject.name === 'nest') return get(`/kalshi/${unified.replace('series_id', 'series_ticker')}`, keyed(subject));
    return get(UPSTREAM_API + upstream, keyed(subject));
  };
}

const book = (market) => read(`orderbooks?market_id=${market}`, `/markets/${market}/orderbook`);
const list = (series) => read(`markets?series_id=${series}&limit=100`, `/markets?series_ticker=${series}&limit=100`);

const READERS = ['ours', 'before', 'node', 'hpm', 'nest', 'auth', 'nginx'];

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
].map((definition) => ({ connections: CONNECTIONS, upstreamMs: 0, ...definition }));
