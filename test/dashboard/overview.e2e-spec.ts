import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { toFixed } from '../../sandbox/units.js';
import { aBot } from '../support/bots.js';
import { startBrowser } from '../support/browser.js';
import { get, post } from '../support/calls.js';
import { expectAccessible, seeHeading, TestDashboard } from '../support/dashboard.js';
import { canonical, minus, plus, times } from '../support/exact.js';
import { EXCHANGE } from '../support/exchanges.js';
import { aHolder, control, type Holder, read, tradeKalshi, tradePolymarket } from '../support/portfolio.js';
import { aTrader, startTestStand, type TestStand } from '../support/sandbox.js';

const { market: TICKER, event: EVENT } = EXCHANGE.kalshi;
/** A market of the same event that nobody bids for, one that the test ends, and one of Polymarket. */
const [UNBID, ENDED, SLUG] = ['KXHIGHNY-TODAY-T51', 'KXHIGHNY-TODAY-B53.5', 'will-bitcoin-reach-130k-this-year'];
/** Of every fresh account of the sandbox. */
const DEPOSIT = '10000';
const [MINUTE_MS, DAY_MS] = [60_000, 86_400_000];
const FITS = 'document.documentElement.scrollWidth <= innerWidth';

interface Gains {
  readonly cost: string;
  readonly realised: string;
  readonly fees: string;
  readonly cash: string;
  /** What is held of each: its size. */
  readonly held: ReadonlyMap<string, string>;
  /** What was paid for that. */
  readonly paid: ReadonlyMap<string, string>;
  readonly fills: number;
}

interface Deal {
  readonly of: string;
  readonly isBought: boolean;
  readonly price: string;
  readonly size: string;
  readonly fee: string;
}

interface RawFill {
  readonly ticker: string;
  readonly outcome_side: string;
  readonly count_fp: string;
  readonly yes_price_dollars: string;
  readonly fee_cost: string;
}

/** What purchases and sales come to, at average cost; each is bought before it is sold, in tenths of what was bought. */
function gainsOf(deals: readonly Deal[], payouts: Readonly<Record<string, string>> = {}): Gains {
  const held = new Map<string, string>();
  const paid = new Map<string, string>();
  let [realised, cash, fees] = ['0', DEPOSIT, '0'];
  const take = (of: string, size: string, money: string): void => {
    const before = held.get(of) ?? '0';
    const cost = paid.get(of) ?? '0';
    // Sizes are chosen so that this comes out even.
    const share = canonical(Number(size) / Number(before));
    held.set(of, minus(before, size));
    paid.set(of, minus(cost, times(cost, share)));
    realised = plus(realised, minus(money, times(cost, share)));
    cash = plus(cash, money);
  };
  for (const { of, isBought, price, size, fee } of deals) {
    fees = plus(fees, fee);
    if (!isBought) {
      take(of, size, times(price, size));
      continue;
    }
    held.set(of, plus(held.get(of) ?? '0', size));
    paid.set(of, plus(paid.get(of) ?? '0', times(price, size)));
    cash = minus(cash, times(price, size));
  }
  for (const [of, payout] of Object.entries(payouts)) take(of, held.get(of) ?? '0', times(payout, held.get(of) ?? '0'));
  const cost = plus('0', ...paid.values());
  return { cost, realised, fees, cash: minus(cash, fees), held, paid, fills: deals.length };
}

/** Of a step before the tests; throws where it went otherwise. */
function expectStatus(answer: { readonly status: number; readonly body: unknown }, status: number): void {
  if (answer.status !== status) throw new Error(`${answer.status}: ${JSON.stringify(answer.body)}`);
}

