import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { EXCHANGE, EXCHANGES, type ExchangeName } from './support/exchanges.js';
import { OrderSettler } from '../src/proxy/orders/order-settler.js';
import { OpenPlacements } from '../src/proxy/placing/ledger-open.repository.js';
import { aUser } from './support/users.js';
import { type ErrorBody, FaultStand } from './support/fault-stand.js';
import { json } from './support/gateway.js';

const UPSTREAM_TIMEOUT_MS = 2_000;
/** A round of looking by itself, and what a busy machine takes for it. */
const SETTLED_WITHIN_MS = 40_000;

interface Row {
  readonly state: string;
  readonly reason: string | null;
  readonly order_id: string | null;
  readonly bound: boolean;
}

describe('orders whose call never learned what became of them (R-13, R-25)', () => {
  let stand: FaultStand;

  beforeAll(async () => {
    stand = await FaultStand.start(UPSTREAM_TIMEOUT_MS);
  });

  afterEach(() => {
    stand.heal();
  });

  afterAll(() => stand.close());

  const rowOf = async (id: string): Promise<Row> => {
    const [row] = await stand.app.query(
      `SELECT state, reason, exchange_id AS order_id, EXISTS (SELECT FROM idempotency_keys WHERE placement_id = id) AS bound
         FROM placements WHERE id = $1`,
      [id],
    );
    if (row === undefined) throw new Error('no such row');
    return row as unknown as Row;
  };
  const newestRow = async (): Promise<string> => {
    const [row] = await stand.app.query('SELECT id FROM placements ORDER BY created_at DESC LIMIT 1');
    return String(row?.id);
  };
  /** As if nobody had worked on it for so many ms. */
  const age = (id: string, ms: number): Promise<unknown> =>
    stand.app.query(
      `UPDATE placements SET busy_until = busy_until - $2 * interval '1 millisecond', first_sent_at = first_sent_at - $2 * interval '1 millisecond',
              refusal_holds_at = refusal_holds_at - $2 * interval '1 millisecond',
              checked_at = checked_at - $2 * interval '1 millisecond'
        WHERE id = $1`,
      [id, ms],
    );
  const until = async (id: string, isIt: (row: Row) => boolean): Promise<Row> => {
    const end = Date.now() + SETTLED_WITHIN_MS;
    for (;;) {
      const row = await rowOf(id);
      if (isIt(row)) return row;
      if (Date.now() > end) throw new Error(`the row stays ${JSON.stringify(row)}`);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  };
  const isOver = ({ state }: Row): boolean => !['begun', 'sending', 'unknown'].includes(state);

  /** An order whose answer is lost, or that never leaves the network; returns its row. */
  const lost = async (exchange: ExchangeName, arrives: boolean, key?: string): Promise<string> => {
    const [, wire] = EXCHANGE[exchange].wire.order;
    const body = await stand.anOrder(exchange);
    const gateway = stand.gatewayOf(exchange);
    if (arrives) gateway.answerInstead(wire, (response) => void response.destroy(), 'POST');
    else gateway.misbehave(wire, (response) => void response.destroy(), 'POST');
    const headers = key === undefined ? {} : { 'Idempotency-Key': key };
    const answer = await stand.send('post', `/${exchange}/orders`, body, headers);
    expect((answer.body as ErrorBody).error.code).toBe('order_outcome_unknown');
    stand.heal();
    return newestRow();
  };
  const openAt = async (exchange: ExchangeName): Promise<string[]> => {
    const list = await stand.send('get', `/${exchange}/orders`);
    return (list.body as { data: { id: string }[] }).data.map(({ id }) => id);
  };

  /** An order that expires, under a name that the exchange takes once whoever sends it. */
  const expiring = async (exchange: ExchangeName): Promise<object> => {
    const seconds = Math.floor(Date.now() / 1_000) + 3_600;
    return EXCHANGE[exchange].expiring(await stand.anOrder(exchange), seconds);
  };

  const look = (): Promise<void> => stand.app.get(OrderSettler).run();

  it.each(EXCHANGES)(
    '%s: what arrived becomes the answer, what never did is refused once that is certain',
    async (exchange) => {
      const keys = [randomUUID(), randomUUID()] as const;
      const arrived = [await lost(exchange, true, keys[0]), await lost(exchange, true)];
      const never = [await lost(exchange, false, keys[1]), await lost(exchange, false)];
      for (const id of [...arrived, ...never]) {
        expect((await rowOf(id)).state).toBe('unknown');
        await age(id, UPSTREAM_TIMEOUT_MS + 5_000);
      }
      const open = await openAt(exchange);
      await look();
      for (const id of arrived) {
        const row = await rowOf(id);
        expect([row.state, row.reason, open]).toEqual(['made', null, expect.arrayContaining([row.order_id])]);
      }
      const made = await stand.send('get', `/${exchange}/orders/by-key/${keys[0]}`);
      expect(made.body).toMatchObject({ state: 'done', order: { id: (await rowOf(arrived[0] ?? '')).order_id } });

      // The others have been looked for, and may show yet.
      for (const id of never) {
        expect((await rowOf(id)).state).toBe('unknown');
        await age(id, 60_000);
      }
      await look();
      const refused = { state: 'refused', reason: 'exchange_unavailable' };
      const ends = await Promise.all(never.map((id) => rowOf(id)));
      expect(ends).toMatchObject([
        { ...refused, bound: true },
        { ...refused, bound: false },
      ]);
      const told = await stand.send('get', `/${exchange}/orders/by-key/${keys[1]}`);
      expect(told.body).toMatchObject({ state: 'done', order: null, error: { code: 'exchange_unavailable' } });
    },
  );

  it('what was found late is noted once, and a repeat under its key replays it', async () => {
    const key = randomUUID();
    const body = await stand.anOrder('kalshi');
    stand
      .gatewayOf('kalshi')
      .answerInstead(EXCHANGE.kalshi.wire.order[1], (response) => void response.destroy(), 'POST');
    await stand.send('post', '/kalshi/orders', body, { 'Idempotency-Key': key });
    stand.heal();
    const id = await newestRow();
    await age(id, UPSTREAM_TIMEOUT_MS + 5_000);
    const { order_id } = await until(id, isOver);
    const repeat = await stand.send('post', '/kalshi/orders', body, { 'Idempotency-Key': key });
    expect([repeat.status, repeat.body]).toEqual([200, expect.objectContaining({ id: order_id, replayed: true })]);
    const notes = await stand.app.query(
      `SELECT FROM security_events WHERE type = 'order_created' AND details ->> 'order_id' = $1 AND details ->> 'outcome' <> 'unknown'`,
      [order_id],
    );
    expect(notes).toHaveLength(1);
  });

  it.each(EXCHANGES)('%s: knows an order that expires, whose sending under a key was a duplicate', async (exchange) => {
    const body = await expiring(exchange);
    const gateway = stand.gatewayOf(exchange);
    gateway.answerInstead(EXCHANGE[exchange].wire.order[1], (response) => void response.destroy(), 'POST');
    expect((await stand.send('post', `/${exchange}/orders`, body)).status).toBe(504);
    stand.heal();
    const key = randomUUID();
    for (const path of EXCHANGE[exchange].lookUps) gateway.misbehave(path, json(503, {}), 'GET');
    const told = await stand.send('post', `/${exchange}/orders`, body, { 'Idempotency-Key': key });
    expect((told.body as ErrorBody).error.code).toBe('order_outcome_unknown');
    stand.heal();
    const id = await newestRow();
    await age(id, UPSTREAM_TIMEOUT_MS + 5_000);
    await look();
    const row = await rowOf(id);
    expect([row.state, await openAt(exchange)]).toEqual(['made', expect.arrayContaining([row.order_id])]);
  });

  it('a call that died before it sent frees its key', async () => {
    const key = randomUUID();
    await stand.app.query(
      `INSERT INTO placements (id, user_id, key_prefix, exchange, kind, key, fingerprint, state, busy_until)
       SELECT 'plc_dead', id, 'svc_sk_live_dead', 'kalshi', 'order', $1, '', 'begun', now() - interval '1 second' FROM users LIMIT 1`,
      [key],
    );
    await look();
    expect(await rowOf('plc_dead')).toEqual({
      state: 'refused',
      reason: 'service_unavailable',
      order_id: null,
      bound: false,
    });
  });

  it('who has many that are new keeps nobody waiting', async () => {
    const [many, one] = [await aUser(stand.app), await aUser(stand.app)];
    await stand.app.query(
      `INSERT INTO placements (id, user_id, key_prefix, exchange, kind, fingerprint, reference, state, busy_until, checked_at, attempt_at)
       SELECT 'plc_new' || n, $1, 'k', 'kalshi', 'order', ''::bytea, '{}'::jsonb, 'unknown', now() - interval '1 second', NULL::timestamptz, now()
         FROM generate_series(1, 50) AS n
       UNION ALL SELECT 'plc_old', $2, 'k', 'kalshi', 'order', '', '{}', 'unknown', now() - interval '2 hours', now() - interval '10 minutes',
                        now() - interval '2 hours'`,
      [many.id, one.id],
    );
    const taken = await stand.app.get(OpenPlacements).takeDue(2, 2, 60_000);
    expect(taken).toHaveLength(2);
    const [row] = await stand.app.query(
      `SELECT checked_at > now() - interval '1 minute' AS looked FROM placements WHERE id = 'plc_old'`,
    );
    expect(row?.looked).toBe(true);
    await stand.app.query('DELETE FROM placements WHERE user_id = ANY($1)', [[many.id, one.id]]);
  });

  it('is left to the client that repeats its call, and to other credentials', async () => {
    const id = await lost('kalshi', true, randomUUID());
    await look();
    expect((await rowOf(id)).state).toBe('unknown');
    await stand.app.query(`UPDATE placements SET account = 'another' WHERE id = $1`, [id]);
    await age(id, 100_000);
    await look();
    const [row] = await stand.app.query('SELECT checked_at FROM placements WHERE id = $1', [id]);
    expect([row?.checked_at, (await rowOf(id)).state]).toEqual([expect.any(Date), 'unknown']);
  });
});
