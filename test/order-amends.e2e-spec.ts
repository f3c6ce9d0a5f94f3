import { decreaseOrder } from '../sandbox/kalshi/amending.js';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import request, { type Response } from 'supertest';
import { startTestApp, type TestApp } from './support/app.js';
import { FaultStand } from './support/fault-stand.js';
import { json } from './support/gateway.js';
import { detailsOf } from './support/calls.js';
import { outcome } from './support/bots.js';

const UPSTREAM_TIMEOUT_MS = 2_000;
const AMEND = '/amend';
/** Markets of every shard that has some, with prices that rest on either side. */
const WEATHER = 'KXHIGHNY-TODAY-B55.5';
const MARKETS = [WEATHER, 'KXMVECROSS-S1-01', 'KXBTCD-FRIDAY-T110000', 'KXNBAGAME-BOSNYK-BOS'] as const;
const LOT = 1_000_000n;

interface Order {
  readonly id: string;
  readonly client_order_id: string;
  readonly status: string;
  readonly outcome: { readonly index: 0 | 1 };
  readonly side: string;
  readonly price: string;
  readonly size: string;
  readonly filled_size: string;
  readonly remaining_size: string;
  readonly expires_at: string | null;
  readonly requested: { readonly outcome_index: number; readonly side: string; readonly price: string } | null;
}

