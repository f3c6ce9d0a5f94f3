import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import request, { type Response } from 'supertest';
import { EXCHANGE, EXCHANGES, type ExchangeName } from './support/exchanges.js';
import { FaultStand } from './support/fault-stand.js';
import { json } from './support/gateway.js';
import { anApiKey, aUser } from './support/users.js';

const bearer = { type: 'bearer' } as const;
const UPSTREAM_TIMEOUT_MS = 3_000;

const NONE = { state: 'none', order: null, error: null, refusal_holds_at: null };

describe('what became of a key (contract.md 5)', () => {
  let stand: FaultStand;

  beforeAll(async () => {
    stand = await FaultStand.start(UPSTREAM_TIMEOUT_MS);
  });

  afterEach(() => {
    stand.heal();
  });

  afterAll(() => stand.close());

  const anOrder = (exchange: ExchangeName): Promise<object> =>
    EXCHANGE[exchange].anOrder({ app: stand.app, sandbox: stand.sandbox, key: stand.trader.key });
  const place = (exchange: ExchangeName, body: object, key: string): Promise<Response> =>
    stand.send('post', `/${exchange}/orders`, body, { 'Idempotency-Key': key });
  const byKey = (exchange: ExchangeName, key: string, bearing = stand.trader.key): Promise<Response> =>
    request(stand.app.url)
      .get(`/${exchange}/orders/by-key/${encodeURIComponent(key)}`)
      .auth(bearing, bearer)
      .then((answer) => answer);
  const told = async (exchange: ExchangeName, key: string): Promise<Record<string, unknown>> => {
    const answer = await byKey(exchange, key);
    expect(answer.status).toBe(200);
    return answer.body as Record<string, unknown>;
  };
  const errorOf = ({ body }: Response): object => (body as { error: object }).error;
  /** In ms from now. */
  const ahead = ({ refusal_holds_at: at }: Record<string, unknown>): number => Date.parse(at as string) - Date.now();

  describe.each(EXCHANGES)('%s', (exchange) => {
    const { fundsRefusals, refusal } = EXCHANGE[exchange];
    const [, wire] = EXCHANGE[exchange].wire.order;

    it('is the order as the create answered it, for whoever is signed in too', async () => {
      const key = `a/b?c#%2E"${randomUUID()}`;
      expect(await told(exchange, key)).toEqual(NONE);
      const created = await place(exchange, await anOrder(exchange), key);
      expect(created.status).toBe(200);
      const { replayed, ...order } = created.body as Record<string, unknown>;
      const fate = { state: 'done', order, error: null, refusal_holds_at: null };
      expect([replayed, await told(exchange, key)]).toEqual([false, fate]);
      expect((await byKey(exchange, key, stand.trader.user.token)).body).toEqual(fate);
    });

    it('is the refusal that is kept, with the time from which on it is final', async () => {
      const [body, key] = [await anOrder(exchange), randomUUID()];
      stand.gatewayOf(exchange).misbehave(wire, json(400, refusal), 'POST');
      const refused = await place(exchange, body, key);
      const { code, message, details } = errorOf(refused) as Record<string, unknown>;
      const fate = await told(exchange, key);
      expect(fate).toMatchObject({ state: 'done', order: null, error: { code, message, details } });
      expect(ahead(fate)).toBeGreaterThan(20_000);
    });

    it('is a refusal that its owner may cure, which is not kept', async () => {
      const [body, key] = [await anOrder(exchange), randomUUID()];
      stand.gatewayOf(exchange).misbehave(wire, json(...fundsRefusals[0]), 'POST');
      expect(errorOf(await place(exchange, body, key))).toMatchObject({ code: 'exchange_rejected' });
      expect(await told(exchange, key)).toMatchObject({
        state: 'done',
        order: null,
        error: { code: 'exchange_rejected', details: { reason: 'insufficient_funds' } },
        refusal_holds_at: null,
      });
    });

    it('is on its way while a call sends, and what the call makes of it then', async () => {
      const [body, key] = [await anOrder(exchange), randomUUID()];
      const gateway = stand.gatewayOf(exchange);
      const before = gateway.count('POST', wire);
      const held = gateway.hold('POST', wire);
      const sending = place(exchange, body, key);
      await gateway.hasCome('POST', wire, before + 1);
      const fate = await told(exchange, key);
      expect(fate).toMatchObject({ state: 'sending', order: null, error: null });
      expect(ahead(fate)).toBeGreaterThan(20_000);
      held.release();
      expect((await sending).status).toBe(200);
      expect(await told(exchange, key)).toMatchObject({ state: 'done', error: null });
    });

    it('R-14 is unknown where the answer was lost; it asks nothing, takes no claim and extends nothing', async () => {
      const [body, key] = [await anOrder(exchange), randomUUID()];
      stand.gatewayOf(exchange).answerInstead(wire, (response) => void response.destroy(), 'POST');
      expect(errorOf(await place(exchange, body, key))).toMatchObject({ code: 'order_outcome_unknown' });
      stand.heal();
      const record = (): Promise<unknown> => stand.app.query('SELECT * FROM placements WHERE key = $1', [key]);
      const [row, calls] = [await record(), stand.sandbox.log.list(exchange).length];
      const fate = await told(exchange, key);
      expect(fate).toMatchObject({ state: 'unknown', order: null, error: null });
      expect(ahead(fate)).toBeGreaterThan(20_000);
      expect([await record(), stand.sandbox.log.list(exchange).length]).toEqual([row, calls]);
      const { id } = (await place(exchange, body, key)).body as { id: string };
      expect(await told(exchange, key)).toMatchObject({ state: 'done', order: { id } });
    });

    it('is nothing 24 h after the last attempt', async () => {
      const key = randomUUID();
      await place(exchange, await anOrder(exchange), key);
      await stand.app.query(`UPDATE placements SET attempt_at = now() - interval '24 hours 1 second' WHERE key = $1`, [
        key,
      ]);
      expect(await told(exchange, key)).toEqual(NONE);
    });
  });

  it('is nothing at the other exchange, and to another user', async () => {
    const key = randomUUID();
    await place('kalshi', await anOrder('kalshi'), key);
    expect(await told('polymarket', key)).toEqual(NONE);
    const other = await anApiKey(stand.app, await aUser(stand.app), ['trade']);
    expect((await byKey('kalshi', key, other)).body).toEqual(NONE);
  });

  it('is nothing where the order was never sent', async () => {
    const [user, key] = [await aUser(stand.app), randomUUID()];
    const caller = await anApiKey(stand.app, user, ['trade']);
    const create = request(stand.app.url).post('/kalshi/orders').auth(caller, bearer).set('Idempotency-Key', key);
    expect(errorOf(await create.send(await anOrder('kalshi')))).toMatchObject({ code: 'credentials_not_configured' });
    expect((await byKey('kalshi', key, caller)).body).toEqual(NONE);
  });

  it.each(['%2E', '%2E%2E', '%20', '%C3%BC', 'a'.repeat(256)])('the key %j is 400', async (key) => {
    const answer = await stand.send('get', `/kalshi/orders/by-key/${key}`);
    expect([answer.status, errorOf(answer)]).toEqual([
      400,
      expect.objectContaining({ details: { fields: [expect.objectContaining({ field: 'idempotency_key' })] } }),
    ]);
  });

  it('a key of 255 characters is one', async () => {
    expect(await told('kalshi', 'a'.repeat(255))).toEqual(NONE);
  });

  it('needs the scope trade', async () => {
    const reader = await anApiKey(stand.app, await aUser(stand.app), ['read']);
    const answer = await byKey('kalshi', 'any', reader);
    expect([answer.status, errorOf(answer)]).toEqual([403, expect.objectContaining({ code: 'forbidden' })]);
  });
});
