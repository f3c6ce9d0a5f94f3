import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Locator, Page } from 'playwright-core';
import { ONE, product, toFixed, toUnits } from '../../sandbox/units.js';
import { walked } from '../catalogue/stand.js';
import { aBot, outcome } from '../support/bots.js';
import { startBrowser } from '../support/browser.js';
import { get, post, remove } from '../support/calls.js';
import { clipboardOf, expectAccessible, TestDashboard } from '../support/dashboard.js';
import { eventually } from '../support/embedded-service.js';
import { aTrader, startTestStand, type TestStand, type Trader } from '../support/sandbox.js';
import { activeKey } from '../support/session-keys.js';
import { hasPython, runPython, runShell, runTypescript } from '../support/snippets.js';
import { aUser } from '../support/users.js';

const TICKER = 'KXHIGHNY-TODAY-B55.5';
/** 600 letters without a blank, a tower of accents, and a sign that turns the direction of what follows. */
const HOSTILE = `${'W'.repeat(600)} e${'\u0301'.repeat(400)} \u202Eabc`;
const TAB = { curl: 'curl', TypeScript: 'TypeScript', Python: 'Python' } as const;

interface Level {
  readonly price: string;
  readonly size: string;
}

interface Outcome {
  readonly id: string;
  readonly index: 0 | 1;
  readonly label: string;
  readonly bid: string;
  readonly ask: string;
  readonly last_price: string | null;
}

interface MarketBody {
  readonly id: string;
  readonly title: string;
  readonly event_id: string;
  readonly currency: string;
  readonly outcomes: readonly [Outcome, Outcome];
}

interface OrderBody {
  readonly id: string;
  readonly market_id: string;
  readonly outcome: { readonly id: string; readonly index: number };
  readonly requested: { readonly side: string; readonly price: string; readonly size: string } | null;
  readonly side: string;
  readonly price: string;
  readonly size: string;
  readonly status: string;
}

interface List<T> {
  readonly data: readonly T[];
}

/** A decimal without superfluous zeros. */
function plain(units: bigint): string {
  return toFixed(units, 6).replace(/\.?0+$/, '');
}

