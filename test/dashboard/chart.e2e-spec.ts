import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Locator, Page } from 'playwright-core';
import { complement } from '../../src/exchanges/decimal.js';
import type { ReadFillDto } from '../../src/proxy/trading/holdings.dto.js';
import type { CandlestickDto } from '../../src/exchanges/unified.market-data.dto.js';
import { startBrowser } from '../support/browser.js';
import { expectAccessible, TestDashboard } from '../support/dashboard.js';
import { EXCHANGE } from '../support/exchanges.js';
import { aHolder, type Holder, read, tradeKalshi, tradePolymarket } from '../support/portfolio.js';
import { startTestStand, type TestStand } from '../support/sandbox.js';

const { market: TICKER } = EXCHANGE.kalshi;
const SLUG = 'will-bitcoin-reach-130k-this-year';
const [KILOBYTE, HOUR_MS, DAY_MS] = [1_024, 3_600_000, 86_400_000];

/** Runs in the page: in how many parts, from left to right, a colour stands in the first of the canvases that have it. */
function partsOf(host: { querySelectorAll(name: string): Iterable<unknown> }, colour: readonly number[]): number {
  interface Canvas {
    readonly width: number;
    readonly height: number;
    getContext(kind: '2d'): {
      getImageData(x: number, y: number, width: number, height: number): { readonly data: readonly number[] };
    };
  }
  const counts = ([...host.querySelectorAll('canvas')] as Canvas[]).map((canvas) => {
    const { width, height } = canvas;
    if (width === 0 || height === 0) return 0;
    const { data } = canvas.getContext('2d').getImageData(0, 0, width, height);
    let parts = 0;
    let isIn = false;
    for (let x = 0; x < width; x += 1) {
      let isHere = false;
      for (let y = 0; y < height && !isHere; y += 1) {
        const at = (y * width + x) * 4;
        isHere =
          colour.every((part, index) => Math.abs((data[at + index] ?? 0) - part) < 40) && (data[at + 3] ?? 0) > 200;
      }
      if (isHere && !isIn) parts += 1;
      isIn = isHere;
    }
    return parts;
  });
  return counts.find((count) => count > 0) ?? 0;
}

/** What the browser says of answers that are no success, and of this test, which reads what is drawn. */
const OWN = /^(?:Failed to load|Canvas2D)/;

/** Of tokens.css. */
const ACCENT = { light: [0x23, 0x48, 0xc4], dark: [0x8f, 0xa8, 0xff] } as const;
const BAD = { light: [0xb0, 0x20, 0x1d], dark: [0xff, 0x9d, 0x96] } as const;

