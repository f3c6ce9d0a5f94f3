import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import request, { type Response } from 'supertest';

import { ERROR_CODES, ERROR_REASONS, type ErrorCode } from '../src/platform/errors/error-codes.js';
import { codeOf, detailsOf } from './support/calls.js';
import { type DescribedSchema, membersOf, pathsIn } from './support/described.js';

import { accountScenarios } from './support/error-scenarios-accounts.js';
import { botScenarios } from './support/error-scenarios-bots.js';
import { exchangeScenarios } from './support/error-scenarios-exchanges.js';
import { type ErrorWorld, ORDERS, plain, silent, startErrorWorld, WIRE_ORDERS } from './support/error-world.js';

interface Row {
  readonly code: ErrorCode;
  readonly reason: string;
  readonly wayOut: string;
  readonly again: string;
}

const CONTRACT = readFileSync(new URL('../docs/contract.md', import.meta.url), 'utf8');

/** The table of errors.md. */
const ROWS: readonly Row[] = readFileSync(new URL('../docs/errors.md', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.split('|').map((cell) => cell.trim().replaceAll('`', '')))
  .map(([, code = '', reason = '', , wayOut = '', again = '']) => ({ code: code as ErrorCode, reason, wayOut, again }));

/** Rows that a test of another spec meets and follows: they take a minute, or what the sandbox does not do. */
const ELSEWHERE: Readonly<Record<string, readonly [file: string, name: string]>> = {
  'credentials_rejected session_key_not_authorized': [
    'session-keys.e2e-spec.ts',
    'says after 65 s at most that the exchange does not know the key, which goes on waiting and is taken once authorised',
  ],
  'exchange_rejected duplicate_transfer': [
    'transfers.e2e-spec.ts',
    'a duplicate after nothing but refusals is a refusal once the history has shown none for long enough',
  ],
  preview_expired: [
    'agents/placing.e2e-spec.ts',
    'is too late for a first placing after 60 s, by the clock of the database, and sends nothing',
  ],
  'rate_limited previews': [
    'agents/previews.e2e-spec.ts',
    'is made 60 times in any 60 s by one bot, over two instances at once, and past that says when to come again',
  ],
  'rate_limited streams': ['streams/readers.e2e-spec.ts', 'S-61 keeps a key, a user and strangers to their shares'],
  'service_unavailable draining': [
    'streams/readers.e2e-spec.ts',
    'R-4 ends with the instance, and says when to come again',
  ],
  slow_consumer: [
    '../src/proxy/streams/stream-writer.spec.ts',
    'ends a reader that takes too little, and tells one that reads on everything',
  ],
};

describe('errors.md', () => {
  let world: ErrorWorld;
  /** What the OpenAPI document says of each member of `details`, by its path. */
  let described: ReadonlyMap<string, string>;

  beforeAll(async () => {
    world = await startErrorWorld();
    const { components } = (await request(world.app.url).get('/docs/openapi.json')).body as {
      components: { schemas: Record<string, DescribedSchema> };
    };
    described = new Map(membersOf(components.schemas.ErrorMemberDto?.properties?.details ?? {}));
  });

  afterEach(() => {
    world.stand.heal();
  });

  afterAll(() => world.close());

  it('has a row for every code and every reason, and no other', () => {
    const reasons: Readonly<Record<string, readonly string[]>> = ERROR_REASONS;
    const expected = Object.entries(reasons).flatMap(([code, list]) => list.map((reason) => `${code} ${reason}`));
    const rows = ROWS.map(({ code, reason }) => `${code} ${reason}`.trim());
    expect(rows.filter((row) => row.includes(' ')).sort()).toEqual(expected.sort());
    expect([...new Set(ROWS.map(({ code }) => code))].sort()).toEqual(Object.keys(ERROR_CODES).sort());
    expect(new Set(rows).size).toBe(rows.length);
  });

  it('contract.md 3 has every member of details in the OpenAPI document, with what it is in one sentence', () => {
    const [, list = ''] = /`details` is there only where it holds\s+something:([^]*?)The upstream/.exec(CONTRACT) ?? [];
    const named = [...list.matchAll(/`([a-z_]+)(?:`|:)/g)].map(([, name = '']) => `.${name}`);
    expect(named.length).toBeGreaterThan(12);
    expect(named.filter((path) => !described.has(path))).toEqual([]);
    expect([...described].filter(([, said]) => !/^[A-Z][^.]*(?:\.[a-z][^.]*)*\.$/.test(said))).toEqual([]);
  });

  it.each(Object.entries(ELSEWHERE))('%s is met, and its way out followed, elsewhere', (row, [file, name]) => {
    const text = readFileSync(new URL(file, import.meta.url), 'utf8');
    const [, test = ''] = text.split(name);
    const [body = ''] = test.split(/^ +it[.(]/m);
    expect(body).toContain(row.split(' ').at(-1));
  });

  const here = ROWS.map((row) => [`${row.code} ${row.reason}`.trim(), row] as const).filter(
    ([name]) => !(name in ELSEWHERE),
  );

  it.each(here)('%s is met by a call, and its way out succeeds', async (name, row) => {
    const scenario = { ...accountScenarios(world), ...exchangeScenarios(world), ...botScenarios(world) }[name];
    if (scenario === undefined) throw new Error(`no call meets ${name}`);
    const [met, wayOut] = await scenario();
    expect([codeOf(met), detailsOf(met).reason ?? '']).toEqual([row.code, row.reason]);
    const { retryable } = (met.body as { error: { retryable: boolean } }).error;
    expect(retryable).toBe(row.again === 'yes');
    expect(pathsIn(detailsOf(met)).filter((path) => !described.has(path))).toEqual([]);
    expect(!retryable || Number(met.headers['retry-after']) >= 1).toBe(true);
    expect(wayOut === undefined).toBe(row.wayOut.startsWith('Nothing'));
    const after = await wayOut?.();
    expect(after === undefined || after.status === 200 || after.status === 201 ? '' : after.text).toBe('');
  });

  describe('order_outcome_unknown without an Idempotency-Key', () => {
    /** Where its message says to look. */
    const placeIn = (met: Response): string => /Look for it \(GET (\S+)\)/.exec(messageOf(met))?.[1] ?? '';
    const messageOf = (met: Response): string => (met.body as { error: { message: string } }).error.message;
    const factsOf = (met: Response): unknown => {
      const { code, retryable } = (met.body as { error: { code: string; retryable: boolean } }).error;
      return [met.status, code, retryable];
    };
    const UNKNOWN = [504, 'order_outcome_unknown'];

    it('is found at Kalshi by its client_order_id where it was taken, and is not where it never arrived', async () => {
      const { send, place, lost, kalshi, stand } = world;
      lost(WIRE_ORDERS);
      const met = await place();
      stand.heal();
      const { client_order_id } = detailsOf(met);
      expect([factsOf(met), placeIn(met)]).toEqual([
        [...UNKNOWN, false],
        `${ORDERS}?client_order_id=${String(client_order_id)}`,
      ]);
      expect((await send('get', placeIn(met))).body).toMatchObject({ data: [{ client_order_id, status: 'open' }] });

      kalshi().misbehave(WIRE_ORDERS, silent, 'POST');
      const other = await place();
      stand.heal();
      expect(factsOf(other)).toEqual([...UNKNOWN, false]);
      expect((await send('get', placeIn(other))).body).toMatchObject({ data: [] });
      expect((await place()).status).toBe(200);
    });

    it('is found by its id where a session key of Polymarket signed it', async () => {
      const { by, session, clob, stand } = world;
      clob().answerInstead('/order', (response) => void response.destroy(), 'POST');
      const met = await by(session.key, 'post', '/polymarket/orders', plain());
      stand.heal();
      const { order_id } = detailsOf(met);
      expect([factsOf(met), placeIn(met)]).toEqual([[...UNKNOWN, false], `/polymarket/orders/${String(order_id)}`]);
      const found = await by(session.key, 'get', placeIn(met));
      expect([found.status, found.body]).toMatchObject([200, { id: order_id, status: 'open' }]);
    });

    it('is sent again where its owner signed it: Polymarket takes it once', async () => {
      const { send, clob, stand } = world;
      const signed = await stand.anOrder('polymarket');
      clob().answerInstead('/order', (response) => void response.destroy(), 'POST');
      const met = await send('post', '/polymarket/orders', signed);
      stand.heal();
      expect([factsOf(met), messageOf(met)]).toEqual([
        [...UNKNOWN, true],
        expect.stringContaining('Send the same signed order again'),
      ]);
      const { order_id } = detailsOf(met);
      const again = await send('post', '/polymarket/orders', signed);
      expect([again.status, again.body]).toMatchObject([200, { id: order_id }]);
      const { data } = (await send('get', '/polymarket/orders')).body as { data: { id: string }[] };
      expect(data.filter(({ id }) => id === order_id)).toHaveLength(1);
    });
  });
});
