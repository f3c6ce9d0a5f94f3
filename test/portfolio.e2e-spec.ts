import { setTimeout } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { add, multiply, subtract } from '../src/exchanges/decimal.js';
import { ApiShapes } from './support/api-shapes.js';
import { aBot } from './support/bots.js';
import { codeOf } from './support/calls.js';
import { aHolder, control, type Holder, read, tradeKalshi, tradePolymarket } from './support/portfolio.js';
import { startTestStand, type TestStand } from './support/sandbox.js';

const SLUG = 'will-bitcoin-reach-130k-this-year';
const [HELD, EMPTY] = ['KXHIGHNY-TODAY-B55.5', 'KXHIGHNY-TODAY-T58'];
/** What every fresh account of the sandbox has. */
const DEPOSIT = '10000';

type Amount = string | null;

interface Part {
  readonly exchange: string;
  readonly balance: { readonly available: string; readonly reserved: Amount } | null;
  readonly positions_value: Amount;
  readonly redeemable_value: Amount;
  readonly unrealized_pnl: Amount;
  readonly realized_pnl: Amount;
  readonly fees: Amount;
  readonly open_orders: number | null;
  readonly error: { readonly code: string; readonly message: string } | null;
}

interface Total {
  readonly currency: string;
  readonly cash: Amount;
  readonly reserved: Amount;
  readonly positions_value: Amount;
  readonly equity: Amount;
  readonly unrealized_pnl: Amount;
  readonly realized_pnl: Amount;
  readonly partial: boolean;
}

interface Portfolio {
  readonly exchanges: Part[];
  readonly totals: Total[];
  readonly as_of: string;
}

