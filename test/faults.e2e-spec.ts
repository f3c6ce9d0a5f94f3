import { createServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Response } from 'supertest';
import type { Fault } from '../sandbox/wire/faults.js';
import { EXCHANGE, EXCHANGES, type Kind, KINDS } from './support/exchanges.js';
import { type ErrorBody, FaultStand, foreignHeaders } from './support/fault-stand.js';
import type { Misbehaviour } from './support/gateway.js';
import { Loopback } from './support/loopback.js';

/** Room for a call on a busy machine. */
const TIMEOUT_MS = 1_500;
/** What would not end by its time-out would take 5 s for the header lines, 10 s for the body, or for ever. */
const IN_TIME_MS = 4_500;
const UPSTREAM_WORDS = 'canary-of-the-exchange';
const BOMB = gzipSync(Buffer.from(`{"x":"${'0'.repeat(64 * 1024 * 1024)}"}`));

/** Status, code and attempts of a read, a cancel and an order; `unknown` is 504 `order_outcome_unknown`. */
type Outcome = readonly [status: number, code: string, reason?: string];
interface Row {
  readonly name: string;
  readonly fault: Omit<Fault, 'exchange' | 'method' | 'path' | 'times'>;
  readonly read: Outcome;
  /** Where a signed read differs from a public one. */
  readonly signed?: Outcome;
  readonly order: Outcome;
  readonly attempts: 1 | 2;
  /** Those of a read that many share, where they are others. */
  readonly sharedAttempts?: 2;
}

const UNKNOWN: Outcome = [504, 'order_outcome_unknown'];
const BROKEN: Outcome = [502, 'exchange_error'];
const UNAVAILABLE: Outcome = [503, 'exchange_unavailable'];
const REFUSED: Outcome = [422, 'exchange_rejected', 'invalid_order'];
const DENIED: Outcome = [422, 'exchange_rejected', 'permission_denied'];
const LIMITED: Outcome = [429, 'exchange_rate_limited'];
const REJECTED: Outcome = [409, 'credentials_rejected'];

/** In the exchange's own words, as each writes them. */
const own = { body: { code: 'bad_request', message: UPSTREAM_WORDS, error: UPSTREAM_WORDS } } as const;
const status = (code: number) => ({ fault: 'status', status: code, ...own }) as const;

/** Those that take the whole time. */
const SLOW: readonly Row[] = [
  { name: 'a hang', fault: { fault: 'hang' }, read: [504, 'exchange_timeout'], order: UNKNOWN, attempts: 1 },
  {
    name: 'a delay',
    fault: { fault: 'delay', delay_ms: 3_000 },
    read: [504, 'exchange_timeout'],
    order: UNKNOWN,
    attempts: 1,
  },
];

const ROWS: readonly Row[] = [
  { name: 'a reset', fault: { fault: 'reset_before' }, read: BROKEN, order: UNKNOWN, attempts: 1, sharedAttempts: 2 },
  {
    name: 'a late reset',
    fault: { fault: 'reset_after' },
    read: BROKEN,
    order: UNKNOWN,
    attempts: 1,
    sharedAttempts: 2,
  },
  { name: '400', fault: status(400), read: REFUSED, order: REFUSED, attempts: 1 },
  { name: '401', fault: status(401), read: BROKEN, signed: REJECTED, order: REJECTED, attempts: 1 },
  { name: '403', fault: status(403), read: DENIED, order: DENIED, attempts: 1 },
  { name: '404', fault: status(404), read: [404, 'not_found'], order: [404, 'not_found'], attempts: 1 },
  { name: '409', fault: status(409), read: REFUSED, order: UNKNOWN, attempts: 1 },
  { name: '418', fault: status(418), read: REFUSED, order: REFUSED, attempts: 1 },
  { name: '425', fault: status(425), read: UNAVAILABLE, order: UNAVAILABLE, attempts: 1 },
  { name: '500', fault: status(500), read: BROKEN, order: UNKNOWN, attempts: 1 },
  { name: '501', fault: status(501), read: BROKEN, order: UNKNOWN, attempts: 1 },
  { name: '502', fault: status(502), read: BROKEN, order: UNKNOWN, attempts: 2 },
  { name: '503', fault: status(503), read: UNAVAILABLE, order: UNKNOWN, attempts: 2 },
  { name: '504', fault: status(504), read: BROKEN, order: UNKNOWN, attempts: 2 },
  {
    name: 'a foreign 503',
    fault: { fault: 'status', status: 503, body: '<html>' },
    read: UNAVAILABLE,
    order: UNKNOWN,
    attempts: 2,
  },
  {
    name: 'a foreign 425',
    fault: { fault: 'status', status: 425, body: {} },
    read: UNAVAILABLE,
    order: UNKNOWN,
    attempts: 1,
  },
  { name: 'a broken body', fault: { fault: 'broken_body' }, read: BROKEN, order: UNKNOWN, attempts: 1 },
  { name: 'an oversized body', fault: { fault: 'oversized' }, read: BROKEN, order: UNKNOWN, attempts: 1 },
  {
    name: 'another shape',
    fault: { fault: 'status', status: 200, body: [1] },
    read: BROKEN,
    order: UNKNOWN,
    attempts: 1,
  },
  {
    name: 'HTML',
    fault: { fault: 'broken_body', body: `<html>${UPSTREAM_WORDS}</html>`, headers: { 'content-type': 'text/html' } },
    read: BROKEN,
    order: UNKNOWN,
    attempts: 1,
  },
];

