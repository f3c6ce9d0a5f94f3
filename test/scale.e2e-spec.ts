import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { DataSource } from 'typeorm';
import { ulid } from 'ulid';
import { ActivityRepository } from '../src/activity/activity.repository.js';
import { startTestApp, type TestApp } from './support/app.js';
import { get } from './support/calls.js';
import { rounds } from './support/long.js';
import { sql } from './support/rows.js';
import { aUser } from './support/users.js';

/** Events of other people, of all ages that are kept: docs/scale.md says what 10 million of them showed. */
const ROWS = rounds(60_000, 2_000_000);
/** In the long form they take 2 minutes per million on two busy cores. */
const FILL_LIMIT_MS = rounds(120_000, 1_800_000);
const USERS = 1_000;
const PAGE = 50;
const BATCH = 500;
/** Orders that one user asked for, over 90 days. */
const ORDERS = rounds(60_000, 500_000);
/** Pages of 8 kB that a statement may touch, whatever the size of the table: its index grows by a level in a hundred times the rows. */
const FEW_PAGES = 400;

interface Plan {
  readonly 'Node Type': string;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly Plans?: readonly Plan[];
}

function nodesOf(plan: Plan): string[] {
  return [plan['Node Type'], ...(plan.Plans ?? []).flatMap(nodesOf)];
}

describe('tables stay as fast as they are when they grow (R-22)', () => {
  let app: TestApp;

  const insert = async (days: string, count: number): Promise<void> => {
    await sql(
      app,
      `INSERT INTO security_events (id, type, user_id, ip, user_agent, details, created_at)
       SELECT 'evt_' || $1 || lpad(n::text, 20, '0'),
              (ARRAY['login', 'order_created', 'order_cancelled', 'refresh'])[1 + n % 4], 'usr_' || n % ${USERS},
              '203.0.113.7', 'bot/1', jsonb_build_object('order_id', $1 || n, 'market_id', 'm' || n % 500),
              now() - ${days} * interval '1 day' - n * interval '1 second' * 86400 * 300 / $2::float
         FROM generate_series(1, $2::integer) AS n`,
      [days, count],
    );
  };

  const explain = async (
    statement: string,
    parameters: unknown[] = [],
  ): Promise<{ nodes: string[]; pages: number }> => {
    const [row] = await app.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${statement}`, parameters);
    const [{ Plan: plan }] = row?.['QUERY PLAN'] as [{ Plan: Plan }];
    return { nodes: nodesOf(plan), pages: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'] };
  };

  beforeAll(async () => {
    app = await startTestApp();
    const step = 50_000;
    for (let done = 0; done < ROWS; done += step)
      await insert(String(done / step / 1_000), Math.min(step, ROWS - done));
    await sql(app, 'ANALYZE security_events');
  }, FILL_LIMIT_MS);

  afterAll(() => app.close());

  it('a page of one user’s activity touches as few pages in a large table as in a small one', async () => {
    const { nodes, pages } = await explain(
      `SELECT * FROM security_events WHERE user_id = 'usr_7' AND type = ANY($1) AND created_at < now() - interval '150 days'
        ORDER BY created_at DESC, id DESC LIMIT ${PAGE}`,
      [['login', 'order_created', 'order_cancelled', 'refresh']],
    );
    expect(nodes).not.toContain('Seq Scan');
    expect(pages).toBeLessThan(FEW_PAGES);
  });

  it('old events go in batches, whose cost is that of the batch', async () => {
    await insert('402', 2 * BATCH);
    const activity = app.get(ActivityRepository);
    const { nodes } = await explain(
      `SELECT id FROM security_events WHERE created_at < now() - interval '401 days' LIMIT ${BATCH}`,
    );
    expect(nodes).not.toContain('Seq Scan');
    // The service removes some by itself, once a minute.
    for (let removed = BATCH; removed > 0;) {
      removed = await activity.removeOld(BATCH);
      expect(removed).toBeLessThanOrEqual(BATCH);
    }
    const [old] = await sql<{ left: number }>(
      app,
      `SELECT count(*)::int AS left FROM security_events WHERE created_at < now() - interval '401 days'`,
    );
    expect(old?.left).toBe(0);
  });

  it(
    'an order is found by any of its ids, however many others its user asked for',
    async () => {
      const user = await aUser(app);
      const at = Date.now() - 40 * 86_400_000;
      const request = `req_${ulid(at)}`;
      await sql(
        app,
        `INSERT INTO placements (id, user_id, exchange, kind, fingerprint, state, busy_until, created_at, exchange_id, client_order_id, request_ids)
         SELECT 'plc_' || n, $1, 'kalshi', 'order', '', 'refused', now(), now() - n * interval '1 second' * 86400 * 90 / $2::float,
                'o-' || n, 'c-' || n, ARRAY['req_' || n] FROM generate_series($2::integer, 1, -1) AS n`,
        [user.id, ORDERS],
      );
      await sql(app, `UPDATE placements SET created_at = $1, request_ids = ARRAY[$2] WHERE id = 'plc_777'`, [
        new Date(at),
        request,
      ]);
      await sql(app, 'ANALYZE placements');
      const asked = jest.spyOn(app.get(DataSource).manager, 'query');
      for (const id of ['plc_777', 'o-777', 'c-777', request]) {
        asked.mockClear();
        const answer = await get(app, `/account/orders?id=${id}`, user.token);
        expect(answer.body).toMatchObject({ data: [{ id: 'plc_777' }], next_cursor: null });
        const statements = asked.mock.calls.filter(([text]) => /FROM (?:placements|security_events)/.test(text));
        expect([id, statements.length]).toEqual([id, id === request ? 2 : 1]);
        for (const [text, values] of statements) {
          const { nodes, pages } = await explain(text, values as unknown[]);
          expect([id, nodes.includes('Seq Scan'), pages < FEW_PAGES]).toEqual([id, false, true]);
        }
      }
      asked.mockRestore();
    },
    FILL_LIMIT_MS,
  );
});