describe('a market in the dashboard', () => {
  let stand: TestStand;
  let browser: Browser;
  let dashboard: TestDashboard;
  let trader: Trader;
  /** A market of Polymarket. */
  let bitcoin: MarketBody;

  const read = async <T>(path: string): Promise<T> => (await get(stand.app, path, trader.key)).body as T;

  beforeAll(async () => {
    [stand, browser] = await Promise.all([startTestStand({ CATALOGUE_REFRESH: '10m' }), startBrowser()]);
    dashboard = new TestDashboard(stand.app, browser);
    trader = await aTrader(stand);
    await activeKey(stand, trader.user, { wallet: stand.sandbox.addresses.polymarket.deposit_wallet.address });
    await walked({
      get: (path, query = {}) =>
        get(stand.app, `${path}?${new URLSearchParams(query).toString()}`, trader.key).then((answer) => answer),
    });
    const { data } = await read<List<MarketBody>>('/polymarket/markets?search=bitcoin%20reach');
    const found = data.find(({ title }) => title.includes('this year'));
    if (found === undefined) throw new Error('the sandbox has no such market');
    bitcoin = found;
  }, 120_000);

  afterAll(async () => {
    await browser.close();
    await stand.close();
  });

  afterEach(async () => {
    stand.sandbox.faults.clear();
    await dashboard.close();
    await remove(stand.app, '/kalshi/orders', trader.key);
  });

  const openAt = async (path: string, email = trader.user.email): Promise<Page> => {
    const page = await dashboard.open();
    await dashboard.signIn(page, email, path);
    await page.getByRole('table', { name: 'Bids' }).waitFor();
    return page;
  };
  const card = (page: Page, name: string): Locator => page.getByRole('region', { name, exact: true });
  const marketAt = (exchange: string, id: string): Promise<MarketBody> => read(`/${exchange}/markets/${id}`);
  /** The text of each cell of a table but those of its head, as a copy has it. */
  const cellsOf = (table: Locator): Promise<string[][]> =>
    table.locator('tbody tr').evaluateAll((rows) => {
      const textOf = (cell: { textContent: string }): string => cell.textContent;
      return (rows as unknown as { children: Iterable<{ textContent: string }> }[]).map((row) =>
        [...row.children].map(textOf),
      );
    });
  const choose = (page: Page, label: string): Promise<void> =>
    page.getByRole('group', { name: 'Outcome' }).getByRole('button', { name: label, exact: true }).click();
  const facts = (page: Page): Locator => page.locator('dl[aria-label="What it would come to"]');
  const factOf = async (page: Page, name: string): Promise<string> => {
    const all = await facts(page).locator('dt, dd').allTextContents();
    return all[all.indexOf(name) + 1] ?? '';
  };
  const fillIn = async (page: Page, terms: Readonly<Record<'side' | 'size' | 'price', string>>): Promise<void> => {
    await page.getByLabel('Buy or sell').selectOption(terms.side);
    await page.getByLabel('Size, in contracts').fill(terms.size);
    await page.getByLabel(/^Limit price/).fill(terms.price);
    await facts(page).waitFor();
  };
  /** What the ticket copies, with the key in its place. */
  const copied = async (page: Page, language: keyof typeof TAB): Promise<string> => {
    await page
      .getByRole('tablist', { name: 'Language of the order' })
      .getByRole('tab', { name: TAB[language] })
      .click();
    await page.getByRole('button', { name: `Copy the order in ${language}` }).click();
    await page.getByRole('button', { name: `Copy the order in ${language}` }).waitFor({ state: 'detached' });
    const lines = await clipboardOf(page);
    expect(lines.split('YOUR_KEY')).toHaveLength(2);
    return lines.replace('YOUR_KEY', trader.key);
  };
  /** What the lines in Python said; `otherwise` on a machine without it. */
  const byPython = async (page: Page, otherwise: string): Promise<string> => {
    const lines = await copied(page, 'Python');
    return (await hasPython()) ? runPython(lines) : otherwise;
  };
  const fits = async (page: Page): Promise<void> => {
    for (const width of [360, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
      await expectAccessible(page);
    }
  };

  it.each(['kalshi', 'polymarket'])('has both outcomes and the depth of each book, at %s', async (exchange) => {
    const id = exchange === 'kalshi' ? TICKER : bitcoin.id;
    const page = await openAt(`/markets/${exchange}/${id}`);
    const { outcomes } = await marketAt(exchange, id);
    const quotes = page.getByRole('table', { name: 'Quotes of each outcome' });
    const quoted = outcomes.map(({ label, bid, ask, last_price: last }) => [label, bid, ask, last ?? '–']);
    expect(await cellsOf(quotes)).toEqual(quoted);
    await page
      .getByRole('region', { name: 'Outcomes' })
      .getByText(/Prices are in \w+, live\./)
      .waitFor();
    const [first, second] = outcomes;
    expect(toUnits(second.bid)).toBe(ONE - toUnits(first.ask));
    for (const { index, label, bid, ask } of outcomes) {
      await choose(page, label);
      await page.getByRole('heading', { name: `Order book of ${label}`, exact: true }).waitFor();
      await page.getByRole('table', { name: 'Asks' }).getByRole('cell', { name: ask, exact: true }).first().waitFor();
      await page.getByRole('table', { name: 'Bids' }).getByRole('cell', { name: bid, exact: true }).first().waitFor();
      const book = await read<Readonly<Record<'bids' | 'asks', readonly Level[]>>>(
        `/${exchange}/orderbooks?market_id=${id}&outcome=${index}&depth=10`,
      );
      for (const side of ['bids', 'asks'] as const) {
        const table = page.getByRole('table', { name: side === 'bids' ? 'Bids' : 'Asks' });
        let sum = 0n;
        const levels = book[side].map(({ price, size }) => [price, size, plain((sum += toUnits(size)))]);
        expect(await cellsOf(table)).toEqual(levels);
        const bars = table.locator('tbody tr');
        const widths = await bars.evaluateAll((rows) =>
          (rows as unknown as { style: { getPropertyValue(name: string): string } }[]).map((row) =>
            Number.parseFloat(row.style.getPropertyValue('--depth')),
          ),
        );
        expect([...widths].sort((a, b) => a - b)).toEqual(widths);
        expect(widths.at(-1)).toBeGreaterThan(0);
        expect(widths.at(-1)).toBeLessThanOrEqual(100);
      }
    }
  });

  it('has what is the reader’s there, moves it by the stream, and cancels from there', async () => {
    const { outcomes } = await marketAt('kalshi', TICKER);
    const bought = {
      market_id: TICKER,
      outcome: 1,
      side: 'buy',
      price: outcomes[1].ask,
      size: '2',
      time_in_force: 'ioc',
    };
    expect((await post(stand.app, '/kalshi/orders', bought, trader.key)).status).toBe(200);
    const page = await openAt(`/markets/kalshi/${TICKER}`);
    const table = (name: string): Locator => page.getByRole('region', { name: `${name}, a table` });
    const { data: positions } = await read<List<{ size: string; outcome: { label: string } }>>(
      `/kalshi/positions?market_id=${TICKER}`,
    );
    const position = table('Your position here').locator('tbody tr');
    expect(positions).toHaveLength(1);
    await position
      .getByRole('cell', { name: positions[0]?.size ?? '?', exact: true })
      .first()
      .waitFor();
    await position.getByRole('rowheader', { name: positions[0]?.outcome.label ?? '?', exact: true }).waitFor();
    const { data: fills } = await read<List<{ price: string; fee: string }>>(`/kalshi/fills?market_id=${TICKER}`);
    expect(await table('Your fills here').locator('tbody tr').count()).toBe(fills.length);
    await table('Your fills here').getByText('Buy No').first().waitFor();
    await page.getByText('No order of yours is open in this market.').waitFor();

    const rests = { market_id: TICKER, outcome: 1, side: 'buy', price: '0.01', size: '7' };
    const elsewhere = { ...rests, market_id: 'KXFEDDECISION-NEXT-H0' };
    const other = (await post(stand.app, '/kalshi/orders', elsewhere, trader.key)).body as OrderBody;
    const made = await post(stand.app, '/kalshi/orders', rests, trader.key);
    const orders = table('Your open orders here');
    await orders.getByText('Buy No').waitFor();
    expect(await orders.locator('tbody tr').count()).toBe(1);
    await fits(page);
    await orders.getByRole('button', { name: /^Cancel Buy 7 No at 0\.01/ }).click();
    await page.getByRole('button', { name: 'Cancel the order' }).click();
    await page.getByText('1 order cancelled at Kalshi').waitFor();
    await page.getByText('No order of yours is open in this market.').waitFor();
    const { id } = made.body as OrderBody;
    expect((await read<OrderBody>(`/kalshi/orders/${id}`)).status).toBe('cancelled');
    expect((await read<OrderBody>(`/kalshi/orders/${other.id}`)).status).toBe('open');
  });

  it.each([
    [1760, true],
    [2560, true],
    [1280, false],
    [360, false],
  ])('has chart, book and trades in one view where there is room for it: %d pixels', async (width, isBeside) => {
    const page = await openAt(`/markets/kalshi/${TICKER}`);
    await page.setViewportSize({ width, height: 1000 });
    await page
      .getByRole('img', { name: /^Candles of / })
      .locator('canvas')
      .first()
      .waitFor();
    const boxes = await Promise.all(
      ['Prices of Yes', 'Order book of Yes', 'Last trades'].map((name) => card(page, name).boundingBox()),
    );
    const [chart, book, trades] = boxes.map((box) => box ?? { x: NaN, y: NaN, width: NaN, height: NaN });
    if (chart === undefined || book === undefined || trades === undefined) throw new Error('a part is missing');
    const [first, last] = [chart.y, Math.max(...[chart, book, trades].map(({ y, height }) => y + height))];
    expect(last - first <= 1000).toBe(isBeside);
    expect([book.y, trades.y].every((y) => y === first)).toBe(isBeside);
    const quotes = await card(page, 'Outcomes').boundingBox();
    const facts = await card(page, 'At Kalshi').boundingBox();
    expect(quotes?.y === facts?.y).toBe(isBeside);
    expect(chart.y < 650).toBe(isBeside);
    const below = book.y >= chart.y + chart.height;
    expect([below, book.x >= chart.x + chart.width, trades.x >= book.x + book.width]).toEqual(
      isBeside ? [false, true, true] : [true, false, width === 1280],
    );
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
  });

  it('says to somebody without credentials what is missing, and the way there', async () => {
    const { email } = await aUser(stand.app);
    const page = await openAt(`/markets/kalshi/${TICKER}`, email);
    const line = card(page, 'Yours here');
    await line.getByText('No credentials of yours are stored for Kalshi').waitFor();
    expect(await line.getByRole('link', { name: 'Store them' }).getAttribute('href')).toMatch(/\/credentials#kalshi$/);
    await page.getByLabel('Size, in contracts').fill('3');
    await page.getByLabel(/^Limit price/).fill('0.4');
    await page.getByText('what this order would come to cannot be told').waitFor();
  });

  it('previews an order of Kalshi once, to the last digit, and its lines place exactly that one', async () => {
    const page = await openAt(`/markets/kalshi/${TICKER}`);
    const [, no] = (await marketAt('kalshi', TICKER)).outcomes;
    const answers: Promise<{ readonly order: object }>[] = [];
    page.on('response', (response) => {
      if (response.url().endsWith('/orders/preview')) answers.push(response.json() as (typeof answers)[number]);
    });
    await choose(page, 'No');
    await page.getByLabel('Size, in contracts').pressSequentially('12.5');
    await page.getByLabel(/^Limit price/).pressSequentially(no.ask);
    await facts(page).waitFor();
    const terms = {
      market_id: TICKER,
      outcome_index: 1,
      side: 'buy',
      price: no.ask,
      size: '12.5',
      time_in_force: 'gtc',
    };
    expect((await Promise.all(answers)).map(({ order }) => order)).toEqual([expect.objectContaining(terms)]);
    await page.getByText(`Buy 12.5 of “No” at ${no.ask} USD`).waitFor();
    const cost = plain(product(toUnits('12.5'), toUnits(no.ask)));
    expect(await factOf(page, 'Costs at most')).toContain(cost);
    expect(await factOf(page, 'Fills now')).toBe(`12.5 at ${no.ask} USD on average`);
    expect(await factOf(page, 'Rests')).toBe('nothing');
    const fee = await factOf(page, 'Fee');
    const lines = await copied(page, 'curl');
    const order = JSON.parse(await runShell(lines)) as OrderBody;
    expect(order).toMatchObject({ market_id: TICKER, outcome: { id: no.id, index: 1 }, side: 'buy', status: 'filled' });
    expect([order.price, order.size]).toEqual([no.ask, '12.5']);
    const { data: fills } = await read<List<Level & { fee: string }>>(`/kalshi/fills?order_id=${order.id}`);
    const paid = fills.reduce((sum, one) => sum + toUnits(one.fee), 0n);
    expect(fee).toMatch(new RegExp(String.raw`^${plain(paid).replace('.', String.raw`\.`)} USD`));
    // The same order in every language: under its key it is placed once.
    const said = `${order.id} ${order.status}\n`;
    expect(await runTypescript(await copied(page, 'TypeScript'))).toBe(said);
    expect(await byPython(page, said)).toBe(said);
    expect((await read<List<Level>>(`/kalshi/fills?order_id=${order.id}`)).data).toHaveLength(fills.length);
    await page.getByRole('button', { name: 'Lines for one more' }).first().click();
    const next = (await runTypescript(await copied(page, 'TypeScript'))).split(' ')[0];
    expect(next).not.toBe(order.id);
    // A price of one outcome is none of the other.
    await choose(page, 'Yes');
    expect(await page.getByLabel(/^Limit price/).inputValue()).toBe('');
    await facts(page).waitFor({ state: 'detached' });
  });

  it('previews an order of Polymarket that rests until a time, sold and only resting', async () => {
    const page = await openAt(`/markets/polymarket/${bitcoin.id}`);
    const [yes, no] = bitcoin.outcomes;
    await choose(page, 'No');
    await page.getByLabel('Good').selectOption('gtd');
    await page.getByLabel('Until, in your time zone').fill(`${new Date().getFullYear() + 1}-01-02T03:04`);
    await page.getByLabel(/Only rest/).check();
    await fillIn(page, { side: 'buy', size: '20', price: '0.02' });
    expect(await factOf(page, 'Costs at most')).toContain('0.4');
    expect(await factOf(page, 'Fills now')).toBe('nothing');
    expect(await factOf(page, 'Rests')).toMatch(/^20 at 0\.02 PUSD until /);
    const order = JSON.parse(await runShell(await copied(page, 'curl'))) as OrderBody;
    expect(order).toMatchObject({ market_id: bitcoin.id, outcome: { id: no.id, index: 1 }, side: 'buy' });
    expect(order).toMatchObject({ price: '0.02', size: '20', status: 'open', time_in_force: 'gtd', post_only: true });
    expect(await byPython(page, order.id)).toContain(order.id);
    await card(page, 'Your open orders here').getByText('Buy No').waitFor();
    // What would trade at once is refused, and what would be is told before.
    await choose(page, 'Yes');
    await fillIn(page, { side: 'buy', size: '20', price: yes.ask });
    await page.getByText('It would be refused now.').waitFor();
    expect(await factOf(page, 'Rests')).toBe('nothing, as it would be refused');
    await fits(page);
  });

  it('never shows an answer of other fields, and says what would be in a bot’s way', async () => {
    const bot = await aBot(stand.app, trader.user, {
      name: 'small',
      limits: { max_order_risk: '1', max_daily_risk: '50' },
    });
    const page = await openAt(`/markets/kalshi/${TICKER}`);
    await fillIn(page, { side: 'sell', size: '10', price: '0.99' });
    expect(await factOf(page, 'Costs at most')).toContain('0.1');
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    let calls = 0;
    await page.route('**/orders/preview', async (route) => {
      calls += 1;
      if (calls === 1) await held;
      await route.continue();
    });
    await page.getByLabel(/^Limit price/).fill('0.9');
    await facts(page).waitFor({ state: 'detached' });
    await page.waitForRequest('**/orders/preview');
    await page.getByLabel(/^Limit price/).fill('0.8');
    await facts(page).waitFor();
    release();
    await page.waitForTimeout(500);
    expect(calls).toBe(2);
    expect(await factOf(page, 'Can lose')).toMatch(/^2(\.00)? USD at most/);
    await page.getByLabel('As which bot').selectOption('small');
    const limits = page.getByRole('region', { name: 'Limits of small, a table' });
    const rows = await limits.locator('tbody tr').allTextContents();
    expect(rows.map((row) => /Fits|Too much/.exec(row)?.[0])).toEqual(['Too much', 'Fits']);
    const body = { market_id: TICKER, outcome: 'yes', side: 'sell', price: '0.8', size: '10' };
    expect(outcome(await post(stand.app, '/kalshi/orders', body, bot.key))).toEqual([403, 'limit_exceeded', undefined]);
    await fits(page);
  });

  it.each([
    ['kalshi', '3', '5', '8'],
    ['polymarket', '20', '25', '30'],
  ])('reckons of each limit what the service itself says to the bot, at %s', async (exchange, held, sold, most) => {
    const id = exchange === 'kalshi' ? TICKER : bitcoin.id;
    const name = `all at ${exchange}`;
    const limits = {
      ...{ max_order_risk: '15', max_open_risk: '15', max_daily_risk: '50', max_total_risk: '100' },
      ...{ max_position: most, max_open_orders: 9, max_orders_per_minute: 60, max_price_distance: '0.5' },
      ...{ max_order_seconds: 3600, max_requests_per_minute: 90 },
    };
    const { key } = await aBot(stand.app, trader.user, { name, limits });
    const [yes] = (await marketAt(exchange, id)).outcomes;
    const common = { market_id: id, outcome: 0 };
    const sent = [
      { ...common, side: 'buy', price: yes.ask, size: held },
      { ...common, side: 'buy', price: '0.01', size: '5' },
    ];
    for (const body of sent) expect((await post(stand.app, `/${exchange}/orders`, body, key)).status).toBe(200);
    const isProved = async (): Promise<boolean> => {
      const { usage } = (await get(stand.app, '/bot', key)).body as { usage: { unsettled_orders: number } };
      return usage.unsettled_orders === 0;
    };
    await eventually(isProved);
    const page = await openAt(`/markets/${exchange}/${id}`);
    // A minute later: by then all fills are proved.
    await page.route('**/account/bots', async (route) => {
      const response = await route.fetch();
      const { bots } = (await response.json()) as { bots: { usage: { as_of: string } }[] };
      for (const { usage } of bots) usage.as_of = new Date(Date.now() + 61_000).toISOString();
      await route.fulfill({ response, json: { bots } });
    });
    await page.reload();
    const table = page.getByRole('region', { name: `Limits of ${name}, a table` });
    const cells = async (): Promise<string[][]> => {
      await page.getByLabel('As which bot').selectOption(name);
      await table.locator('tbody tr').nth(9).waitFor();
      return (await cellsOf(table)).map((row) => row.map((text) => text.replace(/ P?USD$/, '')));
    };
    // Too much at a price below all offers; and a sale of more than it holds, which takes that back.
    const orders: [order: Readonly<Record<'side' | 'size' | 'price', string>>, ...wrong: string[]][] = [
      [
        { side: 'buy', price: '0.02', size: '1000' },
        ...['Risk of one order', 'Risk of all open orders', 'Size of one market'],
      ],
      [{ side: 'sell', price: '0.99', size: sold }],
    ];
    for (const [order, ...wrong] of orders) {
      await fillIn(page, order);
      const shown = await cells();
      const answer = await post(stand.app, `/${exchange}/orders/preview`, { ...common, ...order }, key);
      const { limits: known, would_be_refused: refusal } = answer.body as {
        readonly limits: readonly Readonly<Record<'limit' | 'used' | 'asked' | 'allowed', string | number>>[];
        readonly would_be_refused: { readonly code: string } | null;
      };
      // How long it rests is known to the service alone.
      const figures = known.map(({ limit, used, asked, allowed }) => {
        return [used, limit === 'max_order_seconds' ? '–' : asked, allowed].map(String);
      });
      expect(shown.slice(0, -1).map((row) => row.slice(1, 4))).toEqual(figures);
      expect(shown.filter((row) => row[4] === 'Too much').map(([label]) => label)).toEqual(wrong);
      expect(refusal?.code === 'limit_exceeded').toBe(wrong.length > 0);
      expect(shown.at(-1)).toEqual(['Requests a minute', '–', '–', '90', 'Cannot be told']);
    }
    await fits(page);
  });

  it('tells outcomes of one name apart, and refuses an answer of another price', async () => {
    const page = await dashboard.open();
    await page.route('**/stream?*', (route) => route.abort());
    await page.route(new RegExp(`/kalshi/markets/${TICKER}$`), async (route) => {
      const response = await route.fetch();
      const market = (await response.json()) as MarketBody;
      const outcomes = market.outcomes.map((one) => ({ ...one, label: `Same${one.index === 0 ? '' : '\u200B'}` }));
      await route.fulfill({ response, json: { ...market, outcomes } });
    });
    await page.route('**/orders/preview', async (route) => {
      const response = await route.fetch();
      const preview = (await response.json()) as { readonly order: object };
      await route.fulfill({ response, json: { ...preview, order: { ...preview.order, price: '0.03' } } });
    });
    await dashboard.signIn(page, trader.user.email, `/markets/kalshi/${TICKER}`);
    await choose(page, 'Same (outcome 1)');
    await page.getByRole('heading', { name: 'Order book of Same (outcome 1)' }).waitFor();
    await page.getByLabel('Size, in contracts').fill('10');
    await page.getByLabel(/^Limit price/).fill('0.02');
    await page.getByText('Buy 10 of “Same (outcome 1)” at 0.02 USD').waitFor();
    await page.getByText('The answer is of another order than the one asked about').waitFor();
    expect(await facts(page).count()).toBe(0);
    expect(await copied(page, 'curl')).toContain(`"outcome":"${TICKER}:no"`);
  });

  it('leads to the event’s others and to the same words elsewhere', async () => {
    const page = await openAt(`/markets/polymarket/${bitcoin.id}`);
    const linksOf = async (name: string): Promise<string[]> => {
      const links = card(page, name).getByRole('row').getByRole('link');
      await links.first().waitFor();
      const all = await links.evaluateAll((found) =>
        found.map((link) => (link as unknown as { pathname: string }).pathname),
      );
      return all.map((path) => decodeURIComponent(path.split('/').at(-1) ?? '')).sort();
    };
    const { data: ofEvent } = await read<List<MarketBody>>(
      `/polymarket/markets?event_id=${bitcoin.event_id}&status=open&limit=25`,
    );
    const others = ofEvent.map(({ id }) => id).filter((id) => id !== bitcoin.id);
    expect(others.length).toBeGreaterThan(0);
    expect(await linksOf('Other markets of its event')).toEqual(others.sort());
    const { data: same } = await read<List<MarketBody>>('/markets?search=bitcoin&exchange=kalshi&limit=5');
    expect(same.length).toBeGreaterThan(0);
    expect(await linksOf('The same words at Kalshi')).toEqual(same.map(({ id }) => id).sort());
    await page.getByText('it may ask something else').waitFor();
  });

  it('stands while one part of an exchange hangs, and under hostile titles', async () => {
    const page = await dashboard.open();
    await page.route('**/stream?*', (route) => route.abort());
    await page.route(new RegExp(`/kalshi/markets/${TICKER}$`), async (route) => {
      const response = await route.fetch();
      const market = (await response.json()) as MarketBody;
      const outcomes = market.outcomes.map((one) => ({ ...one, label: `${one.label}${HOSTILE}` }));
      await route.fulfill({ response, json: { ...market, title: HOSTILE, subtitle: HOSTILE, outcomes } });
    });
    stand.sandbox.faults.add({
      exchange: 'kalshi',
      method: 'GET',
      path: '/trade-api/v2/portfolio/orders',
      fault: 'hang',
      times: 9,
    });
    await dashboard.signIn(page, trader.user.email, `/markets/kalshi/${TICKER}`);
    await card(page, 'Your open orders here').getByText('Kalshi: reading…').waitFor();
    await page.getByRole('table', { name: 'Bids' }).getByRole('row').nth(1).waitFor();
    await fillIn(page, { side: 'buy', size: '10', price: '0.02' });
    await fits(page);
    expect(await copied(page, 'TypeScript')).not.toContain('WWWW');
    expect(dashboard.complaints.filter((text) => !text.startsWith('Failed to load'))).toEqual([]);
  });
});
