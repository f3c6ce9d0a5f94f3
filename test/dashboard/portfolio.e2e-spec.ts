import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Locator, Page, Route } from 'playwright-core';
import { startBrowser } from '../support/browser.js';
import { get, logIn, post, remove, signedIn } from '../support/calls.js';
import { expectAccessible, fillInSignIn, keptByBrowser, seeHeading, TestDashboard } from '../support/dashboard.js';
import { minus, plus, times } from '../support/exact.js';
import { EXCHANGE, type ExchangeName } from '../support/exchanges.js';
import { aTrader, startTestStand, storeCredentials, type TestStand, type Trader } from '../support/sandbox.js';
import { anApiKey, aUser } from '../support/users.js';

const TICKER = EXCHANGE.kalshi.market;
const OTHER_TICKER = 'KXHIGHNY-TODAY-T58';

interface Outcome {
  readonly id: string;
  readonly label: string;
  readonly bid: string | null;
}

interface Market {
  readonly id: string;
  readonly title: string;
  readonly result: { readonly outcome_index: number | null } | null;
  readonly outcomes: readonly Outcome[];
}

interface Order {
  readonly id: string;
  readonly status: string;
}

/** A trader with what signs for him at Polymarket. */
interface Member extends Trader {
  readonly sandbox: { readonly addresses: TestStand['sandbox']['addresses'] };
}