/** Answers that need raw bytes: none of them is one. */
const RAW: readonly (readonly [string, Misbehaviour, Outcome])[] = [
  [
    'a gzip bomb',
    (response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
      response.end(BOMB);
    },
    BROKEN,
  ],
  ['broken gzip', (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('{"a":1}'), BROKEN],
  ['an unknown encoding', (response) => response.writeHead(200, { 'content-encoding': 'zstd' }).end('{}'), BROKEN],
  [
    'a body longer than it says',
    (response) => {
      response.socket?.end('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{"a":1}');
    },
    BROKEN,
  ],
  [
    'a truncated body',
    (response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' });
      response.write('{"a":');
      setTimeout(() => response.destroy(), 20);
    },
    BROKEN,
  ],
  ['204', (response) => response.writeHead(204).end(), BROKEN],
  ['an empty 200', (response) => response.writeHead(200).end(), BROKEN],
  ['304', (response) => response.writeHead(304).end(), BROKEN],
  ['no HTTP', (response) => response.socket?.end('SSH-2.0-OpenSSH_9.6\r\n'), BROKEN],
];

const DRIP: Misbehaviour = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const drip = setInterval(() => response.write(' '), 50);
  response.once('close', () => {
    clearInterval(drip);
  });
};

/** Header lines of every answer of the exchanges, of which none may come through. */
const LEAKS = {
  'set-cookie': 'leak=1',
  via: '1.1 leak',
  server: 'leak',
  etag: '"leak"',
  'x-leak': '1',
  location: '/leak',
};

