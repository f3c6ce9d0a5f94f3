import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import request, { type Response } from 'supertest';
import { ApiShapes } from './support/api-shapes.js';
import { aTrader, startTestStand, storeCredentials, type TestStand, type Trader } from './support/sandbox.js';
import { TRANSFERS } from './support/unified-stand.js';
import { aUser, type TestUser } from './support/users.js';

const bearer = { type: 'bearer' } as const;
const SENDING = '/portfolio/intra_exchange_instance_transfer';
/** A market on shard 2, where crypto lies. */
const CRYPTO = 'KXBTCD-FRIDAY-T110000';
const ORDER = { market_id: CRYPTO, outcome: 'yes', side: 'buy', price: '0.02', size: '1' };

interface Transfer {
  readonly id: string | null;
  readonly status: string;
}

interface ErrorBody {
  readonly error: { readonly code: string; readonly retryable: boolean; readonly details: Record<string, unknown> };
}

describe('the shards of Kalshi, end to end (contract.md 5.7)', () => {
  let stand: TestStand;
  let trader: Trader;
  let keys = 0;

  beforeAll(async () => {
    stand = await startTestStand({ UPSTREAM_TIMEOUT: '3s' });
    trader = await aTrader(stand, ['admin']);
  });

  afterAll(() => stand.close());

  beforeEach(() => {
    stand.sandbox.faults.clear();
    stand.sandbox.kalshi.exchange.transfers.delayMs = 0;
  });

  const call = (method: 'get' | 'post' | 'delete', path: string, body?: object, key?: string): Promise<Response> => {
    const sent = request(stand.app.url)[method](path).auth(trader.key, bearer);
    return (key === undefined ? sent : sent.set('Idempotency-Key', key)).send(body).then((answer) => answer);
  };

  const arrived = (since: number): string[] =>
    stand.sandbox.log
      .list('kalshi')
      .slice(since)
      .map(({ method, path, query }) => `${method} ${path.replace('/trade-api/v2', '')}${query}`);
  const count = (): number => stand.sandbox.log.list('kalshi').length;

  describe('transfers', () => {
    let terms: { from_shard: string; to_shard: string; amount: string };
    let key: string;

    beforeEach(() => {
      keys += 1;
      // Every test has an amount of its own, by which the exchange's history tells it from the others.
      terms = { from_shard: '0', to_shard: '2', amount: `${keys}.0001` };
      key = `shards-${keys}`;
    });

    const move = (withKey?: string, body: object = terms): Promise<Response> =>
      call('post', '/kalshi/transfers', body, withKey);

    /** How many transfers of this amount the exchange has. */
    const made = async (): Promise<number> => {
      const { data } = (await call('get', '/kalshi/transfers?limit=100')).body as { data: { amount: string }[] };
      return data.filter(({ amount }) => amount === terms.amount).length;
    };

    const available = async (shard: string): Promise<number> => {
      const { breakdown } = (await call('get', '/kalshi/balance')).body as {
        breakdown: { key: string; available: string }[];
      };
      return Number(breakdown.find((part) => part.key === shard)?.available);
    };

    const lose = (): void => {
      stand.sandbox.faults.add({ exchange: 'kalshi', method: 'POST', path: SENDING, fault: 'reset_after', times: 1 });
    };

    it('moves dollars, and shows the transfer alone and in the list', async () => {
      const before = await available('2');
      const { status, body } = (await move()) as { status: number; body: Transfer };
      const at = expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/);
      expect([status, body]).toEqual([
        200,
        { exchange: 'kalshi', id: expect.any(String), ...terms, currency: 'USD', status: 'complete', created_at: at },
      ]);
      expect((await available('2')) - before).toBeCloseTo(Number(terms.amount), 4);
      const shapes = await ApiShapes.of(stand.app.url);
      expect(shapes.faults('POST', TRANSFERS, body)).toEqual([]);
      expect((await call('get', `/kalshi/transfers/${String(body.id)}`)).body).toEqual(body);
      const list = (await call('get', '/kalshi/transfers?limit=1')).body as { data: Transfer[] };
      expect(list.data).toEqual([body]);
      expect(shapes.faults('GET', TRANSFERS, list)).toEqual([]);
      expect((await call('get', '/kalshi/transfers/1nothing')).status).toBe(404);
    });

    it('tells one whose money is on its way as pending', async () => {
      stand.sandbox.kalshi.exchange.transfers.delayMs = 60_000;
      expect((await move(key)).body).toMatchObject({ status: 'pending', id: expect.any(String) });
    });

    it('R-13 a lost answer is unknown; the repeat answers the one that was made, and then replays it', async () => {
      lose();
      const lost = await move(key);
      expect([lost.status, lost.body]).toMatchObject([
        504,
        { error: { code: 'transfer_outcome_unknown', retryable: true } },
      ]);
      expect((lost.body as ErrorBody).error.details.client_transfer_id).toMatch(/^[0-9a-f-]{36}$/);
      const found = await move(key);
      expect([found.status, found.body]).toMatchObject([200, { ...terms, id: expect.any(String) }]);
      const replayed = await move(key);
      expect([replayed.headers['idempotency-replayed'], replayed.body]).toEqual(['true', found.body]);
      expect(await made()).toBe(1);
    });

    it('R-13 a lost answer without a key is unknown, and not to be repeated blindly', async () => {
      lose();
      expect((await move()).body).toMatchObject({ error: { code: 'transfer_outcome_unknown', retryable: false } });
      expect(await made()).toBe(1);
    });

    it('R-14 of ten calls at once under one key the exchange makes one, also where the first answer is lost', async () => {
      lose();
      const answers = await Promise.all(Array.from({ length: 10 }, () => move(key)));
      for (const { status } of answers) expect([200, 409, 504]).toContain(status);
      expect((await move(key)).status).toBe(200);
      expect(await made()).toBe(1);
    });

    it('a lack of money is told and not kept: once it is there, the same key moves it', async () => {
      terms = { ...terms, from_shard: '1', to_shard: '3' };
      const refused = await move(key);
      expect([refused.status, refused.body]).toMatchObject([
        422,
        { error: { code: 'exchange_rejected', details: { reason: 'insufficient_funds' } } },
      ]);
      await move(undefined, { from_shard: '0', to_shard: '1', amount: '100' });
      const moved = await move(key);
      expect([moved.status, moved.headers]).toMatchObject([
        200,
        expect.not.objectContaining({ 'idempotency-replayed': 'true' }),
      ]);
    });

    it.each([
      ['from_shard', { from_shard: '101' }],
      ['to_shard', { to_shard: '00' }],
      ['amount', { amount: '1.00001' }],
    ])('refuses a %s that Kalshi cannot have with 400, before it is asked', async (field, change) => {
      const before = count();
      expect((await move(key, { ...terms, ...change })).body).toMatchObject({
        error: { details: { fields: [{ field }] } },
      });
      expect(arrived(before)).toEqual([]);
    });

    it('contract.md 4 is noted in the activity', async () => {
      const { id } = (await move(key)).body as Transfer;
      const activity = await request(stand.app.url).get('/account/activity').auth(trader.user.token, bearer);
      const { data } = activity.body as { data: object[] };
      const client_transfer_id = expect.any(String);
      const details = { ...terms, outcome: 'complete', transfer_id: id, client_transfer_id };
      expect(data[0]).toMatchObject({ type: 'transfer_created', exchange: 'kalshi', details });
    });
  });

  describe('orders on another shard', () => {
    const place = async (order: object = ORDER): Promise<string> => {
      const made = await call('post', '/kalshi/orders', order);
      expect([made.status, made.body]).toMatchObject([200, { status: 'open' }]);
      return (made.body as { id: string }).id;
    };

    it('are read and cancelled on the market that was recorded, without a look into the lists', async () => {
      const id = await place();
      const before = count();
      expect((await call('get', `/kalshi/orders/${id}`)).body).toMatchObject({ id, market_id: CRYPTO, status: 'open' });
      expect((await call('delete', `/kalshi/orders/${id}`)).status).toBe(200);
      const calls = arrived(before);
      expect(calls.length).toBe(2);
      for (const sent of calls) expect(sent).toContain(`market_ticker=${CRYPTO}`);
    });

    it('lack of money there is told with where the money lies, and is not kept', async () => {
      const order = { ...ORDER, price: '0.9', size: '20000' };
      for (let i = 0; i < 2; i++) {
        const refused = await call('post', '/kalshi/orders', order, 'no-money');
        expect([refused.status, refused.headers['idempotency-replayed']]).toEqual([422, undefined]);
        const { details } = (refused.body as ErrorBody).error;
        expect(details).toMatchObject({ reason: 'insufficient_funds', shard: { needed: '2' } });
        expect(details.shard).toMatchObject({
          available: expect.arrayContaining([{ shard: '0', available: expect.any(String) }]),
        });
      }
    });

    it('DELETE /kalshi/orders?market_id= cancels those of one market alone', async () => {
      const [one, other] = [await place(), await place({ ...ORDER, market_id: 'KXHIGHNY-TODAY-T58' })];
      const cancel = async (market: string): Promise<unknown> =>
        (await call('delete', `/kalshi/orders?market_id=${market}`)).body as unknown;
      expect(await cancel('KXNONE-1')).toMatchObject({ error: { code: 'not_found' } });
      expect(await cancel(CRYPTO)).toEqual({ cancelled: [one], not_cancelled: [] });
      expect((await call('get', `/kalshi/orders/${other}`)).body).toMatchObject({ status: 'open' });
      expect((await call('delete', '/kalshi/orders')).body).toEqual({ cancelled: [other], not_cancelled: [] });
    });
  });

  describe('what Kalshi says of a key', () => {
    const put = async (user: TestUser, credentials: object): Promise<Response> =>
      request(stand.app.url).put('/account/credentials/kalshi').auth(user.token, bearer).send(credentials);

    const keyOf = (name: string): { access_key: string; private_key: string } => {
      const found = stand.sandbox.addresses.kalshi.keys.find((key) => key.name === name);
      if (found === undefined) throw new Error(`the sandbox has no key ${name}`);
      return { access_key: found.access_key, private_key: found.private_key };
    };

    const full = (): object => {
      const { access_key, private_key } = stand.sandbox.addresses.kalshi;
      return { access_key, private_key };
    };

    const ATTESTED = expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/);

    it.each<[string, string[], string[]]>([
      ['full access', ['read', 'write'], ['can_transfer']],
      ['read', ['read'], ['cannot_trade']],
      ['read_trade', ['read', 'write::trade'], []],
      ['read_trade_transfer', ['read', 'write::trade', 'write::transfer'], ['can_transfer']],
    ])('of the key %s is shown in PUT, GET and verify', async (name, scopes, warnings) => {
      const user = await aUser(stand.app);
      const said = {
        key: { scopes, subaccount: null, attestation_expires_at: ATTESTED },
        session_key: null,
        warnings,
      };
      const stored = await put(user, name === 'full access' ? full() : keyOf(name));
      expect([stored.status, stored.body]).toMatchObject([200, said]);
      const get = await request(stand.app.url).get('/account/credentials').auth(user.token, bearer);
      expect((get.body as { exchanges: { kalshi: object } }).exchanges.kalshi).toEqual({ configured: true, ...said });
      const path = '/account/credentials/kalshi/verify';
      const verified = await request(stand.app.url).post(path).auth(user.token, bearer);
      expect([verified.status, verified.body]).toMatchObject([200, said]);
    });

    it.each(['trade', 'subaccount'])('of the key %s, which may not read it, refuses nothing', async (name) => {
      const user = await aUser(stand.app);
      await storeCredentials(stand.app, user, 'kalshi', keyOf(name));
      const verified = await request(stand.app.url).post('/account/credentials/kalshi/verify').auth(user.token, bearer);
      expect([verified.status, verified.body]).toMatchObject([200, { verified: true, session_key: null }]);
    });
  });
});
