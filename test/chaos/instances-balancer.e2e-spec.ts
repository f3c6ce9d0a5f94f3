import { createServer, type RequestListener } from 'node:http';
import { describe, expect } from '@jest/globals';
import { Gun } from '../support/load.js';
import { freePort, Loopback } from '../support/loopback.js';
import { itBehindNginx, TestNginx } from '../support/nginx.js';

const METHODS = ['POST', 'PUT', 'PATCH', 'DELETE'] as const;
const PATHS = ['/kalshi/orders', '/account/credentials/polymarket/session-key/activate'];

/** Writes of every method through nginx, one after another; what the client sees. */
async function write(upstreams: readonly number[], paths: readonly string[]): Promise<number[]> {
  const statuses: number[] = [];
  for (const path of paths) {
    for (const method of METHODS) {
      // A fresh one each time knows of no replica that was away.
      const nginx = await TestNginx.start(upstreams);
      const gun = new Gun(nginx.url);
      statuses.push((await gun.shoot({ name: method, method, path, body: '{}' })).status);
      statuses.push((await gun.shoot({ name: method, method, path, body: '{}' })).status);
      await gun.close();
      await nginx.stop();
    }
  }
  return statuses;
}

describe('deploy/nginx.conf in nginx (R-4)', () => {
  async function cutWrites(): Promise<void> {
    let seen = 0;
    const cut: RequestListener = (request) => {
      seen += 1;
      request.socket.destroy();
    };
    const first = await Loopback.start(createServer(cut));
    const second = await Loopback.start(createServer(cut));
    const statuses = await write([first.port, second.port], PATHS);
    await first.close();
    await second.close();
    expect(new Set(statuses)).toEqual(new Set([500]));
    expect(seen).toBe(statuses.length);
  }

  itBehindNginx('R-4 a write that a replica has seen goes to no other one, whatever its method', cutWrites, 60_000);

  async function refuseWrites(): Promise<void> {
    let seen = 0;
    const server = createServer((_request, response) => {
      seen += 1;
      response.end('{}');
    });
    const there = await Loopback.start(server);
    const statuses = await write([await freePort(), there.port], PATHS.slice(0, 1));
    await there.close();
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(seen).toBe(statuses.length);
  }

  itBehindNginx('R-4 a write that a replica refused to take goes to the other one, once', refuseWrites, 60_000);
});
