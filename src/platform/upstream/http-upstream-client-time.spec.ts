import { getEventListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import {
  type Answer,
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
import { withCallContext } from './call-context.js';
import { StopSignal } from './stop-signal.js';
import { UpstreamError } from './upstream-client.js';
import { UpstreamClock } from './upstream-clock.js';

useUpstreams();

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

describe('time (R-10)', () => {
  it.each([
    ['shared', true],
    ['signed', false],
  ])(
    'ends a %s read at a time of its own that nobody else holds, also after garbage was collected',
    async (_, shared) => {
      const { client } = await serve(hang, { timeoutMs: 4_000 });
      const ask = (): Promise<unknown> => client.request({ ...READ, shared, signal: AbortSignal.timeout(300) });
      const failing = [new StopSignal(), new AbortController().signal].map((signal) =>
        failureOf(withCallContext({ fresh: false, signal }, ask)),
      );
      await sleep(50);
      collectGarbage();
      expect((await Promise.all(failing)).map(({ failure }) => failure)).toEqual(['aborted', 'aborted']);
    },
  );

  it('ends a call that is not answered, as sent', async () => {
    const { client, upstream } = await serve(hang, { timeoutMs: 700 });
    for (const request of [ORDER, READ]) {
      const startedAt = performance.now();
      expect(await failureOf(client.request(request))).toMatchObject({ failure: 'timeout', sent: true });
      expect(performance.now() - startedAt).toBeLessThan(4_000);
    }
    expect(upstream.arrived).toHaveLength(2);
    await eventually(() => upstream.closed === 2);
  });

  it('ends a call whose answer drips', async () => {
    const { client } = await serve(
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n');
        const drip = setInterval(() => socket.write(' '), 100);
        socket.on('close', () => {
          clearInterval(drip);
        });
      },
      { timeoutMs: 1_000 },
    );
    const startedAt = performance.now();
    expect(await failureOf(client.request(READ))).toMatchObject({ failure: 'timeout', sent: true });
    expect(performance.now() - startedAt).toBeLessThan(8_000);
  });

  it('ends a call whose header lines drip after 5 s', async () => {
    const { client } = await serve(
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\n');
        const drip = setInterval(() => socket.write('x: y\r\n'), 100);
        socket.on('close', () => {
          clearInterval(drip);
        });
      },
      { timeoutMs: 15_000 },
    );
    const startedAt = performance.now();
    expect(await failureOf(client.request(READ))).toMatchObject({ failure: 'timeout', sent: true });
    const tookMs = performance.now() - startedAt;
    expect(tookMs).toBeGreaterThan(4_900);
    expect(tookMs).toBeLessThan(11_000);
  });

  it('counts the wait in the queue, and what waited was not sent', async () => {
    const { client, upstream } = await serve(hang, { timeoutMs: 1_500 });
    const calls = Array.from({ length: 60 }, () => failureOf(client.request(ORDER)));
    const errors = await Promise.all(calls);
    expect(errors.map(({ failure }) => failure)).toEqual(Array.from({ length: 60 }, () => 'timeout'));
    expect(errors.filter(({ sent }) => sent)).toHaveLength(upstream.arrived.length);
    expect(upstream.arrived).toHaveLength(50);
    expect([client.status.inFlight, client.status.waiting]).toEqual([0, 0]);
  });

  it('does not send what has hardly any time left after the queue', async () => {
    const late: Answer = (socket) => {
      setTimeout(() => {
        reply(socket);
      }, 1_850);
    };
    const { client, upstream } = await serve(late, { timeoutMs: 2_000 });
    const calls = Array.from({ length: 60 }, () => client.request(READ).catch((error: unknown) => error));
    const unsent = (await Promise.all(calls)).filter((end) => end instanceof UpstreamError && !end.sent);
    expect(unsent).toHaveLength(10);
    expect(unsent).toEqual(unsent.map(() => expect.objectContaining({ failure: 'timeout' })));
    expect(upstream.arrived).toHaveLength(50);
  });

  it('is learnt from every answer, but not from one out of a cache on the way (R-17)', async () => {
    const hostMs = Date.UTC(2026, 10, 20, 15);
    const clock = new UpstreamClock(() => new Date(hostMs), 'exchange');
    const headers = [`date: ${new Date(hostMs + 3_600_000).toUTCString()}`];
    const { client } = await serve(replying({ headers: [...headers, 'age: 12'] }, { status: 404, headers }), { clock });
    await client.request(READ);
    expect(client.clock.skewMs).toBeNull();
    await client.request(READ);
    expect(Math.abs(Number(client.clock.skewMs) - 3_600_000)).toBeLessThanOrEqual(3_000);
    expect(client.status.clockSkewMs).toBe(client.clock.skewMs);
  });

  it('is measured between request and header lines, however long the body takes', async () => {
    const hostNow = (): Date => new Date(Date.UTC(2026, 10, 20, 15) + performance.now());
    const { client } = await serve(
      (socket) => {
        const date = new Date(hostNow().getTime() + 10_000).toUTCString();
        socket.write(`HTTP/1.1 200 OK\r\ndate: ${date}\r\ncontent-length: 2\r\n\r\n`);
        setTimeout(() => socket.write('{}'), 4_000);
      },
      { clock: new UpstreamClock(hostNow, 'exchange'), timeoutMs: 15_000 },
    );
    await client.request(READ);
    // With the body in it, it would be 2 s less.
    expect(Math.abs(Number(client.clock.skewMs) - 10_000)).toBeLessThan(1_500);
  });
});

