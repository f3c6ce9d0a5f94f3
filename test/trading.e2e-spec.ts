import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request, { type Response } from 'supertest';
import { PolymarketTrader as Wallet } from '../sandbox/polymarket/trader.js';
import type { AddedAccount } from '../sandbox/polymarket/sandbox.js';
import { minus, plus, times } from './support/exact.js';
import { EXCHANGES, type ExchangeName } from './support/exchanges.js';
import { startTestStand, storeCredentials, type TestStand } from './support/sandbox.js';
import { anApiKey, aUser } from './support/users.js';

const TICKER = 'KXHIGHNY-TODAY-B55.5';
const CALLS = 200;
const QUIET = 'KXHIGHNY-TODAY-B53.5';

type Method = 'get' | 'post' | 'delete';

interface Order {
  readonly id: string;
  readonly created_at: string | null;
  readonly client_order_id: string | null;
  readonly status: string;
  readonly price: string;
  readonly size: string;
  readonly filled_size: string;
  readonly remaining_size: string;
  readonly trade_ids: readonly string[];
}

interface Fill {
  readonly id: string;
  readonly order_id: string;
  readonly role: string;
  readonly size: string;
  readonly price: string;
  readonly fee: string | null;
}

interface Balance {
  readonly available: string;
  readonly reserved: string | null;
}

interface Market {
  readonly id: string;
  readonly tradable: boolean;
  readonly refs: { readonly neg_risk?: boolean };
  readonly fees: object | null;
  readonly price_ranges: readonly { readonly step: string }[];
  readonly outcomes: readonly { readonly id: string; readonly bid: string | null; readonly ask: string | null }[];
}

/** One user of the service with accounts of its own at both exchanges. */
interface Member {
  readonly name: string;
  readonly key: string;
  readonly accessKey: string;
  readonly account: AddedAccount;
  readonly wallet: Wallet;
}

