import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import request from 'supertest';
import { startTestApp, type TestApp } from './support/app.js';
import { startBrowser } from './support/browser.js';
import { mailsTo, type ReadMail, waitForMails } from './support/mail.js';
import { codeOf, get, logIn, OTHER_PASSWORD, PASSWORD, post, signedIn, signUp } from './support/calls.js';
import { expectAccessible } from './support/dashboard.js';
import { anEmail } from './support/users.js';

function linkIn(mail: ReadMail | undefined): string {
  const [link] = /^http\S+#token=\S+$/m.exec(mail?.text ?? '') ?? [];
  if (link === undefined) throw new Error(`no link in: ${mail?.text ?? 'no mail'}`);
  return link;
}

describe('the pages behind the links in mails', () => {
  let app: TestApp;
  let browser: Browser;
  const complaints: string[] = [];

  beforeAll(async () => {
    app = await startTestApp();
    browser = await startBrowser();
  });

  afterAll(async () => {
    await browser.close();
    await app.close();
  });

  async function open(link: string): Promise<Page> {
    const page = await browser.newPage();
    await page.clock.install();
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.goto(link);
    return page;
  }

  it('a person verifies the address, sets a new password, and the first device is signed out', async () => {
    const email = anEmail();
    await signUp(app, email);
    const [verification] = await waitForMails(app, email, 1);
    const verifyPage = await open(linkIn(verification));
    await expectAccessible(verifyPage);
    await verifyPage.getByRole('button', { name: 'Verify the address' }).click();
    await verifyPage.getByText('Your address is verified').waitFor();
    const device = signedIn(await logIn(app, email));
    await post(app, '/auth/forgot-password', { email });
    let reset: ReadMail | undefined;
    while (reset === undefined)
      reset = (await mailsTo(app, email)).find(({ text }) => text.includes('/reset-password#'));
    const resetPage = await open(linkIn(reset));
    await resetPage.getByLabel('New password').fill('password1234');
    await resetPage.getByRole('button', { name: 'Set the password' }).click();
    await resetPage.getByText('one of the most common passwords').waitFor();
    await expectAccessible(resetPage);
    await resetPage.getByLabel('New password').fill(OTHER_PASSWORD);
    await resetPage.getByRole('button', { name: 'Set the password' }).click();
    await resetPage.getByText('Your password is set').waitFor();
    expect((await get(app, '/account/profile', device.token)).status).toBe(401);
    expect((await logIn(app, email, OTHER_PASSWORD)).status).toBe(200);
    expect((await logIn(app, email, PASSWORD)).status).toBe(401);
    expect(complaints.filter((text) => !text.includes('422'))).toEqual([]);
  });

  it('S-55 whoever verifies an address that several signed up with is led to set a password', async () => {
    const email = anEmail();
    await signUp(app, email, { password: OTHER_PASSWORD, name: 'Mallory' });
    await waitForMails(app, email, 1);
    await signUp(app, email);
    const [, newest] = await waitForMails(app, email, 2);
    const page = await open(linkIn(newest));
    const ask = page.getByRole('button', { name: 'Send me a link to set my password' });
    expect(await ask.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Verify the address' }).click();
    await page.getByText('none of their passwords counts').waitFor();
    await ask.click();
    await page.getByText(`on its way to ${email}`).waitFor();
    expect(await ask.isVisible()).toBe(false);
    const [, , reset] = await waitForMails(app, email, 3);
    const resetPage = await open(linkIn(reset));
    await resetPage.getByLabel('New password').fill(PASSWORD);
    await resetPage.getByRole('button', { name: 'Set the password' }).click();
    await resetPage.getByText('Your password is set').waitFor();
    expect((await logIn(app, email)).status).toBe(200);
    expect(complaints.filter((text) => !text.includes('422'))).toEqual([]);
  });

  it('S-55 whoever is the only one that signed up keeps his password, and is asked for none', async () => {
    const email = anEmail();
    await signUp(app, email);
    const [mail] = await waitForMails(app, email, 1);
    const page = await open(linkIn(mail));
    const asked = page.waitForResponse((response) => response.url().endsWith('/account/profile'));
    await page.getByRole('button', { name: 'Verify the address' }).click();
    await asked;
    await page.getByText('Your address is verified').waitFor();
    expect(await page.getByRole('button', { name: 'Send me a link' }).isVisible()).toBe(false);
  });

  it('S-9 the page takes the token out of the address at once, and posts nothing until its button is pressed', async () => {
    const email = anEmail();
    await signUp(app, email);
    const [mail] = await waitForMails(app, email, 1);
    const page = await open(linkIn(mail));
    const posts: string[] = [];
    page.on('request', (sent) => posts.push(...(sent.method() === 'POST' ? [sent.url()] : [])));
    expect(page.url()).not.toContain('token');
    await page.clock.fastForward('01:00:00');
    await page.mouse.move(200, 200);
    await page.waitForLoadState('networkidle');
    expect(posts).toEqual([]);
    expect(codeOf(await logIn(app, email))).toBe('email_not_verified');
    await page.getByRole('button', { name: 'Verify the address' }).press('Enter');
    await page.getByText('Your address is verified').waitFor();
    expect(posts).toEqual([`${app.settings.publicUrl}/auth/verify-email`]);
    expect((await logIn(app, email)).status).toBe(200);
  });

  it('S-9 fetching a link as a mail scanner does uses nothing up', async () => {
    const email = anEmail();
    await signUp(app, email);
    const [mail] = await waitForMails(app, email, 1);
    const link = new URL(linkIn(mail));
    for (let index = 0; index < 3; index += 1) {
      expect((await request(app.url).get(link.pathname)).status).toBe(200);
      expect((await request(app.url).head(link.pathname)).status).toBe(200);
    }
    const token = link.hash.replace('#token=', '');
    expect((await post(app, '/auth/verify-email', { token })).status).toBe(200);
  });

  it('a link that is not whole says so', async () => {
    const page = await open(`${app.url}/dashboard/reset-password`);
    await page.getByText('This link is not whole').waitFor();
    expect(await page.getByRole('button').count()).toBe(0);
  });
});
