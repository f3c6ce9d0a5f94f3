import { createServer, type Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { Global, Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Settings } from '../config/settings.js';
import { UpstreamModule } from './upstream.module.js';
import { UpstreamClients } from './upstream-clients.js';

const SETTINGS = Settings.read({
  NODE_ENV: 'test',
  JWT_SECRET: 'j'.repeat(32),
  ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
  PASSWORD_PEPPER: 'p'.repeat(32),
  UPSTREAM_TIMEOUT: '2s',
  MARKET_DATA_CACHE_TTL: '60s',
});

@Global()
@Module({ providers: [{ provide: Settings, useValue: SETTINGS }], exports: [Settings] })
class SettingsModule {}

let server: Server;
let requests: string[];

beforeEach(async () => {
  requests = [];
  server = createServer((request, response) => {
    requests.push(request.url ?? '');
    if (request.url === '/limited') response.statusCode = 429;
    if (request.url !== '/hang') response.end('[]');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function baseUrl(): string {
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
}

describe('UpstreamClients', () => {
  it('R-24 makes clients by the settings, tells their state, and closes them with the application', async () => {
    const app = await Test.createTestingModule({ imports: [SettingsModule, UpstreamModule] }).compile();
    await app.init();
    const clients = app.get(UpstreamClients);
    const client = clients.create({ name: 'exchange', baseUrl: baseUrl() });
    const read = { method: 'GET', path: '/markets', shared: true } as const;
    await client.request(read);
    await client.request(read);
    expect(requests).toEqual(['/markets']);
    await expect(client.request({ method: 'GET', path: '/hang' })).rejects.toMatchObject({ failure: 'timeout' });
    const hasty = clients.create({ name: 'provider', baseUrl: baseUrl(), timeoutMs: 1_900, maxBodyBytes: 1 });
    await expect(hasty.request({ method: 'GET', path: '/x' })).rejects.toMatchObject({ failure: 'too_large' });
    expect(clients.status()).toMatchObject([
      {
        name: 'exchange',
        inFlight: 0,
        waiting: 0,
        breakers: { signed_read: 'closed', public_read: 'closed' },
        outcomes: { '2xx': 1, timeout: 1 },
      },
      { name: 'provider', outcomes: { too_large: 1 } },
    ]);
    await app.close();
    await expect(client.request({ method: 'GET', path: '/late' })).rejects.toMatchObject({ sent: false });
    expect(requests).not.toContain('/late');
  });

  it('R-11 clients of one group have at most 50 calls in flight together, contract.md 5 and each a pause of its own', async () => {
    const app = await Test.createTestingModule({ imports: [SettingsModule, UpstreamModule] }).compile();
    await app.init();
    const clients = app.get(UpstreamClients);
    const one = clients.create({ name: 'one', group: 'exchange', baseUrl: baseUrl() });
    const two = clients.create({ name: 'two', group: 'exchange', baseUrl: baseUrl() });
    const apart = clients.create({ name: 'apart', baseUrl: baseUrl() });
    const limited = { method: 'GET', path: '/limited', shared: true } as const;
    expect((await one.request(limited)).status).toBe(429);
    await expect(one.request({ ...limited, path: '/other' })).rejects.toMatchObject({ failure: 'paused', sent: false });
    expect((await two.request({ ...limited, path: '/other' })).status).toBe(200);
    expect((await apart.request({ ...limited, path: '/apart' })).status).toBe(200);
    requests = [];
    const calls = [one, two].flatMap((client) =>
      Array.from({ length: 40 }, () =>
        client.request({ method: 'GET', path: '/hang' }).catch((error: unknown) => error),
      ),
    );
    while (requests.length < 50) await delay(5);
    await delay(50);
    expect(requests).toHaveLength(50);
    expect(clients.status().map(({ inFlight, waiting }) => inFlight + waiting)).toEqual([40, 40, 0]);
    await Promise.all(calls);
    expect(clients.status().map(({ inFlight, waiting }) => [inFlight, waiting])).toEqual([
      [0, 0],
      [0, 0],
      [0, 0],
    ]);
    await app.close();
  });
});
