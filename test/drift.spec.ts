import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { differencesOf } from '../src/commands/drift/comparison.js';
import { isFailure, jsonOf, linesOf } from '../src/commands/drift/drift-lines.js';
import { EXCHANGES } from '../src/exchanges/exchange.registry.js';
import { fullAnswer } from './openapi/example.js';
import { adapterPaths, anonymous } from './openapi/sources.js';
import { DriftStand, recorded, routeOf } from './support/drift-stand.js';

type Fields = Record<string, unknown>;

/** The recorded list of Kalshi's markets with each of them changed. */
function marketsWith(change: (market: Fields, index: number) => Fields): unknown {
  const page = recorded('kalshi-markets-list') as { markets: Fields[] };
  return { ...page, markets: page.markets.map(change) };
}

function without(name: string): (fields: Fields) => Fields {
  return (fields) => Object.fromEntries(Object.entries(fields).filter(([field]) => field !== name));
}

/** The document of each base address that has routes on a sheet. */
const DOCUMENTS = {
  KALSHI_API_URL: 'kalshi',
  POLYMARKET_CLOB_URL: 'polymarket-clob',
  POLYMARKET_GAMMA_URL: 'polymarket-gamma',
  POLYMARKET_DATA_URL: 'polymarket-data-v2',
} as const;
const DOCUMENTED = EXCHANGES.flatMap(({ drift: { routes } }) => [...routes]).flatMap(({ base, ...route }) =>
  base in DOCUMENTS ? [{ document: DOCUMENTS[base as keyof typeof DOCUMENTS], ...route }] : [],
);

const OK = { status: 'ok', unknown: [], missing: [], values: [], deprecation: null, reason: null };

let stand: DriftStand;

beforeEach(async () => {
  stand = await DriftStand.start();
});

afterEach(() => stand.close());

const markets = async () => routeOf(await stand.report(), 'kalshi', 'GET /markets');