describe('trading with one’s own credentials (contract.md 5, unified-schema.md 7 and 8)', () => {
  let stand: TestStand;
  let ann: Member;
  let ben: Member;
  let cyd: Member;
  let market: Market;

  const call = (
    member: Member,
    method: Method,
    path: string,
    body?: object,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> => {
    const agent = request(stand.app.url);
    const sent = agent[method](path).auth(member.key, { type: 'bearer' }).set(headers).send(body);
    return sent.then((answer) => answer);
  };
  const good = async <T>(member: Member, method: Method, path: string, body?: object): Promise<T> => {
    const answer = await call(member, method, path, body);
    expect([method, path, answer.status, answer.status === 200 ? '' : answer.text]).toEqual([method, path, 200, '']);
    return answer.body as T;
  };
  const get = <T>(member: Member, path: string): Promise<T> => good<T>(member, 'get', path);
  const list = async <T>(member: Member, path: string): Promise<T[]> => (await get<{ data: T[] }>(member, path)).data;
  const expectError = (answer: Response, status: number, code: string, reason?: string): void => {
    const details = reason === undefined ? {} : { details: { reason } };
    expect([answer.status, answer.body]).toMatchObject([status, { error: { code, retryable: false, ...details } }]);
  };

  const join = async (name: string, shares: Record<string, string>): Promise<Member> => {
    const user = await aUser(stand.app);
    const { access_key, private_key } = await stand.sandbox.kalshi.addAccount({ keyType: 'ed25519' });
    const account = stand.sandbox.polymarket.addAccount({ shares });
    const { api_key, secret, passphrase, wallet_address } = account;
    await storeCredentials(stand.app, user, 'kalshi', { access_key, private_key });
    await storeCredentials(stand.app, user, 'polymarket', { api_key, secret, passphrase, wallet_address });
    const wallet = new Wallet(stand.sandbox.addresses.polymarket.clob_url, account);
    return { name, key: await anApiKey(stand.app, user), accessKey: access_key, account, wallet };
  };

  beforeAll(async () => {
    stand = await startTestStand();
    cyd = await join('cyd', {});
    const markets = await list<Market>(cyd, '/polymarket/markets?limit=100');
    const found = markets.find(
      ({ tradable, fees, refs, outcomes }) =>
        tradable &&
        fees === null &&
        refs.neg_risk === true &&
        outcomes.every(({ bid, ask }) => bid !== null && ask !== null),
    );
    if (found === undefined) throw new Error('no market to trade in');
    market = found;
    ann = await join('ann', {});
    ben = await join('ben', { [market.outcomes[0]?.id ?? '']: '100' });
  });

  afterAll(() => stand.close());

  const plain = (terms: object): object => ({ market_id: TICKER, outcome: 'yes', side: 'buy', size: '20', ...terms });
  const signed = (
    { wallet }: Member,
    { side = 'BUY', price, size = '20', outcome = 0, ...rest }: SignedTerms,
  ): { signed_order: object } => ({
    signed_order: wallet.sign({
      tokenId: market.outcomes[outcome]?.id ?? '',
      negRisk: market.refs.neg_risk === true,
      side,
      price,
      size,
    }),
    ...rest,
  });
  interface SignedTerms {
    readonly side?: 'BUY' | 'SELL';
    readonly price: string;
    readonly size?: string;
    readonly outcome?: 0 | 1;
    readonly time_in_force?: string;
    readonly post_only?: boolean;
  }
  /** One tick inside the spread, so that nobody else's order is touched. */
  const inside = (): string => plus(market.outcomes[0]?.bid ?? '0', market.price_ranges[0]?.step ?? '0');

  /** What of the life of an order differs between the exchanges. */
  const TRADED: Readonly<Record<ExchangeName, Traded>> = {
    kalshi: {
      buying: () => plain({ price: '0.43' }),
      selling: (_, size) => plain({ side: 'sell', price: '0.43', size, time_in_force: 'ioc' }),
      held: (before, cost) => ({
        available: minus(before.available, cost),
        reserved: plus(before.reserved ?? '0', cost),
      }),
      earned: (size, price) => minus('0', times(size, minus('1', price))),
      tellsCancelledSize: true,
    },
    polymarket: {
      buying: (member) => signed(member, { price: inside() }),
      selling: (member, size) => signed(member, { side: 'SELL', price: inside(), size, time_in_force: 'ioc' }),
      held: (before, cost) => ({ available: before.available, reserved: plus(before.reserved ?? '0', cost) }),
      earned: times,
      tellsCancelledSize: false,
    },
  };
  interface Traded {
    buying(member: Member): object;
    selling(member: Member, size: string): object;
    /** The balance while an order of this cost is open. */
    held(before: Balance, cost: string): Balance;
    /** What a sale without shares brings, or one of shares. */
    earned(size: string, price: string): string;
    readonly tellsCancelledSize: boolean;
  }

  const rest = (member: Member, exchange: ExchangeName): Promise<Order> =>
    good<Order>(member, 'post', `/${exchange}/orders`, TRADED[exchange].buying(member));
  const sellInto = (member: Member, exchange: ExchangeName, size: string): Promise<Order> =>
    good<Order>(member, 'post', `/${exchange}/orders`, TRADED[exchange].selling(member, size));

  describe.each(EXCHANGES)('the life of an order at %s', (exchange) => {
    let order: Order;
    let price: string;
    let before: Balance;

    it('is open, in the list and by its id, and its cost is held back', async () => {
      before = await get<Balance>(ann, `/${exchange}/balance`);
      order = await rest(ann, exchange);
      price = order.price;
      expect(order).toMatchObject({ status: 'open', size: '20', filled_size: '0', remaining_size: '20' });
      expect(await list<Order>(ann, `/${exchange}/orders`)).toEqual([
        expect.objectContaining({ id: order.id, status: 'open' }),
      ]);
      expect(await get<Order>(ann, `/${exchange}/orders/${order.id}`)).toMatchObject({
        id: order.id,
        price,
        size: '20',
      });
      const held = await get<Balance>(ann, `/${exchange}/balance`);
      expect(held).toMatchObject(TRADED[exchange].held(before, times('20', price)));
    });

    it('is partially filled by another user; both see their own side of it, and pay exactly', async () => {
      const bens = await get<Balance>(ben, `/${exchange}/balance`);
      const sold = await sellInto(ben, exchange, '6');
      expect(sold).toMatchObject({ status: 'filled', filled_size: '6', remaining_size: '0', side: 'sell', size: '6' });
      const read = await get<Order>(ann, `/${exchange}/orders/${order.id}`);
      expect(read).toMatchObject({ status: 'partially_filled', filled_size: '6', remaining_size: '14' });
      const [fill, ...more] = await list<Fill>(ann, `/${exchange}/fills?order_id=${order.id}`);
      expect(more).toEqual([]);
      expect(fill).toMatchObject({ order_id: order.id, role: 'maker', size: '6', price, side: 'buy' });
      const [taken] = await list<Fill>(ben, `/${exchange}/fills?order_id=${sold.id}`);
      expect(taken).toMatchObject({ order_id: sold.id, role: 'taker', size: '6' });
      const [position] = await list<object>(ann, `/${exchange}/positions`);
      expect(position).toMatchObject({
        size: '6',
        cost_basis: times('6', price),
        average_price: price,
        outcome: { index: 0 },
      });
      const after = await get<Balance>(ben, `/${exchange}/balance`);
      const earned = TRADED[exchange].earned('6', price);
      expect(after.available).toBe(minus(plus(bens.available, earned), taken?.fee ?? '0'));
    });

    it('S-32 is nobody else’s: 404 to read and to cancel, and in no list of theirs', async () => {
      for (const other of [ben, cyd]) {
        expectError(await call(other, 'get', `/${exchange}/orders/${order.id}`), 404, 'not_found');
        expectError(await call(other, 'delete', `/${exchange}/orders/${order.id}`), 404, 'not_found');
        const theirs = [
          ...(await list<Order>(other, `/${exchange}/orders`)),
          ...(await list<Order>(other, `/${exchange}/fills`)),
        ];
        expect(JSON.stringify(theirs)).not.toContain(`"${order.id}"`);
        expect(await list<Fill>(other, `/${exchange}/fills?order_id=${order.id}`)).toEqual([]);
        expect(await good(other, 'delete', `/${exchange}/orders`)).toEqual({ cancelled: [], not_cancelled: [] });
      }
      for (const path of ['orders', 'fills', 'positions']) expect(await list(cyd, `/${exchange}/${path}`)).toEqual([]);
      expect((await get<Order>(ann, `/${exchange}/orders/${order.id}`)).status).toBe('partially_filled');
    });

    it('is cancelled once; the second time its end is told', async () => {
      expect(await good(ann, 'delete', `/${exchange}/orders/${order.id}`)).toMatchObject({
        id: order.id,
        status: 'cancelled',
        cancelled_size: TRADED[exchange].tellsCancelledSize ? '14' : null,
      });
      expect(await good(ann, 'delete', `/${exchange}/orders/${order.id}`)).toMatchObject({
        id: order.id,
        status: 'cancelled',
        cancelled_size: '14',
        filled_size: '6',
      });
      expect(await list<Order>(ann, `/${exchange}/orders`)).toEqual([]);
      const read = await get<Order>(ann, `/${exchange}/orders/${order.id}`);
      expect(read).toMatchObject({ status: 'cancelled', filled_size: '6' });
      const after = await get<Balance>(ann, `/${exchange}/balance`);
      expect(after.available).toBe(minus(before.available, times('6', price)));
      expect(after.reserved).toBe(before.reserved);
    });

    it('one that is filled whole is told so by its cancel', async () => {
      const { id } = await rest(ann, exchange);
      await sellInto(ben, exchange, '20');
      expect(await get<Order>(ann, `/${exchange}/orders/${id}`)).toMatchObject({
        status: 'filled',
        remaining_size: '0',
      });
      expect(await good(ann, 'delete', `/${exchange}/orders/${id}`)).toMatchObject({
        id,
        status: 'filled',
        cancelled_size: '0',
        filled_size: '20',
      });
    });

    it('all that are open are cancelled together, and only one’s own', async () => {
      const own = [await rest(ann, exchange), await rest(ann, exchange), await rest(ann, exchange)].map(({ id }) => id);
      const bens = await rest(ben, exchange);
      const report = await good<{ cancelled: string[] }>(ann, 'delete', `/${exchange}/orders`);
      expect({ ...report, cancelled: [...report.cancelled].sort() }).toEqual({
        cancelled: [...own].sort(),
        not_cancelled: [],
      });
      expect((await list<Order>(ben, `/${exchange}/orders`)).map(({ id }) => id)).toEqual([bens.id]);
      await good(ben, 'delete', `/${exchange}/orders/${bens.id}`);
    });

    it('S-48 an id that cannot be one of an order is 404, and nobody is asked', async () => {
      stand.sandbox.log.clear();
      for (const id of ['..', 'a%2Fb', '%2e%2e', 'x%3Fy', 'batched', 'queue_positions', '0'.repeat(400)]) {
        for (const method of ['get', 'delete'] as const) {
          const answer = await call(ann, method, `/${exchange}/orders/${id}`);
          expect([id, [404, 405].includes(answer.status)]).toEqual([id, true]);
        }
      }
      expect(stand.sandbox.log.list().map(({ method, url }) => `${method} ${url}`)).toEqual([]);
    });
  });

  describe('what Kalshi refuses', () => {
    it.each([
      ['would_cross', { price: '0.99', post_only: true }, 422],
      ['invalid_order', { price: '0.3', size: '0.001' }, 422],
      ['invalid_order', { price: '0.3', size: '1'.padEnd(40, '0') }, 422],
      ['insufficient_funds', { price: '0.3', size: '90000000' }, 422],
      ['market_closed', { price: '0.3', market_id: 'KXBTCMAX-YEAR-T200K' }, 422],
      ['market_closed', { price: '0.3', market_id: 'KXBTCMAX-YEAR-T120K' }, 422],
    ])('is 422 exchange_rejected with reason %s', async (reason, terms, status) => {
      const answer = await call(ann, 'post', '/kalshi/orders', plain(terms));
      expectError(answer, status, 'exchange_rejected', reason);
    });

    it.each([
      ['yes', '0.005'],
      ['no', '0.12345'],
    ])(
      'contract.md 5.3 a price of %s off the tick (%s) is 400 on price, from a refusal and then unsent',
      async (outcome, price) => {
        const body = plain({ price, outcome });
        const creates = (): number => stand.sandbox.log.list('kalshi').filter(({ method }) => method === 'POST').length;
        const before = creates();
        const expected = {
          code: 'bad_request',
          retryable: false,
          details: {
            fields: [{ field: 'price', message: 'must lie on a tick of this market: steps of 0.01 from 0 to 1' }],
          },
        };
        for (let i = 0; i < 2; i++) {
          const answer = await call(ann, 'post', '/kalshi/orders', body);
          expect([answer.status, answer.body]).toMatchObject([400, { error: expected }]);
        }
        expect(creates() - before).toBeLessThanOrEqual(1);
      },
    );

    it.each(['fok', 'ioc'])(
      'contract.md 5.3 a %s that finds nothing is not_filled with its id, and so is its replay',
      async (time_in_force) => {
        const [body, key] = [plain({ price: '0.01', time_in_force }), `nothing-${time_in_force}`];
        for (const replayed of [undefined, 'true']) {
          const answer = await call(ann, 'post', '/kalshi/orders', body, { 'Idempotency-Key': key });
          expectError(answer, 422, 'exchange_rejected', 'not_filled');
          expect(answer.headers['idempotency-replayed']).toBe(replayed);
          // Kalshi refuses a fok that finds nothing, and then has no order.
          if (time_in_force === 'fok') continue;
          const { order_id } = (answer.body as { error: { details: { order_id: string } } }).error.details;
          expect(await get(ann, `/kalshi/orders/${order_id}`)).toMatchObject({ status: 'cancelled', filled_size: '0' });
        }
      },
    );

    it('an unknown market is 404', async () => {
      const answer = await call(ann, 'post', '/kalshi/orders', plain({ price: '0.3', market_id: 'KXNONE-1' }));
      expectError(answer, 404, 'not_found');
    });

    it('an order whose time is over is cancelled, in the list of closed ones with its expiry', async () => {
      const expires_at = new Date(Math.ceil(Date.now() / 1_000 + 1) * 1_000).toISOString();
      const terms = plain({ market_id: QUIET, price: '0.02', time_in_force: 'gtd', expires_at });
      const made = await good<Order>(ann, 'post', '/kalshi/orders', terms);
      const inTime = (await list<object>(ann, `/kalshi/orders?market_id=${QUIET}`))[0];
      expect(inTime).toMatchObject({ id: made.id, status: 'open', time_in_force: 'gtd', expires_at });
      await delay(Date.parse(expires_at) - Date.now() + 50);
      expect(await list<Order>(ann, `/kalshi/orders?market_id=${QUIET}`)).toEqual([]);
      const closed = await list<Order>(ann, `/kalshi/orders?status=closed&market_id=${QUIET}`);
      const over = { status: 'cancelled', status_reason: null, filled_size: '0', time_in_force: 'gtd', expires_at };
      expect(closed.find(({ id }) => id === made.id)).toMatchObject(over);
      const told = { status: 'cancelled', cancelled_size: '20', filled_size: '0' };
      expect(await good(ann, 'delete', `/kalshi/orders/${made.id}`)).toMatchObject(told);
    });

    it('another order under a client order id that was used is duplicate_order; the same one is that order', async () => {
      const client_order_id = randomUUID();
      const terms = { market_id: QUIET, price: '0.02', client_order_id };
      const first = await good<Order>(ann, 'post', '/kalshi/orders', plain(terms));
      expect(await good<Order>(ann, 'post', '/kalshi/orders', plain({ ...terms, post_only: true }))).toEqual({
        ...first,
        // The exchange does not show it.
        post_only: null,
      });
      const expires_at = new Date(Date.now() + 600_000).toISOString();
      for (const change of [
        { price: '0.03' },
        { size: '9' },
        { time_in_force: 'gtd', expires_at },
        { outcome: 'no' },
        { side: 'sell' },
        { market_id: TICKER },
      ]) {
        const other = await call(ann, 'post', '/kalshi/orders', plain({ ...terms, ...change }));
        expectError(other, 422, 'exchange_rejected', 'duplicate_order');
      }
      // The exchange does not show how long an order lives, and states lag: it may be this very one.
      for (const time_in_force of ['ioc', 'fok']) {
        const other = await good<Order>(ann, 'post', '/kalshi/orders', plain({ ...terms, time_in_force }));
        expect(other).toMatchObject({ id: first.id, status: 'pending', status_reason: 'unknown_status' });
      }
      expect(await list<Order>(ann, `/kalshi/orders?market_id=${QUIET}`)).toHaveLength(1);
      expect(await list<Order>(ann, `/kalshi/orders?market_id=${TICKER}`)).toHaveLength(0);
      await good(ann, 'delete', `/kalshi/orders/${first.id}`);
    });
  });

  describe('what Polymarket refuses', () => {
    it.each([
      ['would_cross', { price: '0.99', post_only: true }],
      ['insufficient_funds', { price: '0.02', size: '90000000' }],
      ['not_filled', { price: '0.001', time_in_force: 'fok' }],
      ['not_filled', { price: '0.001', time_in_force: 'ioc' }],
      ['invalid_order', { price: '0.02', size: '1' }],
    ])('is 422 exchange_rejected with reason %s', async (reason, terms) => {
      const answer = await call(ann, 'post', '/polymarket/orders', signed(ann, terms));
      expectError(answer, 422, 'exchange_rejected', reason);
    });

    it('names the purchase of the other outcome where a sale lacks shares, and that purchase is taken', async () => {
      const refused = await call(cyd, 'post', '/polymarket/orders', signed(cyd, { side: 'SELL', price: '0.97' }));
      expectError(refused, 422, 'exchange_rejected', 'insufficient_funds');
      const { message } = (refused.body as { error: { message: string } }).error;
      expect(message).toContain('buy outcome 1 at 0.03.');
      const { id } = await good<Order>(cyd, 'post', '/polymarket/orders', signed(cyd, { price: '0.03', outcome: 1 }));
      await good(cyd, 'delete', `/polymarket/orders/${id}`);
    });

    it('an order that another wallet signed is 400, and the exchange is not called', async () => {
      const asked = stand.sandbox.log.list('polymarket').length;
      const answer = await call(ann, 'post', '/polymarket/orders', signed(ben, { price: '0.02' }));
      expectError(answer, 400, 'bad_request');
      expect(answer.body).toMatchObject({ error: { details: { fields: [{ field: 'signed_order.maker' }] } } });
      expect(stand.sandbox.log.list('polymarket')).toHaveLength(asked);
    });

    it('the same order again is that order: one at the exchange', async () => {
      const body = signed(ann, { price: '0.02' });
      const first = await good<Order>(ann, 'post', '/polymarket/orders', body);
      const again = await good<Order>(ann, 'post', '/polymarket/orders', { ...body, post_only: true });
      // The exchange shows when it was made, but not whether it was post-only.
      expect(again).toEqual({ ...first, post_only: null, created_at: again.created_at });
      for (const time_in_force of ['ioc', 'fok']) {
        const other = await call(ann, 'post', '/polymarket/orders', { ...body, time_in_force });
        expectError(other, 422, 'exchange_rejected', 'duplicate_order');
      }
      expect(await list<Order>(ann, '/polymarket/orders')).toHaveLength(1);
      await good(ann, 'delete', `/polymarket/orders/${first.id}`);
    });

    it('one that the exchange holds back is pending, then filled', async () => {
      const slow = await get<Market>(ann, '/polymarket/markets/bitcoin-up-or-down-hourly');
      const terms = { tokenId: slow.outcomes[0]?.id ?? '', side: 'BUY', price: '0.99', size: '5' } as const;
      const signed_order = ann.wallet.sign({ ...terms, negRisk: slow.refs.neg_risk === true });
      const waiting = await good<Order>(ann, 'post', '/polymarket/orders', { signed_order });
      expect(waiting).toMatchObject({ status: 'pending', filled_size: '0', remaining_size: '5' });
      await delay(350);
      const later = await get<Order>(ann, `/polymarket/orders/${waiting.id}`);
      expect(later).toMatchObject({ status: 'filled', filled_size: '5' });
    });
  });

  it('S-39 of 200 interleaved calls of two users none is signed with the other’s key', async () => {
    stand.sandbox.log.clear();
    const names = new Map(
      [ann, ben].flatMap((member) => [
        [member.accessKey, member.name],
        [member.account.api_key, member.name],
      ]),
    );
    const owners = new Map<string, string>();
    const kinds: ((member: Member, at: number) => Promise<unknown>)[] = [
      (member) => get(member, '/kalshi/balance'),
      (member) => get(member, '/polymarket/balance'),
      async (member, at) => {
        const client_order_id = `${member.name}-${at}`;
        const terms = { market_id: QUIET, outcome: 'yes', side: 'buy', price: '0.01', size: '1', client_order_id };
        const { id } = await good<Order>(member, 'post', '/kalshi/orders', terms);
        owners.set(id, member.name);
        expect((await get<Order>(member, `/kalshi/orders/${id}`)).client_order_id).toBe(client_order_id);
      },
      async (member) => {
        const { id } = await good<Order>(member, 'post', '/polymarket/orders', signed(member, { price: '0.01' }));
        owners.set(id, member.name);
        await good(member, 'delete', `/polymarket/orders/${id}`);
      },
      (member) => get(member, '/polymarket/fills'),
      (member) => get(member, '/kalshi/positions'),
    ];
    await Promise.all(
      Array.from({ length: CALLS }, (_, at) => {
        const member = at % 2 === 0 ? ann : ben;
        const kind = kinds[Math.floor(at / 2) % kinds.length];
        return Promise.resolve(kind?.(member, at));
      }),
    );
    const seen: Record<string, number> = { ann: 0, ben: 0 };
    const changes: Record<string, number> = { ann: 0, ben: 0 };
    for (const { method, headers, url, body } of stand.sandbox.log.list()) {
      const key = headers['kalshi-access-key'] ?? headers.poly_api_key;
      if (key === undefined) continue;
      const signer = names.get(String(key));
      expect(signer).toEqual(expect.any(String));
      seen[signer ?? ''] = (seen[signer ?? ''] ?? 0) + 1;
      if (method !== 'GET') changes[signer ?? ''] = (changes[signer ?? ''] ?? 0) + 1;
      const text = `${url} ${body}`;
      const other = signer === 'ann' ? ben : ann;
      const foreign = [...owners].filter(([, name]) => name !== signer).map(([id]) => id);
      expect(text).not.toContain(`"${other.name}-`);
      expect(text.toLowerCase()).not.toContain(other.account.wallet_address.toLowerCase());
      expect(text).not.toContain(other.account.api_key);
      expect(foreign.filter((id) => text.includes(id))).toEqual([]);
      expect(String(headers.poly_address ?? '')).not.toBe(other.account.signer_address);
    }
    expect(changes.ann).toBe(changes.ben);
    expect(Math.min(seen.ann ?? 0, seen.ben ?? 0)).toBeGreaterThanOrEqual(CALLS / 2);
    const own = (await list<Order>(ann, '/kalshi/orders?limit=100')).map(({ client_order_id }) => client_order_id);
    expect(own.length).toBeGreaterThan(10);
    expect(own.every((id) => id?.startsWith('ann-'))).toBe(true);
  });
});
