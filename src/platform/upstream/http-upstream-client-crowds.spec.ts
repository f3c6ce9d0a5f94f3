import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, jest } from '@jest/globals';
import { freePort } from '../../../test/support/loopback.js';
import {
  type Answer,
  clientOf,
  eventually,
  failureOf,
  gate,
  hang,
  ORDER,
  READ,
  reply,
  replying,
  serve,
  useUpstreams,
} from '../../../test/support/raw-upstream.js';
import { UpstreamError } from './upstream-client.js';

useUpstreams();

describe('repeats (R-12)', () => {
  it.each([502, 503, 504])('a read once after %d', async (status) => {
    const { client, upstream } = await serve(replying({ status }, {}));
    expect((await client.request(READ)).status).toBe(200);
    expect(upstream.arrived).toHaveLength(2);
  });

  it.each([502, 503, 504])('a read only once after %d', async (status) => {
    const { client, upstream } = await serve(replying({ status }));
    expect((await client.request(READ)).status).toBe(status);
    expect(upstream.arrived).toHaveLength(2);
  });

  it('a read that found no connection', async () => {
    const client = clientOf(`http://127.0.0.1:${await freePort()}`);
    expect(await failureOf(client.request(READ))).toMatchObject({ failure: 'unreachable', sent: false });
    expect(client.status.outcomes).toEqual({ unreachable: 2 });
  });

  it.each([400, 401, 404, 425, 429, 500, 501])('no read after %d', async (status) => {
    const { client, upstream } = await serve(replying({ status }));
    await client.request(READ);
    expect(upstream.arrived).toHaveLength(1);
  });

  it('no read that is asked to come back later', async () => {
    const { client, upstream } = await serve(replying({ status: 503, headers: ['retry-after: 5'] }));
    expect(await client.request(READ)).toMatchObject({ status: 503, retryAfterSeconds: 5 });
    expect(upstream.arrived).toHaveLength(1);
  });

  it.each<[string, Answer]>([
    ['500', replying({ status: 500 })],
    ['502', replying({ status: 502 })],
    ['503', replying({ status: 503 })],
    ['504', replying({ status: 504 })],
    ['reset', (socket) => void socket.resetAndDestroy()],
    ['close', (socket) => void socket.end()],
    ['hang', hang],
    ['broken JSON', replying({ body: '{' })],
    ['redirect', replying({ status: 307 })],
  ])('no order and no cancel after %s', async (_, answer) => {
    const { client, upstream } = await serve(answer, { timeoutMs: 1_000 });
    await Promise.allSettled([client.request(ORDER), client.request({ method: 'DELETE', path: '/orders/x' })]);
    await sleep(250);
    expect(upstream.arrived).toHaveLength(2);
  });

  it('no read whose pause would outlast its time: what the other server said is the answer', async () => {
    // A pause of 4 s, where half of 5 s is left.
    const random = jest.spyOn(Math, 'random').mockReturnValue(20);
    const late: Answer = (socket) => {
      setTimeout(() => {
        reply(socket, { status: 503 });
      }, 1_500);
    };
    const { client, upstream } = await serve(late, { timeoutMs: 5_000 });
    expect((await client.request(READ)).status).toBe(503);
    expect(upstream.arrived).toHaveLength(1);
    expect(client.status.outcomes).toEqual({ '5xx': 1 });
    random.mockRestore();
  });

  it('a repeat that waits for a place until its time is up tells what the other server said before', async () => {
    const { client, upstream } = await serve(
      (socket, { line }) => {
        if (line.includes('/markets')) reply(socket, { status: 503 });
      },
      { timeoutMs: 3_000 },
    );
    // A pause of 1.5 s, in which the others take all places.
    const random = jest.spyOn(Math, 'random').mockReturnValue(7.5);
    const read = client.request(READ);
    while (upstream.arrived.length === 0) await sleep(5);
    const others = Array.from({ length: 60 }, (_, i) => failureOf(client.request({ ...READ, path: `/hang/${i}` })));
    expect((await read).status).toBe(503);
    expect(upstream.arrived.filter(({ line }) => line.includes('/markets'))).toHaveLength(1);
    random.mockRestore();
    await Promise.all(others);
  });

  it('signs each attempt anew', async () => {
    const { client, upstream } = await serve(replying({ status: 503 }, {}));
    let signatures = 0;
    await client.request({ ...READ, headers: () => ({ 'x-signature': String(++signatures) }) });
    await client.request({ ...READ, headers: () => Promise.resolve({ 'x-signature': String(++signatures) }) });
    const signed = upstream.arrived.map(({ headers }) => headers.find((line) => line.startsWith('x-signature')));
    expect(signed).toEqual(['x-signature: 1', 'x-signature: 2', 'x-signature: 3']);
  });

  it('gives a place back when signing fails', async () => {
    const { client, upstream } = await serve(replying({}));
    const signing = (): never => {
      throw new RangeError('no key');
    };
    await expect(client.request({ ...READ, headers: signing })).rejects.toThrow('no key');
    expect([client.status.inFlight, upstream.arrived.length]).toEqual([0, 0]);
  });

  it('at most the savings and a tenth of the calls', async () => {
    const random = jest.spyOn(Math, 'random').mockReturnValue(0);
    const { client, upstream } = await serve((socket, { line }) => {
      reply(socket, { status: line.includes('/bad') ? 503 : 200 });
    });
    for (let i = 0; i < 100; i++) {
      for (const path of ['/good', '/good', '/good', '/bad']) await client.request({ ...READ, path });
    }
    const retries = upstream.arrived.filter(({ line }) => line.includes('/bad')).length - 100;
    expect(retries).toBeGreaterThanOrEqual(40);
    expect(retries).toBeLessThanOrEqual(10 + 40);
    random.mockRestore();
  });
});

