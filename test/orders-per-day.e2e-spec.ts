import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import request, { type Response } from 'supertest';
import { LedgerReads } from '../src/proxy/placing/ledger-reads.repository.js';
import { EXCHANGE } from './support/exchanges.js';
import { aTrader, startTestStand, type TestStand, type Trader } from './support/sandbox.js';

const MOST = 5;

describe('what one user may ask for on a day (contract.md 5)', () => {
  let stand: TestStand;

  beforeAll(async () => {
    stand = await startTestStand({ ORDERS_PER_DAY: String(MOST), RATE_LIMIT_ENABLED: 'false' });
  });

  afterAll(() => stand.close());

  const place = async (trader: Trader, key?: string, change: object = {}): Promise<Response> => {
    const body = { ...(await EXCHANGE.kalshi.anOrder({ ...stand, key: trader.key })), ...change };
    const call = request(stand.app.url).post('/kalshi/orders').auth(trader.key, { type: 'bearer' });
    return key === undefined ? call.send(body) : call.set('Idempotency-Key', key).send(body);
  };
  const rowsOf = async ({ user }: Trader): Promise<number> =>
    (await stand.app.query('SELECT FROM placements WHERE user_id = $1', [user.id])).length;
  const expectRefused = (answer: Response): void => {
    expect([answer.status, answer.body]).toEqual([
      429,
      { error: expect.objectContaining({ code: 'rate_limited', details: { reason: 'orders_per_day' } }) },
    ]);
    const wait = Number(answer.headers['retry-after']);
    const left = (Date.UTC(1970, 0, 2) - (Date.now() % 86_400_000)) / 1_000;
    expect(Math.abs(wait - left)).toBeLessThan(60);
  };

  it('is counted with a key and without, made or refused; what was begun goes on, and so do cancels', async () => {
    const trader = await aTrader(stand);
    const key = randomUUID();
    const first = await place(trader, key);
    for (let i = 0; i < 2; i += 1) expect((await place(trader)).status).toBe(200);
    expect((await place(trader, randomUUID(), { price: '0.99', post_only: true })).status).toBe(422);
    expect((await place(trader, undefined, { market_id: 'NO-SUCH-MARKET' })).status).toBe(404);
    expect(await rowsOf(trader)).toBe(MOST);
    for (const next of [undefined, randomUUID(), randomUUID()]) expectRefused(await place(trader, next));
    expect(await rowsOf(trader)).toBe(MOST);

    const replay = await place(trader, key);
    expect([replay.status, replay.headers['idempotency-replayed']]).toEqual([200, 'true']);
    const { id } = first.body as { id: string };
    const cancel = await request(stand.app.url).delete(`/kalshi/orders/${id}`).auth(trader.key, { type: 'bearer' });
    expect(cancel.status).toBe(200);
    expect((await place(await aTrader(stand), randomUUID())).status).toBe(200);

    await stand.app.query(`UPDATE placements SET created_at = created_at - interval '24 hours' WHERE user_id = $1`, [
      trader.user.id,
    ]);
    await delay(1_100);
    expect((await place(trader)).status).toBe(200);
  });

  it('who has none left is not counted at every call', async () => {
    const trader = await aTrader(stand);
    for (let i = 0; i < MOST; i += 1) expect((await place(trader)).status).toBe(200);
    expectRefused(await place(trader));
    const counts = jest.spyOn(stand.app.get(LedgerReads), 'countToday');
    const all = await Promise.all(Array.from({ length: 5 }, () => place(trader, randomUUID())));
    for (const answer of all) expectRefused(answer);
    expect(counts.mock.calls.length).toBeLessThanOrEqual(1);
    counts.mockRestore();
  });

  it('contract.md 5.16 a preview is none of them, and says when none is left', async () => {
    const trader = await aTrader(stand);
    const preview = async (): Promise<unknown> => {
      const body = await EXCHANGE.kalshi.anOrder({ ...stand, key: trader.key });
      const call = request(stand.app.url).post('/kalshi/orders/preview').auth(trader.key, { type: 'bearer' });
      return ((await call.send(body)).body as { would_be_refused: unknown }).would_be_refused;
    };
    for (let i = 0; i <= MOST; i += 1) expect(await preview()).toBeNull();
    for (let i = 0; i < MOST; i += 1) expect((await place(trader)).status).toBe(200);
    expect(await preview()).toMatchObject({ code: 'rate_limited', reason: 'orders_per_day' });
  });

  it('holds where they come at once', async () => {
    const trader = await aTrader(stand);
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, i) => place(trader, i % 2 ? randomUUID() : undefined)),
    );
    const made = all.filter(({ status }) => status === 200).length;
    expect(made).toBeGreaterThan(0);
    expect(made).toBeLessThanOrEqual(MOST);
    expect(await rowsOf(trader)).toBe(made);
    for (let left = MOST - made; left > 0; left -= 1) expect((await place(trader)).status).toBe(200);
    expectRefused(await place(trader));
  });
});
