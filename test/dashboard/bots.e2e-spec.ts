import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Locator, Page } from 'playwright-core';
import { aBot, BOTS, type ShownBot } from '../support/bots.js';
import { startBrowser } from '../support/browser.js';
import { codeOf, get, PASSWORD, post } from '../support/calls.js';
import { expectAccessible, keptByBrowser, seeHeading, TestDashboard } from '../support/dashboard.js';
import { EXCHANGE } from '../support/exchanges.js';
import { aTrader, startTestStand, type TestStand, type Trader } from '../support/sandbox.js';
import { aUser } from '../support/users.js';

const ORDER = { market_id: EXCHANGE.kalshi.market, outcome: 'yes', side: 'buy', price: '0.05', size: '10' };
const FITS = 'document.documentElement.scrollWidth <= innerWidth';
const WIDTHS = [360, 1_280];

describe('bots', () => {
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

  const botsOf = async ({ user }: Trader): Promise<ShownBot[]> => {
    const answer = await get(stand.app, BOTS, user.token);
    expect(answer.status).toBe(200);
    return (answer.body as { bots: ShownBot[] }).bots;
  };
  const place = async (key: string, terms: object = {}): Promise<string> => {
    const placed = await post(stand.app, '/kalshi/orders', { ...ORDER, ...terms }, key);
    expect([placed.status, placed.text]).toEqual([200, placed.text]);
    return (placed.body as { id: string }).id;
  };
  const cardOf = (page: Page, name: string): Locator => page.getByRole('region', { name, exact: true });
  const ask = async (page: Page, trigger: Locator, action: string): Promise<void> => {
    await trigger.click();
    await page.getByRole('alertdialog').getByRole('button', { name: action }).click();
  };
  /** The page is as wide as the window, at each width, and axe-core finds nothing. */
  const expectWellShown = async (page: Page): Promise<void> => {
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 });
      expect([page.url(), width, await page.evaluate(FITS)]).toEqual([page.url(), width, true]);
    }
    await expectAccessible(page);
  };

  it('makes a bot, shows its key once and what it uses; stops all from another page with a report; resumes and removes it', async () => {
    const trader = await aTrader(stand);
    const page = await dashboard.open();
    await dashboard.signIn(page, trader.user.email, '/bots');
    await seeHeading(page, 'Bots');
    await page.getByText('A bot is one program of yours').waitFor();
    expect(await page.getByRole('button', { name: 'Stop all bots' }).count()).toBe(0);

    await page.getByRole('button', { name: 'Make a bot' }).click();
    await expectWellShown(page);
    expect(await page.getByLabel('Orders end after, in seconds').inputValue()).toBe('3600');
    await page.getByRole('textbox', { name: 'Name' }).fill('maker');
    await page.getByRole('button', { name: 'Make the bot' }).click();
    await page.getByText('write “none” to go without').first().waitFor();
    await page.getByLabel('Budget of a day').fill('50');
    await page.getByLabel('Budget in all').fill('none');
    await page.getByRole('button', { name: 'Make the bot' }).click();
    const key = (await page.getByTestId('key').textContent()) ?? '';
    await page.getByRole('status').getByText('shown this once').first().waitFor();
    expect(await keptByBrowser(page)).not.toContain(key);
    const maker = cardOf(page, 'maker');
    await maker.getByText('Off: nothing protects you').waitFor();
    const [made] = await botsOf(trader);
    expect(made).toMatchObject({
      name: 'maker',
      scopes: ['trade'],
      exchanges: null,
      limits: { max_daily_risk: '50', max_total_risk: null, max_order_seconds: 3600 },
    });

    expect(await page.evaluate('document.activeElement.id')).toBe('result');
    const order = await place(key);
    await page.reload();
    await seeHeading(page, 'Bots');
    await maker.getByRole('listitem').filter({ hasText: 'Risk of this UTC day' }).getByText('0.5').waitFor();
    const day = maker.getByRole('listitem').filter({ hasText: 'Risk of this UTC day' });
    expect(await day.textContent()).toContain('0.5 of 50 USD');
    expect(await maker.getByRole('listitem').filter({ hasText: 'Open orders' }).textContent()).toContain('1, no limit');
    expect(await page.getByTestId('key').count()).toBe(0);
    const filled = await day.locator('[data-full]').boundingBox();
    expect(filled?.width).toBeGreaterThan(1);
    await expectWellShown(page);

    await page.goto(dashboard.address('/markets'));
    await seeHeading(page, 'Markets');
    await page.getByRole('button', { name: 'Stop all bots' }).click();
    await expectWellShown(page);
    await page.getByRole('button', { name: 'Stop them now' }).click();
    const report = page.getByRole('region', { name: 'What became of the halt' });
    await report.getByText('1 order cancelled at Kalshi').waitFor();
    await report.getByRole('link', { name: order }).waitFor();
    await page.getByRole('status').getByText('All bots are halted').waitFor();
    await page.locator('#halt-result:focus, #halt-result :focus').waitFor();
    await expectWellShown(page);
    expect(codeOf(await post(stand.app, '/kalshi/orders', ORDER, key))).toBe('bot_halted');

    await page.setViewportSize({ width: 1_280, height: 800 });
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByText('is halted: you stopped all bots').waitFor();
    expect(await page.getByText('The halt is not complete').count()).toBe(0);
    await report.getByRole('button', { name: 'Put away' }).click();
    await expectWellShown(page);
    await page.setViewportSize({ width: 1_280, height: 800 });
    await page.getByRole('link', { name: 'See it' }).click();
    await seeHeading(page, 'Bots');
    await maker.getByText('It sends no order').waitFor();
    await expectWellShown(page);
    await ask(page, maker.getByRole('button', { name: 'Resume' }), 'Resume it now');
    await page.getByRole('status').getByText('“maker” goes on').waitFor();
    await maker.getByText('Active').waitFor();
    const again = await place(key);

    await ask(page, maker.getByRole('button', { name: 'Remove' }), 'Remove it for good');
    await report.getByRole('link', { name: again }).waitFor();
    await maker.waitFor({ state: 'detached' });
    await page.getByText('Removed in the last 90 days (1)').click();
    await expectWellShown(page);
    expect((await get(stand.app, '/bot', key)).status).toBe(401);
    expect(await page.getByRole('button', { name: 'Stop all bots' }).count()).toBe(0);
    // 422: this service keeps no catalogue.
    expect(dashboard.complaints.filter((text) => !/ 401 | 422 /.test(text))).toEqual([]);
  });

  it('stops all although their list does not come', async () => {
    const trader = await aTrader(stand);
    const bot = await aBot(stand.app, trader.user);
    const page = await dashboard.open();
    await page.route('**/account/bots', () => undefined);
    await dashboard.signIn(page, trader.user.email, '/profile');
    await ask(page, page.getByRole('button', { name: 'Stop all bots' }), 'Stop them now');
    await page.getByRole('status').getByText('All bots are halted').waitFor();
    expect(codeOf(await post(stand.app, '/kalshi/orders', ORDER, bot.key))).toBe('bot_halted');
  });

  it('leads from a bot to what it did, and names it there and in the file', async () => {
    const trader = await aTrader(stand);
    const { id, key } = await aBot(stand.app, trader.user, { name: 'left hand' });
    await aBot(stand.app, trader.user, { name: 'right hand' });
    const [own] = [await place(key), await place(trader.key)];
    const page = await dashboard.open();
    await dashboard.signIn(page, trader.user.email, '/bots');
    const links = cardOf(page, 'left hand').getByRole('link');
    await links.filter({ hasText: 'Refusals' }).click();
    await page.waitForURL((url) => url.search === `?list=orders&state=refused&bot=${id}`);
    await page.goBack();
    await links.filter({ hasText: 'Fills' }).click();
    await page.waitForURL((url) => url.search === `?list=fills&bot=${id}`);
    await page.goBack();
    await links.filter({ hasText: 'Open orders' }).click();
    const rows = page.getByRole('table', { name: 'Open orders' }).locator('tbody > tr');
    await rows.getByRole('cell', { name: 'left hand', exact: true }).waitFor();
    expect(await rows.count()).toBe(1);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download as CSV' }).click(),
    ]);
    const [head, row] = (await readFile(await download.path(), 'utf8')).split('\r\n');
    const names = head?.split(',') ?? [];
    const values = row?.split(',') ?? [];
    expect(['"bot_id"', '"order_id"'].map((name) => values[names.indexOf(name)])).toEqual([`"${id}"`, `"${own}"`]);
  });

  it('changes only what was changed, and shows what is wrong at its field', async () => {
    const trader = await aTrader(stand);
    const expires = new Date(Date.now() + 86_400_000).toISOString();
    await aBot(stand.app, trader.user, {
      name: 'quoter',
      limits: { max_daily_risk: '20', max_open_orders: 5 },
      exchanges: ['kalshi'],
      markets: [{ exchange: 'kalshi', series_id: 'KXHIGHNY' }],
      allowed_networks: ['127.0.0.0/8'],
      expires_at: expires,
    });
    const page = await dashboard.open();
    await dashboard.signIn(page, trader.user.email, '/bots');
    const card = cardOf(page, 'quoter');
    await card.getByRole('button', { name: 'Change', exact: true }).click();
    await card.getByText('More limits, markets, networks, end').click();
    expect(await card.getByLabel('Markets', { exact: true }).inputValue()).toBe('kalshi series KXHIGHNY');
    await expectWellShown(page);
    await card.getByLabel('Open orders', { exact: true }).fill('many');
    await card.getByText('More limits, markets, networks, end').click();
    await card.getByRole('button', { name: 'Change the bot' }).click();
    await card.getByText('It must be a whole number').waitFor();
    await card.getByLabel('Open orders', { exact: true }).fill('');
    await card.getByLabel('Budget of a day').fill('10');
    await card.getByRole('button', { name: 'Change the bot' }).click();
    await page.getByRole('status').getByText('“quoter” is changed').waitFor();
    expect((await botsOf(trader))[0]).toMatchObject({
      limits: { max_daily_risk: '10', max_open_orders: null },
      markets: [{ exchange: 'kalshi', series_id: 'KXHIGHNY' }],
      expires_at: expires,
    });
    const activity = await get(stand.app, '/account/activity', trader.user.token);
    const { data } = activity.body as { data: { type: string; details: { changed?: string } }[] };
    expect(data.find(({ type }) => type === 'bot_changed')?.details.changed).toBe('limits');
  });

  it('gives a new key while the one before works on, and asks an old session who it is before', async () => {
    const { app } = stand;
    const trader = await aTrader(stand);
    const { key: former } = await aBot(app, trader.user, { name: 'rotated' });
    const page = await dashboard.open();
    await dashboard.signIn(page, trader.user.email, '/bots');
    const card = cardOf(page, 'rotated');
    await card.waitFor();
    await app.query(`UPDATE sessions SET created_at = now() - interval '31 minutes' WHERE user_id = $1`, [
      trader.user.id,
    ]);
    await card.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('The key of now ends').selectOption('In an hour');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Make the new key' }).click();
    await page.getByRole('heading', { name: 'Is it you?' }).waitFor();
    await page.getByLabel('Your password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Confirm', exact: true }).click();
    const key = (await page.getByTestId('key').textContent()) ?? '';
    await page.getByText('The key before works on until').waitFor();
    await expectWellShown(page);
    for (const one of [key, former]) expect((await get(app, '/bot', one)).status).toBe(200);
    await page.getByRole('button', { name: 'I have kept it' }).click();
    await page.getByTestId('key').waitFor({ state: 'detached' });
  });

  it('says what of a halt is not done and why, and does the rest when it is asked', async () => {
    const { app, sandbox } = stand;
    const trader = await aTrader(stand);
    const { key } = await aBot(app, trader.user, { name: 'stuck' });
    await place(key);
    const page = await dashboard.open();
    await dashboard.signIn(page, trader.user.email, '/bots');
    const card = cardOf(page, 'stuck');
    await card.waitFor();
    sandbox.faults.add({
      exchange: 'kalshi',
      method: 'GET',
      path: '/trade-api/v2/portfolio/orders',
      fault: 'status',
      status: 503,
      times: 99,
    });
    await ask(page, card.getByRole('button', { name: 'Halt' }), 'Halt it now');
    const report = page.getByRole('region', { name: 'What became of the halt' });
    await report.getByText('This halt is not complete').waitFor();
    await report.getByText('Orders at Kalshi may still be open').waitFor();
    await card.getByText('The halt is not complete: 1 of its orders may still be open').waitFor();
    await expectWellShown(page);
    sandbox.faults.clear();
    await report.getByRole('button', { name: 'Cancel the rest now' }).click();
    await report.getByText('1 order cancelled at Kalshi').waitFor();
    await report.getByText('This halt is not complete').waitFor({ state: 'detached' });
    await card.getByText('The halt is not complete').waitFor({ state: 'detached' });
    await card.getByText('It sends no order').waitFor();
  });

  it('names bots with open orders before credentials are replaced or removed', async () => {
    const { app } = stand;
    const trader = await aTrader(stand);
    const { id, key } = await aBot(app, trader.user, { name: 'resting' });
    await aBot(app, trader.user, { name: 'idle' });
    await place(key);
    // Its orders rest where it may trade no more.
    await app.query(`UPDATE bots SET exchanges = '{polymarket}' WHERE id = $1`, [id]);
    const page = await dashboard.open();
    await dashboard.signIn(page, trader.user.email, '/credentials');
    const card = cardOf(page, 'Kalshi');
    await card.getByRole('button', { name: 'Replace' }).click();
    await card.getByText('Bots have open orders, at Kalshi or elsewhere').waitFor();
    await expectAccessible(page);
    await card.getByRole('button', { name: 'Remove' }).click();
    const question = page.getByRole('alertdialog');
    await question.getByText('Bots have open orders, at Kalshi or elsewhere').waitFor();
    expect(await question.getByRole('listitem').allTextContents()).toEqual(['“resting”: 1 open']);
    await expectAccessible(page);
  });

  it('says whether a heartbeat is armed, and on the overview that it was missed', async () => {
    const { app } = stand;
    const user = await aUser(app);
    const { id, key } = await aBot(app, user, { name: 'beating' });
    /** Its last beat was so many seconds ago. */
    const beat = (ttl: number, onMiss: string, ago: number): Promise<unknown> =>
      app.query(
        `UPDATE bots SET beat_ttl = $2, beat_on_miss = $3, missed_since = NULL, last_beat_at = now() - make_interval(secs => $4),
                beat_lapses_at = now() + make_interval(secs => $2::integer - $4) WHERE id = $1`,
        [id, ttl, onMiss, ago],
      );
    /** The service has seen that it did not come, and the page is opened then. */
    const openOnceMissed = async (page: Page, text: string): Promise<void> => {
      const from = performance.now();
      while (!(await get(app, BOTS, user.token)).text.includes(text)) {
        if (performance.now() - from > 20_000) throw new Error('the heartbeat is not missed');
        await delay(100);
      }
      await page.reload();
    };
    const armed = await fetch(`${app.url}/bot/heartbeat`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ttl_seconds: 3_600, on_miss: 'cancel' }),
    });
    expect(armed.status).toBe(200);
    const page = await dashboard.open();
    await dashboard.signIn(page, user.email, '/bots');
    await page.getByText('Armed until').waitFor();
    await beat(10, 'cancel', 11);
    await openOnceMissed(page, '"missed_since":"');
    await page.getByText('refused until it beats again').waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByText('has missed its heartbeat').waitFor();
    await beat(10, 'halt', 11);
    await openOnceMissed(page, '"halted":{');
    await page.getByText('is halted: it missed its heartbeat').waitFor();
    await expectWellShown(page);
    await page.setViewportSize({ width: 1_280, height: 800 });
    await page.getByRole('link', { name: 'See it' }).click();
    await page.getByText('Not armed while it is halted').waitFor();
  });

  it('refuses a name that is taken, in words', async () => {
    const user = await aUser(stand.app);
    await aBot(stand.app, user, { name: 'twin' });
    const page = await dashboard.open();
    await dashboard.signIn(page, user.email, '/bots');
    await page.getByRole('button', { name: 'Make a bot' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Twin');
    await page.getByRole('radio', { name: 'Read Markets' }).click();
    await page.getByRole('button', { name: 'Make the bot' }).click();
    await page.getByRole('alert').getByText('Another bot of yours has this name').waitFor();
    await expectAccessible(page);
  });
});
