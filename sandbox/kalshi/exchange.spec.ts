import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { toUnits } from '../units.js';
import { Refusal } from '../wire/refusal.js';
import { type Account } from './account.js';
import { Exchange } from './exchange.js';
import { type OrderRequest } from './order.js';

const NOW = Date.UTC(2026, 10, 20, 12);
const MARKET = 'KXHIGHNY-TODAY-B55.5';

const anyOrder = fc.record({
  who: fc.integer({ min: 0, max: 2 }),
  side: fc.constantFrom('bid' as const, 'ask' as const),
  price: fc.integer({ min: 1, max: 99 }).map((cents) => BigInt(cents) * 10_000n),
  size: fc.integer({ min: 1, max: 3_000 }).map((hundredths) => BigInt(hundredths) * 10_000n),
  timeInForce: fc.constantFrom('GTC' as const, 'GTC' as const, 'IOC' as const, 'FOK' as const),
  selfTradePrevention: fc.constantFrom('taker_at_cross' as const, 'maker' as const),
  reduceOnly: fc.boolean(),
  cancelEarlier: fc.boolean(),
});

type AnyOrder = Omit<OrderRequest, 'ticker' | 'clientOrderId' | 'postOnly' | 'cancelOnPause' | 'expiresAt'>;

function place(exchange: Exchange, account: Account, order: AnyOrder): void {
  const rest = { ticker: MARKET, clientOrderId: '', postOnly: false, cancelOnPause: false, expiresAt: null };
  try {
    exchange.place(account, { ...order, ...rest }, NOW);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
}

function total(accounts: Account[], read: (account: Account) => bigint): bigint {
  return accounts.reduce((sum, account) => sum + read(account), 0n);
}

describe('Exchange', () => {
  it('loses and makes no money: cash, collateral of open contracts and fees stay what was paid in', () => {
    fc.assert(
      fc.property(fc.array(anyOrder, { maxLength: 60 }), fc.boolean(), (orders, yes) => {
        const exchange = new Exchange(NOW);
        const accounts = ['5', '20', '100'].map((cash) => exchange.openAccount({ cash: toUnits(cash), now: NOW }));
        for (const order of orders) {
          const account = accounts[order.who];
          if (account === undefined) continue;
          const [earlier] = account.resting();
          if (order.cancelEarlier && earlier !== undefined) exchange.cancel(account, earlier.id, NOW);
          place(exchange, account, order);
          for (const other of accounts) expect(exchange.available(other) >= 0n).toBe(true);
        }
        const fees = total(accounts, (account) => account.fills.reduce((sum, fill) => sum + fill.fee, 0n));
        const positions = accounts.map((account) => account.holding(MARKET).position);
        const longs = positions.reduce((sum, position) => (position > 0n ? sum + position : sum), 0n);
        expect(positions.reduce((sum, position) => sum + position, 0n)).toBe(0n);
        expect(total(accounts, (account) => account.cash) + longs + fees).toBe(toUnits('125'));
        exchange.settle(MARKET, yes ? 'yes' : 'no', NOW);
        expect(total(accounts, (account) => account.cash) + fees).toBe(toUnits('125'));
        for (const account of accounts) expect(exchange.available(account)).toBe(account.cash);
      }),
      { numRuns: 60 },
    );
  });

  it('has the same past at every start from the same moment', () => {
    const [one, two] = [new Exchange(NOW), new Exchange(NOW)];
    expect(one.markets.get(MARKET)?.trades).toEqual(two.markets.get(MARKET)?.trades);
    expect(one.markets.get(MARKET)?.lastTrade?.price).toBe(toUnits('0.43'));
  });

  it('generates only prices on the tick grid, within the time that a market was open', () => {
    for (const market of new Exchange(NOW).markets.values())
      for (const trade of market.trades) {
        expect(market.seed.grid.has(trade.price)).toBe(true);
        expect(trade.at >= market.openTime && trade.at < Math.min(market.closeTime, NOW)).toBe(true);
      }
  });

  it('opens and closes markets by the clock', () => {
    const tomorrow = new Exchange(NOW).markets.get('KXHIGHNY-TOMORROW-B57.5');
    const hours = [0, 13, 49].map((hour) => tomorrow?.statusAt(NOW + hour * 3_600_000));
    expect(hours).toEqual(['initialized', 'active', 'closed']);
  });
});
