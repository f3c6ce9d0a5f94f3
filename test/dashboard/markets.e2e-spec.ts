import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { startBrowser } from '../support/browser.js';
import { get } from '../support/calls.js';
import { clipboardOf, expectAccessible, keptByBrowser, seeHeading, TestDashboard } from '../support/dashboard.js';
import { startTestStand, type TestStand } from '../support/sandbox.js';
import { anApiKey, aUser } from '../support/users.js';

const KALSHI_MARKET = 'KXFEDDECISION-NEXT-H0';

interface MarketBody {
  readonly id: string;
  readonly title: string;
  readonly outcomes: readonly { readonly label: string; readonly bid: string; readonly ask: string }[];
}

describe('markets in the dashboard', () => {
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

  const list = (page: Page): ReturnType<Page['getByRole']> => page.getByRole('region', { name: 'Markets, a table' });

  const fits = async (page: Page): Promise<void> => {
    await page.setViewportSize({ width: 360, height: 800 });
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await expectAccessible(page);
    await page.setViewportSize({ width: 1280, height: 800 });
  };

  const copied = async (page: Page, what: string): Promise<string> => {
    await page.getByRole('button', { name: `Copy ${what}` }).click();
    await page.getByRole('button', { name: `Copy ${what}` }).waitFor({ state: 'detached' });
    return clipboardOf(page);
  };

  it('leads from a market of Polymarket to the others of its event', async () => {
    const user = await aUser(stand.app);
    const answer = await get(stand.app, '/polymarket/markets?limit=100', await anApiKey(stand.app, user, ['read']));
    const { data } = answer.body as { data: { id: string; event_id: string | null }[] };
    const sizeOf = (event: string | null): number => data.filter(({ event_id }) => event_id === event).length;
    const one = data.find(({ event_id }) => event_id !== null && sizeOf(event_id) > 1);
    const page = await dashboard.open();
    await dashboard.signIn(page, user.email, `/markets/polymarket/${one?.id ?? ''}`);
    await page.getByRole('link', { name: `All markets of ${one?.event_id ?? ''}` }).click();
    await seeHeading(page, 'Markets');
    const rows = sizeOf(one?.event_id ?? null);
    await page.locator(`table[aria-rowcount="${rows + 1}"]`).waitFor();
    expect(await list(page).getByRole('cell', { name: 'Kalshi', exact: true }).count()).toBe(0);
  });

  it('says that there is no catalogue, and finds a market by its id then', async () => {
    const { email } = await aUser(stand.app);
    const page = await dashboard.open();
    await dashboard.signIn(page, email, '/markets');
    await page.getByText('keeps no list of the open markets').waitFor();
    await fits(page);
    await page.keyboard.press('/');
    const field = page.getByRole('combobox', { name: 'Markets by words' });
    await field.fill('hurricane');
    await page.getByRole('dialog').getByText('keeps no list of the open markets').waitFor();
    await field.fill(KALSHI_MARKET);
    await page.keyboard.press('Enter');
    await page.getByRole('table', { name: 'Bids' }).getByRole('row').nth(1).waitFor();
    expect(dashboard.complaints.filter((text) => !text.startsWith('Failed to load'))).toEqual([]);
  });

  it('shows a market of Kalshi: book, trades, candles, each outcome, and what to copy', async () => {
    const { app } = stand;
    const user = await aUser(app);
    const key = await anApiKey(app, user, ['read']);
    const page = await dashboard.open();
    const assets: string[] = [];
    page.on('response', (answer) => assets.push(answer.url()));
    await dashboard.signIn(page, user.email, `/markets/kalshi/${KALSHI_MARKET}`);
    const market = (await get(app, `/kalshi/markets/${KALSHI_MARKET}`, key)).body as MarketBody;
    await seeHeading(page, market.title.replaceAll('**', ''));
    for (const { label, bid, ask } of market.outcomes) {
      await page.getByRole('group', { name: 'Outcome' }).getByRole('button', { name: label, exact: true }).click();
      const book = page.getByRole('region', { name: `Order book of ${label}`, exact: true });
      await book.getByRole('table', { name: 'Bids' }).getByRole('cell', { name: bid, exact: true }).first().waitFor();
      await book.getByRole('table', { name: 'Asks' }).getByRole('cell', { name: ask, exact: true }).first().waitFor();
    }
    await page.getByRole('region', { name: 'Last trades, newest first, a table' }).getByRole('row').nth(1).waitFor();
    await page
      .getByRole('img', { name: /^Candles of / })
      .locator('canvas')
      .first()
      .waitFor();
    expect(assets.filter((url) => /\/chart-[^/]*\.js$/.test(url)).length).toBeGreaterThan(0);
    await page.getByText('Made of trades').waitFor();
    await page.getByText('The same as a table').click();
    await page.getByRole('region', { name: 'Candles, newest first, a table' }).getByRole('row').nth(1).waitFor();
    await expectAccessible(page);
    await fits(page);
    expect(await copied(page, 'the market id')).toBe(KALSHI_MARKET);
    expect(await copied(page, 'the curl lines')).toBe(
      `curl -s '${app.settings.publicUrl}/kalshi/markets/${KALSHI_MARKET}' -H 'Authorization: Bearer ${key.slice(0, 16)}…'`,
    );
    const again = page.waitForResponse((answer) => answer.url().includes('/kalshi/orderbooks'));
    await page.getByRole('button', { name: 'Refresh' }).click();
    expect((await again).status()).toBe(200);
    expect(await keptByBrowser(page)).not.toMatch(/svc_sk_live|eyJ/);
    expect(dashboard.complaints.filter((text) => !text.startsWith('Failed to load'))).toEqual([]);
  });

  it('shows a market of Polymarket, and says that its prices are samples, to a browser of the POSIX locale too', async () => {
    const { app } = stand;
    const user = await aUser(app);
    const page = await dashboard.open();
    await page.addInitScript(
      `Object.defineProperty(navigator, 'language', { value: 'en-US@posix', configurable: true })`,
    );
    const answer = await get(app, '/polymarket/markets?search=hurricane', await anApiKey(app, user, ['read']));
    const [market] = (answer.body as { data: MarketBody[] }).data;
    await dashboard.signIn(page, user.email, `/markets/polymarket/${market?.id ?? ''}`);
    await seeHeading(page, market?.title ?? '');
    await page.getByText('Made of prices that the exchange samples').waitFor();
    await page
      .getByRole('img', { name: /^Candles of / })
      .locator('canvas')
      .first()
      .waitFor();
    await page.getByRole('group', { name: 'Length of a candle' }).getByRole('button', { name: '1 day' }).click();
    await page.getByRole('group', { name: 'Outcome' }).getByRole('button', { name: 'No', exact: true }).click();
    await page.getByRole('table', { name: 'Bids' }).getByRole('row').nth(1).waitFor();
    await expectAccessible(page);
    await page.reload();
    for (const [group, chosen] of [
      ['Length of a candle', '1 day'],
      ['Outcome', 'No'],
    ] as const) {
      const button = page
        .getByRole('group', { name: group })
        .getByRole('button', { name: chosen, exact: true, pressed: true });
      await button.waitFor();
    }
  });

  it('shows the figures where the chart cannot be drawn', async () => {
    const { app } = stand;
    const user = await aUser(app);
    const page = await dashboard.open();
    await page.route('**/assets/chart-*.js', (route) => route.abort());
    await dashboard.signIn(page, user.email, `/markets/kalshi/${KALSHI_MARKET}`);
    await page.getByText('The chart cannot be drawn here').waitFor();
    expect(await page.getByRole('img').count()).toBe(0);
    await page.getByText('The same as a table').click();
    await page.getByRole('region', { name: 'Candles, newest first, a table' }).getByRole('row').nth(1).waitFor();
    await page.getByRole('table', { name: 'Bids' }).getByRole('row').nth(1).waitFor();
  });

  it('goes on with more of an event, and shows why where its exchange fails', async () => {
    const { app, sandbox } = stand;
    const user = await aUser(app);
    const page = await dashboard.open();
    // The sandbox has no event of 25 markets: pages of two.
    await page.route('**/markets?*', (route) =>
      route.continue({ url: route.request().url().replace('limit=25', 'limit=2') }),
    );
    const fail = (): void => {
      sandbox.faults.add({ exchange: 'kalshi', method: 'GET', path: '/', fault: 'status', status: 500, times: 20 });
    };
    const event = KALSHI_MARKET.slice(0, KALSHI_MARKET.lastIndexOf('-'));
    fail();
    await dashboard.signIn(page, user.email, `/markets?exchange=kalshi&event=${event}`);
    await page.getByRole('alert').first().waitFor();
    await page.getByText('Details').first().click();
    await page.getByRole('button', { name: 'Copy the request id' }).first().waitFor();
    await expectAccessible(page);
    sandbox.faults.clear();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator('table[aria-rowcount="3"]').waitFor();
    await page.getByRole('button', { name: 'Load more', exact: true }).click();
    await list(page).getByRole('row').nth(3).waitFor();
    await page.getByLabel('Status').selectOption('Settled');
    await page.getByText('No market of it has this status').waitFor();
    fail();
    await page.goto(dashboard.address(`/markets/kalshi/${KALSHI_MARKET}`));
    await page.getByRole('alert').first().waitFor();
    sandbox.faults.clear();
    await page.getByRole('button', { name: 'Try again' }).first().click();
    await page.getByRole('table', { name: 'Bids' }).waitFor();
  });
});
