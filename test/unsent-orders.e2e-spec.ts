import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type ErrorBody, EXCHANGES, FaultStand, SIGNED, WIRE } from './support/fault-stand.js';

describe('orders of which nothing has left yet (DESIGN 5, R-11, R-13)', () => {
  let stand: FaultStand;

  beforeAll(async () => {
    stand = await FaultStand.start(25_000);
    for (const exchange of EXCHANGES) await stand.healthy(exchange, 3);
  });

  afterAll(() => stand.close());

  beforeEach(() => {
    stand.heal();
  });

  describe.each(EXCHANGES)('%s', (exchange) => {
    const [method, path] = WIRE[exchange].order;
    const creates = (): number => stand.gatewayOf(exchange).count(method, path);

    it('R-13 one that finds no connection is 502, is not kept, and the key may be used again', async () => {
      // What is read of the market before is known from this one.
      expect((await stand.send('post', `/${exchange}/orders`, await stand.anOrder(exchange))).status).toBe(200);
      const order = await stand.anOrder(exchange);
      const key = { 'Idempotency-Key': `refused-${exchange}` };
      const before = creates();
      const refused = await stand
        .gatewayOf(exchange)
        .refusing(() => stand.send('post', `/${exchange}/orders`, order, key));
      const { error } = refused.body as ErrorBody;
      expect([refused.status, error.code, error.retryable]).toEqual([502, 'exchange_error', true]);
      expect(creates()).toBe(before);
      const kept = `SELECT 1 FROM idempotent_orders WHERE key = $1`;
      expect(await stand.app.query(kept, [key['Idempotency-Key']])).toEqual([]);
      const other = await stand.anOrder(exchange);
      const again = await stand.send('post', `/${exchange}/orders`, other, key);
      expect([again.status, again.headers['idempotency-replayed']]).toEqual([200, undefined]);
      expect(creates() - before).toBe(1);
    });

    it('R-11 one overtakes all reads that wait for a place', async () => {
      const order = await stand.anOrder(exchange);
      const read = WIRE[exchange].signed;
      stand.sandbox.faults.add({
        exchange,
        method: read[0],
        path: read[1],
        fault: 'delay',
        delay_ms: 3_000,
        times: 50,
      });
      const { arrived } = stand.gatewayOf(exchange);
      const before = arrived.length;
      const reads = Array.from({ length: 200 }, () => stand.send('get', SIGNED[exchange]));
      for (let i = 0; arrived.length < before + 50 && i < 800; i++) await delay(5);
      const placed = stand.send('post', `/${exchange}/orders`, order);
      expect((await placed).status).toBe(200);
      const position = arrived.slice(before).findIndex((one) => one.method === method && one.path.includes(path));
      // The reads in flight, and those that got a place before the order came to the queue.
      expect(position).toBeLessThanOrEqual(100);
      expect((await Promise.all(reads)).every(({ status }) => status === 200)).toBe(true);
      expect(arrived.length - before).toBeGreaterThanOrEqual(201);
    });
  });
});