describe('the overview', () => {
  let stand: TestStand;
  let browser: Browser;
  let dashboard: TestDashboard;
  let holder: Holder;
  let [kalshiBefore, polymarketBefore]: [Gains | null, Gains | null] = [null, null];
  let token = '';
  let maker: { readonly id: string; readonly key: string };
  /** When the reader's day began. */
  const midnight = Math.floor(Date.now() / DAY_MS) * DAY_MS;

  /** What Kalshi's sandbox has of the holder's fills, in the order of the trades. */
  const kalshiNow = async (payouts: Readonly<Record<string, string>> = {}): Promise<Gains> => {
    const { body } = await holder.kalshi.get('/portfolio/fills');
    const fills = [...(body as { fills: RawFill[] }).fills].reverse();
    const deals = fills.map(({ ticker, outcome_side, count_fp, yes_price_dollars, fee_cost }) => ({
      of: ticker,
      isBought: outcome_side === 'yes',
      price: yes_price_dollars,
      size: count_fp,
      fee: fee_cost,
    }));
    return gainsOf(deals, payouts);
  };
  /** The same of Polymarket's. */
  const polymarketNow = (): Gains => {
    const { exchange } = stand.sandbox.polymarket;
    const wallet = holder.polymarket.account.wallet_address.toLowerCase();
    const own = exchange.trades.filter(({ taker }) => taker.maker.toLowerCase() === wallet);
    const deals = own.map(({ taker, price, size }) => ({
      of: 'token',
      isBought: taker.side === 'BUY',
      price: toFixed(price, 6),
      size: toFixed(size, 6),
      fee: '0',
    }));
    const gains = gainsOf(deals);
    return { ...gains, cash: minus(gains.cash, toFixed(exchange.ledger.paidFees(wallet), 6)) };
  };

  beforeAll(async () => {
    [stand, browser] = await Promise.all([startTestStand(), startBrowser()]);
    dashboard = new TestDashboard(stand.app, browser);
    holder = await aHolder(stand);
    const { user, key } = holder;
    // The day before: purchases, and what they came to then.
    await tradeKalshi(holder, { ticker: TICKER, side: 'bid', count: '10', price: '0.9900' });
    await tradeKalshi(holder, { ticker: ENDED, side: 'bid', count: '4', price: '0.9900' });
    const market = (await read(stand, `/polymarket/markets/${SLUG}`, key)).body as { outcomes: { id: string }[] };
    token = market.outcomes[0]?.id ?? '';
    await tradePolymarket(holder, { tokenId: token, negRisk: false, side: 'BUY', price: '0.99', size: '20' });
    [kalshiBefore, polymarketBefore] = [await kalshiNow(), polymarketNow()];
    await read(stand, '/portfolio', key);
    await stand.app.query('UPDATE equity_points SET at = $2 WHERE user_id = $1', [
      user.id,
      new Date(midnight - 10 * MINUTE_MS),
    ]);
    // Today: part is sold, a market is settled, and something is bought that nobody bids for.
    await tradeKalshi(holder, { ticker: TICKER, side: 'ask', count: '4', price: '0.0100' });
    await control(stand, '/kalshi/markets', { ticker: ENDED, result: 'yes' });
    await tradeKalshi(holder, { ticker: UNBID, side: 'bid', count: '2', price: '0.9900' });
    const sale = { tokenId: token, negRisk: false, side: 'SELL', price: '0.01', size: '5' } as const;
    expectStatus(await holder.polymarket.post(holder.polymarket.sign(sale), { orderType: 'FAK' }), 200);
    maker = await aBot(stand.app, user, { name: 'maker', limits: { max_daily_risk: '20', max_order_risk: '1' } });
    const order = { market_id: TICKER, outcome: 'yes', side: 'buy', price: '0.05', size: '10' };
    const place = (size: string, by: string) => post(stand.app, '/kalshi/orders', { ...order, size }, by);
    expectStatus(await place('10', maker.key), 200);
    for (const size of ['100', '200']) expectStatus(await place(size, maker.key), 403);
    expectStatus(await place('9000000', key), 422);
  });

  afterAll(async () => {
    await browser.close();
    await stand.close();
  });

  afterEach(async () => {
    stand.sandbox.faults.clear();
    await dashboard.close();
  });

  const open = async (email: string, options: BrowserContextOptions = {}): Promise<Page> => {
    const page = await dashboard.open({ timezoneId: 'UTC', viewport: { width: 1_280, height: 900 }, ...options });
    await dashboard.signIn(page, email);
    await seeHeading(page, 'Overview');
    return page;
  };
  const panel = (page: Page, name: string): Locator => page.getByRole('region', { name, exact: true });
  const money = (page: Page, currency: string): Locator => panel(page, `Equity in ${currency}`);
  const fact = (page: Page, currency: string, name: string, at = 1): Locator =>
    money(page, currency)
      .locator('dt', { hasText: new RegExp(`^${name}$`) })
      .locator(`xpath=following-sibling::dd[${at}]`);
  /** Its figures as text, without the commas that are drawn. */
  const textOf = async (locator: Locator): Promise<string> => (await locator.innerText()).replaceAll(',', '').trim();
  const signed = (amount: string): string => (amount.startsWith('-') || amount === '0' ? amount : `+${amount}`);

  it('says at once what one has and won today, to the last digit as the exchanges’ fills, settlements and marks have it', async () => {
    const bids = stand.sandbox.kalshi.exchange.liveMarkets().find(({ ticker }) => ticker === TICKER)?.book;
    const bid = toFixed(bids?.best('bid')?.price ?? 0n, 6);
    const kalshi = await kalshiNow({ [ENDED]: '1' });
    const polymarket = polymarketNow();
    const found = stand.sandbox.polymarket.exchange.catalogue.findToken(token);
    const mark = toFixed(found?.market.worth(found.outcome) ?? 0n, 6);
    const worth = times(mark, '15');
    const open_ = minus(worth, polymarket.cost);
    const openBefore = minus(times(mark, '20'), polymarketBefore?.cost ?? '');
    const reserved = times('0.05', '10');
    const known = times(bid, '6');
    expect([kalshi.realised, polymarket.realised].includes('0')).toBe(false);

    const page = await open(holder.user.email);
    const expectFact = async (currency: string, name: string, value: string | null): Promise<void> => {
      await fact(page, currency, name)
        .filter({ hasText: value === null ? 'not known' : currency })
        .waitFor();
      const said = value === null ? 'not known' : `${value} ${currency}`;
      expect([currency, name, await textOf(fact(page, currency, name))]).toEqual([currency, name, said]);
    };
    const made = async (currency: string, name: string): Promise<string> =>
      (await textOf(fact(page, currency, name, 2))).replace(/^since .*?: /, '');

    // Of what nobody bids for the value is not known: what is known is told beside it, and is no sum.
    const cash = minus(kalshi.cash, reserved);
    const least = plus(cash, reserved, known);
    await money(page, 'USD').getByText('and 1 position without a price').first().waitFor();
    expect(await textOf(money(page, 'USD').locator('p').first())).toBe(
      `at least ${least} USD and 1 position without a price`,
    );
    await expectFact('USD', 'Today', null);
    const realisedToday = minus(kalshi.realised, kalshiBefore?.realised ?? '');
    expect(await made('USD', 'Today')).toBe(`realised ${signed(realisedToday)} open not known fees ${kalshi.fees}`);
    await expectFact('USD', 'Profit and loss', null);
    expect(await made('USD', 'Profit and loss')).toBe(
      `realised ${signed(kalshi.realised)} open not known fees ${kalshi.fees}`,
    );
    await expectFact('USD', 'Open risk', null);
    expect(await textOf(fact(page, 'USD', 'Open risk', 2))).toBe(`${known} and 1 position without a price`);
    await expectFact('USD', 'In open orders', reserved);
    await expectFact('USD', 'Cash', cash);
    await expectFact('USD', 'Positions', null);
    await expectFact('USD', 'Fees', kalshi.fees);

    const realised = minus(polymarket.realised, polymarketBefore?.realised ?? '');
    const openToday = minus(open_, openBefore);
    expect(await textOf(money(page, 'PUSD').locator('p').first())).toBe(`${plus(polymarket.cash, worth)} PUSD`);
    await expectFact('PUSD', 'Today', signed(plus(realised, openToday)));
    expect(await made('PUSD', 'Today')).toContain(`realised ${signed(realised)} open ${signed(openToday)}`);
    await expectFact('PUSD', 'Profit and loss', signed(plus(polymarket.realised, open_)));
    expect(await made('PUSD', 'Profit and loss')).toBe(
      `realised ${signed(polymarket.realised)} open ${signed(open_)} before fees`,
    );
    await expectFact('PUSD', 'Open risk', worth);
    await expectFact('PUSD', 'Positions', worth);
    await expectFact('PUSD', 'In open orders', '0');
    await expectFact('PUSD', 'Cash', polymarket.cash);

    // Bots, what happened, positions and orders.
    const bot = panel(page, 'Bots').getByRole('row', { name: 'maker' });
    await bot.getByRole('link', { name: '2 refused of maker' }).waitFor();
    await bot.getByRole('link', { name: '1 open of maker' }).waitFor();
    expect(await textOf(bot.getByRole('listitem').first())).toMatch(/^Today\s+0\.5 of 20 USD$/);
    expect(await bot.locator('[data-full]').first().getAttribute('style')).toContain('width: 2.5%');
    const lately = panel(page, 'Since yesterday');
    await lately.getByRole('link', { name: '1 position', exact: true }).waitFor();
    const won = minus('4', plus(kalshiBefore?.paid.get(ENDED) ?? ''));
    // Of all that was settled, and of the one by its name.
    await lately.getByText(`+${won} USD`).first().waitFor();
    expect(await lately.getByText(`+${won} USD`).count()).toBe(2);
    const fills = kalshi.fills + polymarket.fills;
    await lately.getByRole('link', { name: `${fills} fills`, exact: true }).waitFor();
    await lately.getByText('of 6 orders').waitFor();
    await lately.getByRole('link', { name: '3 orders', exact: true }).waitFor();
    expect(
      (await lately.locator('dd').last().getByRole('listitem').allInnerTexts()).map((text) =>
        text.replace(/\s+/g, ' '),
      ),
    ).toEqual(['limit exceeded 2', 'insufficient funds 1']);
    const exposure = panel(page, 'Exposure by event').getByRole('row');
    await exposure
      .filter({ hasText: '2 markets, partial: 1 of 2 positions of unknown value' })
      .getByText(`${known} + ?`)
      .waitFor();
    const other = exposure.filter({ hasText: 'Polymarket' }).getByRole('cell');
    expect((await other.allInnerTexts()).slice(0, 3)).toEqual([worth, signed(open_), polymarket.cost]);
    const orders = panel(page, 'Open orders');
    await orders
      .getByText(new RegExp(`In them: ${reserved.replace('.', '\\.')} USD, 0 PUSD \\(read \\d+ s ago\\)`))
      .waitFor();
    await orders.getByRole('row').nth(1).getByText('Buy Yes').waitFor();
    expect(dashboard.complaints.filter((text) => !text.includes('401'))).toEqual([]);
  });

  it('leads from each panel in one click to the list behind it, filtered', async () => {
    const page = await open(holder.user.email);
    const table = (name: string): Locator => page.getByRole('table', { name, exact: true });
    const ways: readonly [from: () => Locator, address: RegExp, shown: () => Locator][] = [
      [
        () => money(page, 'USD').getByRole('link', { name: 'Today' }),
        /list=fills&exchange=kalshi/,
        () => page.getByText(/^\d+ of \d+ fills$/),
      ],
      [
        () => money(page, 'USD').getByRole('link', { name: 'Profit and loss' }),
        /list=settlements&exchange=kalshi/,
        () => table('Settlements'),
      ],
      [
        () => money(page, 'USD').getByRole('link', { name: 'Open risk' }),
        /list=positions&exchange=kalshi/,
        () => page.getByText('2 of 3 positions'),
      ],
      [
        () => money(page, 'USD').getByRole('link', { name: 'In open orders' }),
        /list=orders&exchange=kalshi/,
        () => table('Open orders'),
      ],
      [
        () => page.getByRole('link', { name: 'Over time' }),
        /list=course&span=week/,
        () => page.getByRole('button', { name: 'Week' }),
      ],
      [
        () => panel(page, 'Bots').getByRole('link', { name: 'maker', exact: true }),
        /bots#bot_/,
        () => page.locator(`#${maker.id}:focus`),
      ],
      [
        () => page.getByRole('link', { name: '1 open of maker' }),
        new RegExp(`list=orders&bot=${maker.id}`),
        () => page.getByText('1 open order', { exact: true }),
      ],
      [
        () => page.getByRole('link', { name: '2 refused of maker' }),
        new RegExp(`list=orders&state=refused&bot=${maker.id}`),
        () => page.locator('table[aria-rowcount="3"]').getByText('limit exceeded').first(),
      ],
      [
        () => panel(page, 'Since yesterday').getByRole('link', { name: '1 position' }),
        /list=settlements&start=[^&]+$/,
        () => table('Settlements'),
      ],
      [
        () => panel(page, 'Since yesterday').getByRole('link', { name: 'fills' }),
        /list=fills&start=[^&]+$/,
        () => page.getByText(/^\d+ fills, from /),
      ],
      [
        () => panel(page, 'Since yesterday').getByRole('link', { name: '3 orders' }),
        /list=orders&state=refused&start=[^&]+$/,
        () => page.locator('table[aria-rowcount="4"]').getByText('insufficient funds'),
      ],
      [
        () => panel(page, 'Exposure by event').getByRole('link', { name: 'NYC' }),
        new RegExp(`list=positions&exchange=kalshi&market=${EVENT}`),
        () => page.getByText('2 of 3 positions'),
      ],
      [() => page.getByRole('link', { name: 'All open orders' }), /list=orders/, () => table('Open orders')],
    ];
    for (const [from, address, shown] of ways) {
      await from().click();
      await shown().first().waitFor();
      expect(page.url()).toMatch(address);
      await page.goBack();
      await seeHeading(page, 'Overview');
    }
  });

  it('adds up the fees of today over several calls, says that it is before fees where there are too many, and cancels', async () => {
    const { fees } = await kalshiNow();
    const page = await dashboard.open({ timezoneId: 'UTC' });
    const calls: URL[] = [];
    await page.route(/\/fills\?.*start=/, async (route) => {
      const url = new URL(route.request().url());
      if (url.pathname.startsWith('/kalshi/')) calls.push(new URL(url));
      url.searchParams.set('limit', '1');
      return route.fulfill({ response: await route.fetch({ url: url.href }) });
    });
    await dashboard.signIn(page, holder.user.email);
    await fact(page, 'USD', 'Today', 2)
      .filter({ hasText: `fees ${fees}` })
      .waitFor();
    expect(calls.filter((url) => url.searchParams.has('cursor')).length).toBeGreaterThan(1);
    for (const size of ['1', '1', '1']) {
      await tradeKalshi(holder, { ticker: TICKER, side: 'bid', count: size, price: '0.9900' });
    }
    await fact(page, 'USD', 'Today', 2).filter({ hasText: 'before fees' }).waitFor();
    await page.unrouteAll({ behavior: 'wait' });

    const orders = panel(page, 'Open orders');
    await orders.getByRole('button', { name: /^Cancel Buy 10 Yes at 0.05/ }).click();
    await page.getByRole('alertdialog').getByText('stays filled').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
    expect(((await read(stand, '/kalshi/orders', holder.key)).body as { data: object[] }).data).toHaveLength(1);
    await orders.getByRole('button', { name: /^Cancel Buy 10 Yes at 0.05/ }).click();
    await page.getByRole('button', { name: 'Cancel the order' }).click();
    await page.getByText('1 order cancelled at Kalshi').waitFor();
    await page.locator('#cancel-result:focus-within').waitFor();
    await orders.getByText('No order of yours is open').waitFor();
    await expectAccessible(page);
  });

  it('says that nothing was told of a line which is not live for all that is known', async () => {
    const { user } = await aTrader(stand);
    const page = await dashboard.open();
    await page.route('**/assets/tabs-*.js', (route) => route.abort());
    await dashboard.signIn(page, user.email);
    const now = panel(page, 'Now');
    await now.getByText('Reading…').first().waitFor();
    await now.getByText(/is not live: nothing of it was told yet/).waitFor();
    expect(await now.getByText('All is well').count()).toBe(0);
  });

  it('says first what is wrong and what to do, with a clock for an order of unknown fate; else that all is well', async () => {
    const { app } = stand;
    const { user, key } = await aTrader(stand);
    const page = await open(user.email);
    const now = panel(page, 'Now');
    await now.getByText('All is well').waitFor();
    await now.getByText(/as of \d+:\d\d:\d\d [AP]M/).waitFor();

    const { id } = await aBot(app, user, { name: 'stuck' });
    expect((await post(app, `/account/bots/${id}/halt`, {}, user.token)).status).toBe(200);
    const [, path] = EXCHANGE.kalshi.wire.order;
    stand.sandbox.faults.add({ exchange: 'kalshi', method: 'POST', path, fault: 'status', status: 502, times: 1 });
    await post(
      app,
      '/kalshi/orders',
      { market_id: TICKER, outcome: 'yes', side: 'buy', price: '0.03', size: '7' },
      key,
    );
    await page.route('**/account/credentials', async (route) => {
      const answer = await route.fetch();
      const body = (await answer.json()) as { exchanges: Record<string, object> };
      const end = new Date(Date.now() + 9 * DAY_MS).toISOString();
      const session_key = { address: '0x1', state: 'active', valid_until: end };
      body.exchanges.polymarket = { ...body.exchanges.polymarket, session_key, warnings: ['session_key_expiring'] };
      return route.fulfill({ response: answer, json: body });
    });
    const [method, signed] = EXCHANGE.kalshi.wire.signed;
    stand.sandbox.faults.add({ exchange: 'kalshi', fault: 'status', status: 401, times: 99, method, path: signed });
    await now.getByRole('button', { name: 'Read again' }).click();
    await now.getByText(/^\d things to see to$/).waitFor();
    const matter = (text: string): Locator => now.getByRole('listitem').filter({ hasText: text });
    await matter('“stuck” is halted: you stopped it').getByRole('link', { name: 'See it: stuck' }).waitFor();
    const unknown = matter('Not known whether Kalshi took an order: buy 7 “Yes” at 0.03');
    const clock = async (): Promise<number> => {
      const [minutes = 0, seconds = 0] = (await unknown.getByRole('timer').innerText()).split(':').map(Number);
      return minutes * 60 + seconds;
    };
    const before = await clock();
    expect(before).toBeGreaterThan(0);
    const asked = (await get(app, '/account/orders?state=unknown', user.token)).body as {
      data: { refusal_holds_at: string }[];
    };
    expect(Math.abs(Date.parse(asked.data[0]?.refusal_holds_at ?? '') - Date.now() - before * 1_000)).toBeLessThan(
      3_000,
    );
    await delay(1_200);
    expect(await clock()).toBeLessThan(before);
    await matter('Kalshi refuses the stored credentials').getByRole('link', { name: 'Replace them' }).waitFor();
    await matter('It ends').getByRole('link', { name: 'Renew it' }).waitFor();
    await expectAccessible(page);
    await unknown.getByRole('link', { name: 'Look it up' }).click();
    await page.getByText('Kalshi did not say what became of it').first().waitFor();
    await page.goBack();

    // One click and a yes: the bot goes on.
    await matter('“stuck” is halted').getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('button', { name: 'Resume it now' }).click();
    await page.getByRole('status').getByText('“stuck” goes on').waitFor();
    await matter('“stuck” is halted').waitFor({ state: 'detached' });
  });

  it('draws the course of a day, a week or a month with its gaps, and has it recorded each hour once that is asked for', async () => {
    const { app } = stand;
    const { user, key } = await aHolder(stand, ['kalshi']);
    const { totals } = (await read(stand, '/portfolio', key)).body as { totals: object[] };
    await app.query('DELETE FROM equity_points WHERE user_id = $1', [user.id]);
    // In hours before the day: two that follow each other, one that is not known, and one far away.
    for (const [hours, equity] of [
      [400, '9000'],
      [100, '9500'],
      [99, '9600'],
      [98, null],
      [97, '9700'],
      [10, '9800'],
    ] as const)
      await app.query('INSERT INTO equity_points (user_id, at, totals) VALUES ($1, $2, $3)', [
        user.id,
        new Date(midnight - hours * 60 * MINUTE_MS),
        JSON.stringify([{ ...totals[0], equity }]),
      ]);
    const page = await open(user.email);
    const hourly = async (): Promise<unknown> =>
      ((await read(stand, '/account/equity', user.token)).body as { hourly: boolean }).hourly;
    const course = (count: string): Locator => page.getByRole('img', { name: `Equity in USD: ${count}, ` });
    await course('5 known points in 4 parts').waitFor();
    await page.getByRole('button', { name: 'Month', exact: true }).click();
    await course('6 known points in 5 parts').waitFor();
    await page.getByRole('button', { name: 'Day', exact: true }).click();
    await course('2 known points in 2 parts').waitFor();
    await page.waitForURL(/span=day/);
    expect([await hourly(), await page.getByText('The hourly record is off.').count()]).toEqual([false, 1]);
    await page.getByRole('button', { name: 'Record it each hour' }).click();
    await page.getByText('The hourly record is on.').waitFor();
    expect(await hourly()).toBe(true);
  });

  it('counts today from the last point before it, however far back the course goes', async () => {
    const { app } = stand;
    const { user, key } = await aHolder(stand, ['kalshi']);
    const { totals } = (await read(stand, '/portfolio', key)).body as { totals: object[] };
    await app.query('DELETE FROM equity_points WHERE user_id = $1', [user.id]);
    // So many that a month leaves some out: the last one before today would be in one part with that of today.
    await app.query(
      `INSERT INTO equity_points (user_id, at, totals)
       SELECT $1, $2::timestamptz - n * interval '15 minutes' + CASE n WHEN 0 THEN interval '1 second' ELSE '0' END,
              jsonb_build_array($3::jsonb || jsonb_build_object('realized_pnl', CASE n WHEN 1 THEN '-5' ELSE '0' END))
         FROM generate_series(0, 2879) AS n`,
      [user.id, new Date(midnight), JSON.stringify({ ...totals[0], unrealized_pnl: '0' })],
    );
    const page = await open(user.email);
    for (const span of ['Day', 'Week', 'Month']) {
      const course = page.waitForResponse(/account\/equity/);
      await page.getByRole('button', { name: span, exact: true }).click();
      if (span !== 'Week') await course;
      await fact(page, 'USD', 'Today', 2).filter({ hasText: 'realised +5' }).waitFor();
    }
    await page
      .getByRole('img', { name: 'Equity in USD: 1,001 known points' })
      .or(page.getByRole('img', { name: 'Equity in USD: 1001 known points' }))
      .waitFor();
    expect(await textOf(fact(page, 'USD', 'Today', 2))).toContain('realised +5');
  });

  it('stands but for what fails, and says so: one exchange, then the service; at each width, in light and dark', async () => {
    const page = await open(holder.user.email);
    await panel(page, 'Bots').getByRole('row', { name: 'maker' }).waitFor();
    for (const width of [360, 1_280, 2_560]) {
      await page.setViewportSize({ width, height: 900 });
      expect([width, await page.evaluate(FITS)]).toEqual([width, true]);
      await expectAccessible(page);
    }
    const [method, path] = EXCHANGE.polymarket.wire.signed;
    stand.sandbox.faults.add({ exchange: 'polymarket', fault: 'status', status: 500, times: 99, method, path });
    const now = panel(page, 'Now');
    await now.getByRole('button', { name: 'Read again' }).click();
    await now.getByText('Polymarket could not be read.').waitFor();
    await fact(page, 'USD', 'Cash').filter({ hasText: 'USD' }).waitFor();
    await fact(page, 'PUSD', 'Cash').filter({ hasText: 'not known' }).waitFor();
    await page.route(/\/(portfolio|account\/bots|account\/orders.*)$/, (route) => route.abort());
    await now.getByRole('button', { name: 'Read again' }).click();
    await now.getByText('Your bots could not be read: The service cannot be reached.').waitFor();
    await now.getByText('Your accounts could not be read').waitFor();
    await fact(page, 'USD', 'Cash').filter({ hasText: 'USD' }).waitFor();
    await panel(page, 'Bots').getByRole('row', { name: 'maker' }).waitFor();
    await expectAccessible(page);
  });
});