describe('contract.md 8.1 npm run drift', () => {
  it('reports every route of exchanges that are as recorded as ok, and counts markets by version and shard', async () => {
    const reports = await stand.report();
    const routes = reports.flatMap(({ routes: all }) => all);
    expect(routes.filter(({ status }) => status !== 'ok')).toEqual([]);
    expect(isFailure(reports)).toBe(false);
    expect(reports.map(({ id }) => id)).toEqual(EXCHANGES.map(({ id }) => id));
    expect(Object.fromEntries(reports.map(({ id, markets: counts }) => [id, counts]))).toMatchObject({
      kalshi: { exchange_index: { '0': 4 } },
      polymarket: { version: { v1: 3 } },
    });
  });

  it('reads each route once, without a header line that names anybody', async () => {
    const reports = await stand.report();
    expect(stand.server.arrived).toHaveLength(reports.flatMap(({ routes }) => routes).length);
    const names = stand.server.arrived.flatMap(({ headers }) => Object.keys(headers));
    expect([...new Set(names)].sort()).toEqual(['accept', 'accept-encoding', 'connection', 'host', 'user-agent']);
  });

  it.each(EXCHANGES.map(({ id, drift }) => [id, drift.routes] as const))(
    'knows every public route that the adapter of %s reads',
    async (id, routes) => {
      const known = new Set(routes.map(({ path }) => anonymous(path)));
      // Several books are asked for by a POST, and are those of `/book`; activity is that of one wallet.
      const isPrivate =
        /^\/(?:portfolio|historical\/(?:fills|orders|positions)|api_keys|account|orders?$|data\/|balance|auth|books$|v2\/activity$|v1\/(?:account|user|session-signers)\/)/;
      const paths = await adapterPaths(id);
      expect(paths.length).toBeGreaterThan(10);
      expect(paths.filter((path) => !isPrivate.test(path) && !known.has(path))).toEqual([]);
    },
  );

  it.each(DOCUMENTED)('$document has no field of GET $path that is unknown', ({ document, path, ...route }) => {
    const answer = fullAnswer(document, path);
    expect(answer).toBeDefined();
    expect(differencesOf(route, answer)).toMatchObject({ unknown: [], values: [] });
  });

  it('calls a field that is new in one market of a page changed, and does not fail', async () => {
    stand.plant('/kalshi/markets', { body: marketsWith((it, index) => (index === 2 ? { ...it, brand_new: 1 } : it)) });
    const reports = await stand.report();
    expect(routeOf(reports, 'kalshi', 'GET /markets')).toEqual({
      ...OK,
      route: 'GET /markets',
      status: 'changed',
      unknown: ['markets[].brand_new'],
    });
    expect(isFailure(reports)).toBe(false);
  });

  it('calls a page without a field that the whole page needs broken', async () => {
    stand.plant('/kalshi/markets', { body: marketsWith((it, index) => (index === 1 ? without('ticker')(it) : it)) });
    const reports = await stand.report();
    expect(routeOf(reports, 'kalshi', 'GET /markets')).toMatchObject({
      status: 'broken',
      missing: ['markets[].ticker'],
    });
    expect(isFailure(reports)).toBe(true);
  });

  it.each([
    ['yes_bid_dollars', 'broken'],
    ['volume_fp', 'changed'],
    ['settlement_ts', 'ok'],
  ])('calls a page of which no market has %s %s', async (name, status) => {
    stand.plant('/kalshi/markets', { body: marketsWith(without(name)) });
    expect(await markets()).toMatchObject({ status, missing: status === 'ok' ? [] : [`markets[].${name}`] });
  });

  it('calls a Polymarket market without ids of its outcomes broken', async () => {
    const market = without('clobTokenIds')(recorded('polymarket-gamma-market') as Fields);
    stand.plant('/gamma/markets/slug/*', { body: market });
    const found = routeOf(await stand.report(), 'polymarket', 'GET /markets/slug/{market_slug}');
    expect(found).toMatchObject({ status: 'broken', missing: ['clobTokenIds|positionIds'] });
  });

  it('calls a needed field of another type broken', async () => {
    stand.plant('/kalshi/markets', { body: marketsWith((it) => ({ ...it, yes_bid_dollars: { amount: 42 } })) });
    expect(await markets()).toMatchObject({ status: 'broken', missing: ['markets[].yes_bid_dollars'] });
  });

  it.each([[{ error: 'no' }], [[]], ['text'], [null]])('calls the answer %j broken', async (body) => {
    stand.plant('/kalshi/markets', { body });
    expect(await markets()).toMatchObject({ status: 'broken' });
  });

  it.each([
    [{ status: 'halted' }, 'markets[].status: halted'],
    [{ result: 'maybe' }, 'markets[].result: maybe'],
    [{ market_type: 'ternary' }, 'markets[].market_type: ternary'],
  ])('calls the value in %j changed', async (change, value) => {
    stand.plant('/kalshi/markets', { body: marketsWith((it) => ({ ...it, ...change })) });
    expect(await markets()).toMatchObject({ status: 'changed', values: [value], missing: [], unknown: [] });
  });

  it('counts versions that nobody knows, and calls them changed', async () => {
    const page = recorded('polymarket-gamma-markets-keyset') as { markets: Fields[] };
    const versions = ['v2', 'v3', undefined];
    const body = { ...page, markets: page.markets.map((it, index) => ({ ...it, version: versions[index] })) };
    stand.plant('/gamma/markets/keyset', { body });
    const reports = await stand.report();
    expect(reports[1]?.markets).toEqual({ version: { v2: 1, v3: 1, none: 1 } });
    expect(routeOf(reports, 'polymarket', 'GET /markets/keyset')).toMatchObject({
      status: 'changed',
      values: ['markets[].version: v3'],
    });
  });

  it('shows what Deprecation and Sunset say', async () => {
    const headers = { deprecation: '@1798761600', sunset: 'Sun, 31 Jan 2027 00:00:00 GMT' };
    stand.plant('/kalshi/markets', { body: recorded('kalshi-markets-list'), headers });
    const reports = await stand.report();
    const deprecation = 'Deprecation: @1798761600; Sunset: Sun, 31 Jan 2027 00:00:00 GMT';
    expect(routeOf(reports, 'kalshi', 'GET /markets')).toMatchObject({ status: 'changed', deprecation });
    expect(linesOf(reports)).toContain(`kalshi\tchanged\tGET /markets\t${deprecation}`);
  });

  it.each([
    ['status 500', { status: 500, body: {} }, 'unreachable'],
    ['status 429', { status: 429, body: {} }, 'unreachable'],
    ['status 404', { status: 404, body: {} }, 'broken'],
    ['status 410', { status: 410, body: {} }, 'broken'],
    ['timeout', 'hang', 'unreachable'],
    ['interrupted', 'reset', 'unreachable'],
    ['redirect, status 301', { status: 301, headers: { location: '/' } }, 'broken'],
    ['unreadable, status 200', { headers: { 'content-type': 'text/html' }, body: 'a page' }, 'broken'],
  ] as const)('tells %s, and fails', async (reason, answer, status) => {
    stand.plant('/kalshi/historical/cutoff', answer);
    const reports = await stand.report(answer === 'hang' ? '5s' : undefined);
    expect(routeOf(reports, 'kalshi', 'GET /historical/cutoff')).toMatchObject({ status, reason });
    expect(isFailure(reports)).toBe(true);
    const others = reports.flatMap(({ routes }) => routes).filter((route) => route.status !== 'ok');
    expect(others).toHaveLength(1);
  });

  it('calls what cannot be asked for unreachable, when exchanges hang, after the time of one call', async () => {
    stand.plant('/*', 'hang');
    const started = performance.now();
    const routes = (await stand.report('1s')).flatMap((report) => report.routes);
    expect(performance.now() - started).toBeLessThan(10_000);
    expect(routes.length).toBeGreaterThan(20);
    expect(new Set(routes.map(({ status }) => status))).toEqual(new Set(['unreachable']));
    expect(routes.find(({ route }) => route === 'GET /markets/{ticker}')?.reason).toBe(
      'no {ticker} was found to ask for',
    );
  });

  it('cuts hostile names, values and header lines, and how many there are', async () => {
    const escape = '\u001b[2J\u202e';
    const fields = Object.fromEntries(
      Array.from({ length: 4_000 }, (_, at) => [`${escape}f${at}${'x'.repeat(500)}`, 1]),
    );
    const change = { ...fields, ['__proto__']: 1, status: `${escape}${'y'.repeat(500)}` };
    const headers = {
      deprecation: 'd'.repeat(5_000),
      sunset: '\u001b]0;title\u0007'.replaceAll(/[^\x20-\x7e]/g, '\t'),
    };
    stand.plant('/kalshi/markets', {
      body: marketsWith((it, index) => (index === 0 ? { ...it, ...change } : it)),
      headers,
    });
    const reports = await stand.report();
    const found = routeOf(reports, 'kalshi', 'GET /markets');
    expect(found.unknown).toHaveLength(51);
    expect(found.unknown.at(-1)).toBe('... and more');
    expect(found.deprecation?.length).toBeLessThan(250);
    for (const text of [...linesOf(reports).map((line) => line.replaceAll('\t', '')), ...jsonOf(reports).split('\n')]) {
      expect(text).toMatch(/^[\x20-\x7e]*$/);
      expect(text.length).toBeLessThan(3_000);
    }
  });

  it('asks for no id that leads elsewhere', async () => {
    stand.plant('/kalshi/markets', { body: marketsWith((it) => ({ ...it, ticker: '..' })) });
    const reports = await stand.report();
    expect(routeOf(reports, 'kalshi', 'GET /markets/{ticker}')).toMatchObject({ status: 'unreachable' });
    expect(stand.server.arrived.every(({ target }) => !target.includes('..'))).toBe(true);
  });

  it('prints exactly what the contract says as JSON', async () => {
    const { exchanges } = JSON.parse(jsonOf(await stand.report())) as { exchanges: Fields[] };
    const kalshi = exchanges[0] as { routes: Fields[] };
    expect(exchanges.map((exchange) => Object.keys(exchange))).toEqual(
      EXCHANGES.map(() => ['id', 'routes', 'markets']),
    );
    expect(kalshi.routes[0]).toEqual({
      route: 'GET /exchange/status',
      status: 'ok',
      unknown: [],
      missing: [],
      values: [],
      deprecation: null,
    });
  });
});
