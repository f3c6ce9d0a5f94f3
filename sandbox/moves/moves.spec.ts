import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { KalshiTrader } from '../kalshi/trader.js';
import { type OrderBook } from '../matching-engine.js';
import { type Sandbox, startSandbox } from '../sandbox.js';
import { StreamClient } from '../streams/client.js';

const STEPS = 500;

interface Stand {
  sandbox: Sandbox;
  movers: { step(): void }[];
}

async function start(): Promise<Stand> {
  const sandbox = await startSandbox();
  return { sandbox, movers: [sandbox.kalshi.mover(), sandbox.polymarket.mover()] };
}

function booksOf({ kalshi, polymarket }: Sandbox): OrderBook[] {
  return [...kalshi.exchange.markets.values(), ...polymarket.exchange.catalogue.markets].map(({ book }) => book);
}

function levelsOf(sandbox: Sandbox): unknown[] {
  return booksOf(sandbox).map((book) => [book.levels('bid'), book.levels('ask')]);
}

describe('the made-up trader', () => {
  let one: Stand;
  let other: Stand;

  beforeAll(async () => {
    [one, other] = await Promise.all([start(), start()]);
  });

  afterAll(async () => {
    await Promise.all([one.sandbox.close(), other.sandbox.close()]);
  });

  it('moves the same markets in the same way at every start, and nothing by itself', () => {
    const before = levelsOf(one.sandbox);
    expect(levelsOf(other.sandbox)).toEqual(before);
    for (const { movers } of [one, other]) for (let at = 0; at < 100; at += 1) for (const mover of movers) mover.step();
    const after = levelsOf(one.sandbox);
    expect(levelsOf(other.sandbox)).toEqual(after);
    expect(after).not.toEqual(before);
  });

  it('leaves both sides of every book that had them, and keeps little of what it did', () => {
    const { sandbox, movers } = one;
    const hasBoth = (book: OrderBook): boolean => book.best('bid') !== undefined && book.best('ask') !== undefined;
    const full = booksOf(sandbox).filter(hasBoth);
    for (let at = 0; at < STEPS; at += 1) for (const mover of movers) mover.step();
    expect(full.filter(hasBoth)).toHaveLength(full.length);
    const invented = [...sandbox.kalshi.exchange.accounts.values()].filter(({ unlimited }) => unlimited);
    for (const account of invented) {
      expect(account.fills).toEqual([]);
      expect([...account.orders.values()].filter(({ status }) => status !== 'resting')).toEqual([]);
    }
    const traded = sandbox.polymarket.exchange.trades.length;
    sandbox.polymarket.exchange.forgetInvented(10);
    expect(traded).toBeGreaterThan(10);
    expect(sandbox.polymarket.exchange.trades).toHaveLength(10);
  });

  it('trades where streams tell of it', async () => {
    const { sandbox, movers } = one;
    const { ws_url } = sandbox.kalshi.account;
    const trader = new KalshiTrader(sandbox.kalshi.account);
    const client = await StreamClient.open(ws_url, trader.headers('GET', new URL(ws_url).pathname));
    client.send({ id: 1, cmd: 'subscribe', params: { channels: ['trade'] } });
    await client.find(({ type }) => type === 'subscribed');
    for (let at = 0; at < 50; at += 1) movers[0]?.step();
    expect(await client.find(({ type }) => type === 'trade')).toMatchObject([{ seq: 1 }]);
    await client.close();
  });
});
