import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { KalshiTrader } from '../../sandbox/kalshi/trader.js';
import type { StreamFault } from '../../sandbox/streams/faults.js';
import { startBrowser } from '../support/browser.js';
import { get, logIn, post, remove, signedIn } from '../support/calls.js';
import { expectAccessible, seeHeading, TestDashboard } from '../support/dashboard.js';
import { EXCHANGE } from '../support/exchanges.js';
import { plus } from '../support/exact.js';
import { seriesIn, sumOf } from '../support/scrape.js';
import { startTestStand, storeCredentials, type TestStand, type Trader } from '../support/sandbox.js';
import { anApiKey, aUser } from '../support/users.js';

const TICKER = EXCHANGE.kalshi.market;
const MARKET = `/markets/kalshi/${TICKER}`;
/** Until what a page reads as it opens has been read, also once more as its stream begins. */
const SETTLED_MS = 6_500;
/** Until the next tab leads, and its stream has begun. */
const SWITCHED_MS = 2_000;
/** Nothing is read in so long where nothing happens. */
const IDLE_MS = 30_000;

interface Book {
  readonly bids: readonly { readonly price: string; readonly size: string }[];
}

/** Somebody with an account of his own at one exchange. */
interface Member extends Trader {
  readonly kalshi: KalshiTrader;
}