describe('charts of the dashboard', () => {
  let stand: TestStand;
  let browser: Browser;
  let dashboard: TestDashboard;
  let holder: Holder;
  let polymarketId: string;

  beforeAll(async () => {
    [stand, browser] = await Promise.all([startTestStand(), startBrowser()]);
    dashboard = new TestDashboard(stand.app, browser);
    holder = await aHolder(stand);
    await tradeKalshi(holder, { ticker: TICKER, side: 'bid', count: '10', price: '0.9900' });
    await tradeKalshi(holder, { ticker: TICKER, side: 'ask', count: '4', price: '0.0100' });
    const answer = await read(stand, `/polymarket/markets/${SLUG}`, holder.key);
    const market = answer.body as { id: string; outcomes: { id: string }[] };
    polymarketId = market.id;
    const tokenId = market.outcomes[1]?.id ?? '';
    await tradePolymarket(holder, { tokenId, negRisk: false, side: 'BUY', price: '0.99', size: '20' });
  });

  afterAll(async () => {
    await browser.close();
    await stand.close();
  });

  afterEach(() => dashboard.close());

  const picture = (page: Page): Locator => page.getByRole('img', { name: /^Candles of / });
  const readout = (page: Page): Locator => page.locator('figure [data-readout]');
  const textsOf = async (page: Page): Promise<string[]> =>
    (await readout(page).locator('span').allTextContents()).slice(1);

  const drawn = async (page: Page, own: number): Promise<void> => {
    await page
      .getByRole('img', { name: `Own fills: ${own}.` })
      .locator('canvas')
      .first()
      .waitFor();
  };

  const candlesOf = async (exchange: string, id: string, outcome: number): Promise<CandlestickDto[]> => {
    const start = new Date(Date.now() - 7 * DAY_MS).toISOString();
    const path = `/${exchange}/candlesticks?market_id=${id}&outcome=${outcome}&interval=1h&start=${start}`;
    return ((await read(stand, path, holder.key)).body as { data: CandlestickDto[] }).data;
  };

  const pricesOf = (candle: CandlestickDto | undefined): string[] =>
    (['open', 'high', 'low', 'close', 'volume'] as const).flatMap((name) =>
      candle?.[name] == null ? [] : [`${name} ${candle[name]}`],
    );

  it.each(['kalshi', 'polymarket'] as const)(
    'says to the last digit what a candle of %s is, and own fills as the outcome sees them',
    async (exchange) => {
      const id = exchange === 'kalshi' ? TICKER : polymarketId;
      const { data: fills } = (await read(stand, `/${exchange}/fills?market_id=${id}`, holder.key)).body as {
        data: ReadFillDto[];
      };
      expect(fills.length).toBe(exchange === 'kalshi' ? 2 : 1);
      const page = await dashboard.open({ timezoneId: 'America/New_York' });
      await dashboard.signIn(page, holder.user.email, `/markets/${exchange}/${id}`);
      for (const [index, label] of ['Yes', 'No'].entries()) {
        await page.getByRole('group', { name: 'Outcome' }).getByRole('button', { name: label, exact: true }).click();
        await page.getByRole('heading', { name: `Prices of ${label}` }).waitFor();
        await drawn(page, fills.length);
        const candles = await candlesOf(exchange, id, index);
        const texts = await textsOf(page);
        const expected = fills.map(({ outcome, side, price, size }) => {
          const traded = `${side === 'buy' ? 'Bought' : 'Sold'} ${size}`;
          return outcome.index === index
            ? `${traded} at ${price}`
            : `${traded} of ${['Yes', 'No'][1 - index] ?? ''} at ${price}, which is ${complement(price)} here`;
        });
        expect(texts.filter((text) => /Bought|Sold/.test(text)).sort()).toEqual(expected.sort());
        expect(texts).toEqual(expect.arrayContaining(pricesOf(candles.at(-1))));
        // The slider's keys go from slot to slot, the newest first; what is pointed at is said there too.
        const slider = page.getByRole('slider', { name: 'Candle' });
        await slider.press('Home');
        expect(await textsOf(page)).toEqual(expect.arrayContaining(pricesOf(candles[0])));
        const said = (await readout(page).locator('span').allTextContents()).join(', ');
        expect(await slider.getAttribute('aria-valuetext')).toBe(said);
        // At the pointer: the first slot is at the left edge.
        await slider.press('End');
        await picture(page).hover({ position: { x: 3, y: 100 } });
        await expect(readout(page).textContent()).resolves.toContain(pricesOf(candles[0])[0] ?? 'none');
        expect(pricesOf(candles[0]).length).toBeGreaterThan(3);
        await page.mouse.move(0, 0);
      }
      await page.getByText('The same as a table').click();
      await page.getByRole('region', { name: 'Candles, newest first, a table' }).getByRole('row').nth(1).waitFor();
      await expectAccessible(page);
      expect(dashboard.complaints.filter((text) => !OWN.test(text))).toEqual([]);
    },
  );

  it('comes with a market alone, of less than 64 KB, keeps what was chosen in the address, and follows the theme', async () => {
    const page = await dashboard.open({ colorScheme: 'light' });
    const sizes: { readonly url: string; readonly size: Promise<{ readonly responseBodySize: number }> }[] = [];
    page.on('response', (answer) => {
      if (/\/chart-[^/]*\.js$/.test(answer.url())) sizes.push({ url: answer.url(), size: answer.request().sizes() });
    });
    await dashboard.signIn(page, holder.user.email, '/markets');
    await page.getByRole('heading', { level: 1, name: 'Markets' }).waitFor();
    expect(sizes).toEqual([]);
    await page.goto(dashboard.address(`/markets/kalshi/${TICKER}`));
    await drawn(page, 2);
    expect(sizes).toHaveLength(1);
    expect(((await sizes[0]?.size)?.responseBodySize ?? Infinity) / KILOBYTE).toBeLessThan(64);
    expect(await picture(page).evaluate(partsOf as never, BAD.light as never)).toBeGreaterThan(0);
    await page.getByLabel('Colours').selectOption('Dark');
    const range = page.getByRole('group', { name: 'How far back' });
    await range.getByRole('button', { name: '1D', exact: true }).click();
    await page.waitForURL(/range=day/);
    await drawn(page, 2);
    expect(await picture(page).evaluate(partsOf as never, BAD.light as never)).toBe(0);
    expect(await picture(page).evaluate(partsOf as never, BAD.dark as never)).toBeGreaterThan(0);
    await page.reload();
    await range.getByRole('button', { name: '1D', pressed: true }).waitFor();
    await page.getByRole('link', { name: 'TradingView Lightweight Charts' }).waitFor();
  });

  it('marks own fills of all the time that is drawn, by no more calls than that takes, and says where it cuts', async () => {
    const { data } = (await read(stand, `/kalshi/fills?market_id=${TICKER}`, holder.key)).body as {
      data: object[];
    };
    const [fill] = data;
    const page = await dashboard.open();
    const now = Date.now();
    let cursors: (string | null)[] = [];
    let apartMs = DAY_MS / 144;
    // Newest first, and more than are ever drawn.
    await page.route('**/kalshi/fills?*', async (route) => {
      const cursor = new URL(route.request().url()).searchParams.get('cursor');
      cursors.push(cursor);
      const from = Number(cursor ?? 0);
      const rows = Array.from({ length: 100 }, (_, index) => {
        const timestamp = new Date(now - (from + index) * apartMs).toISOString();
        return { ...fill, id: `fill ${from + index}`, timestamp };
      });
      await route.fulfill({ json: { data: rows, next_cursor: from < 1_900 ? String(from + 100) : null } });
    });
    await dashboard.signIn(page, holder.user.email, `/markets/kalshi/${TICKER}?range=day`);
    await drawn(page, 144);
    const asked = (): unknown[] => [...new Set(cursors)];
    expect(asked()).toEqual([null, '100']);
    apartMs = 60_000;
    cursors = [];
    await page.reload();
    await drawn(page, 1_000);
    await page.getByText('Your newest 1000 fills are marked, and none before.').waitFor();
    expect(asked()).toEqual([null, ...Array.from({ length: 9 }, (_, index) => String((index + 1) * 100))]);
    // Once more where the stream begins after the first reading.
    expect(cursors.length).toBeLessThanOrEqual(2 * asked().length);
  });

  it('draws a gap of the equity as a gap, and says each known point to the last digit', async () => {
    const { app } = stand;
    const { user, key } = await aHolder(stand, ['kalshi']);
    const { totals } = (await read(stand, '/portfolio', key)).body as { totals: object[] };
    await app.query('DELETE FROM equity_points WHERE user_id = $1', [user.id]);
    const hour = Math.floor(Date.now() / HOUR_MS);
    const points: [hours: number, equity: string | null][] = [];
    for (let hours = 150; hours >= 1; hours -= 1) {
      // A day without a record, and an hour in which it was not known.
      if (hours > 90 && hours < 114) continue;
      points.push([hours, hours === 50 ? null : `9${hours}.123456789`]);
    }
    for (const [hours, equity] of points)
      await app.query('INSERT INTO equity_points (user_id, at, totals) VALUES ($1, $2, $3)', [
        user.id,
        new Date((hour - hours) * HOUR_MS),
        JSON.stringify([{ ...totals[0], equity }]),
      ]);
    const page = await dashboard.open({ colorScheme: 'light' });
    await dashboard.signIn(page, user.email, '/portfolio?list=course&span=week');
    const course = page.getByRole('img', { name: 'Equity in USD: 126 known points in 3 parts' });
    await course.locator('canvas').first().waitFor();
    expect(await course.evaluate(partsOf as never, ACCENT.light as never)).toBe(3);
    const slider = page.getByRole('slider', { name: 'Point of the equity in USD' });
    await slider.press('Home');
    expect(await textsOf(page)).toEqual(['9150.123456789 USD']);
    await slider.press('ArrowRight');
    expect(await textsOf(page)).toEqual(['9149.123456789 USD']);
    await expectAccessible(page);
    expect(dashboard.complaints.filter((text) => !OWN.test(text))).toEqual([]);
  });
});
