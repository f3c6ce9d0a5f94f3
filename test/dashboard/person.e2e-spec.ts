import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { EXCHANGES } from '../../src/exchanges/exchange.registry.js';
import { startBrowser } from '../support/browser.js';
import { codeOf, get, logIn, PASSWORD, remove, signedIn, signUp } from '../support/calls.js';
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
    await page.getByRole('button', { name: 'Revoke key' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Create the key' }).click();
    await page.getByRole('button', { name: 'Create the key' }).click();
    await shown.waitFor();
    expect((await shown.textContent())?.trim()).not.toBe(key);
    expect(dashboard.complaints.filter((text) => !text.includes('401'))).toEqual([]);
  });

  it('sees the money of all exchanges without a key, shards below, after a reload too', async () => {
    const { app, sandbox } = stand;
    const user = await aUser(app);
    for (const [exchange, credentials] of Object.entries(exchangeCredentials(sandbox.addresses))) {
      await storeCredentials(app, user, exchange, credentials);
    }
    const key = await anApiKey(app, user);
    const page = await dashboard.open();
    await dashboard.signIn(page, user.email);
    for (const { id, docs, presentation } of EXCHANGES) {
      const { available, breakdown } = (await get(app, `/${id}/balance`, key)).body as {
        available: string;
        breakdown: { label: string; available: string }[];
      };
      const card = page.getByRole('region', { name: `${docs.name} balance` });
      await card.getByText(available).first().waitFor();
      for (const part of breakdown)
        await card.getByRole('row', { name: part.label }).getByText(part.available).first().waitFor();
      expect(breakdown.length > 0).toBe(presentation.has_shards);
    }
    await expectAccessible(page);
    expect(await keptByBrowser(page)).not.toMatch(/svc_sk_live|eyJ/);
    await page.reload();
    await page.getByRole('region', { name: 'Kalshi balance' }).getByText('Available').first().waitFor();
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
    // As if the access token had run out, for every call that was sent with the present one, in both tabs at the same time.
    const spent = new Set<string>();
    const refused = new Set<Page>();
    await dashboard.context.route('**/auth/refresh', async (route) => {
      for (let waitedMs = 0; refused.size < 2 && waitedMs < 20_000; waitedMs += 20) await delay(20);
      await delay(200);
      await route.continue();
    });
    await dashboard.context.route(/\/account\//, async (route) => {
      const token = route.request().headers().authorization ?? '';
      if (refreshes.length === 0) spent.add(token);
      if (!spent.has(token)) return route.continue();
      const error = { code: 'unauthorized', message: 'expired', request_id: 'req_x', retryable: false };
      await route.fulfill({ status: 401, json: { error } });
      refused.add(route.request().frame().page());
    });
    await Promise.all([page, other].map((tab) => tab.getByRole('link', { name: 'Overview' }).click()));
    await Promise.all([page, other].map((tab) => tab.getByText('Create the key that').waitFor()));
    expect(refreshes).toHaveLength(1);
    await dashboard.context.unrouteAll({ behavior: 'ignoreErrors' });
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
    await page.getByRole('region', { name: 'Kalshi balance' }).waitFor();
    await page.getByRole('button', { name: 'Revoke key' }).waitFor();
    const other = await dashboard.newTab();
    await other.goto(dashboard.address('/api-key'));
    await seeHeading(other, 'API key');
    await other.getByRole('button', { name: 'Sign out' }).click();
    await fillInSignIn(page, second.email);
    await page.getByText(second.email).waitFor();
    await page.getByRole('link', { name: 'Create the key' }).waitFor();
    expect(await page.getByRole('button', { name: 'Revoke key' }).count()).toBe(0);
    expect(await page.getByRole('region', { name: 'Kalshi balance' }).count()).toBe(0);
    expect(await page.content()).not.toContain(key.slice(0, 16));
  });

  it('keeps who signs in, in whatever tab, while a refresh of before is refused', async () => {
    const { email } = await aUser(stand.app);
    const signsIn = await dashboard.open();
    await signsIn.goto(dashboard.address('/sign-in'));
    await seeHeading(signsIn, 'Sign in');
    const late = await dashboard.newTab();
    let refuse = (): void => undefined;
    const isRefused = new Promise<void>((resolve) => (refuse = resolve));
    await late.route('**/auth/refresh', async (route) => {
      await isRefused;
      const error = { code: 'unauthorized', message: 'none', request_id: 'req_x', retryable: false };
      await route.fulfill({ status: 401, json: { error } });
    });
    await Promise.all([late.waitForRequest('**/auth/refresh'), late.goto(dashboard.address('/profile'))]);
    await fillInSignIn(signsIn, email);
    await seeHeading(signsIn, 'Overview');
    refuse();
    await seeHeading(late, 'Profile');
    await late.getByRole('link', { name: 'API key' }).click();
    await seeHeading(late, 'API key');
    expect(await late.getByRole('button', { name: 'Sign out' }).count()).toBe(1);
  });

  it('keeps who signs in while a sign-out of another tab is on its way', async () => {
    const [first, second] = [await aUser(stand.app), await aUser(stand.app)];
    const page = await dashboard.open();
    await dashboard.signIn(page, first.email, '/profile');
    await seeHeading(page, 'Profile');
    const other = await dashboard.newTab();
    await other.goto(dashboard.address('/profile'));
    await seeHeading(other, 'Profile');
    let answer = (): void => undefined;
    const isAnswered = new Promise<void>((resolve) => (answer = resolve));
    const isEnded = new Promise<void>((resolve, reject) => {
      other
        .route('**/auth/logout', async (route) => {
          const response = await route.fetch();
          resolve();
          await isAnswered;
          await route.fulfill({ response });
        })
        .catch(reject);
    });
    await other.getByRole('button', { name: 'Sign out' }).click();
    await isEnded;
    await page.getByRole('link', { name: 'Activity' }).click();
    await fillInSignIn(page, second.email);
    await other.getByText(`Signed in as ${second.email}`, { exact: true }).waitFor();
    answer();
    await other.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('link', { name: 'Overview' }).click();
    for (const tab of [page, other]) await tab.getByText('Create the key that').waitFor();
    expect(await page.getByText(`Signed in as ${second.email}`, { exact: true }).count()).toBe(1);
  });

  it('leads from the sign-in to pages of this dashboard alone, whatever the address asks for', async () => {
    const { email } = await aUser(stand.app);
    const page = await dashboard.open();
    const signIn = (wanted: string): string => dashboard.address(`/sign-in?return=${encodeURIComponent(wanted)}`);
    await page.goto(signIn('/profile'));
    await fillInSignIn(page, email);
    await seeHeading(page, 'Profile');
    for (const wanted of [
      '/..//evil.example',
      '/../docs',
      '/dashboard/../docs',
      '/dashboard/%2e%2e//evil.example',
      '/.\t./docs',
      '/\\evil.example',
      '//evil.example',
      'https://evil.example',
      'javascript:alert(1)',
      '/dashboards',
    ]) {
      await page.goto(signIn(wanted));
      await seeHeading(page, 'Overview');
      expect([wanted, page.url().replace(/\/$/, '')]).toEqual([wanted, dashboard.address('')]);
    }
    await page.goto(signIn('/dashboard/activity?x=1#y'));
    await seeHeading(page, 'Activity');
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

  it('S-20 asks before a link replaces who is signed in, and then every tab begins anew, and says so', async () => {
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
    await other.getByText(`You are signed in as ${ada}, and this link is for another account`).waitFor();
    await expectAccessible(other);
    expect(codeOf(await logIn(app, bob))).toBe('email_not_verified');
    expect(await page.getByLabel('Name').inputValue()).toBe('typed by Ada');
    const replace = other.getByRole('button', { name: 'sign in to that account instead' });
    await replace.click();
    await other.getByText(`You are signed in as ${bob}`).waitFor();
    await page.getByText(`this browser is now signed in as ${bob}`).waitFor();
    await seeHeading(page, 'Overview');
    await page.getByText(`Signed in as ${bob}`, { exact: true }).waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'API key', exact: true }).click();
    expect(await page.getByLabel('Name').inputValue()).toBe('my bot');
    expect(await keptByBrowser(other)).not.toMatch(/svc_sk_live|eyJ|token=/);
  });

  it('S-20 leaves a link for another account unused for whoever stays who he is', async () => {
    const { app } = stand;
    const [ada, mallory] = [(await aUser(app)).email, anEmail()];
    const page = await dashboard.open();
    await dashboard.signIn(page, ada, '/profile');
    await page.getByText(`Signed in as ${ada}`).waitFor();
    await signUp(app, mallory);
    const [mail] = await waitForMails(app, mallory, 1);
    await page.goto(dashboard.address(`/verify-email#token=${tokenIn(mail, 'verify-email')}`));
    await page.getByRole('button', { name: 'Verify the address' }).click();
    await page.getByRole('link', { name: `Stay signed in as ${ada}` }).click();
    await seeHeading(page, 'Overview');
    await page.getByText(`Signed in as ${ada}`).waitFor();
    expect(codeOf(await logIn(app, mallory))).toBe('email_not_verified');
  });

  it('shows in its frame what cannot be loaded, tries it again by itself, and loads all anew after an upgrade', async () => {
    const { email } = await aUser(stand.app);
    const page = await dashboard.open();
    const chunk = '**/assets/activity-*.js';
    const gone = [chunk, /\/dashboard$/] as const;
    await dashboard.signIn(page, email, '/no/such/page');
    await seeHeading(page, 'There is no such page');
    for (const address of gone) await page.route(address, (route) => route.abort());
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Activity' }).click();
    await seeHeading(page, 'The service cannot be reached');
    for (const name of ['Sign out', 'Try again']) await page.getByRole('button', { name, exact: true }).waitFor();
    await expectAccessible(page);
    const loaded = page.waitForResponse(/assets\/account-deleted-.*js/);
    for (const address of gone) await page.unroute(address);
    await seeHeading(page, 'Activity');

    // All parts are there by now: offline, a page that was not opened before says itself what it lacks.
    await (await loaded).finished();
    await dashboard.context.setOffline(true);
    await page.getByRole('link', { name: 'Exchanges' }).click();
    await seeHeading(page, 'Exchanges');
    await page.getByRole('alert').getByText('The service cannot be reached').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('alert').getByText('The service cannot be reached').nth(1).waitFor();
    await page.getByRole('link', { name: 'Activity' }).click();
    await seeHeading(page, 'Activity');
    await dashboard.context.setOffline(false);

    // A tab that was opened before an upgrade: its parts are gone, and the page names another script.
    const other = await dashboard.newTab();
    await other.route(chunk, (route) => route.abort());
    await other.goto(dashboard.address('/api-key'));
    await seeHeading(other, 'API key');
    await other.evaluate('globalThis.before = true');
    await other.route(/\/dashboard$/, async (route) => {
      const answer = await route.fetch();
      return route.fulfill({
        response: answer,
        body: (await answer.text()).replace(/index-[\w-]+\.js/, 'index-newer.js'),
      });
    });
    const failed = other.waitForEvent('requestfailed');
    const asked = other.waitForResponse(/\/dashboard$/);
    await other.getByRole('link', { name: 'Activity' }).hover();
    await Promise.all([failed, asked]);
    await other.unroute(chunk);
    await other.getByRole('link', { name: 'Activity' }).click();
    await seeHeading(other, 'Activity');
    expect(await other.evaluate('globalThis.before')).toBeUndefined();
  });

  it('takes the notice of a sign-out that failed away with the next change of page, and not with a filter', async () => {
    const { email } = await aUser(stand.app);
    const page = await dashboard.open();
    await dashboard.signIn(page, email, '/profile');
    await seeHeading(page, 'Profile');
    await page.route('**/auth/logout', (route) => route.abort());
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    const notice = page.getByRole('alert').getByText('The service cannot be reached');
    await notice.waitFor();
    await page.unroute('**/auth/logout');
    await page.getByRole('link', { name: 'Activity' }).click();
    await seeHeading(page, 'Activity');
    expect(await notice.count()).toBe(0);
    await page.getByLabel('About').selectOption('Orders');
    await page.waitForURL(/about=orders/);
    await page.route('**/auth/logout', (route) => route.abort());
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await notice.waitFor();
    await page.getByLabel('About').selectOption('');
    await page.waitForURL((address) => !address.href.includes('about=orders'));
    expect(await notice.count()).toBe(1);
    await page.unroute('**/auth/logout');
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await seeHeading(page, 'Sign in');
    expect(await notice.count()).toBe(0);
  });

  it('says within some seconds that the service does not answer, and goes on once it does', async () => {
    const { email } = await aUser(stand.app);
    const page = await dashboard.open();
    await dashboard.signIn(page, email, '/profile');
    await seeHeading(page, 'Profile');
    let wake = (): void => undefined;
    const asleep = new Promise<void>((resolve) => (wake = resolve));
    await page.route('**/*', async (route) => {
      await asleep;
      await route.continue().catch(() => undefined);
    });
    await page.getByRole('link', { name: 'Activity' }).click();
    await page.getByText('The service does not answer.').waitFor({ timeout: 6_000 });
    expect(await page.getByRole('button', { name: 'Sign out' }).isVisible()).toBe(true);
    wake();
    await page.getByText('The service does not answer.').waitFor({ state: 'detached' });
    await page.getByText('Reads are not noted').waitFor();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });
});
