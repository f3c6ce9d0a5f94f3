/** The goals that this service set itself, computed from one run. What was not measured in it is left out. */

const CPU = 'CPU';

/** A shorter run does not show whether memory stays flat. */
const LONG_SECONDS = 600;
const SOAK_SECONDS = 1_800;

/** The median CPU time of a subject in a case; null where it was not measured. */
function cpuOf(results, id, name) {
  return results.find((result) => result.id === id)?.subjects[name]?.cpuUs ?? null;
}

/** `ours` in a case, as a multiple of another subject. */
function ratio({ text, id, to, most }) {
  return {
    text: `${text} ≤ ${most} × ${to.title}`,
    most,
    read: ({ results }) => {
      const [own, other] = [cpuOf(results, id, 'ours'), cpuOf(results, id, to.name)];
      return own === null || other === null ? null : own / other;
    },
    unit: `× ${CPU}`,
  };
}

const NODE = { name: 'node', title: 'node:http' };
const HPM = { name: 'hpm', title: 'express + hpm' };
const NEST = { name: 'nest', title: 'usual Nest' };
const UNDICI = { name: 'undici', title: 'undici + RSA' };
const BEFORE = { name: 'before', title: 'before' };

const special =
  (id, pick) =>
  ({ specials }) => {
    const found = specials.find((result) => result.id === id)?.found;
    return found === undefined ? null : (pick(found) ?? null);
  };

/** A batch of 15, as a multiple of single orders. */
function batchInOrders({ results }) {
  const [batch, order] = ['order-batch', 'order'].map((id) => cpuOf(results, id, 'ours'));
  return batch === null || order === null ? null : batch / order;
}

/** At 1,024 connections each waits its turn: 1,024 requests stand before it. */
function crowdedP99({ results }) {
  const own = results.find(({ id }) => id === 'connections-1024')?.subjects.ours;
  return own === undefined || own.p99 === null ? null : own.p99 / ((1_024 / own.rate) * 1_000);
}

function crowdedBad({ results }) {
  const own = results.find(({ id }) => id === 'connections-1024')?.subjects.ours;
  return own === undefined ? null : Object.values(own.bad).reduce((sum, count) => sum + count, 0);
}

const GOALS = [
  { text: 'search of 200,000 markets, p99 ≤ 30 ms', most: 30, read: special('search', ({ p99 }) => p99), unit: 'ms' },
  {
    text: 'search of 200,000 markets, worst ≤ 100 ms',
    most: 100,
    read: special('search', ({ most }) => most),
    unit: 'ms',
  },
  ratio({ text: 'order book, asked again', id: 'orderbook', to: NODE, most: 0.8 }),
  ratio({ text: 'order book, asked again', id: 'orderbook', to: HPM, most: 0.15 }),
  ratio({ text: 'market list 174 kB, asked again', id: 'markets', to: NODE, most: 0.5 }),
  ratio({ text: 'order book, each another', id: 'orderbook-each', to: NEST, most: 1.0 }),
  ratio({ text: 'market list, each another', id: 'markets-each', to: NEST, most: 2.0 }),
  ratio({ text: '/me', id: 'me', to: HPM, most: 0.9 }),
  ratio({ text: 'Kalshi order', id: 'order', to: NEST, most: 0.7 }),
  ratio({ text: 'Kalshi order', id: 'order', to: UNDICI, most: 1.1 }),
  ratio({ text: 'Kalshi order with Idempotency-Key', id: 'order-key', to: NEST, most: 0.9 }),
  { text: 'batch of 15 Kalshi orders ≤ 6 single ones', most: 6, unit: `orders' ${CPU}`, read: batchInOrders },
  ratio({ text: 'profile', id: 'profile', to: BEFORE, most: 0.3 }),
  ratio({ text: 'refresh', id: 'refresh', to: BEFORE, most: 0.7 }),
  {
    text: 'half load, 20 ms upstream: added p50 ≤ 0.25 ms',
    most: 0.25,
    unit: 'ms',
    read: special('half-load', ({ ours }) => ours?.p50),
  },
  {
    text: 'half load, 20 ms upstream: added p99 ≤ 3 ms',
    most: 3,
    unit: 'ms',
    read: special('half-load', ({ ours }) => ours?.p99),
  },
  { text: '1,024 connections: no bad answer', most: 0, unit: 'bad answers', read: crowdedBad },
  { text: '1,024 connections: p99 ≤ 4 × (1,024 ÷ rate)', most: 4, unit: '×', read: crowdedP99 },
  {
    text: 'reads beside saturating orders: p99 ≤ 3 ×',
    most: 3,
    unit: '×',
    read: special('fairness', ({ ours }) => ours?.reads.ratio),
  },
  {
    text: 'orders beside saturating reads: p99 ≤ 3 ×',
    most: 3,
    unit: '×',
    read: special('fairness', ({ ours }) => ours?.orders.ratio),
  },
  {
    text: 'order of a bot with limits ≤ 1.15 × main key',
    most: 1.15,
    unit: `× ${CPU}`,
    read: special('bot-orders', ({ ours }) => ours?.cpu.ratio),
  },
  {
    text: 'profile beside 64 orders of a bot: p99 ≤ 3 ×',
    most: 3,
    unit: '×',
    read: special('bot-orders', ({ ours }) => ours?.profile.ratio),
  },
  {
    text: 'stream, 100 readers of 100 changes a second: added p99 ≤ 5 ms',
    most: 5,
    unit: 'ms',
    read: special('streams', ({ ours }) => ours.addedP99),
  },
  {
    text: 'stream, 1,000 readers: CPU of a message and reader ≤ 3 × bare node:http',
    most: 3,
    unit: `× ${CPU}`,
    read: special('streams', ({ ours, bare }) => ours.crowdCpuUs / bare.crowdCpuUs),
  },
  {
    text: 'stream, 1,000 readers: memory ≤ 100 MB above rest',
    most: 100,
    unit: 'MB',
    read: special('streams', ({ ours }) => ours.grownMb),
  },
  {
    text: 'streams for half an hour: last quarter ≤ 1.05 × second',
    most: 1.05,
    unit: '×',
    read: special('soak', ({ seconds, earlyMb, lateMb }) => (seconds < SOAK_SECONDS ? null : lateMb / earlyMb)),
  },
  { text: 'memory at rest ≤ 130 MB', most: 130, unit: 'MB', read: special('start', ({ ours }) => ours?.restMb) },
  {
    text: 'memory at 1,024 connections ≤ 220 MB',
    most: 220,
    unit: 'MB',
    read: special('start', ({ ours }) => ours?.busyMb),
  },
  {
    text: 'memory flat: last quarter ≤ 1.05 × second',
    most: 1.05,
    unit: '×',
    read: special('memory', ({ seconds, earlyMb, lateMb }) => (seconds < LONG_SECONDS ? null : lateMb / earlyMb)),
  },
  {
    text: 'ready ≤ 1.0 s with an outside database',
    most: 1,
    unit: 's',
    read: special('start', ({ ours }) => ours && ours.startMs / 1_000),
  },
];

/** Each goal that this run measured: what it is, what was measured, and whether it is met. */
export function goalsOf(results, specials) {
  return GOALS.flatMap(({ text, most, unit, read }) => {
    const value = read({ results, specials });
    return value === null ? [] : [{ text, most, unit, value, isMet: value <= most }];
  });
}
