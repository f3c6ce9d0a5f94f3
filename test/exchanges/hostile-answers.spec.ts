import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { compare, parseDecimal } from '../../src/exchanges/decimal.js';
import { KALSHI_ERRORS } from '../../src/exchanges/kalshi/kalshi.errors.js';
import { POLYMARKET_ERRORS } from '../../src/exchanges/polymarket/polymarket.errors.js';
import { parseIsoTime } from '../../src/exchanges/time.js';
import { UpstreamErrors } from '../../src/exchanges/upstream-errors.js';
import { Secret } from '../../src/platform/secrets/secret.js';
import { parseBody } from '../../src/platform/upstream/response-body.js';
import { CREDENTIALS, FakePolymarket } from '../support/fake-polymarket.js';
import { hostileTexts, LONGEST_MS, shortestMs } from '../support/hostile.js';
import { sourceFiles } from '../support/sources.js';

const ENTRIES = 400_000;
const TEXTS = hostileTexts();
const DIGITS = '9'.repeat(100_000);
const NUMBERS = [
  DIGITS,
  `-${DIGITS}`,
  `0.${DIGITS}`,
  `${DIGITS}.${DIGITS}`,
  `0.${'0'.repeat(100_000)}1`,
  `1e${DIGITS}`,
  '1e999999999',
  '1e-999999999',
  `${'0'.repeat(100_000)}1`,
];
const many = (entry: unknown): unknown[] => Array.from({ length: ENTRIES }, () => entry);
const LISTS = [many(null), many({}), many('x'), many(['0.1', '1']), many({ id: '1', ticker: 'T' })];
const RECORD = Object.fromEntries(
  LISTS.flatMap((list, index) => list.slice(0, 20_000).map((_, at) => [`${index}:${at}`, 'x'])),
);
/** Errors that one body is told as. */
const CALLS = 5;
const FEW_TEXTS = TEXTS.filter((_, index) => index % 10 === 0);

/** Every schema that a `*.wire.ts` or `wire.ts` exports. */
async function wireSchemas(): Promise<{ name: string; schema: z.ZodType }[]> {
  const found: { name: string; schema: z.ZodType }[] = [];
  for (const file of sourceFiles('src').filter((name) => /\bwire\.ts$/.test(name))) {
    const path = relative(import.meta.dirname, resolve(file)).replace(/\.ts$/, '.js');
    for (const [name, schema] of Object.entries((await import(path)) as Record<string, unknown>)) {
      if (schema instanceof z.ZodType) found.push({ name: `${file} ${name}`, schema });
    }
  }
  return found;
}

/** Values that are hostile whole, and objects that are so in one of their fields. */
function hostileBodies(schema: z.ZodType, values: readonly unknown[]): unknown[] {
  const read = schema instanceof z.ZodPipe ? schema.in : schema;
  const fields = read instanceof z.ZodObject ? Object.keys(read.shape) : [];
  return [...values, ...fields.flatMap((field) => values.map((value) => ({ [field]: value })))];
}

const SCHEMAS = await wireSchemas();

describe('S-53 an answer of an exchange', () => {
  it('is known to this test by all its schemas', () => {
    expect(SCHEMAS.length).toBeGreaterThan(40);
  });

  it.each(SCHEMAS)('is read by $name within 50 ms, whatever is in it', ({ schema }) => {
    const slow = hostileBodies(schema, [...FEW_TEXTS, ...NUMBERS, ...LISTS, RECORD]).find(
      (body) => shortestMs(() => schema.safeParse(body)) > LONGEST_MS,
    );
    expect(slow && JSON.stringify(slow).slice(0, 80)).toBeUndefined();
  });

  it.each([
    ['Kalshi', KALSHI_ERRORS],
    ['Polymarket', POLYMARKET_ERRORS],
  ])('is told as the error of %s within 50 ms, whatever its words are', (_, dialect) => {
    const errors = new UpstreamErrors(dialect, [new Secret('p a s s'), new Secret('x'.repeat(8_000))]);
    const reference = { details: { client_order_id: 'c' }, isSafeToResend: false, isOurs: true };
    const tell = (body: unknown) => (): void => {
      for (const status of [400, 401, 404, 503]) errors.ofCall({ status, body, retryAfterSeconds: null }, 'cancel');
      errors.ofOrder({ status: 400, body, retryAfterSeconds: null }, reference);
    };
    const bodies = [...FEW_TEXTS, ...NUMBERS].flatMap((text) => [
      { error: text },
      { error: { code: text.slice(0, 64), message: text } },
      { code: text, message: text.slice(0, 10_000) },
    ]);
    const slow = bodies.find((body) => shortestMs(tell(body)) > LONGEST_MS * CALLS);
    expect(slow && JSON.stringify(slow).slice(0, 80)).toBeUndefined();
  });
});