describe('crowds (R-10, R-11)', () => {
  it('sees at most 50 calls at once', async () => {
    let [running, most] = [0, 0];
    const { answer, open } = gate();
    const { client, upstream } = await serve(
      (socket, arrived, index) => {
        most = Math.max(most, ++running);
        if (index < 50) answer(socket, arrived, index);
        else {
          setTimeout(() => {
            answer(socket, arrived, index);
          }, 10);
        }
      },
      { timeoutMs: 15_000 },
    );
    const calls = Array.from({ length: 300 }, async () => {
      await client.request(READ);
      running--;
    });
    await eventually(() => upstream.arrived.length >= 50);
    await sleep(100);
    open();
    await Promise.all(calls);
    expect(most).toBe(50);
    expect(upstream.connections).toBeLessThanOrEqual(50);
  });

  it('lets orders go before reads that came first', async () => {
    const { answer, open } = gate();
    const { client, upstream } = await serve(answer, { timeoutMs: 15_000 });
    const reads = Array.from({ length: 150 }, () => client.request(READ));
    await eventually(() => upstream.arrived.length >= 50);
    const order = client.request(ORDER);
    await eventually(() => client.status.waiting === 101);
    open();
    await Promise.all([order, ...reads]);
    const position = upstream.arrived.findIndex(({ line }) => line.startsWith('POST'));
    // It has the first place that is free; reads with the next ones may be faster on their way.
    expect(position).toBeGreaterThanOrEqual(50);
    expect(position).toBeLessThan(100);
  });

  it('refuses as busy beyond 1,024 that wait', async () => {
    const { client, upstream } = await serve(hang, { timeoutMs: 25_000 });
    const calls = Array.from({ length: 50 + 1_024 }, () => failureOf(client.request(READ)));
    await eventually(() => upstream.arrived.length === 50);
    expect([client.status.inFlight, client.status.waiting]).toEqual([50, 1_024]);
    expect(await failureOf(client.request(READ))).toMatchObject({ failure: 'busy', sent: false });
    await client.close();
    await Promise.all(calls);
  });

  it('stops calling a server that fails, at once and without a byte', async () => {
    const { client, upstream } = await serve(replying({ status: 500 }));
    for (let i = 0; i < 20; i++) await client.request(ORDER);
    expect(client.status.breakers).toEqual({
      cancel: 'closed',
      order: 'open',
      signed_read: 'closed',
      public_read: 'closed',
    });
    const error = await failureOf(client.request(ORDER));
    expect(error).toMatchObject({ failure: 'paused', sent: false, options: { retryAfterSeconds: 5 } });
    expect(upstream.arrived).toHaveLength(20);
  });

  it('stops for time-outs and lost connections, and lets nothing out of the queue then', async () => {
    const { client, upstream } = await serve(
      (socket, _, index) => {
        if (index % 2 === 0) socket.resetAndDestroy();
      },
      { timeoutMs: 1_500 },
    );
    const errors = await Promise.all(Array.from({ length: 200 }, () => failureOf(client.request(ORDER))));
    expect(upstream.arrived.length).toBeLessThan(150);
    const paused = errors.filter(({ failure }) => failure === 'paused');
    expect(paused.length).toBe(200 - errors.filter(({ sent }) => sent).length);
    expect(paused.length).toBeGreaterThan(0);
  });

  it('does not stop for time-outs of calls whose time went by in the queue', async () => {
    const slow: Answer = (socket) => {
      setTimeout(() => {
        reply(socket);
      }, 1_800);
    };
    const { client } = await serve(slow, { timeoutMs: 3_000 });
    const calls = Array.from({ length: 200 }, () => client.request(READ).catch((error: unknown) => error));
    const ends = await Promise.all(calls);
    const timedOut = ends.filter((end) => end instanceof UpstreamError && end.sent);
    expect(timedOut.length).toBeGreaterThan(20);
    expect(client.status.breakers.signed_read).toBe('closed');
    expect(await client.request(READ)).toMatchObject({ status: 200 });
  });

  it('stops for time-outs of calls that had their time, whatever waits behind them', async () => {
    const { client } = await serve(hang, { timeoutMs: 1_500 });
    await Promise.all(Array.from({ length: 200 }, () => failureOf(client.request(READ))));
    expect(client.status.breakers.signed_read).toBe('open');
  });

  it('gives what it has where the breaker forbids the repeat, and signs nothing in vain', async () => {
    const { client, upstream } = await serve(replying({ status: 503, body: '"closed"' }));
    // Counted among reads, and never repeated.
    for (let i = 0; i < 19; i++) await client.request({ ...ORDER, priority: 'read' });
    expect(await client.request(READ)).toMatchObject({ status: 503, body: 'closed' });
    expect(upstream.arrived).toHaveLength(20);
    let signatures = 0;
    const headers = () => ({ 'x-signature': String(++signatures) });
    expect(await failureOf(client.request({ ...READ, headers }))).toMatchObject({ failure: 'paused', sent: false });
    expect(signatures).toBe(0);
  });

  it('does not stop for 4xx', async () => {
    const { client } = await serve(replying({ status: 429 }));
    for (let i = 0; i < 40; i++) await client.request(ORDER);
    expect(client.status).toMatchObject({ breakers: { order: 'closed' }, outcomes: { '4xx': 40 } });
  });

  it('merges shared reads by their whole address, and keeps them for a while (contract.md 2)', async () => {
    const { client, upstream } = await serve(replying({}), { cacheTtlMs: 60_000 });
    const read = { ...READ, shared: true } as const;
    await Promise.all(Array.from({ length: 20 }, () => client.request({ ...read, query: [['limit', '1']] })));
    await client.request({ ...read, query: [['limit', '1']] });
    expect(upstream.arrived).toHaveLength(1);
    await client.request({ ...read, query: [['limit', '2']] });
    await client.request({ ...read, query: [['limit', '1']], fresh: true });
    expect(upstream.arrived).toHaveLength(3);
    await client.request({ ...READ, query: [['limit', '1']] });
    await client.request({ ...READ, query: [['limit', '1']] });
    expect(upstream.arrived).toHaveLength(5);
  });

  it('pauses shared reads alone after a 429', async () => {
    const { client, upstream } = await serve(replying({ status: 429, headers: ['retry-after: 3'] }, {}));
    expect((await client.request({ ...READ, shared: true })).status).toBe(429);
    expect(await failureOf(client.request({ ...READ, path: '/events', shared: true }))).toMatchObject({
      failure: 'paused',
      sent: false,
      options: { retryAfterSeconds: 3 },
    });
    expect((await client.request(READ)).status).toBe(200);
    expect((await client.request(ORDER)).status).toBe(200);
    expect(upstream.arrived).toHaveLength(3);
  });
});
