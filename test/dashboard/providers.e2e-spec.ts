import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { startTestApp, type TestApp } from '../support/app.js';
import { startBrowser } from '../support/browser.js';
import { PASSWORD } from '../support/calls.js';
import { expectAccessible, seeHeading, TestDashboard } from '../support/dashboard.js';
import { startGitHub, type TestGitHub } from '../support/github.js';
import { CLIENT_ID, CLIENT_SECRET, googleSettings, startGoogle, type TestGoogle } from '../support/google.js';
import { freePort } from '../support/loopback.js';
import { anEmail } from '../support/users.js';

/** What the browser of these tests draws: first the state, 32 bytes of 0, then the verifier, 32 of 1. */
const STATE = Buffer.alloc(32, 0).toString('base64url');
const DRAWN = Buffer.alloc(32, 1).toString('base64url');

describe('the dashboard of an installation with a whitelist and a sign-in provider', () => {
  let app: TestApp;
  let google: TestGoogle;
  let github: TestGitHub;
  let browser: Browser;
  let dashboard: TestDashboard;
  const approved = anEmail();
  const other = anEmail();
  const third = anEmail();

  beforeAll(async () => {
    const port = await freePort();
    const redirectUri = `http://localhost:${port}/dashboard/oauth/callback`;
    [google, github] = [await startGoogle(redirectUri), await startGitHub()];
    app = await startTestApp({
      ...googleSettings(google),
      GITHUB_CLIENT_ID: CLIENT_ID,
      GITHUB_CLIENT_SECRET: CLIENT_SECRET,
      GITHUB_URL: github.url,
      GITHUB_API_URL: github.url,
      PORT: String(port),
      OAUTH_REDIRECT_URIS: redirectUri,
      ACCESS_MODE: 'whitelist',
      WHITELIST_EMAILS: [approved, other, third].join(','),
    });
    browser = await startBrowser();
    dashboard = new TestDashboard(app, browser);
  });

  afterAll(async () => {
    await browser.close();
    await app.close();
    await google.close();
    await github.close();
  });

  /** A page whose verifier is `DRAWN`, and whose provider gives this code at once: its own pages are not ours to test. */
  async function pageWithConsent(issuer: string, code: string): Promise<{ page: Page; asked: () => URLSearchParams }> {
    const page = await browser.newPage();
    await page.addInitScript('let drawn = 0; crypto.getRandomValues = (bytes) => bytes.fill(drawn++);');
    let asked = new URLSearchParams();
    await page.route(`${issuer}/**`, (route) => {
      asked = new URL(route.request().url()).searchParams;
      const answer = new URLSearchParams({ code, state: asked.get('state') ?? '' });
      return route.fulfill({
        status: 302,
        headers: { Location: `${asked.get('redirect_uri') ?? ''}?${answer.toString()}` },
      });
    });
    return { page, asked: () => asked };
  }

  it.each([
    [
      'Google',
      async (bound: { verifier: string; redirectUri: string }): Promise<[string, string]> => [
        google.issuer,
        await google.code('ada', { email: approved, email_verified: true, name: 'Ada' }, bound),
      ],
    ],
    [
      'GitHub',
      (bound: { verifier: string; redirectUri: string }): [string, string] => {
        const emails = [{ email: other, primary: true, verified: true }];
        return [github.url, github.code({ id: 1, login: 'lin', emails }, bound)];
      },
    ],
  ])('signs in with %s by PKCE and state, and comes back to where it was going', async (name, consent) => {
    const redirectUri = dashboard.address('/oauth/callback');
    const { page, asked } = await pageWithConsent(...(await consent({ verifier: DRAWN, redirectUri })));
    await page.goto(dashboard.address('/api-key'));
    await page.getByRole('button', { name: `Continue with ${name}` }).click();
    await seeHeading(page, 'API key');
    expect(Object.fromEntries(asked())).toMatchObject({ code_challenge_method: 'S256' });
    expect(asked().get('state')).toBe(STATE);
    expect(asked().toString()).not.toContain(DRAWN);
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
    await page.getByLabel('E-mail address').fill(third);
    await page.getByRole('button', { name: 'Sign up' }).click();
    await seeHeading(page, 'Overview');
    await page.getByText('nobody has shown yet that it is yours').waitFor();
    await expectAccessible(page);
  });
});
