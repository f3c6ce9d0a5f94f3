import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { product } from '../units.js';
import { Refusal } from '../wire/refusal.js';
import { Exchange } from './exchange.js';
import { type CheckedOrder } from './order.js';

const AT = new Date('2026-11-21T12:00:00.000Z');
const WALLETS = ['0xa1', '0xb2', '0xc3'];
const DEPOSIT = 50_000_000n;

interface Step {
  wallet: number;
  outcome: 0 | 1;
  side: 'BUY' | 'SELL';
  ticks: number;
  size: number;
  orderType: CheckedOrder['orderType'];
}

const step: fc.Arbitrary<Step> = fc.record({
  wallet: fc.integer({ min: 0, max: 2 }),
  outcome: fc.constantFrom(0, 1),
  side: fc.constantFrom('BUY', 'SELL'),
  ticks: fc.integer({ min: 1, max: 99 }),
  size: fc.integer({ min: 5_000_000, max: 60_000_000 }),
  orderType: fc.constantFrom('GTC', 'FOK', 'FAK'),
});

function attempt(exchange: Exchange, order: CheckedOrder): void {
  try {
    exchange.place(order);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
}

describe('money and shares', () => {
  it.each(['511756', '2208077', '2901455', '2901460'])(
    'are neither made nor lost, whatever is traded in market %s',
    (id) => {
      fc.assert(
        fc.property(fc.array(step, { minLength: 5, maxLength: 60 }), (steps) => {
          const exchange = new Exchange(() => AT, 100);
          const { catalogue, ledger } = exchange;
          const market = catalogue.markets.find((one) => one.seed.id === id);
          if (market === undefined) throw new Error('The market is gone.');
          for (const wallet of WALLETS) ledger.deposit(wallet, DEPOSIT);
          for (const [at, { wallet, ticks, size, ...rest }] of steps.entries()) {
            const maker = WALLETS[wallet] ?? '';
            const amounts = { price: BigInt(ticks) * 10_000n, size: BigInt(size) };
            const spends = rest.side === 'BUY' && rest.orderType !== 'GTC';
            attempt(exchange, {
              ...rest,
              ...amounts,
              ...(spends ? { budget: product(amounts.price, amounts.size) } : {}),
              id: `0x${at}`,
              account: maker,
              owner: maker,
              maker,
              market,
              postOnly: false,
              expiration: 0,
            });
          }
          const shares = market.tokenIds.map((token) => sum(WALLETS.map((wallet) => ledger.shares(wallet, token))));
          const money = sum(WALLETS.map((wallet) => ledger.collateral(wallet)));
          expect(shares[0]).toBe(shares[1]);
          expect(money + ledger.collected + (shares[0] ?? 0n)).toBe(DEPOSIT * 3n);
          for (const wallet of WALLETS) {
            expect(ledger.collateral(wallet) >= exchange.reserved(wallet)).toBe(true);
            for (const token of market.tokenIds) {
              expect(ledger.shares(wallet, token) >= exchange.reserved(wallet, token)).toBe(true);
            }
          }
        }),
        { numRuns: 60, seed: 7 },
      );
    },
  );
});

function sum(amounts: bigint[]): bigint {
  return amounts.reduce((total, one) => total + one, 0n);
}