describe('the portfolio', () => {
  let stand: TestStand;
  let browser: Browser;
  let dashboard: TestDashboard;
  /** Reads markets for the tests. */
  let reader: Trader;

  beforeAll(async () => {
    [stand, browser] = await Promise.all([startTestStand({ UPSTREAM_TIMEOUT: '2s' }), startBrowser()]);
    dashboard = new TestDashboard(stand.app, browser);
    reader = await aTrader(stand, ['read']);
  });

  afterAll(async () => {
    await browser.close();
    await stand.close();
  });

  afterEach(async () => {
    stand.sandbox.faults.clear();
    await dashboard.close();
  });

  const read = async <T>(path: string, key: string): Promise<T> => {
    const answer = await get(stand.app, path, key);
    expect([path, answer.status]).toEqual([path, 200]);
    return answer.body as T;
  };
  const rowsOf = async <T>(path: string, key: string): Promise<T[]> => (await read<{ data: T[] }>(path, key)).data;

  /** Somebody with accounts of his own at both exchanges, and these shares at Polymarket. */
  const join = async (shares: Record<string, string> = {}): Promise<Member> => {
    const { app, sandbox } = stand;
    const user = await aUser(app);
    const { access_key, private_key } = await sandbox.kalshi.addAccount({ keyType: 'ed25519' });
    const account = sandbox.polymarket.addAccount({ shares });
    const { api_key, secret, passphrase, wallet_address } = account;
    await storeCredentials(app, user, 'kalshi', { access_key, private_key });
    await storeCredentials(app, user, 'polymarket', { api_key, secret, passphrase, wallet_address });
    const polymarket = { ...sandbox.addresses.polymarket, ...account };
    return { user, key: await anApiKey(app, user), sandbox: { addresses: { ...sandbox.addresses, polymarket } } };
  };

  const place = async (member: Member, exchange: ExchangeName, terms: object = {}): Promise<Order> => {
    const order = await EXCHANGE[exchange].anOrder({ app: stand.app, ...member });
    const placed = await post(stand.app, `/${exchange}/orders`, { ...order, ...terms }, member.key);
    expect([placed.status, placed.text]).toEqual([200, placed.text]);
    return placed.body as Order;
  };

  const tableOf = (page: Page, name: string): Locator => page.getByRole('region', { name: `${name}, a table` });
  /** Waits until the table has so many rows and no more, of which those in view are drawn; its head counts as one. */
  const seeRows = (page: Page, name: string, count: number): Promise<void> =>
    tableOf(page, name)
      .locator(`table[aria-rowcount="${count + 1}"] > tbody > tr`)
      .first()
      .waitFor();
  const openTab = (page: Page, name: string): Promise<void> => page.getByRole('tab', { name }).click();
  const confirm = async (page: Page, trigger: Locator, action: string): Promise<void> => {
    await trigger.click();
    await page.getByRole('alertdialog').getByText('stays filled').waitFor();
    await page.getByRole('button', { name: action }).click();
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
  };
  const openAt = async (exchange: ExchangeName, { key }: Trader): Promise<string[]> =>
    (await rowsOf<Order>(`/${exchange}/orders`, key)).map(({ id }) => id).sort();

  it('shows what is held, is open and was traded at both exchanges; cancels one, one market’s and all; saves fills', async () => {
    const [settled] = await rowsOf<Market>('/polymarket/markets?status=settled&limit=1', reader.key);
    const won = settled?.outcomes[settled.result?.outcome_index ?? 0]?.id ?? '';
    const member = await join({ [won]: '7.5' });
    const { key } = member;
    await place(member, 'kalshi', { price: '0.99', size: '3', time_in_force: 'ioc' });
    const kept = await place(member, 'kalshi');
    await place(member, 'kalshi', { size: '2' });
    const single = await place(member, 'kalshi', { market_id: OTHER_TICKER, outcome: 'no' });
    const bought = [await place(member, 'polymarket'), await place(member, 'polymarket')];

    const page = await dashboard.open();
    await dashboard.signIn(page, member.user.email, '');
    await seeRows(page, 'Open orders', 5);
    await page.getByRole('region', { name: 'Kalshi balance' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'All positions' }).click();
    await seeHeading(page, 'Portfolio');

    await seeRows(page, 'Positions', 2);
    const market = await read<Market>(`/kalshi/markets/${TICKER}`, key);
    const [held] = await rowsOf<Record<'cost_basis' | 'size', string>>('/kalshi/positions', key);
    const bid = market.outcomes[0]?.bid ?? '';
    const worth = times(bid, held?.size ?? '');
    const row = tableOf(page, 'Positions').getByRole('row', { name: market.title });
    for (const text of [held?.cost_basis, `${bid} (bid)`, worth, minus(worth, held?.cost_basis ?? '')])
      await row
        .getByText(text ?? 'none')
        .first()
        .waitFor();
    await page.getByText('1 position is redeemable').waitFor();
    await tableOf(page, 'Positions')
      .getByRole('row', { name: settled?.title ?? '' })
      .getByText('7.5')
      .first()
      .waitFor();
    await page.getByText('soon after a fill or the end of an order').waitFor();
    await expectAccessible(page);

    await openTab(page, 'Open orders');
    await seeRows(page, 'Open orders', 5);
    await page.getByLabel('Exchange').selectOption('Kalshi');
    await seeRows(page, 'Open orders', 3);
    await page.getByRole('searchbox', { name: 'Market' }).fill('t58');
    await seeRows(page, 'Open orders', 1);
    await page.getByLabel('Side').selectOption('Sell');
    await page.getByText('None of the 5 that were read').waitFor();
    await page.waitForURL(/list=orders.*exchange=kalshi.*side=sell|side=sell/);
    await page.reload();
    await page.getByText('None of the 5 that were read').waitFor();
    expect(await page.getByRole('searchbox', { name: 'Market' }).inputValue()).toBe('t58');
    expect(await page.getByRole('tab', { name: 'Open orders' }).getAttribute('aria-selected')).toBe('true');
    await page.getByRole('button', { name: 'Show all' }).click();
    await expectAccessible(page);

    const third = tableOf(page, 'Open orders').getByRole('row', { name: OTHER_TICKER });
    await third.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('alertdialog').getByText('Buy 1 No at 0.02').waitFor();
    await page.locator('button:focus').getByText('Keep open').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Cancel the order' }).click();
    await page.getByText('1 order cancelled at Kalshi').waitFor();
    await page.locator('#cancel-result:focus-within').waitFor();
    await seeRows(page, 'Open orders', 4);
    expect((await read<Order>(`/kalshi/orders/${single.id}`, key)).status).toBe('cancelled');
    expect(await openAt('kalshi', member)).toContain(kept.id);
    await page.getByLabel('Cancel the orders of one market').selectOption({ label: `Kalshi: ${market.title} (2)` });
    await confirm(page, page.getByRole('button', { name: 'Cancel this market’s' }), 'Cancel them');
    await page.getByText('2 orders cancelled at Kalshi').waitFor();
    expect([await openAt('kalshi', member), await openAt('polymarket', member)]).toEqual([
      [],
      bought.map(({ id }) => id).sort(),
    ]);
    await confirm(page, page.getByRole('button', { name: 'Cancel all open orders' }), 'Cancel all of them');
    await page.getByText('2 orders cancelled at Polymarket').waitFor();
    await page.getByText('Kalshi had no open order').waitFor();
    expect(await openAt('polymarket', member)).toEqual([]);
    await page.getByText('No order of yours is open').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Put away' }).click();

    await openTab(page, 'Fills');
    const fills = await rowsOf<Record<string, string>>('/kalshi/fills', key);
    await seeRows(page, 'Fills', fills.length);
    await expectAccessible(page);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download as CSV' }).click(),
    ]);
    const [head, ...lines] = (await readFile(await download.path(), 'utf8')).split('\r\n');
    expect(head).toBe(
      '"exchange","timestamp","market_id","market","outcome_id","outcome","side","price","size","fee","role","status","bot_id","order_id","fill_id","transaction_hash"',
    );
    const expected = fills.map(
      (fill) =>
        `"kalshi","${fill.timestamp}","${TICKER}","${market.title}","${TICKER}:yes","Yes","buy","${fill.price}","${fill.size}","${fill.fee}","taker","confirmed","","${fill.order_id}","${fill.id}",""`,
    );
    expect(lines).toEqual([...expected, '']);
    expect(await keptByBrowser(page)).not.toMatch(/svc_sk_live|eyJ/);
    expect(dashboard.complaints.filter((text) => !text.includes('401'))).toEqual([]);
  });

  it('shows one exchange while the other fails, and calls no cancel done of which it does not know', async () => {
    const member = await join();
    const order = await place(member, 'kalshi');
    await place(member, 'polymarket');
    const [method, path] = EXCHANGE.polymarket.wire.signed;
    const broken = { exchange: 'polymarket', fault: 'status', status: 500, times: 99 } as const;
    stand.sandbox.faults.add({ ...broken, method, path });
    const page = await dashboard.open({ viewport: { width: 360, height: 740 } });
    await dashboard.signIn(page, member.user.email, '/portfolio');
    await openTab(page, 'Open orders');
    const trouble = page.getByRole('region', { name: 'Trouble with Polymarket' });
    await trouble.getByText('The exchange has trouble').waitFor();
    await trouble.getByText('Details').click();
    await trouble.getByRole('button', { name: 'Copy the request id' }).waitFor();
    await seeRows(page, 'Open orders', 1);
    await expectAccessible(page);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);

    const [cancels, where] = EXCHANGE.kalshi.wire.cancel;
    const lost = { exchange: 'kalshi', method: cancels, path: where, times: 1 } as const;
    stand.sandbox.faults.add({ ...lost, fault: 'reset_after' });
    await confirm(page, page.getByRole('button', { name: /^Cancel (Buy|Sell) / }), 'Cancel the order');
    await page.getByText('Not known whether 1 order at Kalshi is cancelled').waitFor();
    expect(await page.getByText('order cancelled at').count()).toBe(0);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Look it up' }).click();
    await page.getByText('It is cancelled.').waitFor();
    expect((await read<Order>(`/kalshi/orders/${order.id}`, member.key)).status).toBe('cancelled');

    await page.getByRole('button', { name: 'Put away' }).click();
    const gone = await place(member, 'kalshi');
    await page.getByRole('button', { name: 'Refresh' }).click();
    await seeRows(page, 'Open orders', 1);
    expect((await remove(stand.app, `/kalshi/orders/${gone.id}`, member.key)).status).toBe(200);
    await confirm(page, page.getByRole('button', { name: /^Cancel (Buy|Sell) / }), 'Cancel the order');
    await page.getByText('1 order cancelled at Kalshi').waitFor();

    // Of the two batches the answer to the second is lost; at Polymarket nothing can even be listed.
    await Promise.all(Array.from({ length: 21 }, () => place(member, 'kalshi')));
    stand.sandbox.faults.add({ ...lost, fault: 'delay', delay_ms: 1 });
    stand.sandbox.faults.add({ ...lost, fault: 'reset_after' });
    await page.getByRole('button', { name: 'Refresh' }).click();
    await seeRows(page, 'Open orders', 21);
    await confirm(page, page.getByRole('button', { name: 'Cancel all open orders' }), 'Cancel all of them');
    await page.getByText('20 orders cancelled at Kalshi').waitFor();
    await page.getByText('Not known whether 1 order at Kalshi is cancelled').waitFor();
    await page.getByText('Not known what is cancelled at Polymarket').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);

    stand.sandbox.faults.clear();
    // Unless the list was read anew by then, after the cancel.
    const again = trouble.getByRole('button', { name: 'Try again', exact: true });
    await again.click({ timeout: 5_000 }).catch(() => undefined);
    await trouble.waitFor({ state: 'detached' });
    expect(await openAt('polymarket', member)).toHaveLength(1);
    await page.getByRole('button', { name: 'Cancel the rest' }).click();
    await page.getByText('1 order cancelled at Polymarket').waitFor();
    await page.getByText('21 orders cancelled at Kalshi').or(page.getByText('20 orders cancelled at Kalshi')).waitFor();
    await page.getByRole('button', { name: 'Cancel the rest' }).waitFor({ state: 'detached' });
    expect([await openAt('kalshi', member), await openAt('polymarket', member)]).toEqual([[], []]);
  });

  it('takes the words of the filter from the address, also once a link has cleared them', async () => {
    const { user } = await join();
    const page = await dashboard.open();
    await dashboard.signIn(page, user.email, '/portfolio?market=nyc');
    const words = page.getByRole('searchbox', { name: 'Market' });
    await words.waitFor();
    expect(await words.inputValue()).toBe('nyc');
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Portfolio' }).click();
    await page.waitForURL((url) => url.search === '');
    // As long as it takes what is typed to be in the address, and longer.
    await page.waitForTimeout(1_000);
    expect([await words.inputValue(), new URL(page.url()).search]).toEqual(['', '']);
    await words.pressSequentially('bit coin', { delay: 80 });
    await page.waitForURL((url) => url.searchParams.get('market') === 'bit coin');
    expect(await words.inputValue()).toBe('bit coin');
  });

  it('says of an order that was over before the cancel came how it ended, and asks for no more', async () => {
    const [member, other] = [await join(), await join()];
    const { outcomes } = await read<Market>(`/kalshi/markets/${TICKER}`, member.key);
    const price = plus(outcomes[0]?.bid ?? '', '0.01');
    const { id } = await place(member, 'kalshi', { price, size: '2' });
    const page = await dashboard.open();
    await dashboard.signIn(page, member.user.email, '/portfolio?list=orders');
    await page.getByRole('button', { name: /^Cancel Buy / }).click();
    await page.getByRole('alertdialog').waitFor();
    await place(other, 'kalshi', { side: 'sell', price, size: '2', time_in_force: 'ioc' });
    expect((await read<Order>(`/kalshi/orders/${id}`, member.key)).status).toBe('filled');
    await page.getByRole('button', { name: 'Cancel the order' }).click();
    const told = page.getByRole('list', { name: 'Not cancelled at Kalshi' });
    await told.getByText('it had filled before the cancel came').waitFor();
    expect(await page.getByText('expired').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Cancel the rest' }).count()).toBe(0);
    await page.getByText('No order of yours is open').waitFor();
    await expectAccessible(page);
  });

  it('offers to cancel again what was just being matched', async () => {
    const member = await join();
    const { id } = await place(member, 'kalshi');
    const page = await dashboard.open();
    await dashboard.signIn(page, member.user.email, '/portfolio?list=orders');
    const address = new RegExp(`/kalshi/orders/${id}$`);
    await page.route(address, (route) => {
      const details = { reason: 'not_cancellable' };
      const error = { code: 'exchange_rejected', message: 'no', request_id: 'req_x', retryable: false, details };
      return route.fulfill({ status: 422, json: { error } });
    });
    await confirm(page, page.getByRole('button', { name: /^Cancel Buy / }), 'Cancel the order');
    await page.getByText('1 order not cancelled at Kalshi').waitFor();
    await page.getByRole('alert').getByText('just being matched').waitFor();
    expect(await page.getByRole('button', { name: 'Cancel the rest' }).isDisabled()).toBe(true);
    await expectAccessible(page);
    await page.unroute(address);
    await page.getByRole('button', { name: 'Cancel the rest' }).click();
    await page.getByText('1 order cancelled at Kalshi').waitFor();
    expect(await openAt('kalshi', member)).toEqual([]);
  });

  it('loads more by the cursors, reads nothing by itself while nothing happens, and makes no formula of what an exchange says', async () => {
    const member = await join();
    for (const size of ['1', '2', '3']) await place(member, 'kalshi', { price: '0.99', size, time_in_force: 'ioc' });
    const page = await dashboard.open();
    const calls: string[] = [];
    await dashboard.context.route(/\/(orders|fills)\?/, async (route) => {
      const url = new URL(route.request().url());
      calls.push(url.pathname);
      url.searchParams.set('limit', '1');
      const answer = await route.fetch({ url: url.href });
      const body = (await answer.text()).replaceAll('"label":"Yes"', '"label":"=1+\\"2\\""');
      return route.fulfill({ response: answer, body });
    });
    await page.clock.install();
    await dashboard.signIn(page, member.user.email, '/portfolio');
    await page.getByText('You hold nothing').or(tableOf(page, 'Positions')).waitFor();
    await openTab(page, 'Open orders');
    await page.getByText('No order of yours is open').waitFor();
    expect(calls.sort()).toEqual(['/kalshi/orders', '/polymarket/orders']);
    await page.evaluate("Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true })");
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await page.clock.runFor(60_000);
    await page.evaluate("Object.defineProperty(document, 'visibilityState', { value: 'visible' })");
    await page.clock.runFor(60_000);
    expect(calls).toHaveLength(2);
    await openTab(page, 'Fills');
    await seeRows(page, 'Fills', 1);
    await page.getByText('There are older ones').waitFor();
    await page.getByRole('button', { name: 'Load more' }).click();
    await seeRows(page, 'Fills', 2);
    await page.getByRole('button', { name: 'Load all' }).click();
    await seeRows(page, 'Fills', 3);
    expect(await page.getByRole('button', { name: 'Load more' }).count()).toBe(0);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download as CSV' }).click(),
    ]);
    const text = await readFile(await download.path(), 'utf8');
    expect(text.match(/,"'=1\+""2""",/g)).toHaveLength(3);
    await dashboard.context.unrouteAll({ behavior: 'wait' });
  });

  it('says of an exchange that has not answered yet that it is being read; a pause holds the next cancel back', async () => {
    const member = await join();
    await place(member, 'kalshi');
    await place(member, 'polymarket');
    const page = await dashboard.open();
    let answer = (): void => undefined;
    const held = new Promise<void>((resolve) => (answer = resolve));
    await page.route('**/kalshi/orders?*', async (route) => {
      await held;
      await route.continue();
    });
    await dashboard.signIn(page, member.user.email, '/portfolio?list=orders');
    await seeRows(page, 'Open orders', 1);
    await page.getByText('Kalshi: reading… Nothing of Kalshi is shown yet').waitFor();
    await expectAccessible(page);
    answer();
    await seeRows(page, 'Open orders', 2);
    expect(await page.getByText('Kalshi: reading').count()).toBe(0);
    await page.unroute('**/kalshi/orders?*');

    await page.route(/\/kalshi\/orders$/, (route) => {
      const error = { code: 'exchange_rate_limited', message: 'slow down', request_id: 'req_x', retryable: true };
      return route.fulfill({ status: 429, headers: { 'Retry-After': '2' }, json: { error } });
    });
    await confirm(page, page.getByRole('button', { name: 'Cancel all open orders' }), 'Cancel all of them');
    await page.getByText('Not known what is cancelled at Kalshi').waitFor();
    const again = page.getByRole('button', { name: 'Cancel the rest' });
    await page.getByText('asks for a pause: in').waitFor();
    expect(await again.isDisabled()).toBe(true);
    await page.unroute(/\/kalshi\/orders$/);
    await again.click();
    await page.getByText('1 order cancelled at Kalshi').waitFor();
    await page.getByText('1 order cancelled at Polymarket').waitFor();
    expect([await openAt('kalshi', member), await openAt('polymarket', member)]).toEqual([[], []]);
  });

  it('needs no API key, reads and cancels without one, and leads on where there is no exchange', async () => {
    const { user, key } = await join();
    await place({ user, key, sandbox: stand.sandbox }, 'kalshi');
    const page = await dashboard.open();
    const credentials = new Set<string>();
    page.on('request', (sent) => {
      const { pathname } = new URL(sent.url());
      if (/^\/(?:kalshi|polymarket)\//.test(pathname)) credentials.add(sent.headers().authorization ?? '');
    });
    await dashboard.signIn(page, user.email, '/portfolio');
    await page.getByText('You hold nothing').waitFor();
    await page.getByRole('button', { name: 'Revoke key' }).click();
    await page.getByRole('button', { name: 'Revoke it now' }).click();
    await page.getByText('Nothing accepts it any more').waitFor();
    await openTab(page, 'Open orders');
    await confirm(page, page.getByRole('button', { name: 'Cancel all open orders' }), 'Cancel all of them');
    await page.getByText('1 order cancelled at Kalshi').waitFor();
    expect((await get(stand.app, '/kalshi/orders', key)).status).toBe(401);
    await page.reload();
    await page.getByText('No order of yours is open').waitFor();
    expect([...credentials].filter((text) => !text.startsWith('Bearer eyJ'))).toEqual([]);
    const other = await aUser(stand.app);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await dashboard.signIn(page, other.email, '/portfolio');
    await page.getByText('No exchange is set up yet').waitFor();
    await expectAccessible(page);
  });

  it('revokes the key, then cancels all orders, in one question from any page', async () => {
    const member = await join();
    const { user, key } = member;
    for (const exchange of ['kalshi', 'polymarket'] as const) await place(member, exchange);
    const page = await dashboard.open();
    const deletes: string[] = [];
    page.on('request', (sent) => {
      if (sent.method() === 'DELETE') deletes.push(new URL(sent.url()).pathname);
    });
    await dashboard.signIn(page, user.email, '/bots');
    const openDialog = async (): Promise<void> => {
      await page.getByRole('button', { name: 'Revoke key' }).click();
      await page.getByRole('alertdialog').getByRole('checkbox').check();
    };
    const openAt = async (exchange: string): Promise<number> => {
      const answer = await get(stand.app, `/${exchange}/orders`, user.token);
      return (answer.body as { data: unknown[] }).data.length;
    };
    const answer = async (answered: (route: Route) => Promise<void>): Promise<void> => {
      await page.route('**/account/api-keys/*', answered, { times: 1 });
      await openDialog();
      await page.getByRole('button', { name: 'Revoke it and cancel all orders' }).click();
      await page.getByRole('alertdialog').getByRole('alert').waitFor();
    };
    const error = { code: 'rate_limited', message: 'Too many.', request_id: 'req_1', retryable: true };
    await answer((route) => route.fulfill({ status: 429, json: { error } }));
    expect([await openAt('kalshi'), await openAt('polymarket')]).toEqual([1, 1]);
    await page.getByRole('button', { name: 'Keep it' }).click();
    deletes.length = 0;
    await openDialog();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Revoke it and cancel all orders' }).click();
    for (const name of ['Kalshi', 'Polymarket']) await page.getByText(`1 order cancelled at ${name}`).waitFor();
    await page.getByText('Nothing accepts it any more').waitFor();
    expect([deletes[0], ...deletes.slice(1).sort()]).toEqual([
      `/account/api-keys/${key.slice(0, 16)}`,
      '/kalshi/orders',
      '/polymarket/orders',
    ]);
    expect((await get(stand.app, '/me', key)).status).toBe(401);
    expect([await openAt('kalshi'), await openAt('polymarket')]).toEqual([0, 0]);
    await page.locator('#cancel-result:focus-within').waitFor();
  });

  it('cancels also where the answer to the revocation is lost, and revokes once more what is gone by then', async () => {
    const member = await join();
    await place(member, 'kalshi');
    const page = await dashboard.open();
    await dashboard.signIn(page, member.user.email, '/portfolio?list=orders');
    await page.route(
      '**/account/api-keys/*',
      async (route) => {
        await route.fetch();
        await route.abort();
      },
      { times: 1 },
    );
    await page.getByRole('button', { name: 'Revoke key' }).click();
    await page.getByRole('alertdialog').getByRole('checkbox').check();
    const confirm = page.getByRole('button', { name: 'Revoke it and cancel all orders' });
    await confirm.click();
    await page.getByRole('alertdialog').getByRole('alert').waitFor();
    await page.getByText('1 order cancelled at Kalshi').waitFor({ state: 'attached' });
    expect((await get(stand.app, '/me', member.key)).status).toBe(401);
    await place({ ...member, key: await anApiKey(stand.app, member.user) }, 'kalshi');
    await stand.app.query('DELETE FROM api_keys WHERE user_id = $1', [member.user.id]);
    await confirm.click();
    await page.getByText('Nothing accepts it any more').waitFor();
    expect(await rowsOf('/kalshi/orders', member.user.token)).toEqual([]);
  });

  it('leads to the sign-in within a second of the next call once the session is ended elsewhere, also without a stream', async () => {
    const member = await join();
    await place(member, 'kalshi');
    const page = await dashboard.open();
    await dashboard.context.route('**/stream?*', (route) => route.abort());
    await dashboard.signIn(page, member.user.email, '/portfolio');
    await openTab(page, 'Open orders');
    await seeRows(page, 'Open orders', 1);
    const market = await dashboard.newTab();
    await market.goto(dashboard.address(`/markets/kalshi/${TICKER}`));
    await market.getByRole('table', { name: 'Bids' }).waitFor();
    const { token } = signedIn(await logIn(stand.app, member.user.email));
    expect((await remove(stand.app, '/account/sessions', token)).status).toBe(200);
    for (const [tab, button] of [
      [page, page.getByRole('button', { name: /^Cancel (Buy|Sell) / })],
      [market, market.getByRole('region', { name: 'At Kalshi' }).getByRole('button', { name: 'Refresh' })],
    ] as const) {
      await button.click();
      if (tab === page) await page.getByRole('button', { name: 'Cancel the order' }).click();
      await tab.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor({ timeout: 1_000 });
      await tab.getByText('Your session has ended').waitFor();
    }
    expect(await openAt('kalshi', member)).toHaveLength(1);
    await fillInSignIn(market, member.user.email);
    await market.getByRole('table', { name: 'Bids' }).waitFor();
    await seeHeading(page, 'Portfolio');
  });
});
