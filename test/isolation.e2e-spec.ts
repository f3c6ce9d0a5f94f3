import { request as rawRequest } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { EXCHANGE, EXCHANGES, otherThan } from './support/exchanges.js';
import { FaultStand, foreignHeaders } from './support/fault-stand.js';

/** Of a call to an exchange: what waits for it takes far longer than what does not, on a busy machine too. */
const TIMEOUT_MS = 3_000;
/** How long an exchange thinks, while callers come and go. */
const THINKING_MS = 1_500;
/** For a request to join one that is on its way. */
const JOINING_MS = 300;

describe('what exchanges, clients and clocks may not do to others (R-11, R-16, R-17, S-49, S-50)', () => {
  let stand: FaultStand;

  beforeAll(async () => {
    stand = await FaultStand.start(TIMEOUT_MS);
    for (const exchange of EXCHANGES) await stand.healthy(exchange, 3);
  });

  afterAll(() => stand.close());

  beforeEach(() => {
    stand.heal();
  });

  describe.each(EXCHANGES)('%s', (exchange) => {
    it.each([
      ['2', 2],
      [undefined, 1],
    ] as const)(
      'contract.md 5 a 429 with Retry-After %s pauses public reads of that host, and nothing else',
      async (wait, seconds) => {
        const [method, path] = EXCHANGE[exchange].wire.public;
        const headers = wait === undefined ? {} : { 'retry-after': wait };
        stand.sandbox.faults.add({ exchange, method, path, fault: 'status', status: 429, headers, times: 1 });
        const before = stand.gatewayOf(exchange).count(method, path);
        const first = await stand.send('get', EXCHANGE[exchange].book);
        expect([first.status, first.headers['retry-after']]).toEqual([429, String(seconds)]);
        expect(first.body).toMatchObject({ error: { code: 'exchange_rate_limited', retryable: true } });
        // All at once, so that none is late for a short pause.
        const elsewhere = [`/${exchange}/markets`, `/${exchange}/events`];
        const isOneHost = stand.gatewaysOf(exchange).length === 1;
        const reads = [EXCHANGE[exchange].book, `${EXCHANGE[exchange].book}&outcome=1`];
        if (isOneHost) reads.push(...elsewhere);
        const answers = await Promise.all(reads.map((read) => stand.send('get', read)));
        for (const path of isOneHost ? [] : elsewhere) expect((await stand.send('get', path)).status).toBe(200);
        for (const [index, paused] of answers.entries()) {
          const public_ = reads[index];
          expect([public_, paused.status]).toEqual([public_, 503]);
          expect(paused.body).toMatchObject({ error: { code: 'exchange_unavailable', retryable: true } });
          expect(Number(paused.headers['retry-after'])).toBeLessThanOrEqual(seconds);
          expect(Number(paused.headers['retry-after'])).toBeGreaterThan(0);
        }
        expect(stand.gatewayOf(exchange).count(method, path) - before).toBe(1);
        expect((await stand.send('get', EXCHANGE[exchange].signedRead)).status).toBe(200);
        const other = otherThan(exchange);
        expect((await stand.send('get', EXCHANGE[other].book)).status).toBe(200);
        await delay(seconds * 1_000 + 50);
        await stand.healthy(exchange, 1);
      },
    );

    it('a 429 of a signed call or an order is passed on with its Retry-After, once', async () => {
      for (const kind of ['signed', 'order', 'cancel'] as const) {
        const call = await stand.ready(exchange, kind);
        const [method, path] = EXCHANGE[exchange].wire[kind];
        const headers = { 'retry-after': '7' };
        stand.sandbox.faults.add({ exchange, method, path, fault: 'status', status: 429, headers, times: 2 });
        const before = stand.gatewayOf(exchange).count(method, path);
        const answer = await call();
        expect([kind, answer.status, answer.headers['retry-after']]).toEqual([kind, 429, '7']);
        expect(stand.gatewayOf(exchange).count(method, path) - before).toBe(1);
        stand.sandbox.faults.clear();
      }
    });

    it('R-12 a read that fails once with 502 is well the second time', async () => {
      for (const kind of ['public', 'signed'] as const) {
        const [method, path] = EXCHANGE[exchange].wire[kind];
        stand.sandbox.faults.add({ exchange, method, path, fault: 'status', status: 502, times: 1 });
        expect((await (await stand.ready(exchange, kind))()).status).toBe(200);
      }
    });

    it('S-50 no header line of the exchange gets through', async () => {
      stand.gatewayOf(exchange).extraHeaders = {
        'set-cookie': 'session=stolen',
        server: 'upstream/1.0',
        via: '1.1 upstream',
        location: 'http://example.com/',
        'access-control-allow-origin': '*',
        'x-powered-by': 'upstream',
        'x-upstream': '1',
        etag: '"upstream"',
        'cache-control': 'public, max-age=31536000',
        'www-authenticate': 'Basic',
      };
      for (const path of [EXCHANGE[exchange].book, EXCHANGE[exchange].signedRead]) {
        const answer = await stand.send('get', path);
        expect(answer.status).toBe(200);
        expect(foreignHeaders(answer)).toEqual([]);
        expect(JSON.stringify(answer.headers)).not.toMatch(/upstream|stolen|31536000"|example\.com/);
      }
    });

    it('S-49 exactly our own header lines reach the exchange', async () => {
      const client = {
        cookie: 'refresh_token=secret',
        forwarded: 'for=1.2.3.4',
        'x-forwarded-for': '1.2.3.4',
        'x-real-ip': '1.2.3.4',
        'x-test': 'passed on',
        'accept-language': 'de',
        'accept-encoding': 'identity',
        'user-agent': 'a bot',
        connection: 'keep-alive, x-test',
        origin: stand.app.url,
        referer: `${stand.app.url}/docs`,
        te: 'trailers',
        traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      };
      const { signature } = EXCHANGE[exchange];
      const plain = ['accept', 'accept-encoding', 'connection', 'host', 'user-agent'];
      const written = ['content-length', 'content-type'];
      const order = await stand.anOrder(exchange);
      const calls = [
        ['get', EXCHANGE[exchange].book, undefined, EXCHANGE[exchange].wire.public, plain],
        ['get', EXCHANGE[exchange].signedRead, undefined, EXCHANGE[exchange].wire.signed, [...plain, ...signature]],
        ['post', `/${exchange}/orders`, order, EXCHANGE[exchange].wire.order, [...plain, ...signature, ...written]],
      ] as const;
      for (const [method, path, body, wire, names] of calls) {
        expect((await stand.send(method, path, body, client)).status).toBe(200);
        const seen = stand
          .gatewayOf(exchange)
          .arrived.filter((one) => one.method === wire[0] && one.path.includes(wire[1]));
        const raw = seen.at(-1)?.rawHeaders ?? [];
        expect(
          raw
            .filter((_, at) => at % 2 === 0)
            .map((name) => name.toLowerCase())
            .sort(),
        ).toEqual([...names].sort());
        const values = Object.fromEntries(
          raw.flatMap((name, at) => (at % 2 === 0 ? [[name.toLowerCase(), raw[at + 1]]] : [])),
        );
        expect(values).toMatchObject({
          accept: 'application/json',
          'user-agent': expect.stringMatching(/^trading-proxy\//),
          connection: 'keep-alive',
        });
        expect(JSON.stringify(raw)).not.toMatch(/1\.2\.3\.4|secret|passed on|svc_sk|a bot/);
      }
    });

    it('R-16 a client that hangs up ends its read at the exchange', async () => {
      const [method, path] = EXCHANGE[exchange].wire.public;
      const gateway = stand.gatewayOf(exchange);
      const before = gateway.count(method, path);
      gateway.misbehave(path, () => undefined);
      const { hangUp } = stand.hangingUp(EXCHANGE[exchange].book);
      await gateway.hasCome(method, path, before + 1);
      const hungUpAt = performance.now();
      hangUp();
      for (let i = 0; gateway.arrived.at(-1)?.abandoned !== true && i < 1_000; i++) await delay(5);
      expect(gateway.arrived.at(-1)).toMatchObject({ abandoned: true, path: expect.stringContaining(path) });
      expect(performance.now() - hungUpAt).toBeLessThan(TIMEOUT_MS / 2);
    });

    it('R-16 one client that hangs up does not end the same read of another', async () => {
      const [method, path] = EXCHANGE[exchange].wire.public;
      stand.sandbox.faults.add({ exchange, method, path, fault: 'delay', delay_ms: THINKING_MS, times: 1 });
      const before = stand.gatewayOf(exchange).count(method, path);
      const { hangUp } = stand.hangingUp(EXCHANGE[exchange].book);
      await stand.gatewayOf(exchange).hasCome(method, path, before + 1);
      const second = stand.send('get', EXCHANGE[exchange].book);
      await delay(JOINING_MS);
      hangUp();
      expect((await second).status).toBe(200);
      expect(stand.gatewayOf(exchange).arrived.at(-1)).toMatchObject({ path: expect.stringContaining(path) });
    });

    it('R-16 a client that hangs up does not end its order, whose answer is kept', async () => {
      const [method, path] = EXCHANGE[exchange].wire.order;
      const order = await stand.anOrder(exchange);
      const key = `hung-up-${exchange}`;
      stand.sandbox.faults.add({ exchange, method, path, fault: 'delay', delay_ms: THINKING_MS, times: 1 });
      const before = stand.gatewayOf(exchange).count(method, path);
      const headers = {
        authorization: `Bearer ${stand.trader.key}`,
        'content-type': 'application/json',
        'idempotency-key': key,
      };
      const call = rawRequest(`${stand.app.url}/${exchange}/orders`, { method, headers }).on('error', () => undefined);
      call.end(JSON.stringify(order));
      await stand.gatewayOf(exchange).hasCome(method, path, before + 1);
      call.destroy();
      const repeat = () => stand.send('post', `/${exchange}/orders`, order, { 'Idempotency-Key': key });
      let again = await repeat();
      expect(again.status).toBe(409);
      for (let i = 0; again.status === 409 && i < 200; i++) {
        await delay(50);
        again = await repeat();
      }
      expect([again.status, again.headers['idempotency-replayed']]).toEqual([200, 'true']);
      expect(stand.gatewayOf(exchange).count(method, path) - before).toBe(1);
    });

    it('contract.md 5 a clock that jumps fails one call with clock_skew; the next is signed right', async () => {
      for (const ahead of [3_600_000, 0]) {
        stand.clockAheadMs = ahead;
        const first = await stand.send('get', EXCHANGE[exchange].signedRead);
        expect(first.status).toBe(502);
        expect(first.body).toMatchObject({
          error: { code: 'exchange_error', retryable: true, details: { reason: 'clock_skew' } },
        });
        expect((await stand.send('get', EXCHANGE[exchange].signedRead)).status).toBe(200);
      }
    });
  });

  it('R-16 who hangs up while Kalshi tells the event of a market does not end that for others', async () => {
    const path = '/events/KXFEDDECISION-NEXT';
    const delayed = { exchange: 'kalshi', method: 'GET', path, fault: 'delay', times: 1 } as const;
    stand.sandbox.faults.add({ ...delayed, delay_ms: THINKING_MS });
    const before = stand.gateways.kalshi.count('GET', path);
    const { hangUp } = stand.hangingUp('/kalshi/markets/KXFEDDECISION-NEXT-H0');
    await stand.gateways.kalshi.hasCome('GET', path, before + 1);
    const second = stand.send('get', '/kalshi/markets/KXFEDDECISION-NEXT-H0');
    await delay(JOINING_MS);
    hangUp();
    expect((await second).body).toMatchObject({ series_id: 'KXFEDDECISION' });
  });

  it('R-11 while one exchange hangs, the other and log-in are as quick as ever; it is tried again after 5 s', async () => {
    const { email, password } = stand.trader.user;
    for (const exchange of EXCHANGES) {
      const other = otherThan(exchange);
      await stand.healthy(other, 2);
      const hanging = stand.gatewaysOf(exchange);
      for (const gateway of hanging) gateway.misbehave('/', () => undefined);
      const stuck = Array.from({ length: 70 }, (_, at) =>
        stand.send('get', at % 2 === 0 ? `${EXCHANGE[exchange].book}&depth=${at + 1}` : EXCHANGE[exchange].signedRead),
      );
      await delay(JOINING_MS);
      const times: number[] = [];
      for (let i = 0; i < 5; i++) {
        const startedAt = performance.now();
        expect((await stand.send('get', EXCHANGE[other].book)).status).toBe(200);
        expect((await request(stand.app.url).post('/auth/login').send({ email, password })).status).toBe(200);
        times.push(performance.now() - startedAt);
      }
      expect(Math.min(...times)).toBeLessThan(TIMEOUT_MS / 4);
      // Who waits for the other exchange waits each time; a busy machine now and then.
      expect(times.sort((a, b) => a - b)[2]).toBeLessThan(TIMEOUT_MS / 2);
      const failed = (await Promise.all(stuck)).filter((answer) => ![503, 504].includes(answer.status));
      expect(failed.map(({ status, text }) => [status, text])).toEqual([]);
      for (const gateway of hanging) gateway.heal();
      const open = await stand.send('get', EXCHANGE[exchange].book);
      expect([open.status, open.headers['retry-after']]).toEqual([503, expect.stringMatching(/^[1-5]$/)]);
      if (exchange === EXCHANGES[0]) await delay(5_100);
    }
  });
});

describe('exchanges whose clock is far from the host’s (contract.md 5, R-17)', () => {
  it.each([3_600_000, -3_600_000])('%i ms off: the first signed calls are right already', async (ahead) => {
    const stand = await FaultStand.start(2 * TIMEOUT_MS, ahead);
    try {
      for (const exchange of EXCHANGES) {
        const path = EXCHANGE[exchange].clockPath;
        stand.sandbox.faults.add({ exchange, method: 'GET', path, fault: 'delay', delay_ms: THINKING_MS, times: 1 });
        const { hangUp } = stand.hangingUp(EXCHANGE[exchange].signedRead);
        await stand.gatewayOf(exchange).hasCome('GET', path, 1);
        const second = stand.send('get', EXCHANGE[exchange].signedRead);
        await delay(JOINING_MS);
        // Who asked first for the time is gone: the others still learn it.
        hangUp();
        expect((await second).status).toBe(200);
        const made = await stand.send('post', `/${exchange}/orders`, await stand.anOrder(exchange));
        expect([made.status, made.body]).toMatchObject([200, { status: 'open' }]);
      }
    } finally {
      await stand.close();
    }
  });
});
