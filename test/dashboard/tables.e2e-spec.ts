import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Locator, Page, Route } from 'playwright-core';
import { startBrowser } from '../support/browser.js';
import { post } from '../support/calls.js';
import { expectAccessible, seeHeading, TestDashboard } from '../support/dashboard.js';
import { EXCHANGE } from '../support/exchanges.js';
import { longestTaskMs } from '../support/main-thread.js';
import { measureAgain } from '../support/measured.js';
import { control } from '../support/portfolio.js';
import { aTrader, startTestStand, type TestStand, type Trader } from '../support/sandbox.js';

measureAgain();

/** Of the table as a whole, of which few rows are drawn. */
const MANY = 1_000;
const A_PAGE = 100;
/** In so many markets. */
const MARKETS = 250;
/** One that is decided. */
const ENDED = 'KXHIGHNY-TODAY-B53.5';
/** What a task of the main thread may take, in milliseconds. */
const LONGEST_TASK_MS = 200;
const HOSTILE = `Pay me at once ${'W'.repeat(600)} ${'Z̷̛̗'.repeat(40)}`;

type Row = Record<string, unknown>;
interface List {
  readonly data: readonly Row[];
}

/** What is scrolled has these in the page's own world. */
interface Scrolled {
  scrollTop: number;
  readonly scrollHeight: number;
}

/** Cells that stick out of the box of their table or have more in them than they show, and what is wider than the page. */
const CELLS_OUTSIDE = `(() => {
  const found = [...document.querySelectorAll('[role="region"][tabindex]')].flatMap((box) => {
    const { left, right } = box.getBoundingClientRect();
    return [...box.querySelectorAll('[role="cell"], [role="rowheader"], [role="columnheader"]')]
      .map((cell) => ({ cell, at: cell.getBoundingClientRect() }))
      .filter(({ at }) => at.width > 0)
      .filter(({ cell, at }) => at.left < left - 1 || at.right > right + 1 || cell.scrollWidth > cell.clientWidth + 1)
      .map(({ cell }) => cell.outerHTML.slice(0, 200));
  });
  return document.documentElement.scrollWidth > innerWidth ? [...found, 'the page'] : found;
})()`;

