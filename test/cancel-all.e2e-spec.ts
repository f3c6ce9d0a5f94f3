import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import request, { type Response } from 'supertest';
import type { TestApp } from './support/app.js';
import { PolymarketTrader as Wallet } from '../sandbox/polymarket/trader.js';
import type { Fault } from '../sandbox/wire/faults.js';
import { EXCHANGE, EXCHANGES, type ExchangeName } from './support/exchanges.js';
import { FaultStand } from './support/fault-stand.js';
import { type Gateway, json, type Misbehaviour } from './support/gateway.js';
import type { Trader } from './support/sandbox.js';

const bearer = { type: 'bearer' } as const;
const UPSTREAM_TIMEOUT_MS = 1_500;
/** What a busy machine adds; what has no limit takes for ever. */
const LATE_MS = 3_000;
const LIST = '/portfolio/orders';
const BATCH = '/portfolio/events/orders/batched';

interface Report {
  cancelled: string[];
  not_cancelled: { id: string; reason: string }[];
}

describe('cancelling on a bad day (contract.md 5, R-10, R-16, R-25, R-27)', () => {
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
    expect(performance.now() - startedAt).toBeLessThan(UPSTREAM_TIMEOUT_MS + LATE_MS);
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
      expect(headers['retry-after']).toBe('1');
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

  const LOST = { may_have_been_cancelled: true };
  /** What the sandbox does to a cancel, what the service says to it, and whether it may have been taken. */
  const CANCEL_FAULTS = [
    ['reset_before', { fault: 'reset_before' }, 502, 'exchange_error', true],
    ['reset_after', { fault: 'reset_after' }, 502, 'exchange_error', true],
    ['broken_body', { fault: 'broken_body' }, 502, 'exchange_error', true],
    ['hang', { fault: 'hang' }, 504, 'exchange_timeout', true],
    ['500', { fault: 'status', status: 500 }, 502, 'exchange_error', true],
    ['503', { fault: 'status', status: 503 }, 503, 'exchange_unavailable', true],
    ['429', { fault: 'status', status: 429 }, 429, 'exchange_rate_limited', false],
  ] as const;

  const placeOne = async (exchange: ExchangeName): Promise<string> => {
    const answer = await stand.send('post', `/${exchange}/orders`, await stand.anOrder(exchange));
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
    return (answer.body as { id: string }).id;
  };
  const cancelsNoted = async (id: string): Promise<number> => {
    const sql = `SELECT id FROM security_events WHERE type = 'order_cancelled' AND details ->> 'order_id' = $1`;
    return (await app.query(sql, [id])).length;
  };
  const errorOf = ({ body }: Response) =>
    (body as { error: { code: string; message: string; details: Report & Record<string, unknown> } }).error;
  const faultOn = (exchange: ExchangeName, path: string, fault: Pick<Fault, 'fault' | 'status'>): void => {
    stand.sandbox.faults.add({ exchange, method: 'DELETE', path, times: 1, ...fault });
  };

  describe.each(EXCHANGES)('%s', (exchange) => {
    const { cancelMany, lot, wire } = EXCHANGE[exchange];

    it.each(CANCEL_FAULTS)(
      'R-12 a cancel met by %s says whether it may be lost, and its repeat how the order ended',
      async (_, fault, status, code, isLost) => {
        const id = await placeOne(exchange);
        faultOn(exchange, wire.cancel[1], fault);
        const path = `/${exchange}/orders/${id}`;
        const first = await stand.send('delete', path);
        const error = errorOf(first);
        expect([first.status, error.code]).toEqual([status, code]);
        expect(error.details.may_have_been_cancelled).toBe(isLost ? true : undefined);
        expect(error.message.includes('Repeat the DELETE')).toBe(isLost);
        for (let repeat = 0; repeat < 2; repeat++) {
          const again = await stand.send('delete', path);
          expect([again.status, again.body]).toMatchObject([200, { exchange, id, status: 'cancelled' }]);
        }
        const told = await stand.send('delete', path);
        expect(told.body).toMatchObject({ cancelled_size: lot, filled_size: '0' });
        expect(await cancelsNoted(id)).toBe(1);
      },
    );

    it.each(['reset_after', 'reset_before', 'hang'] as const)(
      'a cancel-all met by %s names the orders that may be cancelled, and its repeat cancels the others',
      async (fault) => {
        const ids = [await placeOne(exchange), await placeOne(exchange)];
        faultOn(exchange, cancelMany, { fault });
        const query = fault === 'hang' ? `?market_id=${EXCHANGE[exchange].market}` : '';
        const { details, message } = errorOf(await stand.send('delete', `/${exchange}/orders${query}`));
        expect(message).toContain('names only what it cancels itself');
        expect(details).toMatchObject({ ...LOST, cancelled: [] });
        const named = [...details.not_cancelled].sort((a, b) => a.id.localeCompare(b.id));
        expect(named).toEqual(ids.toSorted().map((id) => ({ id, reason: 'unknown' })));
        const again = await stand.send('delete', `/${exchange}/orders`);
        expect([again.status, (again.body as Report).cancelled.toSorted()]).toEqual([
          200,
          fault === 'reset_after' ? [] : ids.toSorted(),
        ]);
        for (const id of ids) {
          const told = await stand.send('delete', `/${exchange}/orders/${id}`);
          expect([told.status, told.body]).toMatchObject([200, { id, status: 'cancelled', filled_size: '0' }]);
        }
      },
    );

    it('a cancel of a market that there is not is 404, of one without orders an empty report', async () => {
      const { market, unknownMarket } = EXCHANGE[exchange];
      const cancel = (id: string): Promise<Response> => stand.send('delete', `/${exchange}/orders?market_id=${id}`);
      const empty = [200, { cancelled: [], not_cancelled: [] }];
      const none = await cancel(unknownMarket);
      expect([none.status, errorOf(none).code]).toEqual([404, 'not_found']);
      const known = await cancel(market);
      expect([known.status, known.body]).toEqual(empty);
      // What cannot be asked does not make a kill switch fail.
      for (const one of stand.gatewaysOf(exchange)) one.misbehave('/markets', json(500, {}), 'GET');
      const unasked = await cancel(unknownMarket);
      expect([unasked.status, unasked.body]).toEqual(empty);
    });
  });

  it('polymarket: what begins with 0x and is no condition id is no market: 400', async () => {
    for (const id of [`0x${'a'.repeat(65)}`, `0x${'a'.repeat(63)}`, '0xnope', `0x${'g'.repeat(64)}`]) {
      const answer = await stand.send('delete', `/polymarket/orders?market_id=${id}`);
      expect([answer.status, errorOf(answer).details]).toMatchObject([400, { fields: [{ field: 'market_id' }] }]);
      expect((await stand.send('get', `/polymarket/markets/${id}`)).status).toBe(404);
    }
  });

  describe('polymarket: an order that the exchange shows no more', () => {
    const forget = (id: string): void => {
      stand.gateways.clob.misbehave(`/data/order/${id}`, json(404, { error: 'order not found' }), 'GET');
    };

    it('is told by the note of its cancel, and its sizes 30 s later', async () => {
      const id = await placeOne('polymarket');
      await stand.send('delete', `/polymarket/orders/${id}`);
      forget(id);
      const soon = await stand.send('delete', `/polymarket/orders/${id}`);
      expect([soon.status, soon.body]).toMatchObject([200, { id, status: 'cancelled', filled_size: null }]);
      await app.query(`UPDATE placements SET first_sent_at = first_sent_at - interval '31 seconds',
        cancelled_at = cancelled_at - interval '31 seconds' WHERE exchange_id = '${id}'`);
      const late = await stand.send('delete', `/polymarket/orders/${id.toUpperCase().replace('0X', '0x')}`);
      expect([late.status, late.body]).toMatchObject([200, { id, cancelled_size: '5', filled_size: '0' }]);
    });

    it('is told as cancelled where it rested once, and the list of open orders lacks it', async () => {
      const id = await placeOne('polymarket');
      faultOn('polymarket', '/order', { fault: 'reset_after' });
      expect(errorOf(await stand.send('delete', `/polymarket/orders/${id}`)).details).toMatchObject(LOST);
      forget(id);
      const told = await stand.send('delete', `/polymarket/orders/${id}`);
      expect([told.status, told.body]).toMatchObject([
        200,
        { id, status: 'cancelled', cancelled_size: null, filled_size: null },
      ]);
      // Nothing has said that it is cancelled.
      expect(await cancelsNoted(id)).toBe(0);
    });

    it('is told by its trades where it was filled', async () => {
      const market = await stand.send('get', `/polymarket/markets/${EXCHANGE.polymarket.market}`);
      const { outcomes, refs } = market.body as { outcomes: { id: string }[]; refs: { neg_risk?: boolean } };
      const { polymarket } = stand.sandbox.addresses;
      const terms = { tokenId: outcomes[0]?.id ?? '', negRisk: refs.neg_risk === true, side: 'BUY' } as const;
      const signed_order = new Wallet(polymarket.clob_url, polymarket).sign({ ...terms, price: '0.9', size: '5' });
      const made = await stand.send('post', '/polymarket/orders', { signed_order });
      const { id, filled_size } = made.body as { id: string; filled_size: string };
      forget(id);
      const told = await stand.send('delete', `/polymarket/orders/${id}`);
      expect([told.status, told.body]).toMatchObject([200, { id, status: 'filled', cancelled_size: '0', filled_size }]);
    });

    it('is not told as over while it is in the list of open orders', async () => {
      const id = await placeOne('polymarket');
      stand.gateways.clob.misbehave(
        '/order',
        json(200, { canceled: [], not_canceled: { [id]: 'not found' } }),
        'DELETE',
      );
      forget(id);
      const told = await stand.send('delete', `/polymarket/orders/${id}`);
      expect([told.status, told.body]).toMatchObject([502, { error: { code: 'exchange_error' } }]);
    });

    it('is 404 where it was not made here', async () => {
      const { unknownOrder } = EXCHANGE.polymarket;
      expect((await stand.send('delete', `/polymarket/orders/${unknownOrder}`)).status).toBe(404);
    });
  });
});