describe('what a user has at all exchanges (contract.md 5.17)', () => {
  let stand: TestStand;
  let shapes: ApiShapes;

  beforeAll(async () => {
    stand = await startTestStand();
    shapes = await ApiShapes.of(stand.app.url);
  });

  afterEach(() => {
    stand.sandbox.faults.clear();
  });

  afterAll(() => stand.close());

  const portfolio = async (token: string): Promise<Portfolio> => {
    const answer = await read(stand, '/portfolio', token);
    expect([answer.status, answer.status === 200 ? '' : answer.text]).toEqual([200, '']);
    expect(shapes.faults('get', '/portfolio', answer.body)).toEqual([]);
    return answer.body as Portfolio;
  };

  const of = ({ exchanges }: Portfolio, exchange: string): Part => {
    const part = exchanges.find((one) => one.exchange === exchange);
    if (part === undefined) throw new Error(`nothing of ${exchange}`);
    return part;
  };

  const total = ({ totals }: Portfolio, currency: string): Total => {
    const found = totals.find((one) => one.currency === currency);
    if (found === undefined) throw new Error(`nothing in ${currency}`);
    return found;
  };

  const marketOf = async ({ key }: Holder): Promise<{ id: string; outcomes: { id: string }[] }> =>
    (await read(stand, `/polymarket/markets/${SLUG}`, key)).body as { id: string; outcomes: { id: string }[] };

  const fault = (exchange: 'kalshi' | 'polymarket', path: string): void => {
    stand.sandbox.faults.add({ exchange, method: 'GET', path, fault: 'status', status: 500, times: 100 });
  };

  it('of who has nothing is money alone, each currency by itself', async () => {
    const { key } = await aHolder(stand);
    const seen = await portfolio(key);
    expect(Math.abs(Date.parse(seen.as_of) - Date.now())).toBeLessThan(5_000);
    for (const currency of ['USD', 'PUSD'])
      expect(total(seen, currency)).toEqual({
        currency,
        cash: DEPOSIT,
        reserved: '0',
        positions_value: '0',
        equity: DEPOSIT,
        unrealized_pnl: '0',
        realized_pnl: '0',
        partial: false,
      });
    expect(seen.exchanges).toMatchObject([
      { exchange: 'kalshi', open_orders: 0, fees: '0', error: null },
      { exchange: 'polymarket', open_orders: 0, fees: null, error: null },
    ]);
  });

  it('values a position by the mark of the exchange, else by the best bid', async () => {
    const holder = await aHolder(stand);
    await tradeKalshi(holder, { ticker: HELD, side: 'ask', count: '3.33', price: '0.0100' });
    const { outcomes } = await marketOf(holder);
    await tradePolymarket(holder, {
      tokenId: outcomes[1]?.id ?? '',
      negRisk: false,
      side: 'BUY',
      price: '0.99',
      size: '7.77',
    });
    const seen = await portfolio(holder.key);
    const book = (await read(stand, `/kalshi/orderbooks?market_id=${HELD}&outcome=no&depth=1`, holder.key)).body as {
      bids: { price: string }[];
    };
    const [held] = ((await read(stand, '/kalshi/positions', holder.key)).body as { data: { cost_basis: string }[] })
      .data;
    const value = multiply('3.33', book.bids[0]?.price ?? '');
    expect(of(seen, 'kalshi')).toMatchObject({
      positions_value: value,
      redeemable_value: '0',
      unrealized_pnl: subtract(value, held?.cost_basis ?? ''),
    });
    const [marked] = (
      (await read(stand, '/polymarket/positions', holder.key)).body as {
        data: { market_value: string; unrealized_pnl: string }[];
      }
    ).data;
    expect(of(seen, 'polymarket')).toMatchObject({
      positions_value: marked?.market_value,
      unrealized_pnl: marked?.unrealized_pnl,
    });
  });

  it('nets cash of what orders hold back at both, though one exchange says it gross', async () => {
    const holder = await aHolder(stand);
    const before = await portfolio(holder.key);
    await holder.kalshi.order({ price: '0.0100', count: '12.50' });
    const { outcomes } = await marketOf(holder);
    await tradePolymarket(holder, {
      tokenId: outcomes[0]?.id ?? '',
      negRisk: false,
      side: 'BUY',
      price: '0.01',
      size: '30',
    });
    const seen = await portfolio(holder.key);
    expect(total(seen, 'USD')).toMatchObject({ cash: '9999.875', reserved: '0.125', equity: DEPOSIT });
    expect(total(seen, 'PUSD')).toMatchObject({ cash: '9999.7', reserved: '0.3', equity: DEPOSIT });
    expect(seen.exchanges.map(({ open_orders }) => open_orders)).toEqual([1, 1]);
    expect(before.totals.map(({ equity }) => equity)).toEqual(seen.totals.map(({ equity }) => equity));
    const [kalshi, polymarket] = seen.exchanges;
    expect([kalshi?.balance?.available, polymarket?.balance?.available]).toEqual(['9999.875', '10000']);
    const bot = await aBot(stand.app, holder.user);
    expect((await portfolio(bot.key)).exchanges).toMatchObject([{ open_orders: 0 }, { open_orders: 0 }]);
  });

  it('has what won positions will pay in their value, and in the gains once it is paid', async () => {
    const own = await startTestStand();
    try {
      const holder = await aHolder(own);
      const market = (await read(own, `/polymarket/markets/${SLUG}`, holder.key)).body as {
        id: string;
        outcomes: { id: string }[];
      };
      const token = market.outcomes[0]?.id ?? '';
      await tradePolymarket(holder, { tokenId: token, negRisk: false, side: 'BUY', price: '0.99', size: '20' });
      await control(own, '/polymarket/markets', { market_id: market.id, winner: 0 });
      const seen = async (): Promise<Part> =>
        of((await read(own, '/portfolio', holder.key)).body as Portfolio, 'polymarket');
      const won = await seen();
      expect(won).toMatchObject({ positions_value: '20', redeemable_value: '20', realized_pnl: '0' });
      await control(own, '/polymarket/redemptions', {
        wallet_address: holder.polymarket.account.wallet_address,
        market_id: market.id,
      });
      expect(await seen()).toMatchObject({
        positions_value: '0',
        redeemable_value: '0',
        realized_pnl: won.unrealized_pnl,
        unrealized_pnl: '0',
      });
    } finally {
      await own.close();
    }
  });

  it('a position for which nobody bids is unknown, never 0, and makes the total partial', async () => {
    const own = await startTestStand();
    try {
      const holder = await aHolder(own);
      const { markets } = own.sandbox.kalshi.exchange;
      await tradeKalshi(holder, { ticker: EMPTY, side: 'bid', count: '1.00', price: '0.9900' });
      const book = markets.get(EMPTY)?.book;
      for (const { price } of book?.levels('bid') ?? [])
        await tradeKalshi(await aHolder(own), {
          ticker: EMPTY,
          side: 'ask',
          count: '9000.00',
          price: (Number(price) / 1e6).toFixed(4),
        });
      const seen = (await read(own, '/portfolio', holder.key)).body as Portfolio;
      if (book?.best('bid') !== undefined) throw new Error('The book has a bid yet.');
      expect(of(seen, 'kalshi')).toMatchObject({ positions_value: null, unrealized_pnl: null, error: null });
      expect(total(seen, 'USD')).toMatchObject({
        cash: expect.any(String),
        positions_value: null,
        equity: null,
        partial: true,
      });
      expect(total(seen, 'PUSD')).toMatchObject({ equity: DEPOSIT, partial: false });
    } finally {
      await own.close();
    }
  });

  it.each([
    ['kalshi', '/portfolio', 'USD', 'PUSD'],
    ['polymarket', '/', 'PUSD', 'USD'],
  ] as const)('%s failing leaves the figures of the other, and says why', async (exchange, path, failed, whole) => {
    const { key } = await aHolder(stand);
    fault(exchange, path);
    const seen = await portfolio(key);
    expect(of(seen, exchange)).toMatchObject({
      balance: null,
      positions_value: null,
      realized_pnl: null,
      open_orders: null,
      error: { code: 'exchange_error', message: expect.any(String) },
    });
    expect(total(seen, failed)).toEqual({
      currency: failed,
      cash: null,
      reserved: null,
      positions_value: null,
      equity: null,
      unrealized_pnl: null,
      realized_pnl: null,
      partial: true,
    });
    expect(total(seen, whole)).toMatchObject({ equity: DEPOSIT, partial: false });
    expect(seen.exchanges.find((one) => one.exchange !== exchange)?.error).toBeNull();
  });

  it.each([
    ['kalshi', '/portfolio/positions', { balance: { available: DEPOSIT }, positions_value: null, realized_pnl: null }],
    ['kalshi', '/historical/positions', { positions_value: '0', realized_pnl: null, fees: null }],
    ['polymarket', '/v2/positions', { balance: { available: DEPOSIT }, positions_value: null, open_orders: 0 }],
  ] as const)('one part of %s failing leaves the other parts: %s', async (exchange, path, left) => {
    const { key } = await aHolder(stand);
    fault(exchange, path);
    const seen = await portfolio(key);
    expect(of(seen, exchange)).toMatchObject({ ...left, error: { code: 'exchange_error' } });
    expect(seen.totals.filter(({ partial }) => partial)).toHaveLength(1);
  });

  it('an exchange without stored credentials is named, and in no total', async () => {
    const { key } = await aHolder(stand, ['polymarket']);
    const seen = await portfolio(key);
    expect(of(seen, 'kalshi')).toMatchObject({ balance: null, error: { code: 'credentials_not_configured' } });
    expect(seen.totals).toMatchObject([{ currency: 'PUSD', equity: DEPOSIT, partial: false }]);
    const nobody = await aHolder(stand, []);
    expect((await portfolio(nobody.key)).totals).toEqual([]);
  });

  it('is for traders and sessions; a bot sees its own exchanges', async () => {
    const holder = await aHolder(stand);
    expect((await portfolio(holder.user.token)).totals).toHaveLength(2);
    const bot = await aBot(stand.app, holder.user, { exchanges: ['kalshi'] });
    expect((await portfolio(bot.key)).exchanges.map(({ exchange }) => exchange)).toEqual(['kalshi']);
    const reader = await aBot(stand.app, holder.user, { scopes: ['read'] });
    expect(codeOf(await read(stand, '/portfolio', reader.key))).toBe('forbidden');
  });

  it('one reading serves all who ask at once and within 2 s, and no-cache has it read anew, not for a bot', async () => {
    const own = await startTestStand();
    try {
      const holder = await aHolder(own);
      const bots = await Promise.all([1, 2].map(() => aBot(own.app, holder.user)));
      const keys = [holder.key, ...bots.map(({ key }) => key)];
      const ask = async (token: string): Promise<Portfolio> => {
        const answer = await fetch(`${own.app.url}/portfolio`, { headers: { authorization: `Bearer ${token}` } });
        return (await answer.json()) as Portfolio;
      };
      const readings = (): number =>
        own.sandbox.log.list().filter(({ path }) => path.endsWith('/historical/positions')).length;
      const seen = await Promise.all([...keys, holder.user.token, ...keys].map(ask));
      expect([readings(), new Set(seen.map(({ totals }) => JSON.stringify(totals))).size]).toEqual([1, 1]);
      const [first, again] = [seen[0]?.as_of, await ask(holder.key)];
      expect([readings(), again.as_of]).toEqual([1, first]);
      await read(own, '/portfolio', bots[0]?.key ?? '');
      expect(readings()).toBe(1);
      await read(own, '/portfolio', holder.key);
      expect(readings()).toBe(2);
      await setTimeout(2_100);
      expect((await ask(holder.key)).as_of > again.as_of).toBe(true);
      expect(readings()).toBe(3);
    } finally {
      await own.close();
    }
  });

  it('ends within the time of one call, with what was read by then', async () => {
    const own = await startTestStand({ UPSTREAM_TIMEOUT: '1s' });
    try {
      const { key } = await aHolder(own);
      own.sandbox.faults.add({
        exchange: 'kalshi',
        method: 'GET',
        path: '/',
        fault: 'delay',
        delay_ms: 700,
        times: 100,
      });
      const began = performance.now();
      const seen = (await read(own, '/portfolio', key)).body as Portfolio;
      expect(performance.now() - began).toBeLessThan(1_500);
      expect(of(seen, 'kalshi')).toMatchObject({
        positions_value: '0',
        realized_pnl: null,
        error: { code: 'exchange_timeout' },
      });
      expect(total(seen, 'PUSD')).toMatchObject({ equity: DEPOSIT });
    } finally {
      await own.close();
    }
  });

  it('sums only what is of one currency', async () => {
    const holder = await aHolder(stand);
    const seen = await portfolio(holder.key);
    for (const { cash, reserved, positions_value, equity } of seen.totals)
      expect(add(add(cash ?? '', reserved ?? ''), positions_value ?? '')).toBe(equity);
  });
});
