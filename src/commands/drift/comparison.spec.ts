import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { EXCHANGES } from '../../exchanges/exchange.registry.js';
import type { KnownFields } from '../../exchanges/drift-sheet.js';
import { boundedEvents, boundedList, nullableList } from '../../exchanges/wire-list.js';
import { openEnum } from '../../exchanges/wire-notes.js';
import { type AnswerShape, shapeOf } from './answer-shape.js';
import { differencesOf } from './comparison.js';
import { clean } from './findings.js';

const NONE = { broken: false, unknown: [], missing: [], values: [] };

/** The recorded answers of each route. */
const RECORDED: Readonly<Record<string, readonly string[]>> = {
  '/exchange/status': ['kalshi-exchange-status'],
  '/historical/cutoff': ['kalshi-historical-cutoff'],
  '/markets': ['kalshi-markets-list'],
  '/markets/{ticker}': ['kalshi-market', 'kalshi-market-settled'],
  '/markets/{ticker}/orderbook': ['kalshi-orderbook'],
  '/markets/orderbooks': ['kalshi-orderbooks'],
  '/markets/trades': ['kalshi-trades'],
  '/markets/candlesticks': ['kalshi-candlesticks-batch'],
  '/events': ['kalshi-events-list'],
  '/events/{event}': ['kalshi-event', 'kalshi-event-nested', 'polymarket-gamma-event', 'polymarket-gamma-event-mixed'],
  '/series/{series}': ['kalshi-series'],
  '/markets/keyset': ['polymarket-gamma-markets-keyset'],
  '/markets/{market}': [
    'polymarket-gamma-market',
    'polymarket-gamma-market-closed',
    'polymarket-gamma-market-v1-with-position-ids',
    'polymarket-gamma-market-v2',
    'polymarket-gamma-market-v2-no-ids',
    'polymarket-gamma-market-v2-resolved',
  ],
  '/events/keyset': ['polymarket-gamma-events-keyset'],
  '/public-search': ['polymarket-gamma-public-search'],
  '/clob-markets/{condition}': ['polymarket-clob-market-info', 'polymarket-clob-market-info-v2'],
  '/book': ['polymarket-clob-book', 'polymarket-clob-book-no-token', 'polymarket-clob-book-v2'],
  '/markets-by-token/{token}': ['polymarket-clob-markets-by-token-v2'],
  '/prices-history': ['polymarket-clob-prices-history'],
  '/v2/trades': ['polymarket-data-v2-trades-v2-market', 'polymarket-data-v2-empty'],
  '/v2/positions': ['polymarket-data-v2-positions', 'polymarket-data-v2-positions-closed', 'polymarket-data-v2-empty'],
  '/v2/value': ['polymarket-data-v2-value'],
  '/v2/prices-history': ['polymarket-data-v2-prices-history', 'polymarket-data-v2-empty'],
};

function recorded(name: string): unknown {
  return JSON.parse(readFileSync(`test/vectors/${name.split('-', 1)[0] ?? ''}/${name}.json`, 'utf8'));
}

const ROUTES = EXCHANGES.flatMap(({ id, drift }) => drift.routes.map((route) => ({ id, ...route })));
const SAMPLES = ROUTES.flatMap(({ id, path, ...route }) =>
  (RECORDED[path] ?? []).filter((name) => name.startsWith(`${id}-`)).map((name) => ({ ...route, path, name })),
);

describe('what is known of the exchanges', () => {
  it.each(SAMPLES)('$path: $name holds nothing new', ({ name, ...route }) => {
    expect(differencesOf(route, recorded(name))).toEqual(NONE);
  });

  it('compares all recorded answers', () => {
    expect(new Set(SAMPLES.map(({ name }) => name))).toEqual(new Set(Object.values(RECORDED).flat()));
  });

  it.each(ROUTES)('$id $path: no field is both read and unused, or judged that is not read', ({ schema, known }) => {
    expect(contradictions(shapeOf(schema), known ?? {}, '')).toEqual([]);
  });

  it.each(ROUTES)('$id $path asks for what a route before it finds', ({ id, path, query = {} }) => {
    const before = ROUTES.slice(
      0,
      ROUTES.findIndex((route) => route.id === id && route.path === path),
    );
    const found = before.filter((route) => route.id === id).flatMap(({ finds = {} }) => Object.keys(finds));
    const asked = [path, ...Object.values(query)].flatMap((text) => text.match(/(?<=\{)\w+(?=\})/g) ?? []);
    expect(asked.filter((name) => ![...found, 'now', 'day_ago'].includes(name))).toEqual([]);
  });
});

