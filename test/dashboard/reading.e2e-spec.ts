import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Locator, Page } from 'playwright-core';
import { aBot } from '../support/bots.js';
import { startBrowser } from '../support/browser.js';
import { get, post } from '../support/calls.js';
import { clipboardOf, expectAccessible, seeHeading, TestDashboard } from '../support/dashboard.js';
import { minus, plus, times } from '../support/exact.js';
import { EXCHANGE } from '../support/exchanges.js';
import { measureAgain } from '../support/measured.js';
import { aHolder, control, type Holder, read, tradeKalshi, tradePolymarket } from '../support/portfolio.js';
import { aTrader, startTestStand, type TestStand } from '../support/sandbox.js';
import { aUser } from '../support/users.js';

measureAgain();

const TICKER = EXCHANGE.kalshi.market;
/** A market of the same event that nobody bids for, one that the tests end, and one of Polymarket. */
const [UNBID, ENDED, SLUG] = ['KXHIGHNY-TODAY-T51', 'KXHIGHNY-TODAY-B53.5', 'will-bitcoin-reach-130k-this-year'];
const [HOUR_MS, DAY_MS] = [3_600_000, 86_400_000];
/** 600 letters without a blank, a tower of accents, and a sign that turns the direction of what follows. */
const HOSTILE = `${'W'.repeat(600)} e${'\u0301'.repeat(400)} \u202Eabc\u200B`;

type Amount = string | null;

interface Account {
  readonly exchanges: readonly { readonly exchange: string; readonly fees: Amount }[];
  readonly totals: readonly {
    readonly currency: string;
    readonly cash: Amount;
    readonly reserved: Amount;
    readonly positions_value: Amount;
    readonly equity: Amount;
    readonly unrealized_pnl: Amount;
    readonly realized_pnl: Amount;
    readonly partial: boolean;
  }[];
}

interface Market {
  readonly outcomes: readonly { readonly id: string; readonly bid: Amount }[];
}

type Settlement = Readonly<Record<'payout' | 'cost' | 'fees' | 'realized_pnl', Amount>>;

