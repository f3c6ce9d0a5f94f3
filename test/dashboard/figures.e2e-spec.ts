import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Locator, Page } from 'playwright-core';
import { startBrowser } from '../support/browser.js';
import { expectAccessible, TestDashboard } from '../support/dashboard.js';
import { times } from '../support/exact.js';
import { EXCHANGE } from '../support/exchanges.js';
import { aHolder, read, tradeKalshi } from '../support/portfolio.js';
import { startTestStand, type TestStand } from '../support/sandbox.js';

const DAY_MS = 86_400_000;
const TICKER = EXCHANGE.kalshi.market;

interface Market {
  readonly outcomes: readonly { readonly bid: string | null }[];
}

describe('figures of what is known in part', () => {
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

  /** Answers a path of the API as the service does, but for these fields of the body. */
  const answerWith = async (page: Page, path: RegExp, fields: object): Promise<void> => {
    await page.route(path, async (route) => {
      const answer = await route.fetch();
      return route.fulfill({ response: answer, json: { ...((await answer.json()) as object), ...fields } });
    });
  };
  const rowOf = (page: Page, table: string, name: string): Locator =>
    page.getByRole('table', { name: table, exact: true }).getByRole('row', { name }).first();

  it('says of sums that they are of what is loaded, where there is more or something failed', async () => {
    const holder = await aHolder(stand, ['kalshi']);
    await tradeKalshi(holder, { ticker: TICKER, side: 'bid', count: '3', price: '0.9900' });
    const market = (await read(stand, `/kalshi/markets/${TICKER}`, holder.key)).body as Market;
    const worth = times(market.outcomes[0]?.bid ?? '', '3');
    const page = await dashboard.open();
    await dashboard.signIn(page, holder.user.email, '/portfolio');
    const together = rowOf(page, 'Positions together', 'USD');
    const event = rowOf(page, 'Exposure by event', 'NYC');
    const expectSums = async (said: string, value: string): Promise<void> => {
      for (const row of [together, event]) {
        await row.getByText(said, { exact: row === together }).waitFor();
        expect(await row.getByRole('cell').nth(0).innerText()).toBe(value);
      }
    };
    await expectSums('1 position', worth);
    expect(await page.getByText('partial').count()).toBe(0);

    await answerWith(page, /\/kalshi\/positions\?/, { next_cursor: 'more' });
    await page.reload();
    await expectSums('partial: of what is loaded, 1 position', `${worth} + ?`);
    await expectAccessible(page);
    await page.goto(dashboard.address(''));
    await event.getByText('partial: of what is loaded, 1 position').waitFor();

    await page.unrouteAll({ behavior: 'wait' });
    await page.goto(dashboard.address('/portfolio'));
    await expectSums('1 position', worth);
    await page.route(/\/kalshi\/positions\?/, (route) => route.abort());
    await page.getByRole('button', { name: 'Refresh' }).click();
    await expectSums('partial: of what is loaded, 1 position', `${worth} + ?`);
  });

  it('takes off no fees that were read before the result', async () => {
    const holder = await aHolder(stand, ['kalshi']);
    await tradeKalshi(holder, { ticker: TICKER, side: 'bid', count: '3', price: '0.9900' });
    const { totals } = (await read(stand, '/portfolio', holder.key)).body as { totals: object[] };
    const midnight = Math.floor(Date.now() / DAY_MS) * DAY_MS;
    const noted = [holder.user.id, new Date(midnight - 1_000), JSON.stringify(totals)];
    await stand.app.query('INSERT INTO equity_points (user_id, at, totals) VALUES ($1, $2, $3)', noted);
    const page = await dashboard.open({ timezoneId: 'UTC' });
    await dashboard.signIn(page, holder.user.email);
    const equity = page.getByRole('region', { name: 'Equity in USD' });
    const day = equity.locator('dd', { hasText: /^since / });
    await day.filter({ hasText: /open \S+, fees \d/ }).waitFor();
    await page.route(/\/kalshi\/fills\?start/, (route) => route.abort());
    await page.getByRole('region', { name: 'Equity', exact: true }).getByRole('button', { name: 'Refresh' }).click();
    await day.filter({ hasText: 'before fees' }).waitFor();
    expect(await day.innerText()).not.toMatch(/fees \d/);
  });

  it('begins the next day of the reader as it comes, and reads the money anew', async () => {
    const holder = await aHolder(stand, ['kalshi']);
    const page = await dashboard.open({ timezoneId: 'UTC' });
    const midnight = Math.ceil(Date.now() / DAY_MS) * DAY_MS;
    await page.clock.install({ time: midnight - 90_000 });
    await dashboard.signIn(page, holder.user.email);
    const fact = page.getByRole('region', { name: 'Equity in USD' }).locator('dt', { hasText: 'Today' });
    await fact.locator('xpath=following-sibling::dd[2]').getByText('nothing was recorded').waitFor();
    const [account, equity] = [/\/portfolio$/, /\/account\/equity\?/].map((path) => page.waitForRequest(path));
    await page.clock.fastForward(120_000);
    const start = new Date(midnight - 7 * DAY_MS).toISOString();
    await account;
    expect(new URL((await equity)?.url() ?? '').searchParams.get('start')).toBe(start);
    // The point of the first reading is of the day before.
    await page.locator('dd', { hasText: /^since / }).waitFor();
  });

  it('reads quotes with the positions where Refresh is pressed, and says where they do not move', async () => {
    const holder = await aHolder(stand, ['kalshi']);
    await tradeKalshi(holder, { ticker: TICKER, side: 'bid', count: '3', price: '0.9900' });
    const page = await dashboard.open();
    await page.route('**/stream?*', (route) => route.abort());
    await dashboard.signIn(page, holder.user.email);
    const bids = ['0.02', '0.03'];
    const event = rowOf(page, 'Exposure by event', 'NYC');
    await event.getByText('1 position').waitFor();
    await page.route(/\/kalshi\/markets\?/, async (route) => {
      const answer = await route.fetch();
      const body = (await answer.json()) as { data: { outcomes: object[] }[] };
      const bid = bids.shift();
      for (const market of body.data) market.outcomes = market.outcomes.map((outcome) => ({ ...outcome, bid }));
      return route.fulfill({ response: answer, json: body });
    });
    const card = page.getByRole('region', { name: 'Exposure by event', exact: true }).first();
    await card.getByText('At Kalshi a quote is not live: the connection to the service was lost.').waitFor();
    await card.getByRole('button', { name: 'Refresh' }).click();
    await event.getByRole('cell', { name: '0.06', exact: true }).waitFor();
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Portfolio' }).click();
    await page.getByRole('heading', { name: 'Portfolio', level: 1 }).waitFor();
    await page.getByText('At Kalshi a quote is not live: the connection to the service was lost.').waitFor();
    await page.getByRole('button', { name: 'Refresh' }).click();
    await event.getByRole('cell', { name: '0.09', exact: true }).waitFor();
    await expectAccessible(page);
  });
});