describe('tables of the dashboard', () => {
  let stand: TestStand;
  let browser: Browser;
  let dashboard: TestDashboard;
  let trader: Trader;

  beforeAll(async () => {
    [stand, browser] = await Promise.all([startTestStand(), startBrowser()]);
    dashboard = new TestDashboard(stand.app, browser);
    trader = await aTrader(stand, ['read', 'trade']);
    await place({});
    await place({ price: '0.99', size: '3', time_in_force: 'ioc' });
    await place({ price: '0.99', size: '2', time_in_force: 'ioc', market_id: ENDED });
    await control(stand, '/kalshi/markets', { ticker: ENDED, result: 'yes' });
  });

  afterAll(async () => {
    await browser.close();
    await stand.close();
  });

  afterEach(() => dashboard.close());

  const place = async (terms: object): Promise<void> => {
    const order = await EXCHANGE.kalshi.anOrder({ app: stand.app, sandbox: stand.sandbox, key: trader.key });
    const placed = await post(stand.app, '/kalshi/orders', { ...order, ...terms }, trader.key);
    expect([placed.status, placed.text]).toEqual([200, placed.text]);
  };

  const tableOf = (page: Page, name: string): Locator => page.getByRole('table', { name, exact: true });
  const bodyOf = (page: Page, name: string): Locator => tableOf(page, name).locator('tbody > tr');

  const answer = async (route: Route, change: (body: List) => object): Promise<void> => {
    const response = await route.fetch();
    await route.fulfill({ response, json: change((await response.json()) as List) });
  };

  /** The one open order as a thousand, in pages; each of 250 markets is called by its id, and by a number. */
  const multiply = async (page: Page): Promise<void> => {
    // Its orders are not these.
    await page.route('**/stream?*', (route) => route.abort());
    await page.route(/\/kalshi\/orders\?/, async (route) => {
      const url = new URL(route.request().url());
      const from = Number(url.searchParams.get('cursor') ?? '0');
      url.searchParams.delete('cursor');
      const response = await route.fetch({ url: url.href });
      const [order] = ((await response.json()) as List).data;
      const data = Array.from({ length: A_PAGE }, (_, index) => {
        const number = from + index;
        const created_at = new Date(1_700_000_000_000 + number * 1_000).toISOString();
        const size = String(number + 1);
        const more = { id: `order-${number}`, market_id: `M-${number % MARKETS}`, remaining_size: size, size };
        return { ...order, ...more, created_at };
      });
      const next_cursor = from + A_PAGE < MANY ? String(from + A_PAGE) : null;
      await route.fulfill({ response, json: { data, next_cursor } });
    });
    await page.route(/\/kalshi\/markets\?ids=/, async (route) => {
      const url = new URL(route.request().url());
      const ids = (url.searchParams.get('ids') ?? '').split(',');
      url.searchParams.set('ids', EXCHANGE.kalshi.market);
      const response = await route.fetch({ url: url.href });
      const [market] = ((await response.json()) as List).data;
      const data = ids.map((id) => ({ ...market, id, title: `Question number ${id.slice(2)}` }));
      await route.fulfill({ response, json: { data, next_cursor: null } });
    });
  };

  const scrollTo = (box: Locator, share: number): Promise<void> =>
    box.evaluate((element, to) => {
      const scrolled = element as unknown as Scrolled;
      scrolled.scrollTop = scrolled.scrollHeight * to;
    }, share);

  const openFirst = async (page: Page): Promise<void> => {
    await multiply(page);
    await dashboard.signIn(page, trader.user.email, '/portfolio?list=orders');
    await page.getByText('100 open orders, and more that are not loaded').waitFor();
  };
  const loadAll = async (page: Page): Promise<void> => {
    await page.getByRole('button', { name: 'Load all' }).click();
    await page.getByText('1,000 open orders', { exact: true }).waitFor();
    await tableOf(page, 'Open orders').getByText('Question number').first().waitFor();
  };
  const openMany = async (page: Page): Promise<void> => {
    await openFirst(page);
    await loadAll(page);
  };
  const lastRow = (page: Page): Locator =>
    bodyOf(page, 'Open orders').and(page.locator(`[aria-rowindex="${MANY + 1}"]`));

  const scrollThrough = async (page: Page): Promise<void> => {
    for (const share of [0.2, 0.7, 0.4, 1]) {
      await scrollTo(page.getByRole('region', { name: 'Open orders, a table' }), share);
      await page.waitForTimeout(100);
    }
    await lastRow(page).waitFor();
  };
  const filter = async (page: Page): Promise<void> => {
    await page.getByRole('searchbox', { name: 'Market' }).pressSequentially('number 249', { delay: 30 });
    await page.getByText('4 of 1,000 open orders').waitFor();
    await page.getByRole('searchbox', { name: 'Market' }).fill('');
    await page.getByText('1,000 open orders', { exact: true }).waitFor();
  };
  const sort = async (page: Page): Promise<void> => {
    const left = tableOf(page, 'Open orders').getByRole('columnheader', { name: 'Left' });
    for (const [order, first] of [
      ['descending', '1000'],
      ['ascending', '1'],
      [null, '1000'],
    ] as const) {
      await left.getByRole('button').click();
      await scrollTo(page.getByRole('region', { name: 'Open orders, a table' }), 0);
      expect(await left.getAttribute('aria-sort')).toBe(order);
      const row = bodyOf(page, 'Open orders').and(page.locator('[aria-rowindex="2"]'));
      await row
        .getByRole('cell')
        .nth(2)
        .getByText(new RegExp(`^${first}$`))
        .waitFor();
    }
  };

  it('draws a thousand orders by those in view: no task above 200 ms while they load, are scrolled, filtered and sorted', async () => {
    const page = await dashboard.open();
    await openFirst(page);
    for (const [what, work] of Object.entries({ loadAll, scrollThrough, filter, sort })) {
      const ms = await longestTaskMs(browser, page, () => work(page));
      expect([what, ms, ms < LONGEST_TASK_MS]).toEqual([what, ms, true]);
    }
    await expectAccessible(page);
  });

  it('keeps how a list is sorted in the address, which anybody may have written', async () => {
    const page = await dashboard.open();
    await multiply(page);
    await dashboard.signIn(page, trader.user.email, '/portfolio?list=orders&sort=remaining_size');
    const sorted = (order: string): Promise<void> =>
      tableOf(page, 'Open orders').locator(`[aria-sort="${order}"]`, { hasText: 'Left' }).waitFor();
    const first = bodyOf(page, 'Open orders').and(page.locator('[aria-rowindex="2"]')).getByRole('cell').nth(2);
    const press = (): Promise<void> => tableOf(page, 'Open orders').getByRole('button', { name: 'Left' }).click();
    await sorted('ascending');
    await first.getByText(/^1$/).waitFor();
    await press();
    await page.waitForURL((url) => !url.searchParams.has('sort'));
    await press();
    await page.waitForURL((url) => url.searchParams.get('sort') === '-remaining_size');
    await page.reload();
    await sorted('descending');
    await first.getByText(/^100$/).waitFor();
    await page.getByRole('tab', { name: 'Settlements' }).click();
    await page.waitForURL((url) => url.search === '?list=settlements');
    for (const wrong of ['constructor', '-', 'action', '%3Cb%3E']) {
      await page.goto(dashboard.address(`/portfolio?list=orders&sort=${wrong}`));
      await first.waitFor();
      expect([wrong, await tableOf(page, 'Open orders').locator('[aria-sort]').count()]).toEqual([wrong, 0]);
    }
  });

  it('draws the rows in view alone, and keeps the head over them', async () => {
    const page = await dashboard.open();
    await openMany(page);
    const table = tableOf(page, 'Open orders');
    expect(await table.getAttribute('aria-rowcount')).toBe(String(MANY + 1));
    expect(await bodyOf(page, 'Open orders').count()).toBeLessThan(40);
    await scrollThrough(page);
    expect(await bodyOf(page, 'Open orders').count()).toBeLessThan(40);
    expect(await table.getByRole('columnheader', { name: 'Price' }).isVisible()).toBe(true);
    const [head, box] = [table.locator('thead'), page.getByRole('region', { name: 'Open orders, a table' })];
    expect(Math.abs(((await head.boundingBox())?.y ?? 0) - ((await box.boundingBox())?.y ?? 0))).toBeLessThan(2);
  });

  it('writes all rows into the file, and not those alone that are drawn', async () => {
    const page = await dashboard.open();
    await openMany(page);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download as CSV' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('open-orders.csv');
    const [head, ...lines] = (await readFile(await download.path(), 'utf8')).trimEnd().split('\r\n');
    expect(head).toBe(
      '"exchange","market_id","market","outcome_id","outcome","side","price","remaining_size","filled_size","size","status","created_at","bot_id","order_id"',
    );
    expect(lines).toHaveLength(MANY);
    expect(new Set(lines.map((line) => line.split(',').at(-1)))).toHaveProperty('size', MANY);
  });

  it('is worked by the keyboard: a row that has the focus stays, and one question for all rows gives the focus back', async () => {
    const page = await dashboard.open();
    await openMany(page);
    const focused = (): Promise<string | null> =>
      page.evaluate<string | null>("document.activeElement?.getAttribute('aria-label') ?? null");
    await page.getByRole('region', { name: 'Open orders, a table' }).focus();
    const reached: (string | null)[] = [];
    for (let press = 0; press < 150 && reached.length < 20; press += 1) {
      await page.keyboard.press('Tab');
      const label = await focused();
      if (label?.startsWith('Cancel Buy') === true) reached.push(label);
    }
    expect(reached.map((label) => /Cancel Buy (\d+)/.exec(label ?? '')?.[1])).toEqual(
      Array.from({ length: 20 }, (_, index) => String(MANY - index)),
    );

    const last = reached.at(-1) ?? null;
    await page.keyboard.press('Enter');
    await page
      .getByRole('alertdialog')
      .getByText(/^Buy 981/)
      .waitFor();
    expect(await page.getByRole('alertdialog').count()).toBe(1);
    await page.keyboard.press('Escape');
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
    expect(await focused()).toBe(last);
    await scrollTo(page.getByRole('region', { name: 'Open orders, a table' }), 1);
    await lastRow(page).waitFor();
    expect(await focused()).toBe(last);
  });

  it('keeps every cell in its box at 360, 1280 and 2560 px, whatever a title holds and however long a figure is', async () => {
    const page = await dashboard.open();
    const long = { size: '31022012.1', filled_size: '1234567.8901', remaining_size: '29787444.2' };
    const worth = {
      market_value: '1234567.8901',
      unrealized_pnl: '-1234567.8901',
      cost_basis: '310220.1',
      title: HOSTILE,
    };
    for (const [list, figures] of [
      ['orders', long],
      ['fills', { size: long.size, fee: '1234.56789' }],
      ['settlements', { size: long.size, payout: long.size, realized_pnl: '-1234567.8901', fees: '1234.56789' }],
      ['positions', { ...worth, size: long.size, current_price: '0.4400000035', realized_pnl: '1234567.8901' }],
    ] as const) {
      await page.route(new RegExp(`/kalshi/${list}\\?`), (route) =>
        answer(route, (body) => ({ ...body, data: body.data.map((row) => ({ ...row, ...figures })) })),
      );
    }
    await page.route(/\/(kalshi|polymarket)\/markets\?/, (route) =>
      answer(route, (body) => ({
        ...body,
        data: body.data.map((market) => ({ ...market, title: HOSTILE, subtitle: HOSTILE })),
      })),
    );
    await dashboard.signIn(page, trader.user.email, '/portfolio');
    await seeHeading(page, 'Portfolio');
    const seen: string[] = [];
    for (const [path, table] of [
      ['/portfolio', 'Positions'],
      ['/portfolio?list=orders', 'Open orders'],
      ['/portfolio?list=fills', 'Fills'],
      ['/portfolio?list=settlements', 'Settlements'],
      ['', 'Exposure by event'],
      ['/activity', 'What happened'],
      [`/markets?exchange=kalshi&event=${ENDED.slice(0, ENDED.lastIndexOf('-'))}`, 'Markets'],
    ] as const) {
      await page.goto(dashboard.address(path));
      for (const width of [360, 1280, 2560]) {
        await page.setViewportSize({ width, height: 900 });
        await bodyOf(page, table).first().waitFor();
        if (table !== 'What happened') await tableOf(page, table).getByText('Pay me at once').first().waitFor();
        expect([table, width, await page.evaluate(CELLS_OUTSIDE)]).toEqual([table, width, []]);
        const row = await bodyOf(page, table).first().boundingBox();
        expect([table, width, (row?.height ?? 999) < 150]).toEqual([table, width, true]);
        seen.push(`${table} ${width}`);
      }
      await page.setViewportSize({ width: 360, height: 740 });
      await expectAccessible(page);
    }
    expect(seen).toHaveLength(21);
    await page.goto(dashboard.address('/portfolio'));
    await page.getByRole('rowheader', { name: 'Pay me at once' }).first().waitFor();
    const figures = await bodyOf(page, 'Positions').first().getByRole('cell').allTextContents();
    expect(figures.slice(0, 3)).toEqual(['1234567.8901', '-1234567.8901', '31022012.1']);
    expect(figures).toHaveLength(4);
    await page.setViewportSize({ width: 2560, height: 900 });
    expect((await page.getByRole('region', { name: 'Positions', exact: true }).boundingBox())?.width).toBeGreaterThan(
      1_700,
    );
    const heads = await tableOf(page, 'Positions').getByRole('columnheader').allInnerTexts();
    expect(heads.slice(0, 3).map((text) => text.trim())).toEqual(['Market', 'Value USD', 'Result USD']);
  });
});
