import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { MIGRATIONS } from '../migrations/migrations.js';
import { Placements1795200100000 } from '../migrations/1795200100000-placements.js';
import { createTestDatabase, type TestDatabase } from './support/database.js';

const ORDER = {
  id: 'o-made',
  client_order_id: 'c-made',
  market_id: 'M',
  outcome: { index: 1 },
  side: 'sell',
  price: '0.4',
  size: '10',
  time_in_force: 'gtc',
  post_only: false,
  status: 'open',
  filled_size: '2',
  currency: 'USD',
};
const REFUSAL = {
  code: 'exchange_rejected',
  message: 'no',
  details: { reason: 'market_closed', exchange: { id: 'kalshi', status: 400, code: 'x', message: 'closed' } },
};

describe('the way over to the ledger (contract.md 6, R-9)', () => {
  let database: TestDatabase;
  let dataSource: DataSource;

  const query = (sql: string, values: unknown[] = []): Promise<Record<string, unknown>[]> =>
    dataSource.query(sql, values);

  const order = (key: string, state: string, rest: Readonly<Record<string, unknown>>): Promise<unknown> =>
    query(
      `INSERT INTO idempotent_orders (user_id, exchange, key, fingerprint, state, answer, reference, first_sent_at, refusal_holds_at)
       VALUES ('usr_1', 'kalshi', $1::text, sha256($1::text::bytea), $2, $3, $4, $5, $6)`,
      [key, state, rest.answer ?? null, rest.reference ?? null, rest.holds ? new Date() : null, rest.holds ?? null],
    );

  const noted = (id: string, type: string, details: object, at = 'now()'): Promise<unknown> =>
    query(
      `INSERT INTO security_events (id, type, user_id, ip, user_agent, request_id, key_prefix, exchange, details, created_at)
       VALUES ($1, $2, 'usr_1', '', '', 'req_1', 'svc_1', 'kalshi', $3, ${at})`,
      [id, type, details],
    );

  beforeAll(async () => {
    database = await createTestDatabase();
    dataSource = new DataSource({ type: 'postgres', url: database.url, migrations: [...MIGRATIONS] });
    await dataSource.initialize();
    const later = MIGRATIONS.length - MIGRATIONS.indexOf(Placements1795200100000);
    for (let undone = 0; undone < later; undone += 1) await dataSource.undoLastMigration();
    await query(`INSERT INTO users (id, email, name) VALUES ('usr_1', 'one@example.com', 'One')`);
    const reference = { client_order_id: 'c-1' };
    await order('begun', 'sending', {});
    await order('sending', 'sending', { reference, holds: 'infinity' });
    await order('unknown', 'unknown', { reference, holds: 'infinity' });
    await order('curable', 'unknown', { reference, holds: '-infinity' });
    await order('made', 'done', { reference, holds: 'infinity', answer: JSON.stringify({ order: ORDER }) });
    await order('refused', 'done', { reference, holds: '-infinity', answer: JSON.stringify({ refusal: REFUSAL }) });
    await query(
      `INSERT INTO idempotent_transfers (user_id, exchange, key, fingerprint, state, answer, busy_until, reference, first_sent_at, refusal_holds_at)
       VALUES ('usr_1', 'kalshi', 'made', sha256('t'), 'done', $1, now(), '{}', now(), now())`,
      [JSON.stringify({ transfer: { id: 't-1', amount: '5', currency: 'USD', status: 'completed' } })],
    );
    const terms = { market_id: 'M', outcome_index: 0, side: 'buy', price: '0.25', size: '4' };
    const alone = { client_order_id: 'c-alone', order_id: 'o-alone' };
    await noted('evt_1', 'order_created', { outcome: 'open', order_id: 'o-made', client_order_id: 'c-made' });
    await noted(
      'evt_2',
      'order_created',
      { ...alone, outcome: 'unknown', order_id: null },
      `now() - interval '2 hours'`,
    );
    await noted('evt_3', 'order_created', { ...alone, ...terms, outcome: 'open' }, `now() - interval '1 hour'`);
    await noted('evt_4', 'order_cancelled', { order_id: 'o-alone' });
    await noted('evt_5', 'order_created', { outcome: 'unknown', order_id: null, client_order_id: 'c-lost' });
    await noted('evt_6', 'order_created', { order_id: 'o-old', outcome: 'open' }, `now() - interval '31 days'`);
    const sent = { client_transfer_id: 'ct-1', amount: '7', from_shard: '0', to_shard: '1' };
    await noted('evt_7', 'transfer_created', { ...sent, outcome: 'unknown', transfer_id: null });
    await noted('evt_8', 'transfer_created', { ...sent, outcome: 'completed', transfer_id: 't-2' });
    await dataSource.runMigrations();
  });

  afterAll(async () => {
    await dataSource.destroy();
    await database.drop();
  });

  it('copies what is under a key, each in its state, with what its answer says', async () => {
    const rows = await query(
      `SELECT bound.key, placements.kind, state, reason FROM idempotency_keys AS bound JOIN placements ON placement_id = id
        ORDER BY bound.kind, bound.key`,
    );
    expect(rows).toEqual([
      { key: 'begun', kind: 'order', state: 'begun', reason: null },
      { key: 'curable', kind: 'order', state: 'refused', reason: null },
      { key: 'made', kind: 'order', state: 'made', reason: null },
      { key: 'refused', kind: 'order', state: 'refused', reason: 'market_closed' },
      { key: 'sending', kind: 'order', state: 'sending', reason: null },
      { key: 'unknown', kind: 'order', state: 'unknown', reason: null },
      { key: 'made', kind: 'transfer', state: 'made', reason: null },
    ]);
    expect(await query(`SELECT * FROM placements WHERE exchange_id = 'o-made'`)).toMatchObject([
      {
        id: expect.stringMatching(/^plc_[0-9A-F]{26}$/),
        ...{ client_order_id: 'c-1', market_id: 'M', outcome_index: 1, side: 'sell', price: '0.4', size: '10' },
        ...{
          cost: '6',
          currency: 'USD',
          status: 'open',
          filled_size: '2',
          key_prefix: 'svc_1',
          answer: { order: ORDER },
        },
      },
    ]);
    expect(await query(`SELECT words, answer FROM placements WHERE reason IS NOT NULL`)).toEqual([
      { words: 'closed', answer: { refusal: REFUSAL } },
    ]);
  });

  it('copies what only the activity knows of the last 30 days, once each, without a key', async () => {
    const rows = await query(
      `SELECT kind, state, client_order_id, exchange_id, cost, cancelled_at IS NOT NULL AS "isCancelled", request_ids
         FROM placements WHERE key IS NULL ORDER BY kind, client_order_id`,
    );
    const request_ids = ['req_1'];
    expect(rows).toEqual([
      { kind: 'order', state: 'closed', client_order_id: 'c-alone', exchange_id: 'o-alone', cost: '1', isCancelled: true, request_ids }, // prettier-ignore
      { kind: 'order', state: 'unknown', client_order_id: 'c-lost', exchange_id: null, cost: null, isCancelled: false, request_ids }, // prettier-ignore
      { kind: 'transfer', state: 'made', client_order_id: 'ct-1', exchange_id: 't-2', cost: '7', isCancelled: false, request_ids }, // prettier-ignore
    ]);
  });

  it('leaves nothing of the old tables', async () => {
    expect(await query(`SELECT relname FROM pg_class WHERE relname LIKE 'idempotent%'`)).toEqual([]);
  });
});
