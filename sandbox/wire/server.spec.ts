import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FaultList, parseFault } from './faults.js';
import { RequestLog } from './request-log.js';
import { WireServer, type WireRequest } from './server.js';

const NOON = new Date('2026-11-20T12:00:00Z');

describe('WireServer', () => {
  const handled: WireRequest[] = [];
  let faults: FaultList;
  let log: RequestLog;
  let server: WireServer;
  let url: string;

  beforeEach(async () => {
    handled.length = 0;
    faults = new FaultList();
    log = new RequestLog();
    server = new WireServer({
      exchange: 'kalshi',
      handler: (request) => {
        handled.push(request);
        if (request.path === '/base/crash') throw new Error('secret detail');
        return { status: 201, body: { order: { id: 'o-1', note: 'as long as it takes to be cut' } } };
      },
      faults,
      log,
      clock: () => NOON,
      basePath: '/base',
      errorBody: (status) => ({ error: { code: `code_${status}` } }),
    });
    url = await server.listen();
  });

  afterEach(async () => {
    await server.close();
  });

  function arm(fault: string, extras: object = {}): void {
    faults.add(parseFault({ exchange: 'kalshi', method: 'POST', path: '/orders', fault, times: 1, ...extras }));
  }

  function order(): Promise<Response> {
    return fetch(`${url}/base/orders`, { method: 'POST', body: '{}', redirect: 'manual' });
  }

  it('contract.md 7 listens on loopback, answers JSON and stamps the exchange clock', async () => {
    const answer = await order();
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(answer.status).toBe(201);
    expect(answer.headers.get('date')).toBe('Fri, 20 Nov 2026 12:00:00 GMT');
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(await answer.json()).toMatchObject({ order: { id: 'o-1' } });
    expect(handled[0]?.receivedAt).toEqual(NOON);
  });

  it('contract.md 7 writes down what arrived, as received', async () => {
    await fetch(`${url}/base/a%20b/c?x=1&x=%202`, { method: 'PUT', body: 'raw ü', headers: { 'X-Key': 'K' } });
    const [entry] = log.list('kalshi');
    expect(entry).toMatchObject({
      exchange: 'kalshi',
      method: 'PUT',
      url: '/base/a%20b/c?x=1&x=%202',
      path: '/base/a%20b/c',
      query: 'x=1&x=%202',
      body: 'raw ü',
    });
    expect(entry?.headers['x-key']).toBe('K');
    expect(entry?.raw_headers.map((text) => text.toLowerCase())).toContain('x-key');
    expect(handled[0]?.path).toBe('/base/a%20b/c');
    expect(handled[0]?.query.getAll('x')).toEqual(['1', ' 2']);
    expect(log.list('polymarket')).toEqual([]);
  });

  it('hides what broke inside the stand-in behind a 500', async () => {
    const answer = await fetch(`${url}/base/crash`);
    expect(answer.status).toBe(500);
    expect(await answer.json()).toEqual({ error: { code: 'code_500' } });
  });

  it('hang: neither handles nor answers, and close ends it', async () => {
    arm('hang');
    const outcome = order().catch((error: unknown) => error);
    while (log.list().length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(handled).toHaveLength(0);
    await server.close();
    expect(await outcome).toMatchObject({ message: 'fetch failed' });
  });

  it('delay: handles at once and answers later', async () => {
    arm('delay', { delay_ms: 150, times: 20 });
    const started = performance.now();
    const answers = await Promise.all(Array.from({ length: 20 }, order));
    expect(performance.now() - started).toBeGreaterThanOrEqual(145);
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 201));
  });

  it.each([
    ['reset_before', 0],
    ['reset_after', 1],
  ])('%s: resets the connection, having handled %d', async (fault, count) => {
    arm(fault);
    const error = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
      const socket = connect(Number(new URL(url).port), '127.0.0.1');
      socket.on('error', resolve);
      socket.on('close', () => {
        resolve(undefined);
      });
      socket.on('data', () => {
        resolve(undefined);
      });
      socket.write('POST /base/orders HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}');
    });
    expect(error?.code).toBe('ECONNRESET');
    expect(handled).toHaveLength(count);
    expect(log.list()).toHaveLength(1);
  });

  it('status: answers with the error body of the exchange, a given body and headers, unhandled', async () => {
    arm('status', { status: 429, headers: { 'Retry-After': '7' } });
    const plain = await order();
    expect(plain.status).toBe(429);
    expect(plain.headers.get('retry-after')).toBe('7');
    expect(await plain.json()).toEqual({ error: { code: 'code_429' } });
    arm('status', { status: 503, body: { own: true } });
    const own = await order();
    expect(await own.json()).toEqual({ own: true });
    expect(handled).toHaveLength(0);
  });

  it('broken_body: handles and cuts the JSON', async () => {
    arm('broken_body');
    const answer = await order();
    expect(answer.status).toBe(201);
    const text = await answer.text();
    expect(() => JSON.parse(text) as unknown).toThrow(SyntaxError);
    expect(handled).toHaveLength(1);
  });

  it('oversized: handles and answers more than 5 MiB of JSON', async () => {
    arm('oversized');
    const text = await (await order()).text();
    expect(text.length).toBeGreaterThan(5 * 1024 * 1024);
    expect(JSON.parse(text)).toMatchObject({ order: { id: 'o-1' } });
    expect(handled).toHaveLength(1);
  });

  it('redirect: points elsewhere, unhandled', async () => {
    arm('redirect');
    const own = await order();
    expect([own.status, own.headers.get('location')]).toEqual([302, '/base/redirected']);
    arm('redirect', { location: 'http://127.0.0.1:1/x', status: 307 });
    const other = await order();
    expect([other.status, other.headers.get('location')]).toEqual([307, 'http://127.0.0.1:1/x']);
    expect(handled).toHaveLength(0);
  });

  it('takes fault paths with and without the base path', async () => {
    arm('status', { status: 418, path: '/base/orders' });
    expect((await order()).status).toBe(418);
    arm('status', { status: 418, path: '/orders' });
    expect((await order()).status).toBe(418);
    expect((await order()).status).toBe(201);
  });
});
