import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Response } from 'supertest';
import { exchangeAddresses } from '../sandbox/demo/environment.js';
import { codeOf, detailsOf, get, logIn, post, remove, signedIn } from './support/calls.js';
import { EXCHANGE, EXCHANGES } from './support/exchanges.js';
import { type Instance, startInstance } from './support/instance.js';
import { sql } from './support/rows.js';
import { aTrader, startTestStand, type TestStand, type Trader } from './support/sandbox.js';

interface Event {
  readonly type: string;
  readonly key_prefix: string | null;
  readonly session_id: string | null;
  readonly details: { readonly order_id?: string };
}

describe('a signed-in person looks and cancels without an API key (contract.md 5, S-17, S-18)', () => {
  let stand: TestStand;
  let other: Instance;
  let trader: Trader;

  beforeAll(async () => {
    // Kept answers, so that a session is asked for where nothing else is.
    const settings = { MARKET_DATA_CACHE_TTL: '60s', FAST_LANE: 'true' };
    stand = await startTestStand(settings);
    other = await startInstance(stand.app, { ...exchangeAddresses(stand.sandbox.addresses), ...settings });
    trader = await aTrader(stand);
  });

  afterAll(async () => {
    await other.close();
    await stand.close();
  });

  const place = async (exchange: (typeof EXCHANGES)[number]): Promise<string> => {
    const body = await EXCHANGE[exchange].anOrder({ ...stand, key: trader.key });
    const answer = await post(stand.app, `/${exchange}/orders`, body, trader.key);
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
    return (answer.body as { id: string }).id;
  };
  const newestCancel = async (): Promise<Event | undefined> => {
    const { body } = (await get(stand.app, '/account/activity', trader.user.token)) as { body: unknown };
    return (body as { data: Event[] }).data.find(({ type }) => type === 'order_cancelled');
  };
  const sessionId = async (token: string): Promise<string> => {
    const { sessions } = (await get(stand.app, '/account/sessions', token)).body as {
      sessions: { id: string; current: boolean }[];
    };
    return sessions.find(({ current }) => current)?.id ?? '';
  };

  describe.each(EXCHANGES)('%s', (exchange) => {
    it('S-18 a session reads what an API key reads', async () => {
      const { market, event, book } = EXCHANGE[exchange];
      const id = await place(exchange);
      const reads = [`markets?limit=3`, `markets/${market}`, `events/${event}`, `trades?market_id=${market}`];
      const own = ['orders', `orders/${id}`, 'fills', 'positions', 'balance'];
      for (const path of [book, ...[...reads, ...own].map((one) => `/${exchange}/${one}`)]) {
        const [byKey, bySession] = [
          await get(stand.app, path, trader.key),
          await get(stand.app, path, trader.user.token),
        ];
        expect([path, byKey.status, bySession.status]).toEqual([path, 200, 200]);
        expect(bySession.body).toEqual(byKey.body);
      }
    });

    it('S-41 a session cancels one order and all, and the activity says which session', async () => {
      const { user, key } = trader;
      const [first, second, third] = [await place(exchange), await place(exchange), await place(exchange)];
      const one = await remove(stand.app, `/${exchange}/orders/${first}`, user.token);
      expect([one.status, (one.body as { id: string }).id]).toEqual([200, first]);
      const ofSession = { key_prefix: null, session_id: await sessionId(user.token) };
      expect(await newestCancel()).toMatchObject({ ...ofSession, details: { order_id: first } });
      await remove(stand.app, `/${exchange}/orders/${second}`, key).expect(200);
      const byKey = { key_prefix: key.slice(0, 16), session_id: null, details: { order_id: second } };
      expect(await newestCancel()).toMatchObject(byKey);
      const all = await remove(stand.app, `/${exchange}/orders`, user.token);
      expect((all.body as { cancelled: string[] }).cancelled).toContain(third);
      expect(await newestCancel()).toMatchObject(ofSession);
    });

    it('S-18 a session places no order: 403 api_key_required, and nothing is sent or kept', async () => {
      const body = await EXCHANGE[exchange].anOrder({ ...stand, key: trader.key });
      const open = async (): Promise<unknown[]> =>
        ((await get(stand.app, `/${exchange}/orders`, trader.key)).body as { data: unknown[] }).data;
      const before = await open();
      const answer = await post(stand.app, `/${exchange}/orders`, body, trader.user.token).set(
        'Idempotency-Key',
        'one',
      );
      expect([answer.status, codeOf(answer), detailsOf(answer)]).toEqual([
        403,
        'forbidden',
        { reason: 'api_key_required' },
      ]);
      expect(await open()).toEqual(before);
      expect(await sql(stand.app, `SELECT 1 FROM placements WHERE key = 'one'`)).toEqual([]);
    });
  });

  it('S-17 a session that has ended reads and cancels no more, at once and on every instance', async () => {
    const person = signedIn(await logIn(stand.app, trader.user.email));
    const { book, signedRead } = EXCHANGE.kalshi;
    const id = await place('kalshi');
    const calls = (to: { url: string }): readonly (() => PromiseLike<Response>)[] => [
      // Asked for by the key too, so that the answer lane may have it.
      () => get(to, book, person.token),
      () => get(to, signedRead, person.token),
      () => remove(to, `/kalshi/orders/${id}`, person.token),
      () => remove(to, '/kalshi/orders', person.token),
    ];
    for (const to of [stand.app, other]) {
      for (let count = 0; count < 3; count += 1) expect((await get(to, book, trader.key)).status).toBe(200);
      expect((await get(to, book, person.token)).status).toBe(200);
    }
    const ended = await remove(other, `/account/sessions/${await sessionId(person.token)}`, trader.user.token);
    expect(ended.status).toBe(200);
    for (const call of [...calls(stand.app), ...calls(other)]) {
      const answer = await call();
      expect([answer.status, detailsOf(answer)]).toEqual([401, { reason: 'invalid' }]);
    }
    expect((await get(stand.app, `/kalshi/orders/${id}`, trader.key)).body).toMatchObject({ status: 'open' });
  });
});
