import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Locator, Page } from 'playwright-core';
import request, { type Response } from 'supertest';
import { startBrowser } from '../support/browser.js';
import { aBot } from '../support/bots.js';
import { codeOf, get, post, remove } from '../support/calls.js';
import { expectAccessible, seeHeading, TestDashboard } from '../support/dashboard.js';
import { EXCHANGE } from '../support/exchanges.js';
import { aTrader, startTestStand, type TestStand } from '../support/sandbox.js';

const ORDER = { market_id: EXCHANGE.kalshi.market, outcome: 'yes', side: 'buy', price: '0.05', size: '10' };

interface Row {
  readonly id: string;
  readonly state: string;
  readonly idempotency_key: string | null;
}

describe('an order of unknown fate', () => {
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

  /** The answer to an order is lost, after it was made or before; it is not found either, until the faults are cleared. */
  const lose = async (key: string, fault: 'reset_after' | 'status', name?: string): Promise<void> => {
    const { faults } = stand.sandbox;
    const [lookUp] = EXCHANGE.kalshi.lookUps;
    const { order } = EXCHANGE.kalshi.wire;
    faults.add({ exchange: 'kalshi', method: 'GET', path: lookUp, fault: 'status', status: 503, times: 999 });
    faults.add({ exchange: 'kalshi', method: 'POST', path: order[1], fault, status: 502, times: 1 });
    const call = request(stand.app.url).post('/kalshi/orders').auth(key, { type: 'bearer' });
    const answer: Response = await (name === undefined ? call : call.set('Idempotency-Key', name)).send(ORDER);
    expect(codeOf(answer)).toBe('order_outcome_unknown');
  };
  const rowOf = async (token: string): Promise<Row> => {
    const { data } = (await get(stand.app, '/account/orders', token)).body as { data: Row[] };
    const [row] = data;
    if (row === undefined) throw new Error('no row');
    return row;
  };
  const openRow = async (email: string, { id }: Pick<Row, 'id'>): Promise<Page> => {
    const page = await dashboard.open();
    await dashboard.signIn(page, email, `/activity/orders/${id}`);
    await seeHeading(page, 'One order’s life');
    return page;
  };
  const cardOf = (page: Page, name: string): Locator => page.getByRole('region', { name, exact: true });
  const giveUp = async (page: Page): Promise<void> => {
    await cardOf(page, 'Not known yet').getByRole('button', { name: 'Give it up' }).click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByText('buy 10 “Yes” at 0.05, at Kalshi').waitFor();
    await dialog.getByRole('button', { name: 'Give the order up' }).click();
    await dialog.waitFor({ state: 'detached' });
  };

  it('is looked for again, and given up: first it may show yet, then it is found and cancelled', async () => {
    const { user, key } = await aTrader(stand);
    await lose(key, 'reset_after', 'a/key#1%');
    const row = await rowOf(user.token);
    expect(row).toMatchObject({ state: 'unknown', idempotency_key: 'a/key#1%' });
    const page = await openRow(user.email, row);
    const fate = cardOf(page, 'Not known yet');
    await fate.getByText('every 5 s').waitFor();
    await cardOf(page, 'The order').getByText('a/key#1%', { exact: true }).waitFor();
    await expectAccessible(page);
    await giveUp(page);
    await fate.getByText('What was sent before may show yet, until').waitFor();
    await page.locator('#given-up :focus').waitFor();
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await expectAccessible(page);
    stand.sandbox.faults.clear();
    await giveUp(page);
    await cardOf(page, 'Given up').getByText('Kalshi had made it, and it is cancelled').waitFor();
    await cardOf(page, 'What happened').getByText('An order was cancelled').waitFor();
    await cardOf(page, 'At Kalshi now').getByText('cancelled').waitFor();
  });

  it('is given up where it never arrived; looking again shows what others have learned', async () => {
    const { user, key } = await aTrader(stand);
    await lose(key, 'status', 'never');
    const row = await rowOf(user.token);
    const page = await openRow(user.email, row);
    const fate = cardOf(page, 'Not known yet');
    await fate.getByRole('button', { name: 'Look again' }).click();
    await fate.getByRole('button', { name: 'Look again' }).waitFor();
    stand.sandbox.faults.clear();
    await stand.app.query(
      `UPDATE placements SET refusal_holds_at = now() - interval '1 minute', checked_at = now() + interval '1 hour' WHERE id = $1`,
      [row.id],
    );
    await giveUp(page);
    await cardOf(page, 'Given up').getByText('nothing was made').waitFor();
    await cardOf(page, 'What happened').getByText('It never arrived', { exact: true }).waitFor();
    expect(await rowOf(user.token)).toMatchObject({ id: row.id, state: 'refused' });
  });

  it('does not give up what stands under its key by now: the key is free a day after the last call', async () => {
    const { user, key } = await aTrader(stand);
    await lose(key, 'reset_after', 'again');
    const row = await rowOf(user.token);
    const page = await openRow(user.email, row);
    const fate = cardOf(page, 'Not known yet');
    await fate.getByRole('button', { name: 'Give it up' }).waitFor();
    await stand.app.query(`UPDATE placements SET attempt_at = now() - interval '25 hours' WHERE id = $1`, [row.id]);
    const other = request(stand.app.url).post('/kalshi/orders').auth(key, { type: 'bearer' });
    const made = await other.set('Idempotency-Key', 'again').send({ ...ORDER, size: '3' });
    expect(made.status).toBe(200);
    await fate.getByRole('button', { name: 'Give it up' }).click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByRole('button', { name: 'Give the order up' }).click();
    await dialog.getByRole('alert').getByText('Its key is free again').waitFor();
    await dialog.getByRole('button', { name: 'Leave it' }).click();
    await fate.getByRole('button', { name: 'Look again' }).click();
    await fate.getByText('No Idempotency-Key is bound to it by which').waitFor();
    stand.sandbox.faults.clear();
    const { id } = made.body as { id: string };
    expect((await get(stand.app, `/kalshi/orders/${id}`, key)).body).toMatchObject({ status: 'open' });
  });

  it('may be on its way for a minute, and is looked for until it is given up', async () => {
    const { user, key } = await aTrader(stand);
    await lose(key, 'reset_after', 'on-its-way');
    const row = await rowOf(user.token);
    const isSentAgo = (seconds: number): Promise<unknown> =>
      stand.app.query(
        `UPDATE placements SET state = 'sending', updated_at = now() - $2 * interval '1 second', checked_at = now() + interval '1 hour' WHERE id = $1`,
        [row.id, seconds],
      );
    await isSentAgo(30);
    const page = await openRow(user.email, row);
    const fate = cardOf(page, 'Not known yet');
    await fate.getByText('It is on its way. Look again in a moment.').waitFor();
    expect(await fate.getByRole('button', { name: 'Give it up' }).count()).toBe(0);
    await isSentAgo(58);
    await fate.getByRole('button', { name: 'Look again' }).click();
    await fate.getByRole('button', { name: 'Give it up' }).waitFor();
  });

  it('is one of several that a request cancelled: the page says that there are others', async () => {
    const { user, key } = await aTrader(stand);
    for (const size of ['1', '2', '3'])
      expect((await post(stand.app, '/kalshi/orders', { ...ORDER, size }, key)).status).toBe(200);
    const cancelled = await remove(stand.app, '/kalshi/orders', key);
    expect(cancelled.status).toBe(200);
    const page = await openRow(user.email, { id: cancelled.headers['x-request-id'] ?? '' });
    await page.getByText('names 2 other orders too').waitFor();
    await page.getByRole('link', { name: 'all that was asked for' }).click();
    await seeHeading(page, 'Activity');
  });

  it('of a bot is given up by halting the bot', async () => {
    const { user } = await aTrader(stand);
    const bot = await aBot(stand.app, user, { name: 'mine' });
    await lose(bot.key, 'reset_after', 'of-a-bot');
    const row = await rowOf(user.token);
    expect(row).toMatchObject({ state: 'unknown', idempotency_key: null });
    const page = await openRow(user.email, row);
    const fate = cardOf(page, 'Not known yet');
    expect(await fate.getByRole('button', { name: 'Give it up' }).count()).toBe(0);
    await fate.getByRole('link', { name: 'halt the bot' }).click();
    await seeHeading(page, 'Bots');
    expect(new URL(page.url()).hash).toBe(`#${bot.id}`);
  });
});