/** What stands between a browser and the service, and can be cut. */
async function startLine(): Promise<{ url: string; cut(): void; mend(): void; close(): void }> {
  let isCut = false;
  const server = createServer((asked, answer) => {
    if (isCut) {
      answer.destroy();
      return;
    }
    const { url = '', method, headers } = asked;
    const passed = request(url, { method, headers, agent: false }, (told) => {
      answer.writeHead(told.statusCode ?? 0, told.headers);
      told.on('error', () => answer.destroy());
      told.pipe(answer);
    });
    passed.on('error', () => answer.destroy());
    answer.on('close', () => passed.destroy());
    asked.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut: () => {
      isCut = true;
      server.closeAllConnections();
    },
    mend: () => {
      isCut = false;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function joinAt({ app, sandbox }: TestStand): Promise<Member> {
  const user = await aUser(app);
  const account = await sandbox.kalshi.addAccount({ keyType: 'ed25519' });
  const { access_key, private_key } = account;
  await storeCredentials(app, user, 'kalshi', { access_key, private_key });
  return {
    user,
    key: await anApiKey(app, user),
    kalshi: new KalshiTrader({ ...sandbox.kalshi.account, ...account }),
  };
}

async function placeAt({ app }: TestStand, { key }: Member, terms: object = {}): Promise<string> {
  const order = { market_id: TICKER, outcome: 'yes', side: 'buy', price: '0.02', size: '1', ...terms };
  const placed = await post(app, '/kalshi/orders', order, key);
  expect([placed.status, placed.text]).toEqual([200, placed.text]);
  return (placed.body as { id: string }).id;
}

function seeLive(page: Page): Promise<void> {
  return page.getByRole('region', { name: 'Open orders', exact: true }).getByText('Live', { exact: true }).waitFor();
}

/** One browser profile, and what its pages asked the API. */
class Visit {
  /** Paths, but those of the stream. */
  readonly calls: string[] = [];
  /** How often it asked for the stream. */
  streams = 0;

  private constructor(
    readonly dashboard: TestDashboard,
    readonly page: Page,
  ) {}

  static async open(dashboard: TestDashboard, options: BrowserContextOptions = {}): Promise<Visit> {
    const visit = new Visit(dashboard, await dashboard.open(options));
    dashboard.context.on('request', (sent) => {
      const { pathname } = new URL(sent.url());
      if (pathname === '/stream') visit.streams += 1;
      else if (!pathname.startsWith('/dashboard')) visit.calls.push(pathname);
    });
    return visit;
  }

  count(path: string): number {
    return this.calls.filter((call) => call === path).length;
  }
}

/** Half a minute in front of an overview where nothing happens: what is read, of how many streams, and the age of a balance then. */
async function idleOverview(stand: TestStand, browser: Browser): Promise<{ read: string[]; streams: number }> {
  const member = await joinAt(stand);
  await placeAt(stand, member);
  const visit = await Visit.open(new TestDashboard(stand.app, browser));
  await visit.dashboard.signIn(visit.page, member.user.email);
  await seeLive(visit.page);
  const card = visit.page.getByRole('region', { name: 'Kalshi balance' });
  await card.getByText(/read \d+ s ago/).waitFor();
  await delay(SETTLED_MS);
  const before = visit.calls.length;
  await delay(IDLE_MS);
  const { calls, streams } = visit;
  const read = calls.slice(before);
  await card.getByText(/read 3\d s ago/).waitFor();
  await visit.dashboard.close();
  return { read, streams };
}

/** How often accounts and positions were read after three fills, and after one that no stream told of. */
async function readAfterFills(stand: TestStand, browser: Browser): Promise<{ told: number[]; untold: number[] }> {
  const member = await joinAt(stand);
  const line = await startLine();
  const visit = await Visit.open(new TestDashboard(stand.app, browser), { proxy: { server: line.url } });
  const { dashboard, page } = visit;
  await dashboard.signIn(page, member.user.email);
  await seeLive(page);
  await delay(SETTLED_MS);
  const buy = { price: '0.99', time_in_force: 'ioc' };
  const counts = (): number[] => ['/portfolio', '/kalshi/positions'].map((path) => visit.count(path));
  const readSince = (before: readonly number[]): number[] =>
    counts().map((count, index) => count - (before[index] ?? 0));
  const atFirst = counts();
  for (const size of ['1', '2', '3']) await placeAt(stand, member, { ...buy, size });
  const exposure = page.getByRole('region', { name: 'Exposure by event', exact: true });
  await exposure.getByText('Kalshi, 1 position').waitFor();
  await delay(SETTLED_MS);
  const told = readSince(atFirst);

  const beforeCut = counts();
  line.cut();
  await page.getByText('Kalshi is not live: the connection to the service was lost.').waitFor();
  await placeAt(stand, member, { ...buy, size: '4' });
  line.mend();
  await seeLive(page);
  await delay(SETTLED_MS);
  const untold = readSince(beforeCut);
  await dashboard.close();
  line.close();
  return { told, untold };
}

describe('the stream of the dashboard', () => {
  let stand: TestStand;
  /** Each of somebody who waits while the other tests run. */
  let others: TestStand[];
  let browser: Browser;
  let dashboard: TestDashboard;
  /** That of the present test. */
  let visit: Visit;
  let idle: ReturnType<typeof idleOverview>;
  let filled: ReturnType<typeof readAfterFills>;

  beforeAll(async () => {
    browser = await startBrowser();
    const stands = await Promise.all([startTestStand(), startTestStand(), startTestStand()]);
    const [first, second, third] = stands;
    stand = first;
    others = [second, third];
    dashboard = new TestDashboard(stand.app, browser);
    idle = idleOverview(second, browser);
    filled = readAfterFills(third, browser);
    // Their tests tell what went wrong.
    void Promise.allSettled([idle, filled]);
  });

  afterAll(async () => {
    await browser.close();
    for (const one of [stand, ...others]) await one.close();
  });

  afterEach(async () => {
    stand.sandbox.faults.clear();
    stand.sandbox.streamFaults.clear();
    await dashboard.close();
  });

  const join = (): Promise<Member> => joinAt(stand);
  const place = (member: Member, terms?: object): Promise<string> => placeAt(stand, member, terms);
  const cut = (fault: Omit<StreamFault, 'exchange'>): void => {
    stand.sandbox.streamFaults.add({ exchange: 'kalshi', ...fault });
  };
  const openStreams = async (): Promise<number> =>
    sumOf(seriesIn(await (await fetch(`${stand.app.url}/metrics`)).text()), 'trading_proxy_streams_open');
  const untilOpen = async (count: number): Promise<void> => {
    const from = performance.now();
    while ((await openStreams()) !== count) {
      if (performance.now() - from > 15_000) throw new Error(`${await openStreams()} streams are open, not ${count}`);
      await delay(100);
    }
  };

  /** A first page, all of whose profile's calls are counted. */
  const open = async (): Promise<Page> => {
    visit = await Visit.open(dashboard);
    return visit.page;
  };
  const feedOf = (page: Page): Locator => page.locator('[data-feed="kalshi"]');
  const rowsOf = (page: Page, name: string): Locator =>
    page.getByRole('region', { name: `${name}, a table` }).locator('tbody > tr');

  it('moves book, quotes and trades of a market without a request each', async () => {
    const member = await join();
    const page = await open();
    await dashboard.signIn(page, member.user.email, MARKET);
    const book = page.getByRole('region', { name: 'Order book of Yes', exact: true });
    await book.getByText(/, live\.$/).waitFor();
    await page.getByText('newest first, live').waitFor();
    await delay(SETTLED_MS);
    await expectAccessible(page);
    const before = visit.calls.length;
    const { bids } = (await get(stand.app, `/kalshi/orderbooks?market_id=${TICKER}`, member.key)).body as Book;
    const { price = '', size = '' } = bids[0] ?? {};
    const id = await place(member, { price, size: '77' });
    const level = book.getByRole('table', { name: 'Bids' }).getByRole('row').nth(1);
    const seeBest = (price: string, size: string): Promise<void> =>
      level.filter({ hasText: price }).getByRole('cell').nth(1).getByText(size, { exact: true }).waitFor();
    await seeBest(price, plus(size, '77'));
    const other = await join();
    const quote = page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: 'Yes', exact: true }) });
    const position = page.waitForRequest((sent) => new URL(sent.url()).pathname === '/kalshi/positions');
    await place(other, { side: 'sell', price, size: plus(size, '50'), time_in_force: 'ioc' });
    await seeBest(price, '27');
    await rowsOf(page, 'Last trades, newest first').first().getByText('50', { exact: true }).waitFor();
    expect((await remove(stand.app, `/kalshi/orders/${id}`, member.key)).status).toBe(200);
    await seeBest(bids[1]?.price ?? '', bids[1]?.size ?? '');
    const bid = quote.getByRole('cell').nth(0);
    await bid.getByText(bids[1]?.price ?? '', { exact: true }).waitFor();
    // No stream tells of positions: the reader's own is read once after the fill.
    await position;
    expect([visit.calls.slice(before), visit.streams]).toEqual([['/kalshi/positions'], 1]);
  });

  it('shows an order come and go in two tabs by one stream, which the other tab takes over when the first closes', async () => {
    const member = await join();
    const first = await open();
    await dashboard.signIn(first, member.user.email);
    await seeLive(first);
    const second = await dashboard.newTab();
    await second.goto(dashboard.address('/portfolio?list=orders'));
    await seeLive(second);
    const seeRows = (tab: Page, count: number): Promise<void> =>
      tab
        .locator(`table[aria-rowcount="${count + 1}"] > tbody > tr`)
        .first()
        .waitFor();
    const id = await place(member);
    for (const tab of [first, second]) await seeRows(tab, 1);
    await untilOpen(1);
    expect((await remove(stand.app, `/kalshi/orders/${id}`, member.key)).status).toBe(200);
    for (const tab of [first, second]) await tab.getByText('No order of yours is open').waitFor();
    expect(await openStreams()).toBe(1);

    const market = await dashboard.newTab();
    await market.goto(dashboard.address(MARKET));
    await market.getByText('newest first, live').waitFor();
    await first.close();
    await delay(SWITCHED_MS);
    await untilOpen(1);
    await place(member, { price: '0.99', size: '7', time_in_force: 'ioc' });
    await rowsOf(market, 'Last trades, newest first').first().getByText('7', { exact: true }).waitFor();
    await place(member);
    await seeRows(second, 1);
    await place(member, { price: '0.03', size: '5' });
    await seeRows(second, 2);
    await untilOpen(1);
    await market.close();
    await second.getByRole('button', { name: 'Sign out' }).click();
    await seeHeading(second, 'Sign in');
    await untilOpen(0);
    expect(dashboard.complaints.filter((text) => !text.includes('401'))).toEqual([]);
  });

  it('says in words what is not live, and why, until it is again', async () => {
    const member = await join();
    const page = await open();
    await dashboard.signIn(page, member.user.email, MARKET);
    const book = page.getByRole('region', { name: 'Order book of Yes', exact: true });
    await book.getByText(/, live\.$/).waitFor();
    cut({ stream: 'drop', for_ms: 3_000 });
    await book.getByText('Not live: the exchange’s connection was lost.').waitFor();
    await feedOf(page)
      .getByText(/^○ stale \d s$/)
      .waitFor();
    await book.getByText('what you see may be out of date').waitFor();
    expect(await book.getByText(', live').count()).toBe(0);
    await expectAccessible(page);
    await book.getByText(/, live\.$/).waitFor();
    expect(await book.getByText('Not live').count()).toBe(0);
    await feedOf(page).getByText('● live', { exact: true }).waitFor();

    await page.goto(dashboard.address('/profile'));
    await seeHeading(page, 'Profile');
    expect(await feedOf(page).textContent()).toBe('');
    await page.goto(dashboard.address(''));
    await seeLive(page);
    await feedOf(page).getByText('● live', { exact: true }).waitFor();
    expect(await page.getByText('Ready to trade?').count()).toBe(0);
    cut({ stream: 'drop', for_ms: 3_000 });
    await feedOf(page)
      .getByText(/^○ stale \d s$/)
      .waitFor();
    await page.getByText('Kalshi is not live: the exchange’s connection was lost.').waitFor();
    await page.getByText('No order of yours is open').waitFor();
    await seeLive(page);
  });

  it('goes on with one exchange where the other refuses, and breaks nothing where no stream begins at all', async () => {
    const member = await join();
    const account = stand.sandbox.polymarket.addAccount({});
    const { api_key, secret, passphrase, wallet_address } = account;
    await storeCredentials(stand.app, member.user, 'polymarket', { api_key, secret, passphrase, wallet_address });
    const order = await place(member);
    const [method, path] = EXCHANGE.polymarket.wire.signed;
    stand.sandbox.faults.add({ exchange: 'polymarket', fault: 'status', status: 500, times: 999, method, path });
    const page = await open();
    await page.route('**/stream?*', (route) => route.fulfill({ status: 503, json: {} }), { times: 1 });
    await dashboard.signIn(page, member.user.email, '/portfolio?list=orders');
    await page.getByText('1 open order').waitFor();
    await page.getByText('Polymarket is not live: the service does not follow it now.').waitFor();
    await page.getByText('Kalshi is not live').waitFor({ state: 'detached' });
    expect((await remove(stand.app, `/kalshi/orders/${order}`, member.key)).status).toBe(200);
    await rowsOf(page, 'Open orders').first().waitFor({ state: 'detached' });
  });

  it('leads to the sign-in by itself once the session is ended elsewhere', async () => {
    const member = await join();
    const page = await open();
    await dashboard.signIn(page, member.user.email);
    await seeLive(page);
    const { token } = signedIn(await logIn(stand.app, member.user.email));
    expect((await remove(stand.app, '/account/sessions', token)).status).toBe(200);
    await seeHeading(page, 'Sign in');
    await page.getByText('Your session has ended').waitFor();
    await untilOpen(0);
  });

  it('reads nothing in 30 s of an idle overview, and says how old its balances are', async () => {
    expect(await idle).toEqual({ read: [], streams: 1 });
  });

  it('reads accounts and positions once after fills, also after those of a time without a stream', async () => {
    const { told, untold } = await filled;
    expect(told.map((count) => count > 0 && count <= 2)).toEqual([true, true]);
    expect(untold.map((count) => count > 0)).toEqual([true, true]);
  });
});