describe('when an exchange fails (R-12, R-13, R-15, S-45, S-50)', () => {
  let stand: FaultStand;

  beforeAll(async () => {
    stand = await FaultStand.start(TIMEOUT_MS);
    for (const exchange of EXCHANGES) await stand.healthy(exchange, 3);
  });

  afterAll(() => stand.close());

  const leak = (): void => {
    for (const gateway of Object.values(stand.gateways)) gateway.extraHeaders = LEAKS;
  };

  beforeEach(() => {
    stand.heal();
    leak();
  });

  const expected = (row: Row, kind: Kind): Outcome => {
    if (kind === 'order') return row.order;
    return kind === 'public' ? row.read : (row.signed ?? row.read);
  };

  const expectClean = (answer: Response): void => {
    expect(foreignHeaders(answer)).toEqual([]);
    expect(JSON.stringify(answer.headers)).not.toContain('leak');
    const { error } = answer.body as ErrorBody;
    const words = JSON.stringify(error).split(UPSTREAM_WORDS).length - 1;
    const message = error.details?.exchange?.message;
    expect(words).toBe(typeof message === 'string' && message.includes(UPSTREAM_WORDS) ? 1 : 0);
    expect(message === undefined || error.code === 'exchange_rejected').toBe(true);
    expect(Object.keys(error.details?.exchange ?? {}).sort()).toEqual(
      message === undefined ? ['code', 'id', 'status'] : ['code', 'id', 'message', 'status'],
    );
  };

  const RETRYABLE = new Set(['exchange_error', 'exchange_timeout', 'exchange_unavailable', 'exchange_rate_limited']);

  describe.each(EXCHANGES)('%s', (exchange) => {
    const arm = (row: Row, kind: Kind): void => {
      const [method, path] = EXCHANGE[exchange].wire[kind];
      stand.sandbox.faults.add({ ...row.fault, exchange, method, path, times: 3 });
    };

    const expectOutcome = async (row: Row, kind: Kind, call: () => Promise<Response>): Promise<void> => {
      const [method, path] = EXCHANGE[exchange].wire[kind];
      const before = stand.gatewayOf(exchange).count(method, path);
      const startedAt = performance.now();
      const answer = await call();
      const took = performance.now() - startedAt;
      const isStray = kind === 'cancel' && row.name === '404';
      const [code, error, reason] = isStray ? EXCHANGE[exchange].strayNotFound : expected(row, kind);
      const { error: body } = answer.body as ErrorBody;
      expect([kind, answer.status, body.code, body.details?.reason]).toEqual([kind, code, error, reason]);
      const isUnknown = error === 'order_outcome_unknown';
      expect(body.retryable).toBe(isUnknown ? EXCHANGE[exchange].resendIsSafe : RETRYABLE.has(error));
      const ofReads = kind === 'public' ? (row.sharedAttempts ?? row.attempts) : row.attempts;
      expect(stand.gatewayOf(exchange).count(method, path) - before).toBe(method === 'GET' ? ofReads : 1);
      expect(took).toBeLessThan(IN_TIME_MS);
      expect(answer.headers['retry-after']).toBe([429, 502, 503, 504].includes(code) ? '1' : undefined);
      expectClean(answer);
    };

    it.each(SLOW.map((row): [string, Row] => [row.name, row]))('R-10 calls of every sort meet %s', async (_, row) => {
      const calls: [Kind, () => Promise<Response>][] = [];
      for (const kind of KINDS) calls.push([kind, await stand.ready(exchange, kind)]);
      for (const kind of KINDS) arm(row, kind);
      await Promise.all(calls.map(([kind, call]) => expectOutcome(row, kind, call)));
      stand.heal();
      await stand.healthy(exchange, 6);
    });

    it.each(ROWS.map((row): [string, Row] => [row.name, row]))(
      'S-51, R-15 calls of every sort meet %s',
      async (_, row) => {
        for (const kind of KINDS) {
          const call = await stand.ready(exchange, kind);
          arm(row, kind);
          await expectOutcome(row, kind, call);
          stand.sandbox.faults.clear();
          await stand.healthy(exchange, 3);
        }
      },
    );

    // A public read that meets one pauses the others: test/isolation.e2e-spec.ts.
    it('R-15 calls with credentials meet 429', async () => {
      const row: Row = { name: '429', fault: status(429), read: LIMITED, order: LIMITED, attempts: 1 };
      for (const kind of ['signed', 'order', 'cancel'] as const) {
        const call = await stand.ready(exchange, kind);
        arm(row, kind);
        await expectOutcome(row, kind, call);
        stand.sandbox.faults.clear();
      }
    });

    /** A call to an exchange that misbehaves; nothing is healed afterwards. */
    const expectMisbehaviour = async (
      kind: Kind,
      call: () => Promise<Response>,
      act: Misbehaviour,
      outcome: Outcome,
    ): Promise<void> => {
      const [method, path] = EXCHANGE[exchange].wire[kind];
      const gateway = stand.gatewayOf(exchange);
      // A cancel that reads the order first, by a path of the same words, is not meant.
      gateway.misbehave(path, act, method);
      const before = gateway.count(method, path);
      const startedAt = performance.now();
      const answer = await call();
      const [code, error] = kind === 'order' ? UNKNOWN : outcome;
      expect([kind, answer.status, (answer.body as ErrorBody).error.code]).toEqual([kind, code, error]);
      expect(performance.now() - startedAt).toBeLessThan(IN_TIME_MS);
      expect(gateway.count(method, path) - before).toBe(1);
      expectClean(answer);
    };

    it.each(RAW)('R-15 calls of every sort meet %s', async (_, act, outcome) => {
      for (const kind of KINDS) {
        await expectMisbehaviour(kind, await stand.ready(exchange, kind), act, outcome);
        stand.heal();
        leak();
        await stand.healthy(exchange, 3);
      }
    });

    it('R-15 calls of every sort meet a drip', async () => {
      const calls: [Kind, () => Promise<Response>][] = [];
      for (const kind of KINDS) calls.push([kind, await stand.ready(exchange, kind)]);
      const late: Outcome = [504, 'exchange_timeout'];
      await Promise.all(calls.map(([kind, call]) => expectMisbehaviour(kind, call, DRIP, late)));
      stand.heal();
      await stand.healthy(exchange, 6);
    });

    it.each([301, 302, 307, 308])('S-50 a redirect (%i) is an error, and nobody goes there', async (code) => {
      const canary = await Loopback.start(createServer());
      const location = `${canary.url}/steal`;
      for (const kind of KINDS) {
        const call = await stand.ready(exchange, kind);
        const [method, path] = EXCHANGE[exchange].wire[kind];
        stand.sandbox.faults.add({ exchange, method, path, fault: 'redirect', status: code, location, times: 1 });
        const answer = await call();
        const [failed, error] = kind === 'order' ? UNKNOWN : BROKEN;
        expect([kind, answer.status, (answer.body as ErrorBody).error.code]).toEqual([kind, failed, error]);
        expect(JSON.stringify([answer.headers, answer.body])).not.toContain('steal');
        stand.sandbox.faults.clear();
        await stand.healthy(exchange, 3);
      }
      await canary.close();
      expect(canary.connections).toBe(0);
    });
  });
});
