import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { toUnits } from '../units.js';
import { Refusal } from '../wire/refusal.js';
import { type Account } from './account.js';
import { amendOrder } from './amending.js';
import { Exchange } from './exchange.js';
import { emptyHolding } from './ledger.js';
import { type OrderRecord, type OrderRequest } from './order.js';
import { placeOrder } from './trading.js';

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
  amendEarlier: fc.boolean(),
});

type AnyOrder = Pick<OrderRequest, 'side' | 'price' | 'size' | 'timeInForce' | 'selfTradePrevention' | 'reduceOnly'>;

function place(exchange: Exchange, account: Account, order: AnyOrder): void {
  const where = { ticker: MARKET, subaccount: 0, exchangeIndex: undefined };
  const rest = { ...where, clientOrderId: '', postOnly: false, cancelOnPause: false, expiresAt: null };
  try {
    placeOrder(exchange, account, { ...order, ...rest }, NOW);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
}

/** Gives an order the price of another one and so many contracts on top of what is filled. */
function amend(exchange: Exchange, account: Account, order: OrderRecord, { price, size }: AnyOrder): void {
  const { id: orderId, ticker, side, filled } = order;
  const change = { ticker, side, price, total: filled + size, expiresAt: undefined };
  const names = { clientOrderId: undefined, updatedClientOrderId: undefined };
  try {
    amendOrder(exchange, account, { address: { ...HOME, orderId }, change: { ...change, ...names }, now: NOW });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
}

const PAID_IN = ['5', '20', '100'].map(toUnits);

/** Where all of it happens: the primary account on shard 0. */
const HOME = { subaccount: 0, shard: 0 };

function cashOf(account: Account): bigint {
  return account.subaccount(0)?.cashOn(0) ?? 0n;
}

function total(accounts: Account[], read: (account: Account) => bigint): bigint {
  return accounts.reduce((sum, account) => sum + read(account), 0n);
}

describe('Exchange', () => {
  it('loses and makes no money: cash, collateral of open contracts and fees stay what was paid in', () => {
    fc.assert(
      fc.property(fc.array(anyOrder, { maxLength: 60 }), fc.boolean(), (orders, yes) => {
        const exchange = new Exchange(NOW);
        const accounts = PAID_IN.map((cash) => exchange.openAccount({ cash: { 0: cash }, now: NOW }));
        for (const order of orders) {
          const account = accounts[order.who];
          if (account === undefined) continue;
          const [earlier] = account.resting();
          if (order.cancelEarlier && earlier !== undefined)
            exchange.cancel(account, { ...HOME, orderId: earlier.id }, NOW);
          else if (order.amendEarlier && earlier !== undefined) amend(exchange, account, earlier, order);
          place(exchange, account, order);
          for (const other of accounts) expect(other.available(0, 0) >= 0n).toBe(true);
        }
        const fees = total(accounts, (account) => account.fills.reduce((sum, fill) => sum + fill.fee, 0n));
        const positions = accounts.map((account) => account.subaccount(0)?.holding(MARKET).position ?? 0n);
        const longs = positions.reduce((sum, position) => (position > 0n ? sum + position : sum), 0n);
        expect(positions.reduce((sum, position) => sum + position, 0n)).toBe(0n);
        expect(total(accounts, cashOf) + longs + fees).toBe(toUnits('125'));
        // cash - paid in = realised - cost of what is held - fees, of each account and to the last millionth
        const holdings = accounts.map((account) => account.subaccount(0)?.holding(MARKET) ?? emptyHolding());
        expect(accounts.map((account, at) => cashOf(account) - (PAID_IN[at] ?? 0n))).toEqual(
          holdings.map(({ realizedPnl, exposure, fees: paid }) => realizedPnl - exposure - paid),
        );
        exchange.settle(MARKET, yes ? 'yes' : 'no', NOW);
        expect(total(accounts, cashOf) + fees).toBe(toUnits('125'));
        for (const account of accounts) expect(account.available(0, 0)).toBe(cashOf(account));
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
