import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';

import { UpstreamClients } from '../src/platform/upstream/upstream-clients.js';
import { aBot } from './support/bots.js';
import { EXCHANGE, EXCHANGES } from './support/exchanges.js';
import { type ErrorBody, FaultStand } from './support/fault-stand.js';

async function eventually(isTrue: () => boolean): Promise<void> {
  for (let i = 0; !isTrue() && i < 4_000; i++) await delay(5);
  expect(isTrue()).toBe(true);
}

describe('orders of which nothing has left yet (contract.md 5, R-11, R-13)', () => {
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
    const [method, path] = EXCHANGE[exchange].wire.order;
    /** Calls of the service that have no place yet. */
    const waiting = (): number =>
      stand.app
        .get(UpstreamClients)
        .status()
        .reduce((sum, client) => sum + client.waiting, 0);
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
      const kept = `SELECT state, reason, first_sent_at, bound.key FROM placements LEFT JOIN idempotency_keys AS bound ON placement_id = id
        WHERE placements.key = $1`;
      const unsent = { state: 'refused', reason: 'exchange_error', first_sent_at: null, key: null };
      expect(await stand.app.query(kept, [key['Idempotency-Key']])).toEqual([unsent]);
      await stand.gatewayOf(exchange).refusing(() => stand.send('post', `/${exchange}/orders`, order));
      const newest = `SELECT state, reason, first_sent_at, key FROM placements ORDER BY created_at DESC LIMIT 1`;
      expect(await stand.app.query(newest)).toEqual([unsent]);
      const other = await stand.anOrder(exchange);
      const again = await stand.send('post', `/${exchange}/orders`, other, key);
      expect([again.status, again.headers['idempotency-replayed']]).toEqual([200, undefined]);
      expect(creates() - before).toBe(1);
    });

    it.each(['main', 'bot'])(
      'R-13 one by the %s key that is held up until its claim has lapsed never begins, and says so',
      async (by) => {
        const { key: main, user } = stand.trader;
        const token = by === 'bot' ? (await aBot(stand.app, user)).key : main;
        const order = await stand.anOrder(exchange);
        const key = `lapsed-${exchange}-${by}`;
        const send = () =>
          stand.send('post', `/${exchange}/orders`, order, {
            'Idempotency-Key': key,
            Authorization: `Bearer ${token}`,
          });
        const row = () => stand.app.query(`SELECT state FROM placements WHERE key = $1 AND unbound_at IS NULL`, [key]);
        const before = creates();
        const holder = new pg.Client(stand.app.database.url);
        await holder.connect();
        // What begins a sending waits for this.
        await holder.query('SELECT pg_advisory_lock(hashtextextended($1, 2))', [user.id]);
        const first = send();
        for (let waited = 0; waited < 500 && JSON.stringify(await row()) !== '[{"state":"begun"}]'; waited += 1)
          await delay(10);
        await delay(200);
        await stand.app.query(`UPDATE placements SET busy_until = clock_timestamp() WHERE key = $1`, [key]);
        await holder.end();
        const answer = await first;
        const { error } = answer.body as ErrorBody;
        expect([answer.status, error.code, creates() - before]).toEqual([503, 'service_unavailable', 0]);
        expect(await row()).toEqual([]);
        expect(await stand.app.query('SELECT 1 FROM reservations')).toEqual([]);
        expect([(await send()).status, creates() - before]).toEqual([200, 1]);
        await stand.app.query(`DELETE FROM reservations`);
      },
    );

    it('R-11 one overtakes all reads that wait for a place', async () => {
      const order = await stand.anOrder(exchange);
      const { release } = stand.gatewayOf(exchange).hold(...EXCHANGE[exchange].wire.signed);
      const { arrived } = stand.gatewayOf(exchange);
      const before = arrived.length;
      const reads = Array.from({ length: 60 }, () => stand.send('get', EXCHANGE[exchange].signedRead));
      // One user's reads take half of the places at most.
      await eventually(() => arrived.length === before + 25 && waiting() === 35);
      expect((await stand.send('post', `/${exchange}/orders`, order)).status).toBe(200);
      expect(waiting()).toBe(35);
      const position = arrived.slice(before).findIndex((one) => one.method === method && one.path.includes(path));
      expect(position).toBe(25);
      release();
      expect((await Promise.all(reads)).map(({ status }) => status)).toEqual(reads.map(() => 200));
      expect(arrived.length - before).toBe(61);
    });
  });
});
