import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { aBot } from '../support/bots.js';
import { startBrowser } from '../support/browser.js';
import { post } from '../support/calls.js';
import { seeHeading, TestDashboard } from '../support/dashboard.js';
import { EXCHANGE } from '../support/exchanges.js';
import { aHolder, read, tradeKalshi, tradePolymarket } from '../support/portfolio.js';
import { startTestStand, type TestStand } from '../support/sandbox.js';

const TICKER = EXCHANGE.kalshi.market;
/** Of layout on one page, in the measure of browsers: what is below 0.1 counts as good. */
const MOST_SHIFT = 0.02;
/** A line of 0.4 Mbit/s, and how long its answers are on the way in milliseconds. */
const SLOWEST = { latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 };

/** Waits until the page has asked the API for nothing, and waited for nothing, in so long, but for its stream; in milliseconds. */
const QUIET_MS = 1_000;

async function untilQuiet(page: Page): Promise<void> {
  const asked = new Set<unknown>();
  let since = Infinity;
  const note = (): void => {
    since = asked.size === 0 ? Date.now() : Infinity;
  };
  page.on('request', (sent) => {
    if (!/\/stream\?|\/assets\//.test(sent.url())) asked.add(sent);
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

describe('the dashboard on a line of 0.4 Mbit/s', () => {
  let stand: TestStand;
  let browser: Browser;
  let dashboard: TestDashboard;
  let storageState: Awaited<ReturnType<TestDashboard['context']['storageState']>>;

  /** Somebody who holds something at both exchanges, and has signed in. */
  beforeAll(async () => {
    [stand, browser] = await Promise.all([startTestStand(), startBrowser()]);
    dashboard = new TestDashboard(stand.app, browser);
    const holder = await aHolder(stand);
    const buy = { market_id: TICKER, outcome: 'yes', side: 'buy', price: '0.05', size: '3' };
    await post(stand.app, '/kalshi/orders', buy, holder.key);
    await tradeKalshi(holder, { ticker: TICKER, side: 'bid', count: '3.00', price: '0.9900' });
    const market = await read(stand, `/polymarket/markets/${EXCHANGE.polymarket.market}`, holder.key);
    const tokenId = (market.body as { outcomes: { id: string }[] }).outcomes[0]?.id ?? '';
    await tradePolymarket(holder, { tokenId, negRisk: false, side: 'BUY', price: '0.99', size: '6' });
    await aBot(stand.app, holder.user, { name: 'maker' });
    const page = await dashboard.open();
    await dashboard.signIn(page, holder.user.email);
    await seeHeading(page, 'Overview');
    storageState = await dashboard.context.storageState();
    await dashboard.close();
  });

  afterAll(async () => {
    await browser.close();
    await stand.close();
  });

  afterEach(() => dashboard.close());

  it.each([
    [1280, '', 'Kalshi balance'],
    [1280, '/portfolio', 'Positions'],
    [1280, '/activity', 'What happened'],
    [1280, '/api-key', 'API key'],
    [1280, '/bots', 'maker'],
    [1280, `/markets/kalshi/${TICKER}`, 'Last trades'],
    [360, '', 'Kalshi balance'],
    [360, '/portfolio', 'Positions'],
    [360, '/activity', 'What happened'],
    [360, '/bots', 'maker'],
    [360, `/markets/kalshi/${TICKER}`, 'Last trades'],
  ])('%d px wide, %p hardly moves what is shown while it loads', async (width, path, name) => {
    const page = await dashboard.open({ storageState, viewport: { width, height: 740 } });
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
    await page.getByRole('region', { name, exact: true }).or(page.getByRole('heading', { name })).first().waitFor();
    if (path === '') await page.locator('figure canvas').first().waitFor();
    await quiet;
    const shift = Number(await page.evaluate('globalThis.shift'));
    storageState = await dashboard.context.storageState();
    expect(shift).toBeLessThan(MOST_SHIFT);
  });
});
