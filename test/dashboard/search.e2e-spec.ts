import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Locator, Page, Request, Route } from 'playwright-core';
import { type CatalogueStand, startCatalogue, walked } from '../catalogue/stand.js';
import { startBrowser } from '../support/browser.js';
import { get, post } from '../support/calls.js';
import { expectAccessible, seeHeading, TestDashboard } from '../support/dashboard.js';
import { EXCHANGE } from '../support/exchanges.js';
import { aTrader } from '../support/sandbox.js';

const MARKUP = `<img src=x onerror="document.title='taken'"><b>bold</b> & so on`;

interface FoundBody {
  readonly data: readonly object[];
  readonly as_of: Readonly<Record<string, string | null>>;
}

describe('the search of the dashboard', () => {
  let stand: CatalogueStand;
  let browser: Browser;
  let dashboard: TestDashboard;

  beforeAll(async () => {
    [stand, browser] = await Promise.all([startCatalogue(), startBrowser()]);
    dashboard = new TestDashboard(stand.app, browser);
    await walked(stand);
  }, 120_000);

  afterAll(async () => {
    await browser.close();
    await stand.close();
  });

  afterEach(() => dashboard.close());

  /** A page of somebody who has signed in. */
  const openAt = async (path: string, heading: string): Promise<Page> => {
    const page = await dashboard.open();
    await dashboard.signIn(page, stand.user.email, path);
    await seeHeading(page, heading);
    return page;
  };
  const field = (page: Page): Locator => page.getByRole('combobox', { name: 'Markets by words' });
  const lines = (page: Page): Locator => page.getByRole('option');
  const press = async (page: Page): Promise<void> => {
    await page.keyboard.press('/');
    await field(page).waitFor();
  };
  const rows = (page: Page): Locator => page.getByRole('table', { name: 'Markets' }).locator('tbody > tr');
  const isSearch = (request: Request): boolean => /\/(?:markets|account\/orders)\?/.test(request.url());

  /** Answers of the search as `change` makes them. */
  const answerWith = async (page: Page, change: (body: FoundBody) => object): Promise<void> => {
    await page.route(/:\d+\/markets\?/, async (route: Route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: change((await response.json()) as FoundBody) });
    });
  };

  const expectFits = async (page: Page, see: Locator): Promise<void> => {
    for (const width of [360, 1280, 2560]) {
      await page.setViewportSize({ width, height: 800 });
      await see.waitFor();
      expect([width, await page.evaluate('document.documentElement.scrollWidth <= innerWidth')]).toEqual([width, true]);
    }
    await page.setViewportSize({ width: 360, height: 740 });
    await expectAccessible(page);
    await page.setViewportSize({ width: 1280, height: 800 });
    await expectAccessible(page);
  };

  it('finds a market of both exchanges by two words within 5 s, one call at a time, and is silent then', async () => {
    const page = await openAt('/profile', 'Profile');
    const inFlight = new Set<Request>();
    let most = 0;
    let calls = 0;
    page.on('request', (request) => {
      if (!isSearch(request)) return;
      calls += 1;
      inFlight.add(request);
      most = Math.max(most, inFlight.size);
    });
    const end = (request: Request): void => {
      inFlight.delete(request);
    };
    page.on('requestfinished', end);
    page.on('requestfailed', end);
    const began = performance.now();
    await press(page);
    await page.keyboard.type('bitcoin december', { delay: 60 });
    for (const name of ['Kalshi', 'Polymarket']) {
      await lines(page)
        .filter({ hasText: name })
        .filter({ hasText: /bitcoin/i })
        .first()
        .waitFor();
    }
    expect(performance.now() - began).toBeLessThan(5_000);
    expect(most).toBe(1);
    await expectFits(page, lines(page).first());
    const before = calls;
    await page.waitForTimeout(2_000);
    expect(calls).toBe(before);
    await lines(page).filter({ hasText: 'Polymarket' }).first().click();
    await page.waitForURL(/\/markets\/polymarket\//);
    expect(dashboard.complaints.filter((text) => !text.startsWith('Failed to load'))).toEqual([]);
  });

  it('shows the answer to what was typed last, however late the one before it comes', async () => {
    const page = await openAt('/profile', 'Profile');
    await page.route(/:\d+\/markets\?search=bitcoin&/, async (route) => {
      const response = await route.fetch();
      await page.waitForTimeout(1_500);
      await route.fulfill({ response });
    });
    await press(page);
    const late = page.waitForResponse(/search=bitcoin&/);
    await field(page).fill('bitcoin');
    await page.waitForRequest(/search=bitcoin&/);
    await field(page).fill('hurricane');
    await late;
    await lines(page)
      .filter({ hasText: /hurricane/i })
      .first()
      .waitFor();
    await page.waitForTimeout(500);
    expect(
      await lines(page)
        .filter({ hasText: /bitcoin/i })
        .count(),
    ).toBe(0);
  });

  it('loses no letter that is typed before its script is there, and takes none for a command', async () => {
    const page = await dashboard.open();
    let release = (): void => undefined;
    const asked = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(/search-box-[^/]*\.js$/, async (route) => {
      await asked;
      await route.continue();
    });
    await dashboard.signIn(page, stand.user.email, '/profile');
    await seeHeading(page, 'Profile');
    await page.keyboard.type('/go mx/');
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Backspace');
    release();
    await field(page).waitFor();
    await page.keyboard.type('re');
    expect([await field(page).inputValue(), new URL(page.url()).pathname]).toEqual(['go mre', '/dashboard/profile']);
  });

  it('needs no mouse: a line, all results, back, and where one was', async () => {
    const page = await openAt('/profile', 'Profile');
    const name = page.getByRole('textbox').first();
    await name.focus();
    await page.keyboard.press('/');
    expect(await field(page).count()).toBe(0);
    const search = page.getByRole('button', { name: 'Search' });
    await search.focus();
    await press(page);
    await page.keyboard.press('Escape');
    await field(page).waitFor({ state: 'detached' });
    await page.locator('header button:focus', { hasText: 'Search' }).waitFor();
    await press(page);
    await page.keyboard.type('fed/december');
    await lines(page).nth(2).waitFor();
    const selected = (): Promise<string | null> => page.getByRole('option', { selected: true }).getAttribute('id');
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowUp']) await page.keyboard.press(key);
    expect(await field(page).getAttribute('aria-activedescendant')).toBe(await selected());
    const title = (await lines(page).first().locator('bdi').first().textContent()) ?? '?';
    await page.keyboard.press('Enter');
    await seeHeading(page, title);
    await page.locator('h1:focus').waitFor();

    await press(page);
    await page.keyboard.type('fed december');
    await page.keyboard.press('Enter');
    await page.getByText('Open markets with “fed december”').waitFor();
    await page.goBack();
    await seeHeading(page, title);
    await page.goForward();
    await page.getByText('Open markets with “fed december”').waitFor();
    await press(page);
    expect(await field(page).inputValue()).toBe('fed december');
    await lines(page).first().waitFor();
    await page.keyboard.press('ArrowUp');
    await page.getByRole('option', { name: 'All results', selected: true }).waitFor();
  });

  it('lists results as the address says: exchange, closing, sort, more pages', async () => {
    const page = await openAt('/markets?search=bitcoin', 'Markets');
    await rows(page).first().waitFor();
    await expectFits(page, rows(page).first());
    const [first] = await rows(page).first().getByRole('cell').allTextContents();
    expect(['Kalshi', 'Polymarket']).toContain(first);
    await page
      .getByText(/\d \/ \d|\d \/ –|– \/ \d/)
      .first()
      .waitFor();
    await page
      .getByText(/contracts|PUSD/)
      .first()
      .waitFor();
    const counted = async (): Promise<number> =>
      Number(await page.getByRole('table', { name: 'Markets' }).getAttribute('aria-rowcount'));
    expect(await counted()).toBe(26);
    await page.getByRole('button', { name: 'Load more' }).click();
    await page.locator('table[aria-rowcount="51"], table[aria-rowcount="50"]').waitFor();
    await page.getByLabel('Exchange').selectOption('Kalshi');
    await page.getByLabel('Sort').selectOption('Closing soonest');
    await page.getByLabel('Closes').selectOption('Within 30 days');
    await page.waitForURL((url) => url.search.includes('closes=month') && url.search.includes('sort=closes_at'));
    await page.locator('table[aria-rowcount]').waitFor();
    const expected = await stand.get('/markets', {
      ...{ search: 'bitcoin', exchange: 'kalshi', sort: 'closes_at', limit: '1' },
      closes_before: new Date(Date.now() + 30 * 86_400_000).toISOString(),
    });
    const [best] = (expected.body as { data: { id: string }[] }).data;
    await rows(page)
      .first()
      .locator(`a[href$="/markets/kalshi/${best?.id ?? '?'}"]`)
      .waitFor();
    await page.reload();
    await rows(page)
      .first()
      .locator(`a[href$="/markets/kalshi/${best?.id ?? '?'}"]`)
      .waitFor();
    await page.getByRole('link', { name: 'Clear the words' }).click();
    await page.getByText('All open markets.').waitFor();
    expect(new URL(page.url()).searchParams.get('exchange')).toBe('kalshi');
  });

  it('says where nothing is found what was searched, and how old it is', async () => {
    const page = await openAt('/profile', 'Profile');
    await press(page);
    await page.keyboard.type('zebra quagmire');
    await page.getByText('Nothing found').waitFor();
    const ages = page.getByRole('list', { name: 'How old this is' });
    for (const name of ['Kalshi', 'Polymarket']) await ages.getByText(`${name} as of`).waitFor();
    await expectFits(page, ages);
    await page.keyboard.press('Enter');
    await page.getByText('Nothing found.').waitFor();
    for (const name of ['Kalshi', 'Polymarket']) await ages.getByText(`${name} as of`).waitFor();
    await expectAccessible(page);
    // A walk each 10 minutes: what is older than three is old.
    const agesAgo = [28, 31].map((minutes) => new Date(Date.now() - minutes * 60_000).toISOString());
    const told = [
      { kalshi: agesAgo[0], polymarket: agesAgo[1] },
      { kalshi: null, polymarket: agesAgo[0] },
    ];
    await answerWith(page, (body) => ({ ...body, as_of: told.shift() }));
    const refresh = page.getByRole('button', { name: 'Refresh' });
    await refresh.click();
    await ages.getByText('Polymarket could not be read since').waitFor();
    await ages.getByText('Kalshi as of').waitFor();
    await refresh.click();
    await ages.getByText('Kalshi was not read yet').waitFor();
    await ages.getByText('Polymarket as of').waitFor();
  });

  it('leads from an id to the market or the order that has it', async () => {
    const { user, key } = await aTrader(stand);
    const { market } = EXCHANGE.kalshi;
    const body = { market_id: market, outcome: 'yes', side: 'buy', price: '0.05', size: '10' };
    const made = await post(stand.app, '/kalshi/orders', body, key);
    expect(made.status).toBe(200);
    const order = made.body as { id: string; client_order_id: string };
    const settled = await get(stand.app, '/polymarket/markets?status=settled&limit=1', key);
    const [over] = (settled.body as { data: { id: string }[] }).data;
    const page = await dashboard.open();
    await dashboard.signIn(page, user.email, '/profile');
    await seeHeading(page, 'Profile');
    for (const [id, path] of [
      ['kxfed-26dec-c25', '/markets/kalshi/KXFED-26DEC-C25'],
      [over?.id ?? '', `/markets/polymarket/${over?.id ?? ''}`],
      [order.id, `/activity/orders/${order.id}`],
      [order.client_order_id, `/activity/orders/${order.id}`],
      [made.headers['x-request-id'] ?? '', `/activity/orders/${order.id}`],
    ] as const) {
      await press(page);
      await field(page).fill(id);
      await page.keyboard.press('Enter');
      await page.waitForURL((url) => url.pathname === `/dashboard${path}`);
      await field(page).waitFor({ state: 'detached' });
    }
    await page.getByRole('listitem').filter({ hasText: 'Kalshi made it' }).waitFor();
    await press(page);
    await field(page).fill(order.id);
    await lines(page).filter({ hasText: 'Your order to buy 10 at 0.05' }).click();
    await page.waitForURL(/\/activity\/orders\//);
  });

  it('finds an order by a short id of the client, in one call, that no letter alone asks for', async () => {
    const { user, key } = await aTrader(stand);
    const order = { market_id: EXCHANGE.kalshi.market, outcome: 'yes', side: 'buy', price: '0.05', size: '10' };
    const made = await post(stand.app, '/kalshi/orders', { ...order, client_order_id: 'grid-a' }, key);
    expect(made.status).toBe(200);
    const page = await dashboard.open();
    await dashboard.signIn(page, user.email, '/profile');
    await seeHeading(page, 'Profile');
    const asked: string[] = [];
    page.on('request', (sent) => {
      if (sent.url().includes('/account/orders?')) asked.push(new URL(sent.url()).search);
    });
    await press(page);
    const answered = page.waitForResponse(/\/markets\?search=gr&/);
    await field(page).fill('gr');
    await answered;
    await field(page).fill('grid-a');
    await lines(page).filter({ hasText: 'Your order to buy 10 at 0.05' }).waitFor();
    expect(asked).toEqual(['?id=grid-a&limit=100']);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/activity\/orders\//);
  });

  it('finds markets though orders cannot be read, and says so', async () => {
    const page = await openAt('/profile', 'Profile');
    const error = { code: 'rate_limited', message: 'Too many.', request_id: 'req_1', retryable: true };
    await page.route(/\/account\/orders\?id=/, (route) => route.fulfill({ status: 429, json: { error } }));
    await press(page);
    await field(page).fill('bitcoin');
    await lines(page).first().waitFor();
    await page.getByText('Your orders could not be looked through just now.').waitFor();
    await expectAccessible(page);
  });

  it('leads nowhere once it is closed, whatever was entered and is answered then', async () => {
    const page = await openAt('/profile', 'Profile');
    const held = await new Promise<Route>((resolve) => {
      void page
        .route(/\/kalshi\/markets\/KXFED-26DEC-NONE/, resolve, { times: 1 })
        .then(() => press(page))
        .then(() => field(page).fill('KXFED-26DEC-NONE'))
        .then(() => page.keyboard.press('Enter'));
    });
    await page.keyboard.press('Escape');
    await field(page).waitFor({ state: 'detached' });
    await held.continue();
    await page.waitForTimeout(1_000);
    expect(new URL(page.url()).pathname).toBe('/dashboard/profile');
  });

  it('shows a title as text, whatever it says', async () => {
    const page = await openAt('/profile', 'Profile');
    await answerWith(page, (body) => ({
      ...body,
      data: body.data.map((market) => ({ ...market, title: MARKUP, subtitle: `${'x'.repeat(600)}\u202e` })),
    }));
    await press(page);
    await page.keyboard.type('fed december');
    await lines(page).filter({ hasText: '<img src=x' }).first().waitFor();
    expect(await page.locator('[role=dialog] :is(img, b)').count()).toBe(0);
    await expectFits(page, lines(page).first());
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: '<img src=x' }).first().waitFor();
    await expectFits(page, rows(page).first());
    expect(await page.title()).toContain('Markets');
    expect(dashboard.complaints.filter((text) => !text.startsWith('Failed to load'))).toEqual([]);
  });
});
