import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { startBrowser } from '../support/browser.js';
import { codeOf, get, logIn, PASSWORD, remove, signedIn } from '../support/calls.js';
import { expectAccessible } from '../support/dashboard.js';
import { tokenIn, waitForMails } from '../support/mail.js';
import { startTestStand, storeCredentials, type TestStand } from '../support/sandbox.js';
import { exchangeCredentials } from '../../sandbox/demo/environment.js';
import { anApiKey, anEmail, aUser } from '../support/users.js';

describe('a person and the dashboard', () => {
  let stand: TestStand;
  let browser: Browser;
  let context: BrowserContext;
  /** What the page says on the console, but for answers that are no success. */
  const complaints: string[] = [];

  beforeAll(async () => {
    [stand, browser] = await Promise.all([startTestStand(), startBrowser()]);
  });

  afterAll(async () => {
    await browser.close();
    await stand.close();
  });

  afterEach(() => context.close());

  const address = (path: string): string => `${stand.app.settings.publicUrl}/dashboard${path}`;

  async function newTab(): Promise<Page> {
    const page = await context.newPage();
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    return page;
  }

  async function newBrowser(): Promise<Page> {
    context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
    return newTab();
  }

  const see = (page: Page, heading: string): Promise<void> =>
    page.getByRole('heading', { level: 1, name: heading }).waitFor();

  async function signIn(page: Page, email: string, path = ''): Promise<void> {
    await page.goto(address(path));
    await fillIn(page, email);
  }

  async function fillIn(page: Page, email: string): Promise<void> {
    await see(page, 'Sign in');
    await page.getByLabel('E-mail address').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
  }

  /** All that the browser keeps for this origin, and its address. */
  const kept = (page: Page): Promise<string> =>
    page.evaluate(
      'indexedDB.databases().then((all) => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, all, location.href]))',
    );

  const clipboard = (page: Page): Promise<string> => page.evaluate('navigator.clipboard.readText()');

  it('signs up, verifies, makes a key, copies and downloads it, calls with it, revokes it and makes another', async () => {
    const { app } = stand;
    const email = anEmail();
    const page = await newBrowser();
    await page.goto(address(''));
    await see(page, 'Sign in');
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Sign up' }).click();
    await see(page, 'Sign up');
    await page.getByText('Next, we mail you a link').waitFor();
    await expectAccessible(page);
    await page.getByLabel('Name').fill('Ada');
    await page.getByLabel('E-mail address').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign up' }).click();
    await page.getByText('Look into your mail').waitFor();
    const [mail] = await waitForMails(app, email, 1);
    await page.goto(address(`/verify-email#token=${tokenIn(mail, 'verify-email')}`));
    await page.getByRole('button', { name: 'Verify the address' }).click();
    await page.getByRole('link', { name: 'Go to the overview' }).click();
    await see(page, 'Overview');
    await page.getByText('SANDBOX').waitFor();
    await page.getByText('Play money').waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Create the key' }).click();
    await see(page, 'API key');
    await expectAccessible(page);
    await page.getByRole('radio', { name: /^Trade/ }).click();
    await page.getByRole('button', { name: 'Create the key' }).click();
    const shown = page.getByLabel('The key', { exact: true });
    const key = (await shown.textContent())?.trim() ?? '';
    expect(key).toMatch(/^svc_sk_live_\w{30,}$/);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Copy the key' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await clipboard(page)).toBe(key);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download as .env' }).click(),
    ]);
    expect(await readFile(await download.path(), 'utf8')).toBe(`TRADING_PROXY_KEY=${key}\n`);
    expect(await kept(page)).not.toMatch(/svc_sk_live|eyJ/);
    expect((await get(app, '/me', key)).status).toBe(200);
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('button', { name: 'Copy the curl lines' }).click();
    const line = await clipboard(page);
    const [, url = '', bearer = ''] = /^curl -s '(\S+)' -H 'Authorization: Bearer (\S+)'$/.exec(line) ?? [];
    expect([new URL(url).origin, bearer]).toEqual([app.settings.publicUrl, key]);
    expect((await fetch(url, { headers: { Authorization: `Bearer ${bearer}` } })).status).toBe(200);
    await page.getByRole('button', { name: 'Revoke key' }).click();
    await page.getByRole('alertdialog').getByText('up to a second').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Revoke it now' }).click();
    await page.getByText('Nothing accepts it any more').waitFor();
    expect((await get(app, '/me', key)).status).toBe(401);
    expect(await page.getByRole('button', { name: 'Revoke key' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Create the key' }).click();
    await page.getByRole('button', { name: 'Create the key' }).click();
    await shown.waitFor();
    expect((await shown.textContent())?.trim()).not.toBe(key);
    expect(complaints.filter((text) => !text.includes('401'))).toEqual([]);
  });

  it('sees the money of both exchanges with a pasted key, shards below, which leaves no trace', async () => {
    const { app, sandbox } = stand;
    const user = await aUser(app);
    for (const [exchange, credentials] of Object.entries(exchangeCredentials(sandbox.addresses))) {
      await storeCredentials(app, user, exchange, credentials);
    }
    const key = await anApiKey(app, user);
    const page = await newBrowser();
    await signIn(page, user.email);
    await page.getByLabel('API key', { exact: true }).fill(`${key}x`);
    await page.getByRole('button', { name: 'Show the balances' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByRole('button', { name: 'Copy the request id' }).waitFor();
    await page.getByLabel('API key', { exact: true }).fill(key);
    await page.getByRole('button', { name: 'Show the balances' }).click();
    for (const [name, exchange] of [
      ['Kalshi', 'kalshi'],
      ['Polymarket', 'polymarket'],
    ] as const) {
      const { available, breakdown } = (await get(app, `/${exchange}/balance`, key)).body as {
        available: string;
        breakdown: { label: string; available: string }[];
      };
      const card = page.getByRole('region', { name: `${name} balance` });
      await card.getByText(available).first().waitFor();
      for (const part of breakdown)
        await card.getByRole('row', { name: part.label }).getByText(part.available).first().waitFor();
      expect(breakdown.length > 0).toBe(exchange === 'kalshi');
    }
    await expectAccessible(page);
    expect(await kept(page)).not.toMatch(/svc_sk_live|eyJ/);
    await page.reload();
    await page.getByRole('button', { name: 'Show the balances' }).waitFor();
  });

  it('calls and tabs share one refresh; an end of the session leads to the sign-in and back; one sign-out is for all', async () => {
    const { app } = stand;
    const { email } = await aUser(app);
    const page = await newBrowser();
    await signIn(page, email, '/api-key');
    await see(page, 'API key');
    const other = await newTab();
    await other.goto(address('/api-key'));
    await see(other, 'API key');
    const refreshes: string[] = [];
    context.on('request', (sent) => {
      if (sent.url().endsWith('/auth/refresh')) refreshes.push(sent.url());
    });
    // As if the access token had run out, for every call that was sent with the present one.
    const spent = new Set<string>();
    await context.route(/\/account\//, async (route) => {
      const token = route.request().headers().authorization ?? '';
      if (refreshes.length === 0) spent.add(token);
      if (!spent.has(token)) return route.continue();
      const error = { code: 'unauthorized', message: 'expired', request_id: 'req_x', retryable: false };
      return route.fulfill({ status: 401, json: { error } });
    });
    await Promise.all([page, other].map((tab) => tab.getByRole('link', { name: 'Overview' }).click()));
    await Promise.all([page, other].map((tab) => tab.getByText('Create the key that').waitFor()));
    expect(refreshes).toHaveLength(1);
    await context.unroute(/\/account\//);
    const { token } = signedIn(await logIn(app, email));
    expect((await remove(app, '/account/sessions', token)).status).toBe(200);
    await page.getByRole('link', { name: 'API key' }).click();
    await page.getByRole('button', { name: 'Create the key' }).click();
    await see(page, 'Sign in');
    await page.getByText('Your session has ended').waitFor();
    await fillIn(page, email);
    await see(page, 'API key');
    await see(other, 'Overview');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await Promise.all([page, other].map((tab) => see(tab, 'Sign in')));
  });

  it('keeps nothing of one person for the next one in the same tab, whichever tab signed out', async () => {
    const { app, sandbox } = stand;
    const [first, second] = [await aUser(app), await aUser(app)];
    await storeCredentials(app, first, 'kalshi', exchangeCredentials(sandbox.addresses).kalshi);
    const key = await anApiKey(app, first);
    const page = await newBrowser();
    await signIn(page, first.email);
    await page.getByLabel('API key', { exact: true }).fill(key);
    await page.getByRole('button', { name: 'Show the balances' }).click();
    await page.getByRole('button', { name: 'Revoke key' }).waitFor();
    const other = await newTab();
    await other.goto(address('/api-key'));
    await see(other, 'API key');
    await other.getByRole('button', { name: 'Sign out' }).click();
    await fillIn(page, second.email);
    await page.getByText(second.email).waitFor();
    await page.getByRole('link', { name: 'Create the key' }).waitFor();
    expect(await page.getByRole('button', { name: 'Revoke key' }).count()).toBe(0);
    expect(await page.content()).not.toContain(key.slice(0, 16));
  });

  it('says what was wrong at the sign-in, and asks for a reset', async () => {
    const { email } = await aUser(stand.app);
    const page = await newBrowser();
    await page.goto(address('/sign-in?return=//evil.example'));
    await page.getByLabel('E-mail address').fill(email);
    await page.getByLabel('Password', { exact: true }).fill('not the password');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('Check the address and the password').waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Forgot your password?' }).click();
    await see(page, 'Forgot your password?');
    await page.getByLabel('E-mail address').fill(email);
    await page.getByRole('button', { name: 'Send me a link' }).click();
    await page.getByText('Look into your mail').waitFor();
    await expectAccessible(page);
    expect(codeOf(await logIn(stand.app, email, 'not the password'))).toBe('invalid_credentials');
  });
});
