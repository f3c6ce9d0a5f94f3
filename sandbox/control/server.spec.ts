import { request as send } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { StreamFaults } from '../streams/faults.js';
import { EXCHANGE_NAMES, FaultList } from '../wire/faults.js';
import { type LoggedRequest, RequestLog } from '../wire/request-log.js';
import { ControlServer } from './server.js';

const FAULT = { exchange: 'kalshi', method: 'POST', path: '/trade-api', fault: 'hang', times: 3 };

describe('ControlServer', () => {
  const faults = new FaultList();
  const log = new RequestLog();
  const server = new ControlServer({ faults, streamFaults: new StreamFaults(), log });
  let url: string;

  beforeAll(async () => {
    url = await server.listen();
  });

  afterAll(async () => {
    await server.close();
  });

  function post(body: string): Promise<Response> {
    return fetch(`${url}/faults`, { method: 'POST', body });
  }

  it('contract.md 7 arms a fault, lists it and disarms all', async () => {
    const armed = await post(JSON.stringify(FAULT));
    expect([armed.status, await armed.json()]).toEqual([201, FAULT]);
    expect(await (await fetch(`${url}/faults`)).json()).toEqual([FAULT]);
    const cleared = await fetch(`${url}/faults`, { method: 'DELETE' });
    expect([cleared.status, await cleared.json()]).toEqual([200, { removed: 1 }]);
    expect(faults.list()).toEqual([]);
  });

  it('refuses a bad fault with 400 and says why', async () => {
    const unknown = await post(JSON.stringify({ ...FAULT, exchange: 'nyse' }));
    expect([unknown.status, await unknown.json()]).toEqual([
      400,
      { error: `exchange must be one of: ${EXCHANGE_NAMES.join(', ')}.` },
    ]);
    expect((await post('{')).status).toBe(400);
    expect((await post('')).status).toBe(400);
    expect(faults.list()).toEqual([]);
  });

  it('contract.md 7 shows what arrived at one exchange or at both', async () => {
    const entry: LoggedRequest = {
      exchange: 'kalshi',
      method: 'GET',
      url: '/a?b=c',
      path: '/a',
      query: 'b=c',
      headers: {},
      raw_headers: [],
      body: '',
      received_at: '2026-11-20T00:00:00.000Z',
    };
    log.add(entry);
    log.add({ ...entry, exchange: 'polymarket' });
    expect(await (await fetch(`${url}/requests?exchange=kalshi`)).json()).toEqual([entry]);
    expect(await (await fetch(`${url}/requests`)).json()).toHaveLength(2);
    expect((await fetch(`${url}/requests?exchange=nyse`)).status).toBe(400);
  });

  it('knows no other paths and methods', async () => {
    expect((await fetch(`${url}/nothing`)).status).toBe(404);
    expect((await fetch(`${url}/requests`, { method: 'PUT' })).status).toBe(405);
  });

  /** The status of a request with header lines that `fetch` would not send. */
  function status(path: string, headers: Record<string, string>, body = ''): Promise<number | undefined> {
    const { origin } = new URL(url);
    return new Promise((resolve, reject) => {
      const call = send(`${origin}${path}`, { method: body === '' ? 'GET' : 'POST', headers }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
      call.once('error', reject);
      call.end(body);
    });
  }

  it('S-57 its address holds a token of 256 bits, another one at each start', async () => {
    const other = new ControlServer({
      faults: new FaultList(),
      streamFaults: new StreamFaults(),
      log: new RequestLog(),
    });
    const [mine, theirs] = [url, await other.listen()].map((address) => new URL(address).pathname);
    await other.close();
    expect(mine).toMatch(/^\/[\w-]{43}$/);
    expect(theirs).not.toBe(mine);
  });

  it('S-57 is 401 without its token, with a wrong one and with part of it, and does nothing', async () => {
    const { pathname } = new URL(url);
    const wrong = [
      '/faults',
      '/requests',
      '/',
      '//faults',
      `/${pathname[1] === 'x' ? 'y' : 'x'}${pathname.slice(2)}/faults`,
      `${pathname.slice(0, -1)}/faults`,
    ];
    for (const path of [...wrong, `${pathname}x/faults`, `/${'x'.repeat(5_000)}/faults`, `/faults${pathname}`]) {
      expect([path, await status(path, {})]).toEqual([path, 401]);
      expect([path, await status(path, {}, JSON.stringify(FAULT))]).toEqual([path, 401]);
    }
    expect(faults.list()).toEqual([]);
  });

  it('S-57 is 403 for a foreign Host, whatever the token', async () => {
    const { pathname, port } = new URL(url);
    for (const host of [
      'evil.example',
      `evil.example:${port}`,
      '127.0.0.1.evil.example',
      '192.168.0.1',
      'localhost.',
      '0.0.0.0',
    ]) {
      expect([host, await status(`${pathname}/requests`, { host })]).toEqual([host, 403]);
    }
    for (const host of ['127.0.0.1', `127.0.0.1:${port}`, `localhost:${port}`, `LOCALHOST:${port}`, `[::1]:${port}`]) {
      expect([host, await status(`${pathname}/requests`, { host })]).toEqual([host, 200]);
    }
  });

  it.each(['http://evil.example', 'null', 'http://127.0.0.1:3000', ''])(
    'S-57 is 403 for the Origin "%s"',
    async (origin) => {
      const { pathname } = new URL(url);
      expect(await status(`${pathname}/requests`, { origin })).toBe(403);
      expect(await status(`${pathname}/faults`, { origin }, JSON.stringify(FAULT))).toBe(403);
      expect(faults.list()).toEqual([]);
    },
  );

  it('S-57 is 413 for a body above 64 KiB, however it is sent', async () => {
    const { pathname } = new URL(url);
    const long = JSON.stringify({ ...FAULT, path: `/${'x'.repeat(64 * 1024)}` });
    expect((await post(long)).status).toBe(413);
    expect(await status(`${pathname}/faults`, { 'transfer-encoding': 'chunked' }, long)).toBe(413);
    expect((await post('x'.repeat(20_000_000))).status).toBe(413);
    expect(faults.list()).toEqual([]);
  });

  it('S-57 shows at most 8 characters of signatures, secrets and passphrases', async () => {
    const secret = 'canary-7f3a91c2d0';
    const names = ['KALSHI-ACCESS-SIGNATURE', 'POLY_SIGNATURE', 'Poly_Passphrase', 'x-client-secret'];
    const kept = { 'KALSHI-ACCESS-KEY': 'key-of-more-than-8', Accept: 'application/json' };
    const lines = [...names.map((name) => [name, secret] as const), ...Object.entries(kept)];
    log.clear();
    log.add({
      exchange: 'kalshi',
      method: 'GET',
      url: '/a',
      path: '/a',
      query: '',
      headers: Object.fromEntries(lines.map(([name, value]) => [name.toLowerCase(), value])),
      raw_headers: lines.flat(),
      body: '',
      received_at: '2026-11-20T00:00:00.000Z',
    });
    const text = await (await fetch(`${url}/requests`)).text();
    expect(text).not.toContain('canary-7f');
    const [entry] = JSON.parse(text) as [LoggedRequest];
    expect(entry.raw_headers).toEqual(lines.flatMap(([name, value]) => [name, value === secret ? 'canary-7' : value]));
    expect(entry.headers).toMatchObject({ poly_signature: 'canary-7', 'kalshi-access-key': 'key-of-more-than-8' });
  });
});
