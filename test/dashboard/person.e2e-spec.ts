import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { startBrowser } from '../support/browser.js';
import { codeOf, get, logIn, PASSWORD, remove, signedIn } from '../support/calls.js';
import {
  clipboardOf,
  expectAccessible,
  fillInSignIn,
  keptByBrowser,
  seeHeading,
  TestDashboard,
} from '../support/dashboard.js';
import { tokenIn, waitForMails } from '../support/mail.js';
import { startTestStand, storeCredentials, type TestStand } from '../support/sandbox.js';
import { exchangeCredentials } from '../../sandbox/demo/environment.js';
import { anApiKey, anEmail, aUser } from '../support/users.js';

describe('a person and the dashboard', () => {
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

  it('signs up, verifies, makes a key, copies and downloads it, calls with it, revokes it and makes another', async () => {
    const { app } = stand;
    const email = anEmail();
    const page = await dashboard.open();
    await page.goto(dashboard.address(''));
    await seeHeading(page, 'Sign in');
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Sign up' }).click();
    await seeHeading(page, 'Sign up');
    await page.getByText('Next, we mail you a link').waitFor();
    await expectAccessible(page);
    await page.getByLabel('Name').fill('Ada');
    await page.getByLabel('E-mail address').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign up' }).click();
    await page.getByText('Look into your mail').waitFor();
    const [mail] = await waitForMails(app, email, 1);
    await page.goto(dashboard.address(`/verify-email#token=${tokenIn(mail, 'verify-email')}`));
    await page.getByRole('button', { name: 'Verify the address' }).click();
    await page.getByRole('link', { name: 'Go to the overview' }).click();
    await seeHeading(page, 'Overview');
    await page.getByText('SANDBOX').waitFor();
    await page.getByText('Play money').waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Create the key' }).click();
    await seeHeading(page, 'API key');
    await expectAccessible(page);
    await page.getByRole('radio', { name: /^Trade/ }).click();
    await page.getByRole('button', { name: 'Create the key' }).click();
    const shown = page.getByLabel('The key', { exact: true });
    const key = (await shown.textContent())?.trim() ?? '';
    expect(key).toMatch(/^svc_sk_live_\w{30,}$/);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Copy the key' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await clipboardOf(page)).toBe(key);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download as .env' }).click(),
    ]);
    expect(await readFile(await download.path(), 'utf8')).toBe(`TRADING_PROXY_KEY=${key}\n`);
    expect(await keptByBrowser(page)).not.toMatch(/svc_sk_live|eyJ/);
    expect((await get(app, '/me', key)).status).toBe(200);
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('button', { name: 'Copy the curl lines' }).click();
    const line = await clipboardOf(page);
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
    expect(dashboard.complaints.filter((text) => !text.includes('401'))).toEqual([]);
  });

  it('sees the money of both exchanges with a pasted key, shards below, which leaves no trace', async () => {
    const { app, sandbox } = stand;
    const user = await aUser(app);
    for (const [exchange, credentials] of Object.entries(exchangeCredentials(sandbox.addresses))) {
      await storeCredentials(app, user, exchange, credentials);
    }
    const key = await anApiKey(app, user);
    const page = await dashboard.open();
    await dashboard.signIn(page, user.email);
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
    expect(await keptByBrowser(page)).not.toMatch(/svc_sk_live|eyJ/);
    await page.reload();
    await page.getByRole('button', { name: 'Show the balances' }).waitFor();
  });

  it('calls and tabs share one refresh; an end of the session leads to the sign-in and back; one sign-out is for all', async () => {
    const { app } = stand;
    const { email } = await aUser(app);
    const page = await dashboard.open();
    await dashboard.signIn(page, email, '/api-key');
    await seeHeading(page, 'API key');
    const other = await dashboard.newTab();
    await other.goto(dashboard.address('/api-key'));
    await seeHeading(other, 'API key');
    const refreshes: string[] = [];
    dashboard.context.on('request', (sent) => {
      if (sent.url().endsWith('/auth/refresh')) refreshes.push(sent.url());
    });
    // As if the access token had run out, for every call that was sent with the present one.
    const spent = new Set<string>();
    await dashboard.context.route(/\/account\//, async (route) => {
      const token = route.request().headers().authorization ?? '';
      if (refreshes.length === 0) spent.add(token);
      if (!spent.has(token)) return route.continue();
      const error = { code: 'unauthorized', message: 'expired', request_id: 'req_x', retryable: false };
      return route.fulfill({ status: 401, json: { error } });
    });
    await Promise.all([page, other].map((tab) => tab.getByRole('link', { name: 'Overview' }).click()));
    await Promise.all([page, other].map((tab) => tab.getByText('Create the key that').waitFor()));
    expect(refreshes).toHaveLength(1);
    await dashboard.context.unroute(/\/account\//);
    const { token } = signedIn(await logIn(app, email));
    expect((await remove(app, '/account/sessions', token)).status).toBe(200);
    await page.getByRole('link', { name: 'API key' }).click();
    await page.getByRole('button', { name: 'Create the key' }).click();
    await seeHeading(page, 'Sign in');
    await page.getByText('Your session has ended').waitFor();
    await fillInSignIn(page, email);
    await seeHeading(page, 'API key');
    await seeHeading(other, 'Overview');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await Promise.all([page, other].map((tab) => seeHeading(tab, 'Sign in')));
  });

  it('keeps nothing of one person for the next one in the same tab, whichever tab signed out', async () => {
    const { app, sandbox } = stand;
    const [first, second] = [await aUser(app), await aUser(app)];
    await storeCredentials(app, first, 'kalshi', exchangeCredentials(sandbox.addresses).kalshi);
    const key = await anApiKey(app, first);
    const page = await dashboard.open();
    await dashboard.signIn(page, first.email);
    await page.getByLabel('API key', { exact: true }).fill(key);
    await page.getByRole('button', { name: 'Show the balances' }).click();
    await page.getByRole('button', { name: 'Revoke key' }).waitFor();
    const other = await dashboard.newTab();
    await other.goto(dashboard.address('/api-key'));
    await seeHeading(other, 'API key');
    await other.getByRole('button', { name: 'Sign out' }).click();
    await fillInSignIn(page, second.email);
    await page.getByText(second.email).waitFor();
    await page.getByRole('link', { name: 'Create the key' }).waitFor();
    expect(await page.getByRole('button', { name: 'Revoke key' }).count()).toBe(0);
    expect(await page.content()).not.toContain(key.slice(0, 16));
  });

  it('says what was wrong at the sign-in, and asks for a reset', async () => {
    const { email } = await aUser(stand.app);
    const page = await dashboard.open();
    await page.goto(dashboard.address('/sign-in?return=//evil.example'));
    await page.getByLabel('E-mail address').fill(email);
    await page.getByLabel('Password', { exact: true }).fill('not the password');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('Check the address and the password').waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Forgot your password?' }).click();
    await seeHeading(page, 'Forgot your password?');
    await page.getByLabel('E-mail address').fill(email);
    await page.getByRole('button', { name: 'Send me a link' }).click();
    await page.getByText('Look into your mail').waitFor();
    await expectAccessible(page);
    expect(codeOf(await logIn(stand.app, email, 'not the password'))).toBe('invalid_credentials');
  });

  it('begins anew in every tab where another person signs in', async () => {
    const { app } = stand;
    const [ada, bob] = [(await aUser(app)).email, anEmail()];
    const page = await dashboard.open();
    await dashboard.signIn(page, ada, '/api-key');
    await page.getByText(`Signed in as ${ada}`).waitFor();
    await page.getByLabel('Name').fill('typed by Ada');
    const other = await dashboard.newTab();
    await other.goto(dashboard.address('/sign-up'));
    await other.getByLabel('Name').fill('Bob');
    await other.getByLabel('E-mail address').fill(bob);
    await other.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await other.getByRole('button', { name: 'Sign up' }).click();
    const [mail] = await waitForMails(app, bob, 1);
    // A link of which nothing is left does not keep the next one in the same tab from working.
    await other.goto(dashboard.address('/verify-email#token=gone'));
    await other.getByRole('button', { name: 'Verify the address' }).click();
    await other.getByRole('alert').waitFor();
    await other.goto(dashboard.address(`/verify-email#token=${tokenIn(mail, 'verify-email')}`));
    await other.getByRole('alert').waitFor({ state: 'detached' });
    await other.getByRole('button', { name: 'Verify the address' }).click();
    await other.getByText(`You are signed in as ${bob}`).waitFor();
    await page.getByText(`Signed in as ${bob}`).waitFor();
    expect(await page.getByLabel('Name').inputValue()).toBe('my bot');
    expect(await keptByBrowser(other)).not.toMatch(/svc_sk_live|eyJ|token=/);
  });
});
