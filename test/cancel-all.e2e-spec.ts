import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import request, { type Response } from 'supertest';
import type { TestApp } from './support/app.js';
import { FaultStand } from './support/fault-stand.js';
import { type Gateway, json, type Misbehaviour } from './support/gateway.js';
import type { Trader } from './support/sandbox.js';

const bearer = { type: 'bearer' } as const;
const UPSTREAM_TIMEOUT_MS = 1_500;
const LIST = '/portfolio/orders';
const BATCH = '/portfolio/events/orders/batched';

interface Report {
  cancelled: string[];
  not_cancelled: { id: string; reason: string }[];
}

describe('cancelling all orders on a bad day (R-10, R-16, R-25, R-27)', () => {
  let stand: FaultStand;
  let app: TestApp;
  let gateway: Gateway;
  let trader: Trader;

  beforeAll(async () => {
    stand = await FaultStand.start(UPSTREAM_TIMEOUT_MS);
    ({ app, trader } = stand);
    gateway = stand.gateways.kalshi;
  });

  afterAll(() => stand.close());

  beforeEach(() => {
    stand.heal();
  });

  const cancelAll = (): Promise<Response> => stand.send('delete', '/kalshi/orders');

  const place = async (count: number): Promise<void> => {
    const order = { market_id: 'KXHIGHNY-TODAY-T58', outcome: 'no', side: 'buy', price: '0.02', size: '1' };
    for (let i = 0; i < count; i++)
      await request(app.url).post('/kalshi/orders').auth(trader.key, bearer).send(order).expect(200);
  };

  /** Pages without end, each after so long. */
  const endless =
    (afterMs: number): Misbehaviour =>
    (response) => {
      setTimeout(() => {
        json(200, { orders: [], cursor: crypto.randomUUID() })(response);
      }, afterMs);
    };

  /** Calls, and hangs up once `seen`. */
  const abandon = async (seen: Promise<void>): Promise<void> => {
    const client = new AbortController();
    const headers = { authorization: `Bearer ${trader.key}` };
    const call = fetch(`${app.url}/kalshi/orders`, { method: 'DELETE', headers, signal: client.signal });
    void seen.then(() => {
      client.abort();
    });
    await expect(call).rejects.toThrow();
  };

  it('R-25 a listing that comes to no end is 504 within UPSTREAM_TIMEOUT, and cancels nothing', async () => {
    gateway.misbehave(LIST, endless(100), 'GET');
    const startedAt = performance.now();
    const answer = await cancelAll();
    expect([answer.status, (answer.body as { error: { code: string } }).error.code]).toEqual([504, 'exchange_timeout']);
    expect(performance.now() - startedAt).toBeLessThan(UPSTREAM_TIMEOUT_MS + 1_000);
    expect(gateway.count('DELETE', BATCH)).toBe(0);
  });

  it('R-25 what was cancelled before the listing came to no end is told beside the failure, and noted', async () => {
    await place(2);
    const listed = (await stand.send('get', '/kalshi/orders')).body as { data: { id: string }[] };
    const ids = listed.data.map(({ id }) => id);
    const orders = ids.map((order_id) => ({ order_id, ticker: 'KXHIGHNY-TODAY-T58', status: 'resting' }));
    let pages = 0;
    const onePage: Misbehaviour = (response) => {
      pages += 1;
      if (pages === 1) json(200, { orders, cursor: 'p2' })(response);
    };
    gateway.misbehave(LIST, onePage, 'GET');
    const answer = await cancelAll();
    const { error } = answer.body as { error: { code: string; message: string; details: Report } };
    const { code, message, details } = error;
    expect([answer.status, code]).toEqual([504, 'exchange_timeout']);
    expect(message).toContain('other orders may still rest');
    expect(details).toMatchObject({ cancelled: ids, not_cancelled: [] });
    const sql = `SELECT details->>'order_id' AS id FROM security_events WHERE type = 'order_cancelled'`;
    const noted = (await app.query(sql)) as { id: string }[];
    expect(noted.map(({ id }) => id)).toEqual(expect.arrayContaining(ids));
  });

  it('R-25 at most two of a user list at once; the others wait or are told to come again', async () => {
    let [listing, most] = [0, 0];
    gateway.misbehave(
      LIST,
      (response) => {
        listing += 1;
        most = Math.max(most, listing);
        response.once('close', () => {
          listing -= 1;
        });
        setTimeout(() => {
          json(200, { orders: [], cursor: '' })(response);
        }, 250);
      },
      'GET',
    );
    const few = await Promise.all(Array.from({ length: 5 }, cancelAll));
    expect([most, few.map(({ status }) => status)]).toEqual([2, Array.from({ length: 5 }, () => 200)]);
    const late = (await Promise.all(Array.from({ length: 30 }, cancelAll))).filter(({ status }) => status !== 200);
    expect(late.some(({ status }) => status === 429)).toBe(true);
    for (const { status, headers } of late) {
      // Those whose listing had begun ran out of time, the others never had a place.
      expect([429, 504]).toContain(status);
      expect(headers['retry-after']).toBe(status === 429 ? '1' : undefined);
    }
  });

  it('R-16 ends with its client while it lists, and cancels nothing afterwards', async () => {
    await place(1);
    const [lists, batches] = [gateway.count('GET', LIST), gateway.count('DELETE', BATCH)];
    const { release } = gateway.hold('GET', LIST);
    await abandon(gateway.hasCome('GET', LIST, lists + 1));
    await delay(100);
    expect(gateway.arrived.filter(({ path }) => path.includes(LIST)).at(-1)?.abandoned).toBe(true);
    release();
    await delay(300);
    expect(gateway.count('DELETE', BATCH)).toBe(batches);
    expect(((await cancelAll()).body as Report).cancelled).toHaveLength(1);
  });

  it('R-16 goes on without its client once something may be cancelled', async () => {
    await place(25);
    const batches = gateway.count('DELETE', BATCH);
    const fault = {
      exchange: 'kalshi',
      method: 'DELETE',
      path: BATCH,
      fault: 'delay',
      delay_ms: 700,
      times: 1,
    } as const;
    stand.sandbox.faults.add(fault);
    await abandon(gateway.hasCome('DELETE', BATCH, batches + 1));
    await gateway.hasCome('DELETE', BATCH, batches + 2);
    await delay(200);
    expect(((await cancelAll()).body as Report).cancelled).toEqual([]);
  });

  it('R-10 notes all cancelled orders in one statement, for which the answer waits 2 s at most', async () => {
    await app.query(`CREATE TABLE noted (orders integer)`);
    await app.query(`CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN INSERT INTO noted SELECT count(*) FROM fresh WHERE type = 'order_cancelled'; RETURN NULL; END $$`);
    await app.query(`CREATE TRIGGER noting AFTER INSERT ON security_events
      REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION note()`);
    await place(25);
    const other = new pg.Client({ connectionString: app.database.url });
    await other.connect();
    try {
      await other.query('BEGIN');
      await other.query('LOCK TABLE security_events IN EXCLUSIVE MODE');
      const startedAt = performance.now();
      const answer = await cancelAll();
      expect((answer.body as Report).cancelled).toHaveLength(25);
      expect(performance.now() - startedAt).toBeLessThan(3_500);
      await other.query('COMMIT');
      const rows = (): Promise<Record<string, unknown>[]> => app.query(`SELECT orders FROM noted WHERE orders > 0`);
      while ((await rows()).length === 0) await delay(20);
      expect(await rows()).toEqual([{ orders: 25 }]);
    } finally {
      await other.end();
    }
  });
});
