import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect } from '@jest/globals';
import { Gun, type Hit, type Shot } from '../support/load.js';
import { rounds } from '../support/long.js';
import { itBehindNginx } from '../support/nginx.js';
import { Deployment } from '../support/processes.js';
import type { Trader } from '../support/sandbox.js';

const PER_SECOND = 200;
const TICKER = 'KXHIGHNY-TODAY-B55.5';
const ORDER = JSON.stringify({ market_id: TICKER, outcome: 'yes', side: 'buy', price: '0.02', size: '1' });
/** For so long nginx leaves an instance alone that refused a connection (`fail_timeout`), and a little more. */
const LEFT_ALONE_MS = 2_500;

const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });

/** What clients of a deployment do, by turns: of 20 requests 4 orders, a cancel, an account write, and reads. */
class Traffic {
  readonly #placed: string[] = [];
  readonly orderKeys: string[] = [];
  readonly hits: Hit[] = [];
  readonly #running = new Set<Promise<void>>();
  #count = 0;
  #isOver = false;

  constructor(
    private readonly gun: Gun,
    private readonly traders: readonly Trader[],
  ) {}

  /** Begins so many a second whatever became of those before; ends when all are answered after `stop`. */
  async run(): Promise<void> {
    const startedAt = performance.now();
    while (!this.#isOver) {
      const due = ((performance.now() - startedAt) / 1_000) * PER_SECOND;
      while (this.#count < due) this.#begin();
      await delay(2);
    }
    await Promise.all(this.#running);
  }

  stop(): void {
    this.#isOver = true;
  }

  #begin(): void {
    const shot = this.#next();
    this.#count += 1;
    const one = this.gun.shoot(shot).then((hit) => {
      this.hits.push(hit);
      this.#running.delete(one);
      const [, id] = /"id":"([^"]+)"/.exec(hit.text) ?? [];
      if (hit.name === 'order' && hit.status === 201 && id !== undefined) this.#placed.push(id);
    });
    this.#running.add(one);
  }

  #next(): Shot {
    const { key, user } = this.traders[this.#count % this.traders.length] as Trader;
    const turn = this.#count % 20;
    if (turn % 5 === 0) return this.#order(key);
    const placed = turn === 7 ? this.#placed.shift() : undefined;
    if (placed !== undefined) {
      return { name: 'cancel', method: 'DELETE', path: `/kalshi/orders/${placed}`, headers: bearer(key) };
    }
    if (turn === 13) {
      const body = JSON.stringify({ name: `Name ${this.#count}` });
      return { name: 'profile', method: 'PATCH', path: '/account/profile', headers: bearer(user.token), body };
    }
    const paths = ['/me', `/kalshi/orderbooks?market_id=${TICKER}`, '/me', '/kalshi/balance'];
    return { name: 'read', method: 'GET', path: paths[turn % 4] ?? '/me', headers: bearer(key) };
  }

  #order(key: string): Shot {
    const orderKey = randomUUID();
    this.orderKeys.push(orderKey);
    const headers = { ...bearer(key), 'idempotency-key': orderKey };
    return { name: 'order', method: 'POST', path: '/kalshi/orders', headers, body: ORDER };
  }
}

/** Client order ids of all orders that reached Kalshi, in turn. */
function sentOrders({ sandbox }: Deployment): unknown[] {
  return sandbox.log
    .list('kalshi')
    .filter(({ method, path }) => method === 'POST' && path.endsWith('/portfolio/events/orders'))
    .map(({ body }) => (JSON.parse(body) as { client_order_id: unknown }).client_order_id);
}

describe('a rolling restart of two instances behind nginx (R-4)', () => {
  let deployment: Deployment | undefined;

  afterAll(async () => {
    await deployment?.close();
  });

  async function restartUnderLoad(): Promise<void> {
    const started = await Deployment.start();
    deployment = started;
    const traders = await Promise.all(Array.from({ length: 5 }, () => started.aTrader()));
    for (let round = 0; round < rounds(1, 10); round += 1) {
      const before = sentOrders(started).length;
      const gun = new Gun(started.url);
      const traffic = new Traffic(gun, traders);
      const over = traffic.run();
      await delay(1_000);
      for (const which of ['first', 'second'] as const) {
        await started.restart(which);
        await delay(LEFT_ALONE_MS);
      }
      traffic.stop();
      await over;
      await gun.close();
      const failed = traffic.hits.filter(({ status }) => status !== 200 && status !== 201);
      expect(failed).toEqual([]);
      const sent = sentOrders(started).slice(before);
      expect(new Set(sent).size).toBe(traffic.orderKeys.length);
      expect(sent).toHaveLength(traffic.orderKeys.length);
      expect(traffic.hits.filter(({ name }) => name === 'cancel').length).toBeGreaterThan(20);
    }
  }

  itBehindNginx(
    'R-4 under 200 requests a second no request fails, and every order goes out once',
    restartUnderLoad,
    600_000,
  );
});