describe('how the dashboard reads', () => {
  let stand: TestStand;
  let browser: Browser;
  let dashboard: TestDashboard;

  beforeAll(async () => {
    [stand, browser] = await Promise.all([startTestStand(), startBrowser()]);
    dashboard = new TestDashboard(stand.app, browser);
  });

  afterAll(async () => {
    await browser.close();
    await stand.close();
  });

  afterEach(async () => {
    stand.sandbox.faults.clear();
    await dashboard.close();
  });

  /** Answers a path of the API as the service does, but for what `change` makes of the body. */
  const answerWith = async (page: Page, path: RegExp, change: (body: string) => string): Promise<void> => {
    await page.route(path, async (route) => {
      const answer = await route.fetch();
      return route.fulfill({ response: answer, body: change(await answer.text()) });
    });
  };
  /** What the page shows stays as it was read: no stream moves it. */
  const leaveUnmoved = async (page: Page): Promise<void> => {
    await page.route('**/stream?*', (route) => route.abort());
  };
  const boxOf = async (place: Locator): Promise<NonNullable<Awaited<ReturnType<Locator['boundingBox']>>>> => {
    const box = await place.boundingBox();
    if (box === null) throw new Error('it is not shown');
    return box;
  };

  it('is never wider than the window, whatever an exchange calls its markets', async () => {
    const { email } = await aUser(stand.app);
    const page = await dashboard.open({ viewport: { width: 360, height: 740 } });
    await leaveUnmoved(page);
    await answerWith(page, new RegExp(`/kalshi/markets/${TICKER}$`), (text) => {
      const market = JSON.parse(text) as { outcomes: object[] };
      const outcomes = market.outcomes.map((outcome) => ({ ...outcome, label: HOSTILE }));
      const named = { title: HOSTILE, subtitle: HOSTILE, description: HOSTILE, event_id: 'E'.repeat(300) };
      return JSON.stringify({ ...market, ...named, outcomes });
    });
    await dashboard.signIn(page, email, `/markets/kalshi/${TICKER}`);
    await page.getByRole('table', { name: 'Bids' }).waitFor();
    const trades = page.getByRole('region', { name: 'Last trades, newest first, a table' });
    const [table, size] = [await boxOf(trades), await boxOf(trades.getByRole('columnheader', { name: 'Size' }))];
    expect(size.x + size.width).toBeLessThanOrEqual(table.x + table.width);
    await page.getByText('how it is decided').click();
    const heading = page.getByRole('heading', { level: 1 });
    expect(await heading.textContent()).toMatch(/^W{500}…$/);
    expect((await page.title()).length).toBeLessThan(600);
    for (const width of [360, 1280]) {
      await page.setViewportSize({ width, height: 740 });
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
      expect((await boxOf(heading)).height).toBeLessThan(100);
      await expectAccessible(page);
    }
    const whole = page.locator('details bdi').first();
    expect(await whole.textContent()).toMatch(/^W{600} e\u0301{3} abc$/u);
  });

  it('shows amounts in the places of the tick, exact where pressed and in copies, and times in UTC at the focus', async () => {
    const { email } = await aUser(stand.app);
    const page = await dashboard.open();
    await leaveUnmoved(page);
    await answerWith(page, new RegExp(`/kalshi/markets/${TICKER}$`), (text) => {
      const market = JSON.parse(text) as { outcomes: object[] };
      const outcomes = market.outcomes.map((outcome) => ({ ...outcome, last_price: '0.4400000035' }));
      return JSON.stringify({ ...market, volume: '310220.1', outcomes });
    });
    await dashboard.signIn(page, email, `/markets/kalshi/${TICKER}`);
    const book = page.getByRole('table', { name: 'Bids' });
    await book.waitFor();
    const prices: string[] = await page.evaluate(`
      const bids = [...document.querySelectorAll('table')].find(({ caption }) => caption?.textContent === 'Bids');
      const cells = [...bids.querySelectorAll('td:first-child')];
      cells.map((cell) => cell.textContent + cell.querySelector('[data-pad]').dataset.pad);
    `);
    expect(prices.length).toBeGreaterThan(1);
    expect(prices.filter((price) => !/^0\.\d\d$/.test(price))).toEqual([]);
    const last = page.getByRole('cell').filter({ hasText: '0.4400000035' }).first();
    const cut = last.locator('[tabindex]');
    await cut.focus();
    await page.getByText('0.4400000035', { exact: true }).nth(1).waitFor();
    await page.keyboard.press('Escape');
    const copied = async (text: string): Promise<string> => {
      await page.evaluate(`
        getSelection().selectAllChildren([...document.querySelectorAll('dd, td')].find((one) => one.textContent.includes('${text}')));
        document.execCommand('copy');
      `);
      return (await clipboardOf(page)).trim();
    };
    expect(await copied('0.4400000035')).toBe('0.4400000035');
    expect(await copied('310220.1')).toBe('310220.1 contracts');
    const time = page.locator('time').first();
    await time.focus();
    const iso = (await time.getAttribute('datetime')) ?? '';
    await page.getByText(iso.replace('T', ' ').replace('Z', ' UTC')).waitFor();
    await expectAccessible(page);
  });

  it('shows of an order what was asked, what the exchange made of it, and its fills', async () => {
    const { user, key } = await aTrader(stand);
    const sale = { market_id: TICKER, outcome: 'yes', side: 'sell', price: '0.01', size: '2' };
    const sold = await post(stand.app, '/kalshi/orders', sale, key);
    const { id } = sold.body as { id: string };
    const order = (await get(stand.app, `/kalshi/orders/${id}`, key)).body as Record<string, string>;
    const page = await dashboard.open({ viewport: { width: 360, height: 740 } });
    await dashboard.signIn(page, user.email, '/activity');
    await page.getByText('sell 2 “Yes” at 0.01').waitFor();
    await page.getByRole('link', { name: 'This order’s whole life' }).first().click();
    const now = page.getByRole('region', { name: 'At Kalshi now' });
    await now.getByText('sell 2 “Yes” at 0.01').waitFor();
    await now.getByText(`${String(order.side)} 2 “No” at ${String(order.price)}`).waitFor();
    await now.getByText(`2 at ${String(order.average_fill_price)} on average`).waitFor();
    await now.getByText(`${String(order.fees)} USD`).waitFor();
    const fills = page.getByRole('region', { name: 'Fills of this order, a table' });
    await fills.getByRole('row').nth(1).getByText('= sell “Yes” at').waitFor();
    expect(await fills.locator('time').first().textContent()).toMatch(/:\d\d\.\d{3}/);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await expectAccessible(page);

    await page.goto(dashboard.address('/portfolio?list=fills'));
    const { data } = (await get(stand.app, '/kalshi/fills', key)).body as { data: { price: string }[] };
    const stated = page.getByRole('table', { name: 'Fills' }).getByRole('row').nth(1);
    await stated.getByText('Buy No').waitFor();
    await stated.getByText(`= sell “Yes” at ${minus('1', data[0]?.price ?? '')}`).waitFor();

    // One that is noted nowhere is shown where the address says whose it is.
    const other = await aTrader(stand);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await dashboard.signIn(page, other.user.email, `/activity/orders/${id}?exchange=kalshi`);
    await page.getByText('Nothing is noted under this id').waitFor();
    await page.getByRole('region', { name: 'At Kalshi now' }).waitFor();
  });

  const facts = (page: Page, currency: string, name: string): Locator =>
    page
      .getByRole('region', { name: `Equity in ${currency}` })
      .locator('dt', { hasText: new RegExp(`^${name}$`) })
      .locator('xpath=following-sibling::dd[1]');
  const signed = (amount: string): string => (Number(amount) > 0 ? `+${amount}` : amount);
  const rowOf = (page: Page, table: string, name: string): Locator =>
    page.getByRole('table', { name: table, exact: true }).getByRole('row', { name });
  const accountOf = async ({ key }: Holder): Promise<Account> => (await read(stand, '/portfolio', key)).body as Account;

  it('shows what all is worth, by one rule on the overview and in the table; what is unknown is never 0, whose it is is said', async () => {
    const holder = await aHolder(stand);
    await tradeKalshi(holder, { ticker: TICKER, side: 'bid', count: '3', price: '0.9900' });
    await tradeKalshi(holder, { ticker: UNBID, side: 'bid', count: '2', price: '0.9900' });
    const { outcomes } = (await read(stand, `/polymarket/markets/${SLUG}`, holder.key)).body as Market;
    const tokenId = outcomes[0]?.id ?? '';
    await tradePolymarket(holder, { tokenId, negRisk: false, side: 'BUY', price: '0.99', size: '10' });
    const { exchanges, totals } = await accountOf(holder);
    const [usd, pusd] = ['USD', 'PUSD'].map((currency) => totals.find((total) => total.currency === currency));
    expect([usd?.equity, usd?.partial, pusd?.partial]).toEqual([null, true, false]);
    const market = (await read(stand, `/kalshi/markets/${TICKER}`, holder.key)).body as Market;
    const worth = times(market.outcomes[0]?.bid ?? '', '3');

    const page = await dashboard.open();
    await dashboard.signIn(page, holder.user.email);
    const [dollars, others] = ['USD', 'PUSD'].map((currency) =>
      page.getByRole('region', { name: `Equity in ${currency}` }),
    );
    const least = plus(plus(usd?.cash ?? '', usd?.reserved ?? ''), worth);
    const most = dollars?.locator('p').filter({ hasText: `at least ${least} USD, and 1 position without a price` });
    await most?.first().waitFor();
    await dollars?.getByText('Partial: nobody says what 1 position is worth.').waitFor();
    await others
      ?.getByText(pusd?.equity ?? '')
      .first()
      .waitFor();
    expect(await others?.getByText('Partial').count()).toBe(0);
    for (const [currency, name, value] of [
      ['USD', 'Cash', usd?.cash],
      ['USD', 'Positions', null],
      ['USD', 'Profit and loss', null],
      ['USD', 'Fees', exchanges.find(({ exchange }) => exchange === 'kalshi')?.fees],
      ['PUSD', 'Positions', pusd?.positions_value],
      ['PUSD', 'Profit and loss', pusd?.unrealized_pnl],
      ['PUSD', 'Fees', null],
    ] as const)
      expect([currency, name, (await facts(page, currency, name).innerText()).replaceAll(',', '')]).toEqual([
        currency,
        name,
        expect.stringContaining(value ?? 'not known'),
      ]);
    await others?.getByText('Polymarket does not tell all of them').waitFor();
    const event = rowOf(page, 'Exposure by event', 'Highest temperature in NYC today?');
    await event.getByText('2 markets, partial: 1 of 2 positions of unknown value').waitFor();
    await event
      .getByRole('cell')
      .filter({ hasText: `${worth} + ?` })
      .waitFor();
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 740 });
      await expectAccessible(page);
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    }

    await page.setViewportSize({ width: 1280, height: 740 });
    await page.goto(dashboard.address('/portfolio'));
    const together = rowOf(page, 'Positions together', 'USD').first();
    await together.getByText('partial: 1 of 2 positions of unknown value').waitFor();
    await together
      .getByRole('cell')
      .filter({ hasText: `${worth} + ?` })
      .waitFor();
    const pusds = rowOf(page, 'Positions together', 'PUSD').getByRole('cell');
    expect((await pusds.allTextContents()).slice(0, 2)).toEqual([pusd?.positions_value, pusd?.unrealized_pnl]);
    await page.getByLabel('Exchange').selectOption('Kalshi');
    await pusds.first().waitFor({ state: 'detached' });
    await page.getByText('A position is worth what the exchange itself says').waitFor();

    const [method, path] = EXCHANGE.polymarket.wire.signed;
    stand.sandbox.faults.add({ exchange: 'polymarket', fault: 'status', status: 500, times: 99, method, path });
    await page.goto(dashboard.address(''));
    await others?.getByText('PUSD not known').waitFor();
    await others?.getByText('Partial: Polymarket could not be read in full.').waitFor();
    await page.getByRole('region', { name: 'Polymarket balance' }).getByText('The exchange has trouble').waitFor();
    expect(await facts(page, 'USD', 'Cash').innerText()).toContain('USD');
    expect(await facts(page, 'PUSD', 'Today').innerText()).toBe('not known');
  });

  it('says what the reader’s day brought since the last point before it, how it went, and has it recorded each hour', async () => {
    const holder = await aHolder(stand, ['kalshi']);
    await tradeKalshi(holder, { ticker: TICKER, side: 'bid', count: '3', price: '0.9900' });
    await tradeKalshi(holder, { ticker: TICKER, side: 'ask', count: '1', price: '0.0100' });
    const { exchanges, totals } = await accountOf(holder);
    const [now] = totals;
    // In Tokyo the day began 15 hours after one in UTC did.
    const midnight = Math.floor((Date.now() + 9 * HOUR_MS) / DAY_MS) * DAY_MS - 9 * HOUR_MS;
    await stand.app.query('UPDATE equity_points SET at = $2 WHERE user_id = $1', [
      holder.user.id,
      new Date(midnight - 40 * HOUR_MS),
    ]);
    const base = { realized_pnl: '1.5', unrealized_pnl: '-2.25' };
    for (const [minutes, gains] of [
      [-70, { realized_pnl: '100', unrealized_pnl: '100' }],
      [-10, base],
      [-5, { realized_pnl: null, unrealized_pnl: '100', equity: null }],
      // Never ahead of now, however young the day is.
      [Math.min(10, (Date.now() - midnight) / 120_000), { realized_pnl: '200', unrealized_pnl: '200' }],
    ] as const)
      await stand.app.query('INSERT INTO equity_points (user_id, at, totals) VALUES ($1, $2, $3)', [
        holder.user.id,
        new Date(midnight + minutes * 60_000),
        JSON.stringify([{ ...now, ...gains }]),
      ]);
    const page = await dashboard.open({ timezoneId: 'Asia/Tokyo' });
    await dashboard.signIn(page, holder.user.email);
    const today = facts(page, 'USD', 'Today');
    const realised = minus(now?.realized_pnl ?? '', base.realized_pnl);
    const open = minus(now?.unrealized_pnl ?? '', base.unrealized_pnl);
    const fees = exchanges.find(({ exchange }) => exchange === 'kalshi')?.fees ?? '';
    const result = minus(plus(realised, open), fees);
    await today.filter({ hasText: `${signed(result)} USD` }).waitFor();
    const made = page.getByRole('region', { name: 'Equity in USD' }).getByText('since');
    expect(await made.first().locator('time').getAttribute('datetime')).toBe(
      new Date(midnight - 10 * 60_000).toISOString(),
    );
    const said = (await made.first().innerText()).replace(/[^:]*(AM|PM)/, '');
    for (const amount of [realised, open, fees]) expect(said).toContain(amount);
    await page
      .getByRole('img', { name: /^Equity in USD: \d known points in \d parts, least \S+, most \S+, last \S+\.$/ })
      .waitFor();

    await page.getByRole('link', { name: 'Over time' }).click();
    await page.getByRole('img', { name: /^Equity in USD: 4 known points/ }).waitFor();
    await page.getByRole('button', { name: 'Day', exact: true }).focus();
    await page.keyboard.press('Space');
    await page.waitForURL(/span=day/);
    await page.reload();
    await page.getByRole('img', { name: /^Equity in USD: 3 known points/ }).waitFor();
    await page.getByText('The same as a table').click();
    await page.locator('table[aria-rowcount="5"]').waitFor();
    const hourly = async (): Promise<unknown> =>
      ((await read(stand, '/account/equity', holder.user.token)).body as { hourly: boolean }).hourly;
    await page.getByRole('button', { name: 'Record it each hour' }).click();
    await page.getByText('The hourly record is on.').waitFor();
    expect(await hourly()).toBe(true);
    await expectAccessible(page);
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await page.getByRole('button', { name: 'Stop the hourly record' }).click();
    await page.getByText('The hourly record is off.').waitFor();
    expect(await hourly()).toBe(false);

    // A point of 8 hours before the day is no beginning of it.
    await stand.app.query("UPDATE equity_points SET at = at - interval '8 hours' WHERE user_id = $1 AND at < $2", [
      holder.user.id,
      new Date(midnight),
    ]);
    await page.goto(dashboard.address(''));
    const day = new Date(midnight - 12 * HOUR_MS).toLocaleDateString('en', {
      weekday: 'short',
      timeZone: 'Asia/Tokyo',
    });
    await facts(page, 'USD', `Since ${day},? 3:50\\sPM`)
      .filter({ hasText: signed(result) })
      .waitFor();
    expect(await today.count()).toBe(0);
  });

  it('shows what became of positions, and has the whole list as the service’s own file', async () => {
    const holder = await aHolder(stand);
    await tradeKalshi(holder, { ticker: ENDED, side: 'bid', count: '4', price: '0.9900' });
    await control(stand, '/kalshi/markets', { ticker: ENDED, result: 'yes' });
    const { data } = (await read(stand, '/kalshi/settlements', holder.key)).body as { data: Settlement[] };
    const [settled] = data;
    const page = await dashboard.open();
    await dashboard.signIn(page, holder.user.email, '/portfolio?list=settlements');
    const row = page.getByRole('table', { name: 'Settlements' }).getByRole('row').nth(1);
    await row.getByText(`+${settled?.realized_pnl ?? ''}`).waitFor();
    for (const value of [settled?.payout, settled?.cost, settled?.fees])
      await row
        .getByRole('cell', { name: value ?? 'none', exact: true })
        .first()
        .waitFor();
    await expectAccessible(page);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'All settlements of Kalshi as CSV' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('kalshi-settlements.csv');
    const own = await read(stand, '/kalshi/settlements.csv', holder.key);
    expect(await readFile(await download.path(), 'utf8')).toBe(own.text);

    await page.goto(dashboard.address('/portfolio?list=fills'));
    await page.getByText('1 fill', { exact: true }).waitFor();
    stand.sandbox.faults.add({ exchange: 'kalshi', fault: 'status', status: 500, times: 9, method: '*', path: '/' });
    await page.getByRole('button', { name: 'All fills of Kalshi as CSV' }).click();
    await page.getByText('The exchange has trouble').waitFor();
  });

  it('begins the overview with what is missing, and once nothing is with what there is', async () => {
    const { user, key } = await aTrader(stand);
    const page = await dashboard.open();
    const cards = async (): Promise<string[]> =>
      (await page.locator('main h2').allTextContents()).map((text) => text.split(' ')[0] ?? '');
    await dashboard.signIn(page, (await aUser(stand.app)).email);
    await page.getByRole('heading', { name: 'Ready to trade?' }).waitFor();
    expect((await cards()).slice(0, 3)).toEqual(['Now', 'Ready', 'Your']);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await dashboard.signIn(page, user.email);
    await page.getByRole('region', { name: 'Kalshi balance' }).waitFor();
    // What is done is gone; the first call is folded until a program has made it.
    expect([(await cards()).at(-1), (await cards()).includes('Ready')]).toEqual(['Your', false]);
    await page.getByText('Your first call').click();
    await page.getByRole('tab', { name: 'curl' }).waitFor();
    await expectAccessible(page);
    expect((await get(stand.app, '/kalshi/balance', key)).status).toBe(200);
    await stand.app.query('UPDATE api_keys SET last_used_at = now() WHERE user_id = $1', [user.id]);
    await page.reload();
    await page.getByRole('region', { name: 'Kalshi balance' }).waitFor();
    expect(await page.getByText('Your first call').count()).toBe(0);
    await page.goto(dashboard.address('/api-key'));
    await page.getByRole('region', { name: 'Your first call' }).waitFor();
  });

  it('leaves a small screen to the page: one line of ribbon, a head of 90 px, a bar of five at the bottom', async () => {
    const { user } = await aTrader(stand);
    const page = await dashboard.open({ viewport: { width: 360, height: 740 } });
    await dashboard.signIn(page, user.email);
    await seeHeading(page, 'Overview');
    await page.getByRole('button', { name: 'Revoke key' }).waitFor();
    const expectLowHead = async (): Promise<void> => {
      const head = await boxOf(page.getByRole('banner'));
      expect(head.y).toBeLessThan(32);
      expect(head.y + head.height).toBeLessThanOrEqual(90);
    };
    await expectLowHead();
    await aBot(stand.app, user);
    await page.reload();
    for (const name of ['Stop all bots', 'Revoke key']) await page.getByRole('button', { name }).waitFor();
    await expectLowHead();
    const bar = page.getByRole('navigation', { name: 'Pages' });
    const { y, height } = await boxOf(bar);
    expect(y + height).toBeCloseTo(740, 0);
    expect(await bar.getByRole('link').count()).toBe(4);
    expect(await bar.getByRole('button').count()).toBe(1);
    await bar.getByRole('button', { name: 'More' }).click();
    await expectAccessible(page);
    await bar.getByRole('link', { name: 'API key' }).click();
    await seeHeading(page, 'API key');
    expect(await bar.getByRole('link', { name: 'API key' }).count()).toBe(0);
    await page.setViewportSize({ width: 1280, height: 740 });
    expect(await bar.getByRole('link').count()).toBe(8);
  });

  it('keeps the list and the filters of Activity in the address', async () => {
    const { user, key } = await aTrader(stand);
    await post(
      stand.app,
      '/kalshi/orders',
      { market_id: TICKER, outcome: 'yes', side: 'buy', price: '0.05', size: '1' },
      key,
    );
    const page = await dashboard.open();
    await dashboard.signIn(page, user.email, '/activity');
    await page.getByText('Signed in with the password').first().waitFor();
    await page.getByLabel('About').selectOption('Orders');
    await page.getByText('Signed in with the password').first().waitFor({ state: 'detached' });
    await page.getByLabel('Exchange').selectOption('Kalshi');
    await page.waitForURL(/about=orders.*exchange=kalshi/);
    await page.reload();
    await page.getByText('Placed, and open').waitFor();
    expect(await page.getByText('Signed in with the password').count()).toBe(0);
    expect(await page.getByLabel('Exchange').inputValue()).toBe('kalshi');
    await page.getByRole('tab', { name: 'Devices' }).click();
    await page.waitForURL(/list=devices/);
    await page.reload();
    await page
      .getByRole('region', { name: 'Signed in on', exact: true })
      .getByText('This one', { exact: true })
      .waitFor();
    await page
      .getByText(/^Chrome on /)
      .first()
      .waitFor();
    await page.getByRole('tab', { name: 'What happened' }).click();
    await page.getByText('Placed, and open').waitFor();

    await page.getByRole('tab', { name: 'Orders' }).click();
    const asked = page.getByRole('table', { name: 'What was asked for' });
    await asked.getByRole('button', { name: 'State' }).click();
    await page.waitForURL(/sort=state/);
    for (const [name, day] of [
      ['From', '2020-01-02'],
      ['To', '2020-01-03'],
    ] as const)
      await page.getByLabel(name, { exact: true }).fill(day);
    await page.getByText('Nothing that fits').waitFor();
    await page.reload();
    await page.getByText('Nothing that fits').waitFor();
    expect(await page.getByLabel('From', { exact: true }).inputValue()).toBe('2020-01-02');
    await page.getByLabel('To', { exact: true }).fill('');
    await asked.locator('[aria-sort="ascending"]', { hasText: 'State' }).waitFor();
    await asked.getByRole('link').click();
    await seeHeading(page, 'One order’s life');
    await page.goBack();
    await asked.locator('[aria-sort="ascending"]', { hasText: 'State' }).waitFor();
    const { searchParams: kept } = new URL(page.url());
    expect([kept.get('list'), kept.get('end'), new Date(kept.get('start') ?? '').getFullYear()]).toEqual(['orders', null, 2020]); // prettier-ignore
    await page.getByRole('button', { name: 'Of any time' }).click();
    await page.waitForURL((url) => !url.searchParams.has('start'));
  });
});
