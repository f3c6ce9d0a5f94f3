import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { startTestApp, type TestApp } from '../support/app.js';
import { startBrowser } from '../support/browser.js';
import { expectAccessible, seeHeading, TestDashboard } from '../support/dashboard.js';
import { fastestMs, measureAgain } from '../support/measured.js';
import { aUser } from '../support/users.js';

measureAgain();

const KILOBYTE = 1_024;
/** From the address to the overview, in milliseconds. */
const FIRST_LOAD_MS = 1_500;
/** All that the sign-in page transfers until it is seen, in bytes: bodies as they are compressed, with their headers. */
const SIGN_IN_BYTES = 150_000;

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
    const said = ['LIVE', 'Real money. Orders go to:', 'Kalshi', 'Polymarket'];
    for (const text of said) expect(await ribbon.textContent()).toContain(text);
    expect(await ribbon.textContent()).not.toContain('kalshi.example');
    await expectAccessible(page);
    await dashboard.signIn(page, email, '/profile');
    await seeHeading(page, 'Profile');
    await ribbon.getByText('Kalshi kalshi.example').waitFor();
    await ribbon.getByText('Polymarket (sandbox) at a local address').waitFor();
    for (const text of said) expect(await ribbon.textContent()).toContain(text);
    expect(await ribbon.textContent()).not.toMatch(/play money|127\.0\.0\.1/i);
  });

  it('shows the sign-in page within 1.5 s with an empty cache, by less than 150 kB in all', async () => {
    let sent: Promise<{ readonly responseBodySize: number; readonly responseHeadersSize: number }>[] = [];
    const firstLoad = async (): Promise<number> => {
      await dashboard.close();
      const page = await dashboard.open();
      sent = [];
      page.on('requestfinished', (request) => {
        sent.push(request.sizes());
      });
      const began = performance.now();
      await page.goto(dashboard.address('/sign-in'), { waitUntil: 'commit' });
      await seeHeading(page, 'Sign in');
      await page.getByLabel('E-mail address').waitFor();
      return performance.now() - began;
    };
    expect(await fastestMs(FIRST_LOAD_MS, firstLoad)).toBeLessThan(FIRST_LOAD_MS);
    const sizes = await Promise.all(sent);
    const bytes = sizes.reduce((sum, size) => sum + size.responseBodySize + size.responseHeadersSize, 0);
    expect(bytes).toBeGreaterThan(100_000);
    expect(bytes).toBeLessThan(SIGN_IN_BYTES);
  });

  it('shows the overview within 1.5 s with an empty cache, by less than 200 KB of script, no chart among it', async () => {
    const { email } = await aUser(app);
    const first = await dashboard.open();
    await dashboard.signIn(first, email);
    await seeHeading(first, 'Overview');
    let storageState = await dashboard.context.storageState();
    let scripts: { readonly url: string; readonly size: Promise<{ readonly responseBodySize: number }> }[] = [];
    const firstLoad = async (): Promise<number> => {
      await dashboard.close();
      const page = await dashboard.open({ storageState });
      scripts = [];
      page.on('response', (answer) => {
        if (answer.url().endsWith('.js')) scripts.push({ url: answer.url(), size: answer.request().sizes() });
      });
      const began = performance.now();
      await page.goto(dashboard.address(''), { waitUntil: 'commit' });
      await page.getByRole('link', { name: 'Create the key that your program sends' }).waitFor();
      await page.getByRole('link', { name: 'Create a key first' }).waitFor();
      const took = performance.now() - began;
      storageState = await dashboard.context.storageState();
      return took;
    };
    expect(await fastestMs(FIRST_LOAD_MS, firstLoad)).toBeLessThan(FIRST_LOAD_MS);
    const sizes = await Promise.all(scripts.map(({ size }) => size));
    const bytes = sizes.reduce((sum, { responseBodySize }) => sum + responseBodySize, 0);
    expect(bytes / KILOBYTE).toBeGreaterThan(20);
    expect(bytes / KILOBYTE).toBeLessThan(200);
    expect(scripts.filter(({ url }) => url.includes('/chart-'))).toEqual([]);
  });
});