describe('changes of orders (contract.md 5.16)', () => {
  let stand: FaultStand;
  let key: string;
  /** Another instance on the same database. */
  let second: TestApp;

  beforeAll(async () => {
    stand = await FaultStand.start(UPSTREAM_TIMEOUT_MS);
    key = stand.trader.key;
    const settings = { KALSHI_API_URL: stand.gateways.kalshi.url, UPSTREAM_TIMEOUT: `${UPSTREAM_TIMEOUT_MS}ms` };
    second = await startTestApp({ ...settings, MARKET_DATA_CACHE_TTL: '0' }, stand.app.database);
    // No shard but this has no money of the trader's.
    for (const account of stand.sandbox.kalshi.exchange.accounts.values())
      account.openSubaccount(0, Date.now()).pay(1, 100n * LOT, Date.now());
  });

  afterEach(() => {
    stand.heal();
  });

  afterAll(async () => {
    await second.close();
    await stand.close();
  });

  beforeEach(() => call('delete', '/kalshi/orders'));

  const call = (
    method: 'get' | 'post' | 'patch' | 'delete',
    path: string,
    body?: object,
    bearer = key,
  ): Promise<Response> => {
    const agent = request(stand.app.url);
    return agent[method](path)
      .auth(bearer, { type: 'bearer' })
      .send(body)
      .then((answer) => answer);
  };
  const made = async (terms: object = {}, bearer = key): Promise<Order> => {
    const order = { market_id: WEATHER, outcome: 'yes', side: 'buy', price: '0.02', size: '10', ...terms };
    const answer = await call('post', '/kalshi/orders', order, bearer);
    expect([answer.status, answer.text]).toEqual([200, answer.text]);
    return answer.body as Order;
  };
  const amend = (id: string, change: object, bearer = key): Promise<Response> =>
    call('patch', `/kalshi/orders/${id}`, change, bearer);
  const shown = async (id: string): Promise<Order> => (await call('get', `/kalshi/orders/${id}`)).body as Order;
  const gateway = () => stand.gatewayOf('kalshi');
  const sent = (): number => gateway().count('POST', AMEND);
  const lastBody = (): unknown =>
    JSON.parse(
      String(
        gateway()
          .arrived.filter(({ method, target }) => method === 'POST' && target.includes(AMEND))
          .at(-1)?.body,
      ),
    );
  /** As the exchange has it: the side of its book, and the price of YES. */
  const atExchange = (id: string): { side: string; price: bigint; initial: bigint } => {
    for (const { orders } of stand.sandbox.kalshi.exchange.accounts.values()) {
      const order = orders.get(id);
      if (order !== undefined) return order;
    }
    throw new Error('no such order');
  };

  describe('what is changed', () => {
    it.each(MARKETS)('price, size and both of an order on %s', async (market_id) => {
      const { id } = await made({ market_id });
      expect((await amend(id, { price: '0.03' })).body).toMatchObject({
        id,
        price: '0.03',
        size: '10',
        status: 'open',
      });
      expect((await amend(id, { size: '4' })).body).toMatchObject({
        id,
        price: '0.03',
        size: '4',
        remaining_size: '4',
      });
      expect((await amend(id, { price: '0.01', size: '12' })).body).toMatchObject({ price: '0.01', size: '12' });
      expect(await shown(id)).toMatchObject({ id, price: '0.01', size: '12', status: 'open', outcome: { index: 0 } });
    });

    it.each([
      ['yes', 'buy', '0.02', 'bid', '0.03', '0.03', '0.03'],
      ['no', 'buy', '0.02', 'ask', '0.03', '0.97', '0.03'],
      // Read as purchases of the other outcome.
      ['yes', 'sell', '0.98', 'ask', '0.03', '0.97', '0.97'],
      ['no', 'sell', '0.98', 'bid', '0.03', '0.03', '0.97'],
    ])('of %s %s at %s stays a %s', async (of, side, price, bookSide, asked, yesPrice, requested) => {
      const { id } = await made({ outcome: of, side, price });
      const before = await shown(id);
      const answer = await amend(id, { price: asked });
      const terms = { side: 'buy', price: asked, outcome: { index: bookSide === 'bid' ? 0 : 1 } };
      expect([answer.status, answer.body]).toMatchObject([200, { id, ...terms }]);
      expect(before).toMatchObject({ outcome: terms.outcome, side: 'buy' });
      expect(await shown(id)).toMatchObject({
        ...terms,
        requested: { outcome_index: of === 'yes' ? 0 : 1, side, price: requested },
      });
      expect(lastBody()).toMatchObject({ side: bookSide, price: `${yesPrice}00`, count: '10.00' });
      expect(atExchange(id)).toMatchObject({ side: bookSide });
    });

    it('the end; what is not named stays', async () => {
      const { id } = await made();
      const expires_at = new Date(Math.floor(Date.now() / 1_000) * 1_000 + 3_600_000).toISOString();
      expect((await amend(id, { expires_at })).body).toMatchObject({
        expires_at,
        price: '0.02',
        size: '10',
        time_in_force: 'gtd',
      });
      expect((await amend(id, { price: '0.03' })).body).toMatchObject({ expires_at, price: '0.03' });
      expect(lastBody()).not.toHaveProperty('expiration_time');
    });

    it('the size is the whole: what has filled stays filled, and counts', async () => {
      const { id } = await made();
      stand.sandbox.kalshi.races.fill(id, 3n * LOT, Date.now());
      const answer = await amend(id, { price: '0.03' });
      expect(answer.body).toMatchObject({
        size: '10',
        filled_size: '3',
        remaining_size: '7',
        status: 'partially_filled',
      });
      expect((await amend(id, { size: '5' })).body).toMatchObject({ size: '5', filled_size: '3', remaining_size: '2' });
      expect((await amend(id, { size: '3' })).body).toMatchObject({
        error: { details: { fields: [{ field: 'size' }] } },
      });
    });

    it('what was decreased at the exchange is not raised by another price', async () => {
      const { id } = await made();
      const { exchange } = stand.sandbox.kalshi;
      const account = [...exchange.accounts.values()].find(({ orders }) => orders.has(id));
      if (account === undefined) throw new Error('no such order');
      const address = { orderId: id, subaccount: 0, shard: 0 };
      decreaseOrder(exchange, account, { address, to: 4n * LOT, now: Date.now() });
      expect(await shown(id)).toMatchObject({ size: '10', remaining_size: '4' });
      expect((await amend(id, { price: '0.03' })).body).toMatchObject({ size: '4', remaining_size: '4' });
    });

    it('a price that crosses trades at once', async () => {
      const { id } = await made({ size: '1' });
      expect((await amend(id, { price: '0.60' })).body).toMatchObject({
        status: 'filled',
        filled_size: '1',
        remaining_size: '0',
      });
    });

    it('is noted, and the ledger has what was asked', async () => {
      const { id } = await made();
      await amend(id, { price: '0.03', size: '8' });
      const { data } = (await call('get', '/account/activity?limit=5', undefined, stand.trader.user.token)).body as {
        data: { type: string; details: object }[];
      };
      expect(data[0]).toMatchObject({
        type: 'order_amended',
        details: { order_id: id, price: '0.03', size: '8', outcome: 'open' },
      });
      const rows = await stand.app.query('SELECT price, size, cost FROM placements WHERE exchange_id = $1', [id]);
      expect(rows).toEqual([{ price: '0.03', size: '8', cost: '0.24' }]);
      expect(await stand.app.query('SELECT * FROM order_amends')).toEqual([]);
    });
  });

  describe('what is refused, and changes nothing', () => {
    it.each([
      [{ price: 0.03 }, 'price'],
      [{ price: '0' }, 'price'],
      [{ price: '1' }, 'price'],
      [{ price: '-0.1' }, 'price'],
      [{ price: null }, 'price'],
      [{ size: 5 }, 'size'],
      [{ size: '0' }, 'size'],
      [{ size: '-1' }, 'size'],
      [{ expires_at: 'tomorrow' }, 'expires_at'],
      [{ expires_at: '2020-01-01T00:00:00Z' }, 'expires_at'],
      [{ expires_at: '1970-01-01T00:00:00Z' }, 'expires_at'],
      [{ price: '0.03', nonsense: 1 }, 'nonsense'],
      [{ price: '0.03', side: 'sell' }, 'side'],
      [{ price: '0.0301' }, 'price'],
    ])('400 for %j', async (change, field) => {
      const { id } = await made();
      const answer = await amend(id, change);
      expect(outcome(answer)).toEqual([400, 'bad_request', undefined]);
      expect(detailsOf(answer)).toMatchObject({ fields: [{ field }] });
      expect(await shown(id)).toMatchObject({ price: '0.02', size: '10', expires_at: null });
    });

    it('nothing to change', async () => {
      const { id } = await made();
      expect(outcome(await amend(id, {}))).toEqual([400, 'bad_request', undefined]);
    });

    it('an unknown id', async () => {
      expect(outcome(await amend('9b51d2a0-babb-4ed0-8c3f-000000000001', { price: '0.03' }))[1]).toBe('not_found');
    });

    it('an order that is over', async () => {
      const { id } = await made();
      await call('delete', `/kalshi/orders/${id}`);
      const before = sent();
      expect(outcome(await amend(id, { price: '0.03' }))).toEqual([422, 'exchange_rejected', 'not_amendable']);
      expect(sent()).toBe(before);
    });

    it('a session', async () => {
      const { id } = await made();
      const answer = await amend(id, { price: '0.03' }, stand.trader.user.token);
      expect(outcome(answer)).toEqual([403, 'forbidden', 'api_key_required']);
    });

    it('an exchange that changes no order, whatever the id', async () => {
      const answer = await call('patch', `/polymarket/orders/0x${'1'.repeat(64)}`, { price: '0.03' });
      expect(outcome(answer)).toEqual([422, 'not_supported', undefined]);
      expect(outcome(await call('patch', `/polymarket/orders/0x${'1'.repeat(64)}`, {}))[1]).toBe('bad_request');
    });

    it('what the account cannot pay', async () => {
      const { id } = await made();
      const answer = await amend(id, { price: '0.03', size: '90000000' });
      expect(outcome(answer)).toEqual([422, 'exchange_rejected', 'insufficient_funds']);
      expect(await shown(id)).toMatchObject({ size: '10', requested: { price: '0.02' } });
    });
  });

  describe('races', () => {
    it('what fills between the read and the change is in the size, and does not make the order larger', async () => {
      const { id } = await made();
      stand.sandbox.kalshi.races.fillBeforeChange(id, 4n * LOT);
      expect((await amend(id, { price: '0.03' })).body).toMatchObject({
        size: '10',
        filled_size: '4',
        remaining_size: '6',
      });
      expect(atExchange(id).initial).toBe(10n * LOT);
    });

    it('an order that has filled by then is over, and nothing of it comes back', async () => {
      const { id } = await made();
      stand.sandbox.kalshi.races.fillBeforeChange(id, 10n * LOT);
      expect(outcome(await amend(id, { price: '0.03' }))).toEqual([422, 'exchange_rejected', 'not_amendable']);
      expect(await shown(id)).toMatchObject({ status: 'filled', size: '10' });
    });

    it('a size that has filled by then is 400 on it', async () => {
      const { id } = await made();
      stand.sandbox.kalshi.races.fillBeforeChange(id, 7n * LOT);
      const answer = await amend(id, { size: '6' });
      expect([answer.status, detailsOf(answer)]).toMatchObject([400, { fields: [{ field: 'size' }] }]);
      expect(await shown(id)).toMatchObject({ size: '10', filled_size: '7' });
    });

    it('two at once come one after the other, on two instances too', async () => {
      const { id } = await made();
      const held = gateway().hold('POST', AMEND, 1);
      const before = sent();
      const first = amend(id, { price: '0.03' });
      await gateway().hasCome('POST', AMEND, before + 1);
      const other = request(second.url).patch(`/kalshi/orders/${id}`).auth(key, { type: 'bearer' }).send({ size: '6' });
      const after = other.then((answer) => answer);
      await new Promise((resolve) => setTimeout(resolve, 400));
      expect(sent()).toBe(before + 1);
      held.release();
      expect((await first).body).toMatchObject({ price: '0.03', size: '10' });
      expect((await after).body).toMatchObject({ price: '0.03', size: '6' });
    });
  });

  describe('many changes of one order', () => {
    it('64 wait in the process, and more are 429', async () => {
      const { id } = await made();
      const held = gateway().hold('POST', AMEND, 1);
      const before = sent();
      const first = amend(id, { price: '0.03' });
      await gateway().hasCome('POST', AMEND, before + 1);
      const others = Array.from({ length: 65 }, () => amend(id, { size: '9' }));
      expect(outcome(await Promise.race(others))).toEqual([429, 'rate_limited', undefined]);
      const claims = await stand.app.query('SELECT claim FROM order_amends WHERE order_id = $1', [id]);
      expect([claims.length, sent()]).toEqual([1, before + 1]);
      held.release();
      expect((await first).status).toBe(200);
      const codes = (await Promise.all(others)).map(({ status }) => status);
      const done = codes.filter((status) => status === 200).length;
      expect([done > 0, sent()]).toEqual([true, before + 1 + done]);
      // One whose time ended with the read that it needs says that the exchange could not be asked.
      expect(codes.filter((status) => ![200, 429, 502].includes(status))).toEqual([]);
    });
  });

  describe('faults', () => {
    const unknown = [504, 'order_outcome_unknown', undefined];

    it('a lost answer is unknown, whether the exchange has done it or not, and is sent once', async () => {
      const { id } = await made();
      const before = sent();
      gateway().answerInstead(AMEND, (response) => response.destroy(), 'POST');
      const answer = await amend(id, { price: '0.03' });
      expect([outcome(answer), detailsOf(answer)]).toMatchObject([unknown, { order_id: id }]);
      expect(await shown(id)).toMatchObject({ price: '0.03', requested: { price: '0.03' } });
      gateway().heal();
      gateway().misbehave(AMEND, (response) => response.destroy(), 'POST');
      const other = await amend(id, { price: '0.01' });
      expect([outcome(other), detailsOf(other)]).toMatchObject([unknown, { order_id: id }]);
      expect(await shown(id)).toMatchObject({ price: '0.03' });
      expect(sent()).toBe(before + 2);
      gateway().heal();
      expect((await amend(id, { price: '0.01' })).body).toMatchObject({ price: '0.01' });
    });

    it.each([
      ['another order', { order_id: 'e2f1c7a0-4b3d-4c6e-8f90-1a2b3c4d5e61', remaining_count: '10.00' }],
      ['another client id', { client_order_id: 'somebody', remaining_count: '10.00' }],
      ['counts that it cannot have', { remaining_count: '11.00' }],
      ['nothing', { order_id: undefined }],
    ])('an answer that names %s proves nothing', async (_, part) => {
      const { id } = await made();
      gateway().misbehave(AMEND, json(200, { order_id: id, ts_ms: Date.now(), ...part }), 'POST');
      expect(outcome(await amend(id, { price: '0.03' }))).toEqual(unknown);
    });

    it.each([
      [500, { error: { code: 'internal_error', message: 'no' } }, 504, 'order_outcome_unknown'],
      [503, { error: { code: 'service_unavailable', message: 'no' } }, 504, 'order_outcome_unknown'],
      [409, { error: { code: 'conflict', message: 'no' } }, 504, 'order_outcome_unknown'],
      [429, { error: 'too many requests' }, 429, 'exchange_rate_limited'],
      [401, { error: { code: 'unauthorized', message: 'no' } }, 409, 'credentials_rejected'],
      [400, { error: { code: 'market_closed', message: 'market is closed' } }, 422, 'exchange_rejected'],
    ])('%i %j', async (status, body, told, code) => {
      const { id } = await made();
      const before = sent();
      gateway().misbehave(AMEND, json(status, body), 'POST');
      expect(outcome(await amend(id, { price: '0.03' })).slice(0, 2)).toEqual([told, code]);
      expect(sent()).toBe(before + 1);
    });

    it('where nothing can be sent nothing is unknown', async () => {
      const { id } = await made();
      const answer = await gateway().refusing(() => amend(id, { price: '0.03' }));
      expect(outcome(answer)).toEqual([502, 'exchange_error', undefined]);
      expect(await shown(id)).toMatchObject({ price: '0.02' });
    });
  });
});