/** Names that a sheet has in the wrong place. */
function contradictions(shape: AnswerShape, known: KnownFields, at: string): string[] {
  if (shape.kind === 'list') return contradictions(shape.entry, known, `${at}[]`);
  const fields: ReadonlyMap<string, unknown> = shape.kind === 'object' ? shape.fields : new Map();
  const { needed = [], sometimes = [], unused = [], values = {}, within = {} } = known;
  const judged = [...needed.flatMap((either) => either.split('|')), ...sometimes, ...Object.keys(within)];
  const all = [...fields.keys(), ...unused];
  const inner = Object.entries(within).flatMap(([name, more]) => {
    const field = shape.kind === 'object' ? shape.fields.get(name) : undefined;
    return field === undefined ? [] : contradictions(field.shape, more, `${at}.${name}`);
  });
  return [
    ...unused.filter((name) => fields.has(name)).map((name) => `${at} ${name} is read`),
    ...judged.filter((name) => !fields.has(name)).map((name) => `${at} ${name} is not read`),
    ...Object.keys(values)
      .filter((name) => !all.includes(name))
      .map((name) => `${at} ${name} is unknown`),
    ...inner,
  ];
}

describe('differencesOf', () => {
  const entry = z.object({
    id: z.string(),
    kind: openEnum(['a', 'b'], 'a').nullish(),
    side: z.enum(['x', 'y']).nullish(),
  });
  const all = { id: '1', kind: 'a', side: 'x' };

  it.each([
    ['a list', boundedList(entry), [all], '[]'],
    ['a list that may be null', z.object({ list: nullableList(entry) }), { list: [all] }, 'list[]'],
    ['a list that is turned into another', boundedList(entry).transform((list) => list.length), [all], '[]'],
    ['a list of events', boundedEvents(entry), [all], '[]'],
    ['a list of zod', z.array(entry).optional(), [all], '[]'],
    ['one of two', z.union([z.literal(''), entry]), all, ''],
    ['two in one', z.object({ it: z.intersection(entry, z.object({ id: z.string() })) }), { it: all }, 'it'],
    ['what is mended first', z.object({ it: z.preprocess((it) => it ?? {}, entry) }), { it: all }, 'it'],
    ['what has a default', z.object({ it: entry.default({ id: '', kind: 'a' }) }), { it: all }, 'it'],
  ])('reads through %s', (_title, schema, body, at) => {
    const place = at === '' ? '' : `${at}.`;
    const changed = JSON.parse(JSON.stringify(body).replace('"kind":"a"', '"kind":"c","new":1')) as unknown;
    expect(differencesOf({ schema }, body)).toEqual(NONE);
    expect(differencesOf({ schema }, changed)).toEqual({
      ...NONE,
      unknown: [`${place}new`],
      values: [`${place}kind: c`],
    });
  });

  it('calls a value that the schema refuses broken, and names it once', () => {
    const schema = z.object({ it: boundedList(entry) });
    const found = differencesOf({ schema }, { it: [{ ...all, side: 'z' }] });
    expect(found).toEqual({ broken: true, unknown: [], missing: [], values: ['it[].side: z'] });
  });

  it('names all fields that are missing, of whichever entry', () => {
    const schema = boundedList(z.object({ a: z.string(), b: z.string() }));
    expect(differencesOf({ schema }, [{ b: '' }, { a: '' }])).toMatchObject({
      broken: true,
      missing: ['[].a', '[].b'],
    });
  });

  it('calls a list that is too long broken', () => {
    expect(differencesOf({ schema: boundedList(z.string(), 1) }, ['a', 'b'])).toMatchObject({
      broken: true,
      missing: ['(answer)'],
    });
  });

  it('takes an answer of any depth', () => {
    const body: unknown = JSON.parse(`${'{"it":['.repeat(20_000)}${']}'.repeat(20_000)}`);
    expect(differencesOf({ schema: z.object({ id: z.string() }) }, body)).toMatchObject({ unknown: ['it'] });
  });
});

describe('clean', () => {
  it.each([
    ['plain_name', 'plain_name'],
    ['\u001b[31mred\u0000\n', '?[31mred??'],
    ['\u{1f600}\u202eabc', '??abc'],
    ['x'.repeat(65), `${'x'.repeat(64)}...`],
  ])('writes %j as %j', (text, expected) => {
    expect(clean(text)).toBe(expected);
  });
});