describe("S-53 a text that is longer than any of the exchange's own", () => {
  const long = 'x'.repeat(10_001);

  it.each([
    ['Kalshi', KALSHI_ERRORS, { code: 'c', details: long }],
    ['Kalshi', KALSHI_ERRORS, { error: { code: 'c', message: long } }],
    ['Polymarket', POLYMARKET_ERRORS, { error: long }],
    ['Polymarket', POLYMARKET_ERRORS, { error_msg: long }],
  ])('proves nothing in an error of %s', (_, { readFault }, body) => {
    expect(readFault(body)).toBeNull();
  });

  it.each([[{ shard: 1 }], [undefined], ['x'.repeat(10_000)]])('is not what %j is', (details) => {
    expect(KALSHI_ERRORS.readFault({ code: 'c', details })).toMatchObject({ code: 'c' });
  });
});

/** The most bytes of an answer. */
const FULL = 5 * 1024 * 1024;
/** As many pieces as fit into an answer, each with a number of its own. */
const full = (open: string, piece: (index: number) => string, close: string): string => {
  const pieces: string[] = [];
  for (let size = 0; size < FULL - 1_000; size += pieces.at(-1)?.length ?? 0) pieces.push(`${piece(pieces.length)},`);
  return `${open}${pieces.join('').slice(0, -1)}${close}`;
};
const members = (count: number, index: number): string =>
  Array.from({ length: count }, (_, at) => `"m${index * count + at}":1`).join(',');

const UNREADABLE: readonly (readonly [what: string, text: string])[] = [
  ['one text', `{"error":"${'x'.repeat(FULL - 100)}"}`],
  ['one name', `{"${'x'.repeat(FULL - 100)}":1}`],
  ['an object of 330,000 members', full('{', (index) => members(1, index), '}')],
  ['objects of 1,000 members', full('[', (index) => `{${members(1_000, index)}}`, ']')],
  ['objects of 100 members', full('[', (index) => `{${members(100, index)}}`, ']')],
  ['objects of one member', full('[', (index) => `{${members(1, index)}}`, ']')],
  ['members of one name', full('{', () => '"m":1', '}')],
  ['lists in lists', '['.repeat(FULL / 2 - 1) + ']'.repeat(FULL / 2 - 1)],
  ['objects in objects', `${'{"m":'.repeat(800_000)}1${'}'.repeat(800_000)}`],
  ['empty lists', full('[', () => '[]', ']')],
  ['empty objects', full('{"m":[', () => '{}', ']}')],
  ['numbers', full('[', () => '0', ']')],
  ['short texts', full('[', (index) => `"${index.toString(36)}"`, ']')],
  ['lists of two', full('[', () => '[0,0]', ']')],
];

/** Pages of markets and events as the exchanges give them: no other answers come near the limit. */
const SAMPLES = ['kalshi', 'polymarket'].flatMap((exchange) => {
  const folder = join('test/vectors', exchange);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /(?:gamma|kalshi)-(?:event|market).*\.json$/.test(name),
  );
  return files.map((name) => [name, readFileSync(join(folder, name), 'utf8')] as const);
});

