import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Response } from 'supertest';
import { OrderProofs } from '../src/proxy/orders/order-proofs.js';
import { Reservations } from '../src/proxy/placing/reservations.repository.js';
import { aBot } from './support/bots.js';
import { callAs } from './support/calls.js';
import { FaultStand } from './support/fault-stand.js';
import { json } from './support/gateway.js';

const AMEND = '/amend';
const MARKET = 'KXHIGHNY-TODAY-B55.5';
const LOT = 1_000_000n;

describe('what a bot itself offers, after changes (contract.md 5.16)', () => {
  let stand: FaultStand;

  beforeAll(async () => {
    stand = await FaultStand.start(2_000);
  });

  afterEach(() => {
    stand.heal();
  });

  afterAll(() => stand.close());

  beforeEach(() => call(stand.trader.key, 'delete', '/kalshi/orders'));

  const call = (
    bearer: string,
    method: 'get' | 'post' | 'put' | 'patch' | 'delete',
    path: string,
    body?: object,
  ): Promise<Response> => callAs({ app: stand.app, bearer }, method, path, body && { body });
  const newBot = (limits: object = {}, terms: object = {}) => aBot(stand.app, stand.trader.user, { limits, ...terms });
  /** Buys 10 at 0.02 where nothing else is said: 0.2 is at risk. */
  const made = async (bearer: string, terms: object = {}): Promise<string> => {
    const order = { market_id: MARKET, outcome: 'yes', side: 'buy', price: '0.02', size: '10', ...terms };
    const answer = await call(bearer, 'post', '/kalshi/orders', order);
    expect([answer.status, answer.text]).toEqual([200, answer.text]);
    return (answer.body as { id: string }).id;
  };
  const amend = (bearer: string, id: string, change: object): Promise<Response> =>
    call(bearer, 'patch', `/kalshi/orders/${id}`, change);
  const gateway = () => stand.gatewayOf('kalshi');
  const sent = (): number => gateway().count('POST', AMEND);
  /** One reading of all orders of bots, as the service makes it by itself. */
  const proofs = async (): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    await stand.app.get(OrderProofs).read(stand.trader.user.id, 'kalshi');
  };
  /** As if so long had passed since the last change. */
  const later = (): Promise<unknown> =>
    stand.app.query(
      `UPDATE reservations SET amend_until = amend_until - interval '10 minutes', terms_at = terms_at - interval '10 minutes'`,
    );

  const quotes = async (bot: string) => {
    const { quotes: all } = await stand.app.get(Reservations).quotesOf(bot, 'kalshi', MARKET);
    return all.map(({ longPrice, size, endedSize }) => [longPrice, size, endedSize]);
  };
  /** A sale at 0.98 of which 1 has filled: it is read as a purchase of NO, and what it risks stays that of 0.98. */
  const sale = async () => {
    const { key, id: bot } = await newBot();
    const id = await made(key, { side: 'sell', price: '0.98' });
    stand.sandbox.kalshi.races.fill(id, LOT, Date.now());
    await proofs();
    return { key, bot, id };
  };
  const after = [['0.99', '9', '1']];
  const both = [...after, ['0.98', '0', '10']];

  it('is at the new price, and while a book may lag at the old one', async () => {
    const { key, bot, id } = await sale();
    const before = sent();
    const held = gateway().hold('POST', AMEND, 1);
    const change = amend(key, id, { price: '0.01' });
    await gateway().hasCome('POST', AMEND, before + 1);
    expect(await quotes(bot)).toEqual(both);
    held.release();
    expect((await change).status).toBe(200);
    expect(await quotes(bot)).toEqual(both);
    await later();
    expect(await quotes(bot)).toEqual(after);
    await proofs();
    expect(await quotes(bot)).toEqual(after);
  });

  it.each(['refused', 'lost, and not made'])('is where it was after a change that was %s', async (how) => {
    const { key, bot, id } = await sale();
    if (how === 'refused')
      gateway().misbehave(AMEND, json(400, { error: { code: 'invalid_order', message: 'no' } }), 'POST');
    else gateway().misbehave(AMEND, (response) => response.destroy(), 'POST');
    expect((await amend(key, id, { price: '0.01' })).status).toBeGreaterThan(400);
    await later();
    await proofs();
    expect(await quotes(bot)).toEqual([['0.98', '9', '1']]);
  });
});
