import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Locator, Page } from 'playwright-core';
import { aBot } from '../support/bots.js';
import { startBrowser } from '../support/browser.js';
import { get, post } from '../support/calls.js';
import { clipboardOf, expectAccessible, seeHeading, TestDashboard } from '../support/dashboard.js';
import { minus, times } from '../support/exact.js';
import { EXCHANGE } from '../support/exchanges.js';
import { measureAgain } from '../support/measured.js';
import { aTrader, startTestStand, type TestStand } from '../support/sandbox.js';
import { aUser } from '../support/users.js';

measureAgain();

const TICKER = EXCHANGE.kalshi.market;
/** Of layout on one page, in the measure of browsers: what is below 0.1 counts as good. */
const MOST_SHIFT = 0.03;
/** A line of 0.4 Mbit/s, and how long its answers are on the way in milliseconds. */
const SLOWEST = { latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 };
/** 600 letters without a blank, a tower of accents, and a sign that turns the direction of what follows. */
const HOSTILE = `${'W'.repeat(600)} e${'\u0301'.repeat(400)} \u202Eabc\u200B`;

/** Waits until the page has asked for nothing, and waited for nothing, in so long, but for its stream; in milliseconds. */
const QUIET_MS = 1_000;

async function untilQuiet(page: Page): Promise<void> {
  const asked = new Set<unknown>();
  let since = Infinity;
  const note = (): void => {
    since = asked.size === 0 ? Date.now() : Infinity;
  };
  page.on('request', (sent) => {
    if (!sent.url().includes('/stream?')) asked.add(sent);
    note();
  });
  const settle = (sent: unknown): void => {
    asked.delete(sent);
    note();
  };
  page.on('requestfinished', settle);
  page.on('requestfailed', settle);
  while (!(Date.now() - since >= QUIET_MS)) await delay(100);
}

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

  afterEach(() => dashboard.close());

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
  const boxOf = async (place: Locator): Promise<{ readonly y: number; readonly height: number }> => {
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
    const last = page.locator('dd').filter({ hasText: '0.4400000035' });
    const cut = last.locator('[tabindex]');
    await cut.focus();
    await page.getByText('0.4400000035', { exact: true }).nth(1).waitFor();
    await page.keyboard.press('Escape');
    const copied = async (text: string): Promise<string> => {
      await page.evaluate(`
        getSelection().selectAllChildren([...document.querySelectorAll('dd')].find((one) => one.textContent.includes('${text}')));
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
    await page.getByText('it was sent and refused, or refused before it was sent').waitFor();
    await page.getByRole('region', { name: 'At Kalshi now' }).waitFor();
  });

  it('has one value of a position: the mark, else the bid, else unknown, and says what is missing in the sum', async () => {
    const { user, key } = await aTrader(stand);
    for (const market_id of [TICKER, 'KXHIGHNY-TODAY-T58']) {
      const bought = { market_id, outcome: 'yes', side: 'buy', price: '0.99', size: '3', time_in_force: 'ioc' };
      expect((await post(stand.app, '/kalshi/orders', bought, key)).status).toBe(200);
    }
    const { data } = (await get(stand.app, '/kalshi/positions', key)).body as {
      data: { market_id: string; size: string }[];
    };
    const held = data.find(({ market_id }) => market_id === TICKER);
    const page = await dashboard.open();
    await leaveUnmoved(page);
    await answerWith(page, /\/kalshi\/markets\?ids=/, (text) => {
      const list = JSON.parse(text) as { data: { id: string; outcomes: object[] }[] };
      const bid = (id: string): string | null => (id === TICKER ? '0.5' : null);
      const markets = list.data.map((market) => {
        return { ...market, outcomes: market.outcomes.map((outcome) => ({ ...outcome, bid: bid(market.id) })) };
      });
      return JSON.stringify({ ...list, data: markets });
    });
    await dashboard.signIn(page, user.email);
    const card = page.getByRole('region', { name: 'Kalshi balance' });
    await card
      .getByText(times('0.5', held?.size ?? ''))
      .first()
      .waitFor();
    await card.getByText(`partial: ${data.length - 1} of ${data.length} positions of unknown value`).waitFor();
    await page.getByText('A position is worth what the exchange itself says').waitFor();
  });

  it('begins the overview with what is missing, and once nothing is with what there is', async () => {
    const { user } = await aTrader(stand);
    const page = await dashboard.open();
    const cards = async (): Promise<string[]> =>
      (await page.locator('main h2').allTextContents()).map((text) => text.split(' ')[0] ?? '');
    await dashboard.signIn(page, (await aUser(stand.app)).email);
    await page.getByRole('heading', { name: 'Ready to trade?' }).waitFor();
    expect((await cards()).slice(0, 2)).toEqual(['Ready', 'Your']);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await dashboard.signIn(page, user.email);
    await page.getByRole('region', { name: 'Kalshi balance' }).waitFor();
    expect((await cards()).slice(-2)).toEqual(['Your', 'Ready']);
    const step = page.getByText('Verified address');
    expect(await step.isVisible()).toBe(false);
    await page.getByText('Ready to trade: all that is needed is done').click();
    await step.waitFor();
    await expectAccessible(page);
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
  });

  it('hardly moves what is shown while it loads on a line of 0.4 Mbit/s', async () => {
    const { user, key } = await aTrader(stand);
    const buy = { market_id: TICKER, outcome: 'yes', side: 'buy', price: '0.05', size: '3' };
    for (const terms of [{}, { price: '0.99', time_in_force: 'ioc' }]) {
      expect((await post(stand.app, '/kalshi/orders', { ...buy, ...terms }, key)).status).toBe(200);
    }
    const first = await dashboard.open();
    await dashboard.signIn(first, user.email);
    await seeHeading(first, 'Overview');
    let storageState = await dashboard.context.storageState();
    await dashboard.close();
    const shown = {
      '': 'Kalshi balance',
      '/portfolio': 'Positions',
      '/activity': 'What happened',
      '/api-key': 'my bot',
    };
    for (const [path, name] of Object.entries(shown)) {
      const page = await dashboard.open({ storageState, viewport: { width: 1280, height: 740 } });
      const quiet = untilQuiet(page);
      const debugged = await dashboard.context.newCDPSession(page);
      await debugged.send('Network.emulateNetworkConditions', { offline: false, ...SLOWEST });
      await page.addInitScript(`
        globalThis.shift = 0;
        new PerformanceObserver((list) => {
          for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) globalThis.shift += value;
        }).observe({ type: 'layout-shift', buffered: true });
      `);
      await page.goto(dashboard.address(path), { waitUntil: 'commit' });
      await page.getByText('Loading…').or(page.getByText('Play money')).first().waitFor();
      if (path !== '/api-key') await page.getByRole('region', { name, exact: true }).waitFor();
      await quiet;
      expect([path, Number(await page.evaluate('globalThis.shift')) < MOST_SHIFT]).toEqual([path, true]);
      storageState = await dashboard.context.storageState();
      await dashboard.close();
    }
  });
});
