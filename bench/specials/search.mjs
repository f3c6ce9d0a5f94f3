import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { digits } from '../lib/format.mjs';
import { freePort, SERVER_CORE, stop } from '../lib/servers.mjs';

const MARKETS = 200_000;
const QUERIES = 1_000;
const BATCH = 2_000;
const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
const SYLLABLES = 'ba ce di fo gu ha je ki lo mu na pe qui ro su ta ve wi xo yu zar ling ton berg ski'.split(' ');

/** The same numbers in every run. */
function seeded(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const FILL = `
  INSERT INTO catalogue_markets (exchange, id, event_id, series_id, words, categories, volume_24h, volume_unit, closes_at, made_at, digest, shown)
  SELECT row.exchange, row.id, row.event_id, row.series_id, row.words::tsvector, row.categories, row.volume_24h, row.volume_unit,
         row.closes_at::timestamptz, row.made_at::timestamptz, row.digest, row.shown::json
    FROM json_to_recordset($1::json) AS row (exchange text, id text, event_id text, series_id text, words text, categories text[],
         volume_24h float8, volume_unit text, closes_at text, made_at text, digest text, shown text)
  ON CONFLICT DO NOTHING`;

function market({ exchange, title, label, ticker, number }, random) {
  const outcome = (index) => ({ id: `${ticker}:${index}`, index, label: index === 0 ? 'Yes' : 'No' });
  const day = new Date(Date.UTC(2026, 11, 1 + random(300))).toISOString();
  return {
    ...{
      exchange,
      id: ticker,
      event_id: `E${Math.floor(number / 8)}`,
      series_id: null,
      title,
      subtitle: label,
      description: null,
    },
    ...{ category: ['Politics', 'Sports', 'Crypto', 'Economics'][random(4)], tags: [], status: 'open', tradable: true },
    ...{
      outcomes: [outcome(0), outcome(1)],
      result: null,
      open_time: day,
      close_time: day,
      created_at: day,
      updated_at: day,
    },
    ...{ volume: '10', volume_24h: String(Math.floor(10 ** (random(600) / 100))), refs: { ticker }, currency: 'USD' },
    ...{ volume_unit: exchange === 'kalshi' ? 'contracts' : 'currency', price_ranges: [], url: null, fees: null },
  };
}

/** Titles as the sandbox words them, each a hundred times with other dates, numbers and names. */
async function* marketsOf(dist, random) {
  const load = (file) => import(pathToFileURL(join(dist, 'sandbox', file)).href);
  const [{ manySeeds }, { manyEvents }] = [await load('kalshi/seeds/many.js'), await load('polymarket/seeds/many.js')];
  const texts = [
    ...manySeeds().markets.map(({ title, subtitle }) => ({ exchange: 'kalshi', title, label: subtitle })),
    ...manyEvents().flatMap(({ markets }) =>
      markets.map(({ question, label }) => ({ exchange: 'polymarket', title: question, label })),
    ),
  ];
  const name = () => Array.from({ length: 2 + random(2) }, () => SYLLABLES[random(SYLLABLES.length)]).join('');
  const changed = (text) =>
    text
      .replaceAll(/\b(?:Dec|December) \d+/g, () => `${MONTHS[random(12)]} ${1 + random(28)}`)
      .replaceAll(/\d{2,3},000/g, () => `${10 + random(190)},000`)
      .replaceAll(/\b[A-Z][a-z]{4,}\b/g, (word) => (random(4) === 0 ? name() : word));
  for (let number = 0; number < MARKETS; number += 1) {
    const { exchange, title, label } = texts[number % texts.length];
    const ticker = `KXB${name().toUpperCase()}-27${MONTHS[random(12)].toUpperCase()}${random(28)}-${number}`;
    yield market({ exchange, title: changed(title).replaceAll('**', ''), label, ticker, number }, random);
  }
}

async function fill(dist, url) {
  const { entryOf } = await import(pathToFileURL(join(dist, 'src', 'catalogue', 'catalogue-rows.js')).href);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const titles = [];
  let rows = [];
  const flush = () => client.query(FILL, [JSON.stringify(rows.splice(0))]);
  for await (const each of marketsOf(dist, seeded(7))) {
    titles.push(each.title);
    const event = { ...each, id: each.event_id, title: '', markets: [each], refs: {} };
    rows.push({ exchange: each.exchange, ...(await entryOf(event, () => Promise.resolve())).markets[0] });
    if (rows.length === BATCH) await flush();
  }
  await flush();
  await client.query('VACUUM ANALYZE catalogue_markets');
  await client.query(
    `INSERT INTO catalogue_parts (exchange, started_at, as_of) VALUES ('kalshi', now(), now()), ('polymarket', now(), now())
     ON CONFLICT (exchange) DO UPDATE SET started_at = now(), as_of = now(), is_walking = false`,
  );
  await client.end();
  return titles;
}

/** One to four words of one title, in any order. */
function queriesOf(titles, random) {
  return Array.from({ length: QUERIES }, () => {
    const words = titles[random(titles.length)].split(/\s+/);
    const wanted = 1 + random(4);
    return Array.from({ length: wanted }, () => words[random(words.length)]).join(' ');
  });
}

/** Milliseconds of each query's first page, and how many found something. */
async function timesOf(replica, token, queries, sort) {
  const times = [];
  let found = 0;
  for (const search of queries) {
    const query = { search, limit: '20', sort };
    const since = performance.now();
    const { answer } = await replica.call('GET', `/markets?${new URLSearchParams(query)}`, { token });
    times.push({ ms: performance.now() - since, search });
    if (answer.data.length > 0) found += 1;
  }
  times.sort((one, other) => one.ms - other.ms);
  const [p50, p99, most] = [times[times.length / 2], times[Math.floor(times.length * 0.99)], times.at(-1)];
  return { p50: p50.ms, p99: p99.ms, most: most.ms, found, worst: times.slice(-5).reverse() };
}

async function measure({ options }, { facts }) {
  const replica = facts.ours.replica(await freePort(), { CATALOGUE_REFRESH: '1d' });
  const titles = await fill(options.ours, facts.ours.databaseUrl);
  const server = await replica.start(SERVER_CORE);
  const random = seeded(11);
  // A tenth of them first, so that the service and its caches are warm.
  await timesOf(replica, facts.key, queriesOf(titles, random).slice(0, QUERIES / 10), 'relevance');
  const found = await timesOf(replica, facts.key, queriesOf(titles, random), 'relevance');
  const sorted = [];
  for (const sort of ['volume_24h', 'closes_at', 'newest'])
    sorted.push({
      sort,
      ...(await timesOf(replica, facts.key, queriesOf(titles, random).slice(0, QUERIES / 2), sort)),
    });
  await stop(server);
  return { ...found, sorted };
}

/** What a search of 200,000 markets takes, by words of the titles. */
export const SEARCH = {
  id: 'search',
  subjects: ['ours'],
  title: 'search of 200,000 markets, 1,000 queries of the titles’ own words, one after the other',
  async run(context) {
    const [subject] = context.own.filter(({ name }) => name === 'ours');
    if (subject === undefined) return null;
    const found = await measure(context, subject);
    const ms = (value) => `${digits(value, 1)} ms`;
    const words = found.worst.map(({ ms: time, search }) => `"${search}" ${ms(time)}`).join(', ');
    return {
      found,
      lines: [
        [
          'ours',
          'an answer of GET /markets',
          `p50 ${ms(found.p50)}, p99 ${ms(found.p99)}, worst ${ms(found.most)}; ${found.found} found something`,
        ],
        ['ours', 'slowest', words],
        ...found.sorted.map(({ sort, ...each }) => [
          'ours',
          `the same, by ${sort}`,
          `p50 ${ms(each.p50)}, p99 ${ms(each.p99)}, worst ${ms(each.most)} ("${each.worst[0].search}")`,
        ]),
      ],
    };
  },
};
