import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { startTestApp, type TestApp } from '../support/app.js';
import { startBrowser } from '../support/browser.js';
import { PASSWORD } from '../support/calls.js';
import { expectAccessible, seeHeading, TestDashboard } from '../support/dashboard.js';
import { googleSettings, startGoogle, type TestGoogle } from '../support/google.js';
import { freePort } from '../support/loopback.js';
import { anEmail } from '../support/users.js';

/** What 32 bytes of zero are as a verifier: the browser of these tests draws no others. */
const DRAWN = 'A'.repeat(43);

describe('the dashboard of an installation with a whitelist and a sign-in provider', () => {
  let app: TestApp;
  let google: TestGoogle;
  let browser: Browser;
  let dashboard: TestDashboard;
  const approved = anEmail();
  const other = anEmail();

  beforeAll(async () => {
    const port = await freePort();
    const redirectUri = `http://localhost:${port}/dashboard/oauth/callback`;
    google = await startGoogle(redirectUri);
    app = await startTestApp({
      ...googleSettings(google),
      PORT: String(port),
      OAUTH_REDIRECT_URIS: redirectUri,
      ACCESS_MODE: 'whitelist',
      WHITELIST_EMAILS: `${approved},${other}`,
    });
    browser = await startBrowser();
    dashboard = new TestDashboard(app, browser);
  });

  afterAll(async () => {
    await browser.close();
    await app.close();
    await google.close();
  });

  it('signs in with Google by PKCE and state, and comes back to where it was going', async () => {
    const page = await browser.newPage();
    await page.addInitScript(() => {
      crypto.getRandomValues = (bytes) => bytes;
    });
    let asked = new URLSearchParams();
    const code = await google.code(
      'ada',
      { email: approved, email_verified: true, name: 'Ada' },
      { verifier: DRAWN, redirectUri: dashboard.address('/oauth/callback') },
    );
    // The provider's own pages, which are not ours to test: consent is given at once.
    await page.route(`${google.issuer}/**`, (route) => {
      asked = new URL(route.request().url()).searchParams;
      const answer = new URLSearchParams({ code, state: asked.get('state') ?? '' });
      return route.fulfill({
        status: 302,
        headers: { Location: `${asked.get('redirect_uri') ?? ''}?${answer.toString()}` },
      });
    });
    await page.goto(dashboard.address('/api-key'));
    await page.getByRole('button', { name: 'Continue with Google' }).click();
    await seeHeading(page, 'API key');
    expect(Object.fromEntries(asked)).toMatchObject({ code_challenge_method: 'S256', response_type: 'code' });
    expect(page.url()).toBe(dashboard.address('/api-key'));
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
  });

  it('refuses a code that nobody in this tab asked for', async () => {
    const page = await browser.newPage();
    await page.goto(dashboard.address('/oauth/callback?code=planted&state=guessed'));
    await page.getByRole('alert').getByText('was not begun in this tab').waitFor();
    expect(page.url()).toBe(dashboard.address('/oauth/callback'));
    await expectAccessible(page);
  });

  it('signs in at once whoever is approved, and tells everybody else whom to ask', async () => {
    const page = await browser.newPage();
    await page.goto(dashboard.address('/sign-up'));
    await page.getByText('addresses that its operator has approved').waitFor();
    await page.getByLabel('Name').fill('Ada');
    await page.getByLabel('E-mail address').fill(anEmail());
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign up' }).click();
    await page.getByRole('alert').getByText('Ask its operator').waitFor();
    await expectAccessible(page);
    await page.getByLabel('E-mail address').fill(other);
    await page.getByRole('button', { name: 'Sign up' }).click();
    await seeHeading(page, 'Overview');
  });
});
