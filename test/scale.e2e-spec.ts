import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ActivityRepository } from '../src/activity/activity.repository.js';
import { startTestApp, type TestApp } from './support/app.js';
import { rounds } from './support/long.js';
import { sql } from './support/rows.js';

/** Events of other people, of all ages that are kept: docs/scale.md says what 10 million of them showed. */
const ROWS = rounds(60_000, 2_000_000);
/** In the long form they take 2 minutes per million on two busy cores. */
const FILL_LIMIT_MS = rounds(120_000, 1_800_000);
const USERS = 1_000;
const PAGE = 50;
const BATCH = 500;
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
});