describe('callers who go away (R-16)', () => {
  it('end a read, and the other server sees it', async () => {
    const { client, upstream } = await serve(hang);
    for (const [i, request] of [READ, { ...READ, shared: true }].entries()) {
      const caller = new AbortController();
      const call = failureOf(client.request({ ...request, signal: caller.signal }));
      await eventually(() => upstream.arrived.length === i + 1);
      caller.abort();
      expect(await call).toMatchObject({ failure: 'aborted', sent: true });
      await eventually(() => upstream.closed === i + 1);
    }
  });

  it('end a read that has a limit of its own too, and so does that limit', async () => {
    const { client, upstream } = await serve(hang);
    for (let i = 0; i < 2; i++) {
      const [asker, own] = [new AbortController(), new AbortController()];
      const read = () => failureOf(client.request({ ...READ, signal: own.signal }));
      const call = withCallContext({ fresh: false, signal: asker.signal }, read);
      await eventually(() => upstream.arrived.length === i + 1);
      (i === 0 ? asker : own).abort();
      expect(await call).toMatchObject({ failure: 'aborted' });
      await eventually(() => upstream.closed === i + 1);
    }
  });

  it('do not end an order that is on its way', async () => {
    const caller = new AbortController();
    const { client } = await serve((socket) => {
      caller.abort();
      setTimeout(() => {
        reply(socket, { status: 201 });
      }, 50);
    });
    expect((await client.request({ ...ORDER, signal: caller.signal })).status).toBe(201);
  });

  it('end an order that still waits, which is then never sent', async () => {
    const { answer, open } = gate();
    const { client, upstream } = await serve(answer, { timeoutMs: 15_000 });
    const running = Array.from({ length: 50 }, () => client.request(READ));
    const caller = new AbortController();
    const order = failureOf(client.request({ ...ORDER, signal: caller.signal }));
    await eventually(() => upstream.arrived.length === 50);
    caller.abort();
    expect(await order).toMatchObject({ failure: 'aborted', sent: false });
    open();
    await Promise.all(running);
    await sleep(50);
    expect(upstream.arrived.filter(({ line }) => line.startsWith('POST'))).toEqual([]);
    expect(await failureOf(client.request({ ...ORDER, signal: caller.signal }))).toMatchObject({
      failure: 'aborted',
      sent: false,
    });
  });

  it('leave no trace on a signal that serves many calls', async () => {
    const { client } = await serve(replying({}));
    const { signal } = new AbortController();
    const request = { ...READ, signal };
    await Promise.all(Array.from({ length: 40 }, () => client.request(request)));
    await Promise.all(Array.from({ length: 40 }, () => client.request({ ...request, shared: true })));
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});
