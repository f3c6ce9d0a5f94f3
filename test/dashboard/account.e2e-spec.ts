import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { startBrowser } from '../support/browser.js';
import { codeOf, get, logIn, OTHER_PASSWORD, PASSWORD, post, remove, signedIn } from '../support/calls.js';
import { expectAccessible, fillInSignIn, seeHeading, TestDashboard } from '../support/dashboard.js';
import { EXCHANGE } from '../support/exchanges.js';
import { aTrader, startTestStand, type TestStand } from '../support/sandbox.js';
import { aUser } from '../support/users.js';

describe('activity and profile', () => {
  let stand: TestStand;
  let browser: Browser;
  let dashboard: TestDashboard;

  beforeAll(async () => {
    [stand, browser] = await Promise.all([startTestStand({ UPSTREAM_TIMEOUT: '2s' }), startBrowser()]);
    dashboard = new TestDashboard(stand.app, browser);
  });

  afterAll(async () => {
    await browser.close();
    await stand.close();
  });

  afterEach(async () => {
    stand.sandbox.faults.clear();
    await dashboard.close();
  });

  it('finds what happened to an order by its id, its client order id and its request id, the unknown one too', async () => {
    const { app } = stand;
    const { user, key } = await aTrader(stand);
    const body = { market_id: EXCHANGE.kalshi.market, outcome: 'yes', side: 'buy', price: '0.05', size: '10' };
    const made = await post(app, '/kalshi/orders', body, key);
    const order = made.body as { id: string; client_order_id: string };
    const requestId = made.headers['x-request-id'] ?? '';
    const cancelled = await remove(app, `/kalshi/orders/${order.id}`, key).set('User-Agent', 'grid/1.2');
    expect(cancelled.status).toBe(200);
    const refused = await post(app, '/kalshi/orders', { ...body, price: '0.99', size: '9000000' }, key);
    expect(codeOf(refused)).toBe('exchange_rejected');
    const { request_id: refusedRequest } = (refused.body as { error: { request_id: string } }).error;

    const page = await dashboard.open();
    await dashboard.signIn(page, user.email, '/activity');
    await seeHeading(page, 'Activity');
    await page.getByText('Placed, and open').first().waitFor();
    await expectAccessible(page);
    const calls: string[] = [];
    page.on('request', (sent) => calls.push(new URL(sent.url()).pathname));
    const find = async (id: string): Promise<void> => {
      await page.keyboard.press('/');
      await page.getByRole('combobox', { name: 'Markets by words' }).fill(id);
      await page.getByRole('option', { name: 'Your order' }).waitFor();
      await page.keyboard.press('Enter');
      await seeHeading(page, 'One order’s life');
    };
    const steps = page.getByRole('region', { name: 'What happened' }).getByRole('listitem');
    const asked = page.getByRole('region', { name: 'The order', exact: true });
    const now = page.getByRole('region', { name: 'At Kalshi now' });
    for (const id of [order.id, order.client_order_id, requestId]) {
      await find(id);
      await asked.getByText(requestId).waitFor();
      await asked.getByText('buy 10 “Yes” at 0.05, good till cancelled').waitFor();
      expect(await steps.locator('strong').allTextContents()).toEqual([
        'Asked for',
        'Sent to Kalshi',
        'An order was cancelled',
        'It is over',
      ]);
      await steps.filter({ hasText: 'An order was cancelled' }).getByText('With grid/1.2').waitFor();
      await page.getByRole('link', { name: 'Activity', exact: true }).click();
      await seeHeading(page, 'Activity');
    }
    expect(calls.filter((path) => path === '/account/activity').length).toBeLessThan(8);
    await find(order.id);
    await now.getByText('cancelled').waitFor();
    await expectAccessible(page);
    const [lookUp] = EXCHANGE.kalshi.lookUps;
    stand.sandbox.faults.add({
      exchange: 'kalshi',
      method: 'GET',
      path: lookUp,
      fault: 'status',
      status: 503,
      times: 100,
    });
    stand.sandbox.faults.add({
      exchange: 'kalshi',
      method: 'POST',
      path: EXCHANGE.kalshi.wire.order[1],
      fault: 'reset_after',
      times: 1,
    });
    const doubtful = await post(app, '/kalshi/orders', body, key);
    expect(codeOf(doubtful)).toBe('order_outcome_unknown');
    const { request_id: doubtfulRequest } = (doubtful.body as { error: { request_id: string } }).error;

    await find(doubtfulRequest);
    await page.getByText('The order may exist or not').waitFor();
    await page.getByText(/A look-up is certain (in \d+ s, at|since)/).waitFor();
    const fits = 'document.documentElement.scrollWidth <= innerWidth';
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await page.evaluate(fits)).toBe(true);
    await find(refusedRequest);
    await steps.getByText('Refused by Kalshi').waitFor();
    await steps.getByText('There is too little money').waitFor();
    await steps.getByText('insufficient_funds').waitFor();
    expect(await page.evaluate(fits)).toBe(true);
    await page.goto(dashboard.address('/activity/orders/no-such-order'));
    await page.getByText('Nothing is noted under this id').waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'All activity' }).click();
    await page.getByText('Placed, and open').first().waitFor();
    await page.getByText('The exchange did not say').first().waitFor();
    expect(await page.evaluate(fits)).toBe(true);
  });

  it('signs out one device, then all others', async () => {
    const { app } = stand;
    const { email } = await aUser(app);
    const page = await dashboard.open({ userAgent: 'This browser' });
    await dashboard.signIn(page, email, '/activity?list=devices');
    const others = [signedIn(await logIn(app, email)), signedIn(await logIn(app, email))];
    await page.reload();
    const devices = page.getByRole('region', { name: 'Signed in on', exact: true });
    await devices.getByRole('row').filter({ hasText: 'This browser' }).getByText('This one').waitFor();
    const before = await devices.getByRole('button', { name: 'Sign out', exact: true }).count();
    await devices.getByRole('button', { name: 'Sign out', exact: true }).first().click();
    await page.getByText('That device is signed out').waitFor();
    const isIn = (): Promise<number[]> =>
      Promise.all(others.map(async ({ token }) => (await get(app, '/account/profile', token)).status));
    expect((await isIn()).sort()).toEqual([200, 401]);
    expect(await devices.getByRole('button', { name: 'Sign out', exact: true }).count()).toBe(before - 1);
    await page.getByRole('button', { name: 'Sign out all others' }).click();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Sign them out' }).click();
    await page.getByText('All other devices are signed out').waitFor();
    expect(await isIn()).toEqual([401, 401]);
  });

  it('changes name, avatar and password, then deletes the account', async () => {
    const { app } = stand;
    const { email } = await aUser(app);
    const page = await dashboard.open();
    await dashboard.signIn(page, email, '/profile');
    await seeHeading(page, 'Profile');
    await page.getByRole('textbox', { name: 'Name' }).fill('Ada Lovelace');
    await page.getByLabel('Address of your avatar').fill('http://example.com/a.png');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').getByText('look at the marked fields').waitFor();
    expect(await page.getByLabel('Address of your avatar').getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel('Address of your avatar').fill('https://example.com/a.png');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Your profile is saved').waitFor();
    const { token } = signedIn(await logIn(app, email));
    expect((await get(app, '/account/profile', token)).body).toMatchObject({
      name: 'Ada Lovelace',
      avatar_url: 'https://example.com/a.png',
    });
    await page.getByLabel('Present password').fill('not the password');
    await page.getByLabel('New password').fill(OTHER_PASSWORD);
    await page.getByRole('button', { name: 'Change the password' }).click();
    await page.getByRole('alert').waitFor();
    await expectAccessible(page);
    await page.getByLabel('Present password').fill(PASSWORD);
    await page.getByLabel('New password').fill('123456789012');
    await page.getByRole('button', { name: 'Change the password' }).click();
    await page.getByText('one of the most common passwords').waitFor();
    expect(await page.getByLabel('New password').getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel('New password').fill(OTHER_PASSWORD);
    await page.getByRole('button', { name: 'Change the password' }).click();
    await page.getByText('Your password is changed').waitFor();
    expect((await logIn(app, email)).status).toBe(401);
    expect((await get(app, '/account/profile', token)).status).toBe(401);
    await page.getByRole('button', { name: 'Delete my account' }).click();
    await expectAccessible(page);
    await page.getByLabel('Your password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Delete it for good' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Your password').fill(OTHER_PASSWORD);
    await page.getByRole('button', { name: 'Delete it for good' }).click();
    await seeHeading(page, 'Your account is deleted');
    await expectAccessible(page);
    expect(codeOf(await logIn(app, email, OTHER_PASSWORD))).toBe('invalid_credentials');
    await page.goto(dashboard.address('/profile'));
    await fillInSignIn(page, email);
    await page.getByRole('alert').getByText('Check the address and the password').waitFor();
  });
});
