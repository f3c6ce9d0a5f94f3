import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ControlServer } from './control-server.js';
import { FaultList } from './faults.js';
import { type LoggedRequest, RequestLog } from './request-log.js';

const FAULT = { exchange: 'kalshi', method: 'POST', path: '/trade-api', fault: 'hang', times: 3 };

describe('ControlServer', () => {
  const faults = new FaultList();
  const log = new RequestLog();
  const server = new ControlServer(faults, log);
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

  it('DESIGN 7 arms a fault, lists it and disarms all', async () => {
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
      { error: 'exchange must be one of: kalshi, polymarket.' },
    ]);
    expect((await post('{')).status).toBe(400);
    expect((await post('')).status).toBe(400);
    expect(faults.list()).toEqual([]);
  });

  it('DESIGN 7 shows what arrived at one exchange or at both', async () => {
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
});
