import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Logger } from '@nestjs/common';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { withCallContext } from './call-context.js';
import { HttpUpstreamClient, type UpstreamClientOptions } from './http-upstream-client.js';
import { UpstreamError, type UpstreamRequest, type UpstreamResponse } from './upstream-client.js';
import { measureAgain } from '../../../test/support/measured.js';

measureAgain();

type Answer = (response: ServerResponse, message: IncomingMessage) => void;

const closers: (() => Promise<unknown>)[] = [];

const json = (response: ServerResponse, status = 200, body: object = { ok: true }): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};

/** An exchange that answers by path: `/hang…` never, `/page…` with a gateway's 500, `/own…` with its own error body. */
const byPath: Answer = (response, { url = '' }) => {
  if (url.startsWith('/hang')) return;
  if (url.startsWith('/page')) response.writeHead(500, { 'content-type': 'text/html' }).end('<html>broken</html>');
  else if (url.startsWith('/own')) json(response, 500, { error: 'this account is broken' });
  else json(response);
};

async function serve(answer: Answer, options: Partial<UpstreamClientOptions> = {}) {
  const arrived: string[] = [];
  const server: Server = createServer((message, response) => {
    arrived.push(`${message.method ?? ''} ${message.url ?? ''}`);
    answer(response, message);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const client = new HttpUpstreamClient({
    name: 'exchange',
    baseUrl: `http://127.0.0.1:${port}`,
    timeoutMs: 3_000,
    readFault: (body) => (typeof body === 'object' && body !== null && 'error' in body ? {} : null),
    ...options,
  });
  closers.push(
    () => client.close(),
    () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  );
  const as = (caller: string, request: Partial<UpstreamRequest> & { path: string }): Promise<UpstreamResponse> =>
    withCallContext({ fresh: false, caller }, () => client.request({ method: 'GET', ...request }));
  return { arrived, client, as };
}

type Stand = Awaited<ReturnType<typeof serve>>;

/** So many calls at once that are not waited for; each has a path of its own. */
function crowd(stand: Stand, caller: string, path: string, times: number, request: Partial<UpstreamRequest> = {}) {
  return Promise.allSettled(
    Array.from({ length: times }, (_, i) => stand.as(caller, { ...request, path: `${path}/${caller}/${i}` })),
  );
}

async function failureOf(call: Promise<unknown>): Promise<string> {
  const [result] = await Promise.allSettled([call]);
  if (result.status === 'fulfilled') return 'none';
  return result.reason instanceof UpstreamError ? result.reason.failure : String(result.reason);
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function eventually(condition: () => boolean): Promise<void> {
  for (let i = 0; i < 500 && !condition(); i++) await sleep(10);
  expect(condition()).toBe(true);
}

async function timeOf(work: Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work;
  return performance.now() - startedAt;
}

beforeAll(() => {
  Logger.overrideLogger(false);
});

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

afterAll(() => {
  Logger.overrideLogger(true);
});

describe('R-27 places', () => {
  it.each([{}, { shared: true }, { method: 'POST', priority: 'order', body: '{}' } as const])(
    'are left to others however many calls of one user hang (%j)',
    async (request) => {
      const stand = await serve(byPath);
      const hanging = crowd(stand, 'ann', '/hang', 300, request);
      await eventually(() => stand.arrived.length >= 20);
      await sleep(50);
      const others = Array.from({ length: 10 }, (_, i) => stand.as('ben', { path: `/markets/${i}` }));
      expect(await timeOf(Promise.all(others))).toBeLessThan(1_000);
      expect(stand.client.status.inFlight).toBeLessThan(50);
      await stand.client.close();
      await hanging;
    },
  );

  it('are left where three users hang', async () => {
    const stand = await serve(byPath);
    const hanging = ['ann', 'ben', 'cleo'].map((caller) => crowd(stand, caller, '/hang', 100));
    await eventually(() => stand.arrived.length >= 40);
    expect(await timeOf(stand.as('dora', { path: '/markets' }))).toBeLessThan(1_000);
    await stand.client.close();
    await Promise.all(hanging);
  });

  it('and room to wait are left where one user fills the queue', async () => {
    // Longer than it takes to begin them all: none of those that hang ends meanwhile.
    const stand = await serve(byPath, { timeoutMs: 30_000 });
    const crowds = [crowd(stand, 'ann', '/hang', 3_000)];
    await eventually(() => stand.arrived.length >= 20);
    for (const caller of ['b', 'c', 'd', 'e', 'f', 'g', 'h']) crowds.push(crowd(stand, caller, '/hang', 30));
    await eventually(() => stand.client.status.inFlight === 50);
    const waiting = stand.client.status.waiting;
    const waits = failureOf(stand.as('zoe', { path: '/markets' }));
    await sleep(20);
    expect(stand.client.status.waiting).toBe(waiting + 1);
    await stand.client.close();
    expect(await waits).toBe('aborted');
    const [anns] = await Promise.all(crowds);
    const refused = anns?.filter(
      (end) => end.status === 'rejected' && (end.reason as UpstreamError).failure === 'busy',
    );
    expect(refused?.length).toBeGreaterThan(2_000);
  });

  it('come in turn to a user who joined a read that another one waits for', async () => {
    const stand = await serve(byPath);
    const hanging = crowd(stand, 'ann', '/hang', 100);
    const waiting = stand.as('ann', { path: '/popular', shared: true });
    const joined = stand.as('ben', { path: '/popular', shared: true });
    expect(await timeOf(joined)).toBeLessThan(1_000);
    expect((await waiting).status).toBe(200);
    expect(stand.arrived.filter((line) => line === 'GET /popular')).toHaveLength(1);
    await stand.client.close();
    await hanging;
  });

  it("leave way to one's own cancels while one's own reads hang", async () => {
    const stand = await serve(byPath);
    const hanging = crowd(stand, 'ann', '/hang', 100);
    await eventually(() => stand.arrived.length >= 20);
    const cancel = stand.as('ann', { method: 'DELETE', path: '/orders/1', priority: 'cancel' });
    expect(await timeOf(cancel)).toBeLessThan(1_000);
    await stand.client.close();
    await hanging;
  });
});

describe('R-27 the breaker', () => {
  it.each<[string, Partial<UpstreamRequest> & { path: string }]>([
    ['pages of a gateway', { path: '/page' }],
    ['public reads', { path: '/page', shared: true }],
    ['time-outs', { path: '/hang' }],
  ])('stops the one user whose calls fail, and nobody else: %s', async (_, { path, ...request }) => {
    const stand = await serve(byPath, { timeoutMs: 4_000 });
    await crowd(stand, 'ann', path, 60, request);
    expect(await failureOf(stand.as('ann', { ...request, path: '/markets' }))).toBe('paused');
    expect((await stand.as('ben', { ...request, path: '/markets' })).status).toBe(200);
    expect(stand.client.status.breakers).toMatchObject({ signed_read: 'closed', public_read: 'closed' });
  });

  it("leaves one's orders and cancels alone where one's reads of one route fail", async () => {
    const stand = await serve(byPath);
    await crowd(stand, 'ann', '/page', 60);
    expect(await failureOf(stand.as('ann', { path: '/markets' }))).toBe('paused');
    const urgent = [
      stand.as('ann', { method: 'DELETE', path: '/orders/1', priority: 'cancel' }),
      stand.as('ann', { method: 'POST', path: '/orders', priority: 'order' }),
    ];
    expect((await Promise.all(urgent)).map(({ status }) => status)).toEqual([200, 200]);
    expect(stand.client.status.breakers.signed_read).toBe('open');
  });

  it('stops everybody where the calls of two users fail', async () => {
    const stand = await serve(byPath);
    for (const caller of ['ann', 'ben']) await crowd(stand, caller, '/page', 10, { method: 'POST' });
    expect(await failureOf(stand.as('cleo', { path: '/markets' }))).toBe('paused');
    expect(stand.client.status.breakers.signed_read).toBe('open');
  });

  it('shows as open where it stops the only user there is', async () => {
    const stand = await serve(byPath);
    await crowd(stand, 'ann', '/page', 20, { method: 'POST' });
    expect(stand.client.status.breakers.signed_read).toBe('open');
  });

  it.each([{ method: 'POST' }, { shared: true }] as const)(
    "hears nothing from a 5xx in the exchange's own words, to one account or to one question: %j",
    async (request) => {
      const stand = await serve(byPath);
      for (const caller of ['ann', 'ben']) await crowd(stand, caller, '/own', 40, request);
      expect((await stand.as('ann', { ...request, path: '/markets' })).status).toBe(200);
      expect((await stand.as('cleo', { ...request, path: '/markets' })).status).toBe(200);
    },
  );

  it('counts of one public question only the first failure in 10 s, so that two users who repeat it stop themselves alone', async () => {
    const stand = await serve(byPath);
    const again = { path: '/page/same', shared: true } as const;
    for (const caller of ['ann', 'ben']) for (let i = 0; i < 20; i++) await stand.as(caller, again);
    for (const caller of ['ann', 'ben']) expect(await failureOf(stand.as(caller, again))).toBe('paused');
    expect((await stand.as('cleo', { path: '/markets', shared: true })).status).toBe(200);
    for (const caller of ['ann', 'ben']) await crowd(stand, `${caller}2`, '/page', 10, { shared: true });
    expect(await failureOf(stand.as('cleo', { path: '/markets', shared: true }))).toBe('paused');
  });

  it('holds back no signed read where public ones fail for everybody, nor the other way round', async () => {
    for (const shared of [true, false]) {
      const stand = await serve(byPath);
      for (const caller of ['ann', 'ben']) await crowd(stand, caller, '/page', 20, { shared });
      expect(await failureOf(stand.as('cleo', { path: '/markets', shared }))).toBe('paused');
      expect((await stand.as('cleo', { path: '/markets', shared: !shared })).status).toBe(200);
      const { breakers } = stand.client.status;
      expect([breakers.public_read, breakers.signed_read]).toEqual(shared ? ['open', 'closed'] : ['closed', 'open']);
    }
  });

  it.each([{}, { shared: true }])(
    'counts what orders and cancels must read among reads (%j): it stops neither, and is stopped for its own caller alone',
    async (request) => {
      const stand = await serve(byPath);
      for (const caller of ['ann', 'ben'])
        for (const priority of ['order', 'cancel'] as const)
          await crowd(stand, caller, `/page/${priority}`, 20, { ...request, priority });
      const { order, cancel, ...reads } = stand.client.status.breakers;
      expect([order, cancel]).toEqual(['closed', 'closed']);
      expect(Object.values(reads)).toContain('open');
      expect(await failureOf(stand.as('cleo', { ...request, path: '/markets' }))).toBe('paused');
      for (const priority of ['order', 'cancel'] as const) {
        expect((await stand.as('cleo', { ...request, priority, path: '/markets' })).status).toBe(200);
        expect(await failureOf(stand.as('ann', { ...request, priority, path: '/markets' }))).toBe('paused');
      }
      for (const caller of ['ann', 'cleo']) {
        const order = stand.as(caller, { method: 'POST', path: '/orders', priority: 'order' });
        const cancel = stand.as(caller, { method: 'DELETE', path: '/orders/1', priority: 'cancel' });
        expect((await Promise.all([order, cancel])).map(({ status }) => status)).toEqual([200, 200]);
      }
    },
  );

  it('holds back neither orders nor cancels where reads fail for everybody, nor the look-up that a cancel needs', async () => {
    const stand = await serve(byPath);
    for (const caller of ['ann', 'ben']) await crowd(stand, caller, '/page', 20);
    const orders = ['ann', 'cleo'].flatMap((caller) => {
      const lookUp = withCallContext({ fresh: false, caller, priority: 'cancel' }, () =>
        stand.client.request({ method: 'GET', path: '/orders/1' }),
      );
      const order = stand.as(caller, { method: 'POST', path: '/orders', priority: 'order' });
      return [lookUp, order, stand.as(caller, { method: 'DELETE', path: '/orders/1', priority: 'cancel' })];
    });
    expect((await Promise.all(orders)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
    expect(await failureOf(stand.as('cleo', { path: '/orders/1' }))).toBe('paused');
    expect(stand.client.status.breakers.signed_read).toBe('open');
  });

  it('stops cancels alone where they fail for everybody, and then tries one of each user, however many', async () => {
    const stand = await serve(byPath, { timeoutMs: 4_000 });
    const cancel = { method: 'DELETE', priority: 'cancel' } as const;
    for (const caller of ['ann', 'ben']) await crowd(stand, caller, '/page', 20, cancel);
    expect(await failureOf(stand.as('cleo', { ...cancel, path: '/orders/1' }))).toBe('paused');
    expect((await stand.as('cleo', { method: 'POST', path: '/orders', priority: 'order' })).status).toBe(200);
    await sleep(5_100);
    const trials = Array.from({ length: 8 }, (_, i) => failureOf(stand.as(`${i}`, { ...cancel, path: `/hang/${i}` })));
    await eventually(() => stand.arrived.filter((line) => line.startsWith('DELETE /hang')).length === 8);
    await stand.client.close();
    await Promise.all(trials);
  });
});

describe('an absurd wait', () => {
  it.each(['61', '999999999', '9'.repeat(40), 'Fri, 20 Nov 2099 15:00:00 GMT'])(
    'is told as the pause that is kept: %s',
    async (header) => {
      const stand = await serve((response) => {
        response.writeHead(429, { 'retry-after': header }).end('{}');
      });
      expect((await stand.as('ann', { path: '/markets', shared: true })).retryAfterSeconds).toBe(60);
      const refusal = stand.as('ann', { path: '/events', shared: true });
      await expect(refusal).rejects.toMatchObject({ failure: 'paused', options: { retryAfterSeconds: 60 } });
    },
  );

  it("is told and kept likewise where it stands in the exchange's error body", async () => {
    const stand = await serve(
      (response) => {
        json(response, 429, { error: 'slow down', retry_after_seconds: 7.2 });
      },
      { readFault: () => ({ retryAfterSeconds: 7.2 }) },
    );
    expect((await stand.as('ann', { path: '/markets', shared: true })).retryAfterSeconds).toBe(8);
    const refusal = stand.as('ann', { path: '/events', shared: true });
    await expect(refusal).rejects.toMatchObject({ failure: 'paused', options: { retryAfterSeconds: 8 } });
    const absurd = await serve(
      (response) => {
        json(response, 503, { error: 'later' });
      },
      { readFault: () => ({ retryAfterSeconds: 1e300 }) },
    );
    expect((await absurd.as('ann', { method: 'POST', path: '/orders' })).retryAfterSeconds).toBe(60);
  });
});
