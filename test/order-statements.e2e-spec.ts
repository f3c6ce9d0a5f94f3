import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import request, { type Response } from 'supertest';
import { EXCHANGE } from './support/exchanges.js';
import { aTrader, startTestStand, storeCredentials, type TestStand, type Trader } from './support/sandbox.js';
import { anApiKey, aUser } from './support/users.js';

const bearer = { type: 'bearer' } as const;
const TABLES = /\b(exchange_credentials|idempotency_keys|placements|note_activity)\b/g;

interface Record {
  readonly state: string;
  readonly account: Buffer | null;
  readonly reference: unknown;
}

describe('the statements around an order (R-13, R-14)', () => {
  let stand: TestStand;
  let trader: Trader;
  let statements: string[] | null = null;
  let keys = 0;

  beforeAll(async () => {
    // Before the service opens connections: each keeps the method that it found.
    const query = Reflect.get(pg.Client.prototype, 'query') as (...given: unknown[]) => unknown;
    jest.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...given: unknown[]) {
      const [asked] = given as [string | { readonly text: string }];
      const sql = typeof asked === 'string' ? asked : asked.text;
      if (!sql.includes('SKIP LOCKED')) statements?.push(sql);
      return Reflect.apply(query, this, given);
    });
    stand = await startTestStand();
    trader = await aTrader(stand);
  });

  afterAll(async () => {
    await stand.close();
    jest.restoreAllMocks();
  });

  afterEach(() => {
    stand.sandbox.faults.clear();
  });

  const freshKey = (): string => `statement-${(keys += 1)}`;

  const place = async (key?: string, apiKey = trader.key): Promise<Response> => {
    const order = await EXCHANGE.kalshi.anOrder({ ...stand, key: trader.key });
    const call = request(stand.app.url).post('/kalshi/orders').auth(apiKey, bearer);
    return (key === undefined ? call : call.set('Idempotency-Key', key)).send(order).then((answer) => answer);
  };

  /** The tables that each statement of a call names, in order; those of the retention are left out. */
  const tablesDuring = async (work: () => Promise<unknown>): Promise<string[]> => {
    statements = [];
    await work();
    const seen = statements.map((sql) => [...new Set(sql.match(TABLES))].sort().join(' '));
    statements = null;
    return seen.filter((tables) => tables !== '');
  };

  const recordOf = async (key: string): Promise<Record | undefined> => {
    const rows = await stand.app.query(
      `SELECT state, account, reference, reason, placement_id IS NOT NULL AS "isBound"
         FROM placements LEFT JOIN idempotency_keys ON placement_id = id WHERE placements.key = $1 ORDER BY placements.created_at`,
      [key],
    );
    return rows[0] as Record | undefined;
  };

  const notesOf = (orderId: string): Promise<object[]> =>
    stand.app.query(`SELECT details FROM security_events WHERE details ->> 'order_id' = $1`, [orderId]);

  const codeOf = ({ body }: Response): string => (body as { error: { code: string } }).error.code;

  it('R-14 are four with a key, two of them at once, the record with its reference before the sending, and three without', async () => {
    const answers: Response[] = [];
    const key = freshKey();
    // The first order of a user has the rows of the day counted, too.
    const first = await tablesDuring(async () => answers.push(await place()));
    expect(first.filter((tables) => tables === 'placements')).toHaveLength(2);
    const [one, other, ...rest] = await tablesDuring(async () => answers.push(await place(key)));
    expect([one, other].sort()).toEqual(['exchange_credentials', 'idempotency_keys placements']);
    expect(rest).toEqual(['placements', 'note_activity placements']);
    expect(await tablesDuring(async () => answers.push(await place()))).toEqual([
      'exchange_credentials',
      'placements',
      'note_activity placements',
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    for (const { body } of answers) expect(await notesOf((body as { id: string }).id)).toHaveLength(1);
    expect(await recordOf(key)).toMatchObject({ state: 'made', account: expect.any(Buffer) });
  });

  it('contract.md 6 keep every order without a key: what was asked, what it can cost, and what became of it', async () => {
    const rowsOf = (condition: string): Promise<object[]> =>
      stand.app.query(`SELECT * FROM placements WHERE key IS NULL AND ${condition} ORDER BY created_at DESC LIMIT 1`);
    const made = (await place()).body as { id: string; client_order_id: string; market_id: string };
    const sent = { client_order_id: made.client_order_id, market_id: made.market_id, kind: 'order', outcome_index: 0 };
    const asked = {
      side: 'buy',
      currency: 'USD',
      cost: expect.any(String),
      answer: null,
      key_prefix: expect.any(String),
    };
    expect(await rowsOf(`exchange_id = '${made.id}'`)).toMatchObject([
      { ...sent, ...asked, state: 'made', status: 'open' },
    ]);
    const [, path] = EXCHANGE.kalshi.wire.order;
    for (const [fault, state, reason] of [
      [{ fault: 'status', status: 429 }, 'refused', 'exchange_rate_limited'],
      [{ fault: 'reset_after' }, 'unknown', null],
    ] as const) {
      await request(stand.sandbox.controlUrl)
        .post('/faults')
        .send({ exchange: 'kalshi', method: 'POST', path, times: 1, ...fault })
        .expect(201);
      expect((await place()).status).toBeGreaterThan(400);
      expect(await rowsOf('true')).toMatchObject([{ ...asked, state, reason, first_sent_at: expect.any(Date) }]);
    }
  });

  it('R-14 keep nothing where no credentials are stored, so that the key is free', async () => {
    const user = await aUser(stand.app);
    const [apiKey, key] = [await anApiKey(stand.app, user), freshKey()];
    const refused = await place(key, apiKey);
    expect([refused.status, codeOf(refused)]).toEqual([409, 'credentials_not_configured']);
    expect(await recordOf(key)).toBeUndefined();
    const { access_key, private_key } = stand.sandbox.addresses.kalshi;
    await storeCredentials(stand.app, user, 'kalshi', { access_key, private_key });
    expect((await place(key, apiKey)).status).toBe(200);
  });

  /** A user whose credentials do not open until `heal` is called. */
  const withBrokenCredentials = async (): Promise<{ apiKey: string; heal: () => Promise<unknown> }> => {
    const user = await aUser(stand.app);
    const { access_key, private_key } = stand.sandbox.addresses.kalshi;
    await storeCredentials(stand.app, user, 'kalshi', { access_key, private_key });
    const version = 'UPDATE exchange_credentials SET row_version = row_version + $2 WHERE user_id = $1';
    await stand.app.query(version, [user.id, 1_000_000]);
    return {
      apiKey: await anApiKey(stand.app, user),
      heal: () => stand.app.query(version, [user.id, -1_000_000]),
    };
  };

  it('R-14, S-37 leave the key free where the credentials do not open', async () => {
    const [{ apiKey, heal }, key] = [await withBrokenCredentials(), freshKey()];
    expect((await place(key, apiKey)).status).toBe(500);
    expect(await recordOf(key)).toMatchObject({ state: 'refused', reason: 'internal_error', isBound: false });
    await heal();
    expect((await place(key, apiKey)).status).toBe(200);
  });

  it('R-13 tell nothing of an order that was not sent where another call has taken it over', async () => {
    const [{ apiKey }, key] = [await withBrokenCredentials(), freshKey()];
    const take = 'UPDATE placements SET attempt = attempt + 1 WHERE key = NEW.key';
    const answer = await withTrigger('AFTER INSERT', take, () => place(key, apiKey));
    expect([answer.status, codeOf(answer)]).toEqual([409, 'idempotency_in_progress']);
    expect(await recordOf(key)).toMatchObject({ state: 'begun', reference: null });
  });

  /** Starts an order that takes a while at the exchange, and does something meanwhile. */
  const placeAndMeanwhile = async (key: string, meanwhile: () => Promise<unknown>): Promise<Response> => {
    const path = EXCHANGE.kalshi.wire.order[1];
    const fault = { exchange: 'kalshi', method: 'POST', path, fault: 'delay', delay_ms: 1_500, times: 1 };
    await request(stand.sandbox.controlUrl).post('/faults').send(fault).expect(201);
    const placing = place(key);
    await delay(700);
    await meanwhile();
    return placing;
  };

  /** Runs `work` while a trigger on the records does something. */
  const withTrigger = async <T>(event: string, plpgsql: string, work: () => Promise<T>): Promise<T> => {
    await stand.app.query(`CREATE FUNCTION meddle() RETURNS trigger LANGUAGE plpgsql
      AS $$ BEGIN ${plpgsql}; RETURN NEW; END $$`);
    const trigger = `CREATE TRIGGER meddle ${event} ON placements FOR EACH ROW EXECUTE FUNCTION meddle()`;
    await stand.app.query(trigger);
    try {
      return await work();
    } finally {
      await stand.app.query('DROP FUNCTION meddle CASCADE');
    }
  };

  const takeOver = (key: string): Promise<unknown> =>
    stand.app.query('UPDATE placements SET attempt = attempt + 1 WHERE key = $1', [key]);

  it('R-13 know reference and account while the order is on its way, and note it though the claim was lost', async () => {
    const key = freshKey();
    const answer = await placeAndMeanwhile(key, async () => {
      const onItsWay = {
        state: 'sending',
        account: expect.any(Buffer),
        reference: { client_order_id: expect.any(String) },
      };
      expect(await recordOf(key)).toMatchObject(onItsWay);
      await takeOver(key);
    });
    expect(answer.status).toBe(200);
    expect(await notesOf((answer.body as { id: string }).id)).toHaveLength(1);
    expect(await recordOf(key)).toMatchObject({ state: 'made' });
    const repeated = await place(key);
    const told = { ...(answer.body as object), replayed: true };
    expect([repeated.headers['idempotency-replayed'], repeated.body]).toEqual(['true', told]);
    expect(await notesOf((answer.body as { id: string }).id)).toHaveLength(1);
  });

  it('R-13 note an order once where its record is gone meanwhile', async () => {
    const key = freshKey();
    const answer = await placeAndMeanwhile(key, () => stand.app.query('DELETE FROM placements WHERE key = $1', [key]));
    expect(answer.status).toBe(200);
    expect(await notesOf((answer.body as { id: string }).id)).toHaveLength(1);
  });

  it('R-13 note an order once, and answer it, where the answer cannot be stored', async () => {
    const key = freshKey();
    const full = `IF NEW.state = 'made' THEN RAISE 'no space left'; END IF`;
    const answer = await withTrigger('BEFORE UPDATE', full, () => place(key));
    expect(answer.status).toBe(200);
    const { id } = answer.body as { id: string };
    expect(await notesOf(id)).toHaveLength(1);
    await stand.app.query(`UPDATE placements SET busy_until = now() - interval '1 s' WHERE key = $1`, [key]);
    const repeated = await place(key);
    expect([repeated.status, (repeated.body as { id: string }).id]).toEqual([200, id]);
    expect(await notesOf(id)).toHaveLength(1);
  });
});
