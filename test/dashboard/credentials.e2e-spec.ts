import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Locator, Page } from 'playwright-core';
import { startBrowser } from '../support/browser.js';
import { get, OTHER_PASSWORD, PASSWORD } from '../support/calls.js';
import { clipboardOf, expectAccessible, keptByBrowser, seeHeading, TestDashboard } from '../support/dashboard.js';
import { startTestStand, type TestStand } from '../support/sandbox.js';
import { authorise, statusOf } from '../support/session-keys.js';
import { aUser, type TestUser } from '../support/users.js';

const DAY_MS = 86_400_000;
const PHONE = { width: 360, height: 740 };
const COMMAND = /^npm run polymarket:session-key -- authorize --wallet (\S+) --session (0x[0-9a-fA-F]{40})$/;

describe('exchange credentials in the dashboard', () => {
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

  const cardOf = (page: Page, name: string): Locator => page.getByRole('region', { name, exact: true });

  const storedAt = async (exchange: string, { token }: TestUser): Promise<Record<string, unknown>> => {
    const answer = await get(stand.app, '/account/credentials', token);
    return (answer.body as { exchanges: Record<string, Record<string, unknown>> }).exchanges[exchange] ?? {};
  };

  /** Makes a key of this deposit wallet where the wizard asks for it, and returns its address. */
  const makeKey = async (card: Locator, wallet: string): Promise<string> => {
    await card.getByLabel('Deposit wallet').fill(wallet);
    await card.getByRole('button', { name: 'Make the session key' }).click();
    const command = (await card.getByTestId('command').textContent()) ?? '';
    const [, owned = '', address = ''] = COMMAND.exec(command.trim()) ?? [];
    expect(owned).toBe(wallet);
    return address;
  };

  it('Kalshi: says in place what is wrong, tries before it stores, shows no value again, verifies, replaces and removes', async () => {
    const user = await aUser(stand.app);
    const { access_key, private_key, keys } = stand.sandbox.addresses.kalshi;
    const page = await dashboard.open();
    await dashboard.signIn(page, user.email);
    await page.getByRole('link', { name: 'Store your Kalshi credentials' }).click();
    await seeHeading(page, 'Exchanges');
    const card = cardOf(page, 'Kalshi');
    await card.getByText('Nothing is stored').waitFor();
    await expectAccessible(page);
    await card.getByRole('button', { name: 'Add Kalshi credentials' }).click();
    const [keyId, pem] = [card.getByLabel('Key ID'), card.getByLabel('Private key')];
    const store = card.getByRole('button', { name: 'Store the credentials' });
    expect(await page.evaluate('document.activeElement.name')).toBe('access_key');
    await keyId.fill('ä');
    await pem.fill('-----BEGIN PRIVATE KEY-----');
    await store.click();
    await card.getByText('It must be an unencrypted private key in PEM').waitFor();
    await card.getByText('It must be 1 to 128 visible ASCII characters').waitFor();
    await card.getByRole('alert').getByText('look at the marked fields').waitFor();
    await expectAccessible(page);
    await keyId.fill('a952bcbe-ec3b-4b5b-b8f9-11dae589608c');
    const file = { mimeType: 'text/plain', buffer: Buffer.from('notes') };
    await card.getByLabel('Choose the file').setInputFiles({ ...file, name: 'notes.txt' });
    await card.getByText('notes.txt holds no private key').waitFor();
    await card
      .getByLabel('Choose the file')
      .setInputFiles({ ...file, name: 'bot.txt', buffer: Buffer.from(private_key) });
    await card.getByText('Read from bot.txt').waitFor();
    await store.click();
    await card.getByText('Kalshi refused these credentials, so nothing was changed').waitFor();
    expect(await storedAt('kalshi', user)).toMatchObject({ configured: false });
    await keyId.fill(access_key);
    await store.click();
    await page.getByText('Kalshi accepted the credentials').waitFor();
    await card.getByRole('button', { name: 'Replace' }).waitFor();
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Replace');
    expect(await page.locator('textarea').count()).toBe(0);
    expect(await page.content()).not.toContain(access_key);
    expect(await keptByBrowser(page)).not.toMatch(/PRIVATE KEY|svc_sk|eyJ/);
    await card.getByText('can also move money').waitFor();
    await card.getByRole('row', { name: 'Shard 3' }).waitFor();
    await card.getByRole('button', { name: 'Verify now' }).click();
    await card.getByText(/ (?:ahead of|behind) this service|The same as/).waitFor();
    await card.getByText('write', { exact: true }).waitFor();
    await card.getByRole('button', { name: 'Replace' }).click();
    expect([await keyId.inputValue(), await pem.inputValue()]).toEqual(['', '']);
    const better = keys.find(({ name }) => name === 'read_trade');
    await keyId.fill(better?.access_key ?? '');
    await pem.fill((better?.private_key ?? '').replaceAll('\n', '\\n'));
    await store.click();
    await pem.waitFor({ state: 'detached' });
    await card.getByText('write::trade', { exact: true }).waitFor();
    await card.getByText('can also move money').waitFor({ state: 'detached' });
    await page.setViewportSize(PHONE);
    await expectAccessible(page);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width);
    await card.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('alertdialog').getByText('Open orders stay open at Kalshi').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Keep them' }).click();
    expect(await storedAt('kalshi', user)).toMatchObject({ configured: true });
    await card.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('button', { name: 'Remove them now' }).click();
    await page.getByText('The Kalshi credentials are removed').waitFor();
    await card.getByText('Nothing is stored').waitFor();
    expect(await storedAt('kalshi', user)).toMatchObject({ configured: false });
  });

  it('Polymarket: stores the owner’s credentials, then leads a session key into use, renews and removes it', async () => {
    const user = await aUser(stand.app);
    const owner = stand.sandbox.polymarket.addAccount({ signatureType: 3 });
    const { wallet_address: wallet } = owner;
    const page = await dashboard.open();
    await dashboard.signIn(page, user.email);
    await page.getByRole('link', { name: 'Let the service sign your orders' }).click();
    await seeHeading(page, 'Exchanges');
    const card = cardOf(page, 'Polymarket');
    await card.getByRole('button', { name: 'Add Polymarket credentials' }).click();
    await card.getByLabel('API key').fill(owner.api_key);
    await card.getByLabel('Secret').fill(owner.secret);
    await card.getByLabel('Passphrase').fill(`${owner.passphrase}x`);
    await card.getByLabel('Wallet address').fill(wallet);
    await card.getByLabel('Signer address').fill(owner.signer_address);
    await expectAccessible(page);
    await card.getByRole('button', { name: 'Store the credentials' }).click();
    await card.getByText('Look whether key, secret and passphrase came together').waitFor();
    await card.getByLabel('Passphrase').fill(owner.passphrase);
    await card.getByRole('button', { name: 'Store the credentials' }).click();
    await page.getByText('Polymarket accepted the credentials').waitFor();
    expect(await page.content()).not.toContain(owner.passphrase);
    const wizard = cardOf(page, 'Polymarket session key');
    expect(await wizard.getByLabel('Deposit wallet').inputValue()).toBe(wallet);
    await wizard.getByLabel('Deposit wallet').fill('0x12');
    await wizard.getByRole('button', { name: 'Make the session key' }).click();
    await wizard.getByText('It must be 0x and 40 hex digits').waitFor();
    const address = await makeKey(wizard, wallet);
    await wizard.getByRole('button', { name: 'Copy the command' }).click();
    await wizard.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await clipboardOf(page)).toMatch(COMMAND);
    await expectAccessible(page);
    const printed = wizard.getByLabel('What the command printed last');
    const takeIntoUse = wizard.getByRole('button', { name: 'Take it into use' });
    await printed.fill('soon');
    await takeIntoUse.click();
    await wizard.getByText('It must be the line that the command printed').waitFor();
    authorise(stand, { wallet, address, days: 100, usableAfterMs: 1_000 });
    await printed.fill('');
    await takeIntoUse.click();
    await wizard.getByRole('progressbar', { name: 'Waiting for Polymarket' }).waitFor();
    await expectAccessible(page);
    await wizard.getByText('99 days left').waitFor();
    expect(await statusOf(stand.app, user)).toMatchObject({ session_key: { address, state: 'active' } });
    await card.getByRole('button', { name: 'Verify now' }).click();
    await card.getByText(/ (?:ahead of|behind) this service|The same as/).waitFor();
    await page.setViewportSize(PHONE);
    await wizard.getByRole('button', { name: 'Renew' }).click();
    const next = await makeKey(wizard, wallet);
    expect(next).not.toBe(address);
    await wizard.getByRole('heading', { name: 'The next key' }).waitFor();
    await expectAccessible(page);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width);
    await wizard.getByRole('button', { name: 'Remove key' }).click();
    await page.getByRole('alertdialog').getByText(`revoke --wallet ${wallet} --session ${address}`).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Remove it now' }).click();
    await page.getByText('The session key is removed').waitFor();
    expect(await statusOf(stand.app, user)).toMatchObject({ configured: true, session_key: null });
    expect(dashboard.complaints.filter((text) => !/4\d\d/.test(text))).toEqual([]);
  });

  it('S-59 asks an old session in place who it is, and goes on where it was: a key that trades, then Kalshi credentials', async () => {
    const { app } = stand;
    const user = await aUser(app);
    const grow = (column: string, minutes: number): Promise<unknown> =>
      app.query(`UPDATE sessions SET ${column} = ${column} - make_interval(mins => $2) WHERE user_id = $1`, [
        user.id,
        minutes,
      ]);
    const page = await dashboard.open();
    await dashboard.signIn(page, user.email, '/api-key');
    await seeHeading(page, 'API key');
    await grow('created_at', 31);
    await page.getByLabel('Name').fill('desk bot');
    await page.getByRole('radio', { name: 'Everything' }).click();
    await page.getByRole('button', { name: 'Create the key' }).click();
    const dialog = page.getByRole('dialog', { name: 'Is it you?' });
    const password = dialog.getByLabel('Your password');
    await password.fill(OTHER_PASSWORD);
    await dialog.getByRole('button', { name: 'Confirm' }).click();
    await dialog.getByRole('alert').getByText('That did not fit.').waitFor();
    await expectAccessible(page);
    await password.fill(PASSWORD);
    await dialog.getByRole('button', { name: 'Confirm' }).click();
    await page.getByTestId('key').waitFor();
    expect(await dialog.count()).toBe(0);
    const keys = await get(app, '/account/api-keys', user.token);
    expect(keys.body).toMatchObject({ keys: [{ name: 'desk bot', scopes: ['admin'] }] });

    await grow('confirmed_at', 6);
    const { access_key, private_key } = stand.sandbox.addresses.kalshi;
    await page.getByRole('link', { name: 'Exchanges' }).click();
    const card = cardOf(page, 'Kalshi');
    await card.getByRole('button', { name: 'Add Kalshi credentials' }).click();
    await card.getByLabel('Key ID').fill(access_key);
    await card.getByLabel('Private key').fill(private_key);
    await card.getByRole('button', { name: 'Store the credentials' }).click();
    await dialog.getByRole('button', { name: 'Do nothing' }).click();
    await card.getByRole('alert').getByText('you did not confirm that it is you').waitFor();
    expect(await storedAt('kalshi', user)).toMatchObject({ configured: false });
    await card.getByRole('button', { name: 'Store the credentials' }).click();
    await password.fill(PASSWORD);
    await dialog.getByRole('button', { name: 'Confirm' }).click();
    await page.getByText('Kalshi accepted the credentials').waitFor();
    expect(await storedAt('kalshi', user)).toMatchObject({ configured: true });
    expect(await keptByBrowser(page)).not.toMatch(/PRIVATE KEY|svc_sk|eyJ|carousel/);
    expect(dashboard.complaints.filter((text) => !/4\d\d/.test(text))).toEqual([]);
  });

  it('a key that Polymarket does not know goes on waiting, over a reload; a lost answer is found out', async () => {
    const user = await aUser(stand.app);
    const { wallet_address: wallet } = stand.sandbox.polymarket.addAccount({ signatureType: 3 });
    const page = await dashboard.open();
    await dashboard.signIn(page, user.email, '/credentials#session-key');
    const wizard = cardOf(page, 'Polymarket session key');
    const address = await makeKey(wizard, wallet);
    const takeIntoUse = wizard.getByRole('button', { name: 'Take it into use' });
    // As the service answers after 65 s, which test/session-keys.e2e-spec.ts waits for.
    await page.route('**/activate', (route) => {
      const error = { code: 'credentials_rejected', message: '', request_id: 'req_x', retryable: false };
      return route.fulfill({ status: 409, json: { error } });
    });
    await takeIntoUse.click();
    await wizard.getByText('Polymarket does not know this key yet').waitFor();
    await page.unroute('**/activate');
    await page.reload();
    await wizard.getByText('Put the address of your deposit wallet in its place').waitFor();
    expect(await wizard.getByTestId('command').textContent()).toContain(address);
    authorise(stand, { wallet, address });
    await page.route('**/activate', async (route) => {
      await route.fetch();
      await route.abort();
    });
    const end = new Date(Date.now() + 50.5 * DAY_MS).toISOString();
    await wizard.getByLabel('What the command printed last').fill(`valid_until: ${end}`);
    await takeIntoUse.click();
    await wizard.getByText('50 days left').waitFor();
    expect(await statusOf(stand.app, user)).toMatchObject({
      session_key: { address, state: 'active', valid_until: end },
    });
  });
});
