import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import request, { type Response } from 'supertest';
import { EquityRounds } from '../src/proxy/portfolio/equity-rounds.js';
import { Retention } from '../src/platform/retention/retention.js';
import { ApiShapes } from './support/api-shapes.js';
import { aBot } from './support/bots.js';
import { codeOf, detailsOf, PASSWORD, remove } from './support/calls.js';
import { aHolder, type Holder, read } from './support/portfolio.js';
import { startTestStand, storeCredentials, type TestStand } from './support/sandbox.js';

interface Equity {
  readonly hourly: boolean;
  readonly data: {
    readonly at: string;
    readonly gap: boolean;
    readonly other_accounts: string[];
    readonly totals: { readonly currency: string; readonly equity: string | null }[];
  }[];
}

describe('what a user had over time (contract.md 5.17)', () => {
  let stand: TestStand;
  let shapes: ApiShapes;
  let holder: Holder;

  beforeAll(async () => {
    stand = await startTestStand();
    shapes = await ApiShapes.of(stand.app.url);
  });

  beforeEach(async () => {
    holder = await aHolder(stand);
  });

  afterAll(() => stand.close());

  const equity = async (query = '', { user } = holder): Promise<Equity> => {
    const answer = await read(stand, `/account/equity${query}`, user.token);
    expect([answer.status, answer.status === 200 ? '' : answer.text]).toEqual([200, '']);
    expect(shapes.faults('get', '/account/equity', answer.body)).toEqual([]);
    return answer.body as Equity;
  };

  const set = (hourly: unknown, { user } = holder): Promise<Response> =>
    request(stand.app.url)
      .put('/account/equity')
      .auth(user.token, { type: 'bearer' })
      .send({ hourly })
      .then((answer) => answer);

  /** As if so much time had passed since all that is known of the user. */
  const pass = async (time: string, { user } = holder): Promise<void> => {
    await stand.app.query(
      `UPDATE equity_records SET last_point_at = last_point_at - $2::interval, tried_at = tried_at - $2::interval WHERE user_id = $1`,
      [user.id, time],
    );
    await stand.app.query(`UPDATE equity_points SET at = at - $2::interval WHERE user_id = $1`, [user.id, time]);
  };

  const callsSince = (count: number): number => stand.sandbox.log.list().length - count;

  it('a reading of the portfolio leaves a point, at most one in 15 minutes, however many ask at once', async () => {
    expect(await equity()).toEqual({ hourly: false, data: [] });
    const answer = await read(stand, '/portfolio', holder.key);
    const { totals } = answer.body as { totals: object[] };
    await Promise.all([holder.key, holder.user.token, holder.key].map((token) => read(stand, '/portfolio', token)));
    const { data } = await equity();
    expect(data).toEqual([{ at: expect.any(String), gap: false, other_accounts: [], totals }]);
    expect(Math.abs(Date.parse(data[0]?.at ?? '') - Date.now())).toBeLessThan(10_000);
    await pass('14 minutes 50 seconds');
    await read(stand, '/portfolio', holder.key);
    expect((await equity()).data).toHaveLength(1);
    await pass('11 seconds');
    await Promise.all(Array.from({ length: 4 }, () => read(stand, '/portfolio', holder.user.token)));
    expect((await equity()).data).toHaveLength(2);
  });

  it('a bot leaves none, and neither does a reading of which nothing is known', async () => {
    const bot = await aBot(stand.app, holder.user);
    await read(stand, '/portfolio', bot.key);
    const nobody = await aHolder(stand, []);
    await read(stand, '/portfolio', nobody.key);
    expect((await equity()).data).toEqual([]);
    expect((await equity('', nobody)).data).toEqual([]);
  });

  it('is cut by its times, oldest first, and of more than 1,000 points has the last of each part', async () => {
    await stand.app.query(
      `INSERT INTO equity_points (user_id, at, totals)
       SELECT $1, timestamptz '2026-01-01 00:00Z' + n * interval '15 minutes', '[]' FROM generate_series(0, 3999) n`,
      [holder.user.id],
    );
    const all = await equity('?start=2026-01-01T00:00:00Z&end=2026-02-11T16:00:00Z');
    expect(all.data).toHaveLength(1_000);
    expect(all.data[0]?.at).toBe('2026-01-01T00:45:00.000Z');
    expect(all.data.map(({ at }) => at)).toEqual(all.data.map(({ at }) => at).toSorted());
    const some = await equity('?start=2026-01-01T01:00:00Z&end=2026-01-01T02:00:00Z');
    expect(some.data.map(({ at }) => at.slice(11, 16))).toEqual(['01:00', '01:15', '01:30', '01:45']);
    for (const query of ['?start=2026-01-02T00:00:00Z&end=2026-01-01T00:00:00Z', '?start=yesterday', '?limit=5'])
      expect(codeOf(await read(stand, `/account/equity${query}`, holder.user.token))).toBe('bad_request');
  });

  it('tells a gap where for more than 2 hours nothing was recorded, also between the points that are left of many', async () => {
    await stand.app.query(
      `INSERT INTO equity_points (user_id, at, totals)
       SELECT $1, timestamptz '2026-01-01 00:00Z' + n * interval '1 hour' + CASE WHEN n > 5000 THEN interval '90 minutes' ELSE '0' END, '[]'
         FROM generate_series(0, 8999) n`,
      [holder.user.id],
    );
    const { data } = await equity('?start=2026-01-01T00:00:00Z&end=2027-01-11T00:00:00Z');
    expect([data.length, data.findIndex(({ gap }) => gap)]).toEqual([1_000, 555]);
    expect(data.filter(({ gap }) => gap)).toHaveLength(1);
  });

  it('tells which totals are of other accounts than those whose credentials are stored now', async () => {
    const shown = async (): Promise<unknown> =>
      (await equity()).data.map(({ gap, other_accounts: others }) => [gap, ...others]);
    await read(stand, '/portfolio', holder.key);
    await pass('16 minutes');
    await read(stand, '/portfolio', holder.key);
    expect(await shown()).toEqual([[false], [false]]);
    const { access_key, private_key } = await stand.sandbox.kalshi.addAccount();
    await storeCredentials(stand.app, holder.user, 'kalshi', { access_key, private_key });
    expect(await shown()).toEqual([
      [false, 'USD'],
      [false, 'USD'],
    ]);
    await pass('16 minutes');
    await read(stand, '/portfolio', holder.key);
    expect(await shown()).toEqual([[false, 'USD'], [false, 'USD'], [true]]);
    await remove(stand.app, '/account/credentials/kalshi', holder.user.token);
    expect(await shown()).toEqual([[false], [false], [true]]);
    await stand.app.query('UPDATE equity_points SET accounts = NULL WHERE user_id = $1', [holder.user.id]);
    expect(await shown()).toEqual(Array.from({ length: 3 }, () => [false]));
  });

  it('is recorded each hour for who has switched it on, with nobody else’s credentials', async () => {
    const rounds = stand.app.get(EquityRounds);
    const other = await aHolder(stand);
    await read(stand, '/portfolio', other.key);
    await pass('2 hours', other);
    let before = stand.sandbox.log.list().length;
    await rounds.run();
    expect(callsSince(before)).toBe(0);
    expect((await set(true)).body).toEqual({ hourly: true });
    await Promise.all([rounds.run(), rounds.run()]);
    expect(await equity()).toMatchObject({
      hourly: true,
      data: [{ totals: [{ equity: '10000' }, { equity: '10000' }] }],
    });
    await pass('59 minutes');
    before = stand.sandbox.log.list().length;
    await rounds.run();
    expect(callsSince(before)).toBe(0);
    await pass('2 minutes');
    await rounds.run();
    expect((await equity()).data).toHaveLength(2);
    expect((await equity('', other)).data).toHaveLength(1);
    expect((await set(false)).body).toEqual({ hourly: false });
    await pass('2 hours');
    before = stand.sandbox.log.list().length;
    await rounds.run();
    expect([callsSince(before), (await equity()).hourly]).toEqual([0, false]);
  });

  it('an exchange that fails is tried again 10 minutes later, and no point without a figure is kept', async () => {
    const rounds = stand.app.get(EquityRounds);
    await set(true);
    for (const exchange of ['kalshi', 'polymarket'] as const)
      stand.sandbox.faults.add({ exchange, method: '*', path: '/', fault: 'status', status: 500, times: 10_000 });
    await rounds.run();
    stand.sandbox.faults.clear();
    expect((await equity()).data).toEqual([]);
    const before = stand.sandbox.log.list().length;
    await rounds.run();
    expect(callsSince(before)).toBe(0);
    await pass('11 minutes');
    await rounds.run();
    expect((await equity()).data).toHaveLength(1);
    await set(false);
  });

  it('is a person’s: keys are refused, and another body is 400', async () => {
    expect(detailsOf(await read(stand, '/account/equity', holder.key)).reason).toBe('wrong_token_type');
    for (const hourly of ['true', 1, null])
      expect([hourly, codeOf(await set(hourly))]).toEqual([hourly, 'bad_request']);
  });

  it('R-22 points go after 400 days, and with the account', async () => {
    await read(stand, '/portfolio', holder.key);
    await stand.app.query(
      `INSERT INTO equity_points (user_id, at, totals) SELECT $1, now() - interval '399 days' - n * interval '2 days', '[]' FROM generate_series(0, 1) n`,
      [holder.user.id],
    );
    await stand.app.get(Retention).run();
    expect((await equity('?start=2020-01-01T00:00:00Z')).data).toHaveLength(2);
    expect((await remove(stand.app, '/account', holder.user.token, { password: PASSWORD })).status).toBe(200);
    for (const table of ['equity_points', 'equity_records'] as const) {
      const rows: unknown = await stand.app.query(`SELECT count(*)::int AS n FROM ${table} WHERE user_id = $1`, [
        holder.user.id,
      ]);
      expect(rows).toEqual([{ n: 0 }]);
    }
  });
});
