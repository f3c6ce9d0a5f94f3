import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect } from '@jest/globals';
import { Gun, type Hit, type Shot } from '../support/load.js';
import { rounds } from '../support/long.js';
import { itBehindNginx } from '../support/nginx.js';
import { Deployment } from '../support/processes.js';
import type { Trader } from '../support/sandbox.js';

/** Of them each begins when it is due, whatever still waits. */
const PER_SECOND = 200;
/**
 * No more than so many are unanswered at once. The long run, which has a machine to itself, never gets there: that proves the rate.
 * Among the other tests of `npm test` the machine takes what it can, and no queue may outlive every time-out.
 */
const UNANSWERED_LIMIT = rounds(40, 1_000);
/** What the run must have carried of what was due. */
const CARRIED_SHARE = rounds(0, 1);
const TICKER = 'KXHIGHNY-TODAY-B55.5';
const ORDER = { market_id: TICKER, outcome: 'yes', side: 'buy', price: '0.02', size: '1' };
const RESTING = JSON.stringify(ORDER);
/** As many rest as are cancelled: with ever more open orders the stand-in for the exchange would take ever longer. */
const FLEETING = JSON.stringify({ ...ORDER, time_in_force: 'ioc' });
/** nginx leaves an instance alone that refused a connection (`fail_timeout`, 1 s, counted in whole ones): up to 2 s, and a little more. */
const LEFT_ALONE_MS = 2_500;

const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });

/** What clients of a deployment do, by turns: of 20 requests 4 orders, a cancel, an account write, and reads. */
class Traffic {
  readonly #placed: string[] = [];
  readonly orderKeys: string[] = [];
  readonly hits: Hit[] = [];
  readonly #running = new Set<Promise<void>>();
  mostUnanswered = 0;
  #seconds = 0;
  #count = 0;
  #isOver = false;

  constructor(
    private readonly gun: Gun,
    private readonly traders: readonly Trader[],
  ) {}

  /** Begins so many a second; ends when all are answered after `stop`. */
  async run(): Promise<void> {
    const startedAt = performance.now();
    while (!this.#isOver) {
      this.#seconds = (performance.now() - startedAt) / 1_000;
      const due = Math.floor(this.#seconds * PER_SECOND);
      while (this.#count < due && this.#running.size < UNANSWERED_LIMIT) this.#begin();
      this.mostUnanswered = Math.max(this.mostUnanswered, this.#running.size);
      await delay(2);
    }
    await Promise.all(this.#running);
  }

  /** How many requests its time asks for. */
  get due(): number {
    return Math.floor(this.#seconds * PER_SECOND);
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
      if (shot.body === RESTING && hit.status < 300 && id !== undefined) this.#placed.push(id);
    });
    this.#running.add(one);
  }

  #next(): Shot {
    const trader = this.traders[this.#count % this.traders.length];
    if (trader === undefined) throw new Error('nobody trades');
    const { key, user } = trader;
    const turn = this.#count % 20;
    if (turn % 5 === 0) return this.#order(key, turn === 0 ? RESTING : FLEETING);
    const placed = turn === 7 ? this.#placed.shift() : undefined;
    if (placed !== undefined) {
      return { name: 'cancel', method: 'DELETE', path: `/kalshi/orders/${placed}`, headers: bearer(key) };
    }
    if (turn === 13) {
      const body = JSON.stringify({ display_name: `Name ${this.#count}` });
      return { name: 'profile', method: 'PATCH', path: '/account/profile', headers: bearer(user.token), body };
    }
    const paths = ['/me', `/kalshi/orderbooks?market_id=${TICKER}`, '/me', '/kalshi/balance'];
    return { name: 'read', method: 'GET', path: paths[turn % 4] ?? '/me', headers: bearer(key) };
  }

  #order(key: string, body: string): Shot {
    const orderKey = randomUUID();
    this.orderKeys.push(orderKey);
    const headers = { ...bearer(key), 'idempotency-key': orderKey };
    return { name: 'order', method: 'POST', path: '/kalshi/orders', headers, body };
  }
}

describe('a rolling restart of two instances behind nginx (R-4)', () => {
  let deployment: Deployment | undefined;

  afterAll(async () => {
    await deployment?.close();
  });

  async function restartUnderLoad(): Promise<void> {
    // The exchanges are in this process, which sends the load too: where the machine holds it up, that is no fault of a restart.
    const started = await Deployment.start({ UPSTREAM_TIMEOUT: '20s' });
    deployment = started;
    const traders = await Promise.all(Array.from({ length: 5 }, () => started.aTrader()));
    for (let round = 0; round < rounds(1, 10); round += 1) {
      started.sandbox.log.clear();
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
      const { due, mostUnanswered, hits } = traffic;
      process.stdout.write(
        `${JSON.stringify({ due, answered: hits.length, mostUnanswered, orders: traffic.orderKeys.length })}\n`,
      );
      expect(hits.length).toBeGreaterThanOrEqual(due * CARRIED_SHARE);
      // An order that is to be filled at once, and finds nothing, was carried out.
      const isDone = ({ status, text }: Hit): boolean =>
        status === 200 || status === 201 || (status === 422 && text.includes('"reason":"not_filled"'));
      const failed = hits.filter((hit) => !isDone(hit));
      if (failed.length > 0) process.stdout.write(await started.nginx.log());
      expect(failed.slice(0, 5).map(({ name, status, text }) => [name, status, text.slice(0, 300)])).toEqual([]);
      const sent = started.sentOrders();
      expect(new Set(sent).size).toBe(traffic.orderKeys.length);
      expect(sent).toHaveLength(traffic.orderKeys.length);
      expect(hits.filter(({ name }) => name === 'cancel').length).toBeGreaterThan(0);
    }
  }

  itBehindNginx(
    'R-4 while 200 requests a second are due no request fails, and every order goes out once',
    restartUnderLoad,
    600_000,
  );
});
