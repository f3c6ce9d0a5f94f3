import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { startTestApp, type TestApp } from '../support/app.js';
import { startBrowser } from '../support/browser.js';
import { logIn, PASSWORD, signUp } from '../support/calls.js';
import { expectAccessible, seeHeading, TestDashboard } from '../support/dashboard.js';
import { startGitHub, type TestGitHub } from '../support/github.js';
import { CLIENT_ID, CLIENT_SECRET, googleSettings, startGoogle, type TestGoogle } from '../support/google.js';
import { freePort } from '../support/loopback.js';
import { tokenIn, waitForMails } from '../support/mail.js';
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
  const fourth = anEmail();
  const fifth = anEmail();

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
      WHITELIST_EMAILS: [approved, other, third, fourth, fifth].join(','),
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

  /** At the port that it was given. */
  const service = () => ({ url: app.settings.publicUrl });

  /** A page whose verifier is `DRAWN`, and whose provider gives these codes, each at once: its own pages are not ours to test. */
  async function pageWithConsent(
    issuer: string,
    ...codes: string[]
  ): Promise<{ page: Page; asked: () => URLSearchParams }> {
    const page = await browser.newPage();
    await page.addInitScript('let drawn = 0; crypto.getRandomValues = (bytes) => bytes.fill(drawn++);');
    let asked = new URLSearchParams();
    await page.route(`${issuer}/**`, (route) => {
      asked = new URL(route.request().url()).searchParams;
      const answer = new URLSearchParams({ code: codes.shift() ?? '', state: asked.get('state') ?? '' });
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

  it('S-59 who has no password confirms with the provider, and comes back to the page', async () => {
    const redirectUri = dashboard.address('/oauth/callback');
    const who = { id: 7, login: 'max', emails: [{ email: fourth, primary: true, verified: true }] };
    const bound = { verifier: DRAWN, redirectUri };
    const { page } = await pageWithConsent(github.url, github.code(who, bound), github.code(who, bound));
    await page.goto(dashboard.address('/api-key'));
    await page.getByRole('button', { name: 'Continue with GitHub' }).click();
    await seeHeading(page, 'API key');
    await app.query(
      `UPDATE sessions SET created_at = now() - interval '31 minutes'
       WHERE user_id = (SELECT id FROM users WHERE email = $1)`,
      [fourth],
    );
    const create = page.getByRole('button', { name: 'Create the key' });
    await create.click();
    const dialog = page.getByRole('dialog', { name: 'Is it you?' });
    await dialog.getByText('fill it in again then').waitFor();
    expect(await dialog.getByLabel('Your password').count()).toBe(0);
    expect(await dialog.getByRole('button', { name: 'Confirm with Google' }).count()).toBe(0);
    await dialog.getByRole('button', { name: 'Confirm with GitHub' }).click();
    await page.getByText('You have confirmed that it is you').waitFor();
    expect(page.url()).toBe(dashboard.address('/api-key'));
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
    await create.click();
    await page.getByTestId('key').waitFor();
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
    await page.getByRole('button', { name: 'Mail me the link again' }).click();
    await page.getByText('Follow it where you are signed in').waitFor();
    await expectAccessible(page);
    const [, mail] = await waitForMails(app, third, 2);
    await page.goto(dashboard.address(`/verify-email#token=${tokenIn(mail, 'verify-email')}`));
    await page.getByRole('button', { name: 'Verify the address' }).click();
    await page.getByText(`You are signed in as ${third}`).waitFor();
    expect(await page.getByRole('button', { name: 'Send me a link' }).count()).toBe(0);
    expect((await logIn(service(), third)).status).toBe(200);
  });

  it('S-12 leads whoever takes an account over by the link to set a password', async () => {
    await signUp(service(), fifth).expect(201);
    const [mail] = await waitForMails(app, fifth, 1);
    const page = await browser.newPage();
    await page.goto(dashboard.address(`/verify-email#token=${tokenIn(mail, 'verify-email')}`));
    await page.getByText('For a new link, sign in').waitFor();
    await page.getByRole('button', { name: 'Verify the address' }).click();
    await page.getByText('nothing that was stored before is left').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Send me a link to set my password' }).click();
    await page.getByText(`on its way to ${fifth}`).waitFor();
    expect((await logIn(service(), fifth)).status).toBe(401);
  });
});
