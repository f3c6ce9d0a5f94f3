import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { startTestApp, type TestApp } from '../support/app.js';
import { startBrowser } from '../support/browser.js';
import { expectAccessible, seeHeading, TestDashboard } from '../support/dashboard.js';
import { measureAgain } from '../support/measured.js';
import { aUser } from '../support/users.js';

measureAgain();

const KILOBYTE = 1_024;

describe('the dashboard as it is first seen', () => {
  let app: TestApp;
  let browser: Browser;
  let dashboard: TestDashboard;

  beforeAll(async () => {
    [app, browser] = await Promise.all([
      startTestApp({ KALSHI_API_URL: 'https://kalshi.example/trade-api/v2' }),
      startBrowser(),
    ]);
    dashboard = new TestDashboard(app, browser);
  });

  afterAll(async () => {
    await browser.close();
    await app.close();
  });

  afterEach(() => dashboard.close());

  it('says on every page that the money is real, and where orders go', async () => {
    const { email } = await aUser(app);
    const page = await dashboard.open();
    await page.goto(dashboard.address('/sign-up'));
    await seeHeading(page, 'Sign up');
    const ribbon = page.getByRole('complementary', { name: 'What this installation is' });
    const said = ['LIVE', 'Real money. Orders go to:', 'Kalshi kalshi.example', 'Polymarket (sandbox) 127.0.0.1:9'];
    for (const text of said) expect(await ribbon.textContent()).toContain(text);
    await expectAccessible(page);
    await dashboard.signIn(page, email, '/profile');
    await seeHeading(page, 'Profile');
    for (const text of said) expect(await ribbon.textContent()).toContain(text);
    expect(await ribbon.textContent()).not.toContain('Play money');
  });

  it('shows the overview within 1.5 s with an empty cache, by less than 200 KB of script, no chart among it', async () => {
    const { email } = await aUser(app);
    const first = await dashboard.open();
    await dashboard.signIn(first, email);
    await seeHeading(first, 'Overview');
    const storageState = await dashboard.context.storageState();
    await dashboard.close();
    const page = await dashboard.open({ storageState });
    const scripts: { readonly url: string; readonly size: Promise<{ readonly responseBodySize: number }> }[] = [];
    page.on('response', (answer) => {
      if (answer.url().endsWith('.js')) scripts.push({ url: answer.url(), size: answer.request().sizes() });
    });
    const began = Date.now();
    await page.goto(dashboard.address(''), { waitUntil: 'commit' });
    await page.getByRole('link', { name: 'Create the key that your program sends' }).waitFor();
    await page.getByRole('button', { name: 'Copy the curl lines' }).waitFor();
    expect(Date.now() - began).toBeLessThan(1_500);
    const sizes = await Promise.all(scripts.map(({ size }) => size));
    const bytes = sizes.reduce((sum, { responseBodySize }) => sum + responseBodySize, 0);
    expect(bytes / KILOBYTE).toBeGreaterThan(20);
    expect(bytes / KILOBYTE).toBeLessThan(200);
    expect(scripts.filter(({ url }) => url.includes('/chart-'))).toEqual([]);
  });
});