describe('S-53 the JSON of an answer', () => {
  const read = (status: number, text: string): unknown => parseBody({ status, headers: {} }, Buffer.from(text));

  it.each(UNREADABLE)('of 5 MiB that is %s is unreadable within 50 ms', (_, text) => {
    const bytes = Buffer.from(text);
    expect(bytes.length).toBeGreaterThan(4_500_000);
    expect(() => parseBody({ status: 200, headers: {} }, bytes)).toThrow('unreadable');
    expect(parseBody({ status: 400, headers: {} }, bytes)).toBeUndefined();
    expect(shortestMs(() => parseBody({ status: 400, headers: {} }, bytes))).toBeLessThan(LONGEST_MS);
  });

  it.each([
    ['a book of 20,000 levels', many({ price: '0.12', size: '123.45' }).slice(0, 20_000)],
    ['a book of 20,000 bare levels', many(['0.1200', '123.45']).slice(0, 20_000)],
    ['25,000 price points', many({ t: 1_795_200_000, p: 0.1234 }).slice(0, 25_000)],
    [
      '1,000 orders that were not cancelled',
      Object.fromEntries(
        many('x')
          .slice(0, 1_000)
          .map((why, at) => [`0x${at}`, why]),
      ),
    ],
  ])('is read where it is %s', (_, body) => {
    const value = { padding: 'x'.repeat(200_000), body };
    expect(read(200, JSON.stringify(value))).toEqual(value);
  });

  it.each(SAMPLES)('is read where it is full of %s', (_, sample) => {
    const answer = JSON.parse(sample) as unknown;
    const list = Array.isArray(answer) ? (answer as unknown[]) : [answer];
    const text = JSON.stringify(list);
    const times = Math.max(1, Math.min(5_000, Math.floor(FULL / text.length)));
    expect(read(200, `[${Array.from({ length: times }, () => text).join(',')}]`)).toHaveLength(times);
  });
});

describe('S-53 decimals and times of an exchange', () => {
  it.each(NUMBERS.map((number) => [number.slice(0, 12), number]))('reads none from %s…', (_, number) => {
    expect(shortestMs(() => parseDecimal(number))).toBeLessThan(LONGEST_MS);
    expect(parseDecimal(number)).toBeNull();
    expect(parseIsoTime(number)).toBeNull();
  });

  it('reads and compares 10,000 within 50 ms', () => {
    const all = Array.from({ length: 10_000 }, (_, index) => `0.${String(index).padStart(4, '0')}`);
    const work = (): void => {
      const read = all.map((text) => parseDecimal(text) ?? '');
      read.reduce((highest, one) => (compare(one, highest) > 0 ? one : highest), '0');
    };
    work();
    expect(shortestMs(work)).toBeLessThan(LONGEST_MS);
  });
});

describe('S-53 a page of 400,000 entries', () => {
  let fake: FakePolymarket;

  beforeAll(async () => {
    fake = await FakePolymarket.start({ UPSTREAM_TIMEOUT: '20s' });
  });

  afterAll(() => fake.close());

  it.each([
    ['markets', 'GET /gamma/markets/keyset', { markets: many({}) }],
    ['events', 'GET /gamma/events/keyset', { events: many({}) }],
    ['trades', 'GET /data/v2/trades', { data: many({}), pagination: {} }],
    ['orders', 'GET /clob/data/orders', { data: many({}), next_cursor: 'LTE=' }],
    ['positions', 'GET /data/v2/positions', { data: many({}), pagination: {} }],
    ['orders to cancel', 'GET /clob/data/orders', { data: many({ id: '0x1' }), next_cursor: 'LTE=' }],
  ])('of %s is exchange_error', async (what, route, body) => {
    fake.on(route, () => ({ body }));
    const { marketData } = fake.exchange;
    const trading = fake.trading(CREDENTIALS);
    const paging = { limit: 50, cursor: null };
    const market_id = `0x${'1'.repeat(64)}`;
    const reads: Readonly<Record<string, () => Promise<unknown>>> = {
      markets: () => marketData.listMarkets({ status: 'open' }, paging),
      events: () => marketData.listEvents({ status: 'open' }, paging),
      trades: () => marketData.listTrades({ market_id }, paging),
      orders: () => trading.listOrders({ status: 'open' }, paging),
      positions: () => trading.listPositions({}, paging),
      'orders to cancel': () => trading.cancelAllOrders(),
    };
    if (what === 'trades') fake.on('GET /gamma/markets/keyset', () => ({ body: { markets: many({}) } }));
    await expect(reads[what]?.()).rejects.toMatchObject({ code: 'exchange_error' });
  });
});
