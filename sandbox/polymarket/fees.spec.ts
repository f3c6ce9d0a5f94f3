import { describe, expect, it } from '@jest/globals';
import { ONE, product, toFixed, toUnits } from '../units.js';
import { Exchange } from './exchange.js';
import { type FeeRule, takerFee } from './fees.js';
import { type CheckedOrder, tokenOf, type Trade } from './order.js';

const AT = new Date('2026-11-21T12:00:00.000Z');
const POLITICS: FeeRule = { rate: '0.04', exponent: 1 };
const SPORTS: FeeRule = { rate: '0.05', exponent: 1 };
const STEEP: FeeRule = { rate: '0.25', exponent: 2 };

describe('takerFee (polymarket.md 7.3)', () => {
  it.each([
    // the official table, and the official client's own cases
    [POLITICS, '100', '0.5', '1.000000'],
    [STEEP, '100', '0.5', '1.562500'],
    [STEEP, '100', '0.3', '1.102500'],
    // transaction 0x35f204735b3d…: 85.19622 pUSD left the wallet for 180.34 shares at 0.46
    [SPORTS, '180.34', '0.46', '2.239820'],
    [SPORTS, '25', '0.13', '0.141370'],
    [SPORTS, '7.77', '0.4321', '0.095330'],
    // what is below 0.00001 is nothing
    [SPORTS, '0.01', '0.001', '0.000000'],
    [undefined, '100', '0.5', '0.000000'],
  ] as const)('%j takes of %s shares at %s %s', (rule, size, price, fee) => {
    expect(toFixed(takerFee(rule, { size: toUnits(size), price: toUnits(price) }), 6)).toBe(fee);
  });
});

/** An exchange with one market that charges 0.03, and an empty book of it. */
function anExchange() {
  const exchange = new Exchange(() => AT, 100);
  const market = exchange.catalogue.markets.find(({ seed }) => seed.id === '2208077');
  if (market === undefined) throw new Error('The market is gone.');
  for (const wallet of ['0xa1', '0xb2', '0xc3']) exchange.ledger.deposit(wallet, 1_000n * ONE);
  let count = 0;
  const place = (
    maker: string,
    terms: Pick<CheckedOrder, 'outcome' | 'side' | 'orderType'> & { price: string; size: string },
  ): readonly Trade[] => {
    count += 1;
    const [price, size] = [toUnits(terms.price), toUnits(terms.size)];
    const spends = terms.side === 'BUY' && terms.orderType !== 'GTC';
    const names = { id: `0x${count}`, account: maker, owner: maker, maker, market, postOnly: false, expiration: 0 };
    return exchange.place({ ...terms, ...names, price, size, ...(spends ? { budget: product(price, size) } : {}) })
      .trades;
  };
  const money = (wallet: string): string => toFixed(exchange.ledger.collateral(wallet), 6);
  return { exchange, market, place, money };
}

describe('trades (polymarket.md 7.3)', () => {
  it('a purchase pays its fee in pUSD beside what it spends, gets all its shares, and its makers pay nothing', () => {
    const { exchange, market, place, money } = anExchange();
    place('0xa1', { outcome: 1, side: 'BUY', price: '0.57', size: '3.33', orderType: 'GTC' });
    place('0xb2', { outcome: 1, side: 'BUY', price: '0.57', size: '4.11', orderType: 'GTC' });
    place('0xb2', { outcome: 1, side: 'BUY', price: '0.55', size: '100', orderType: 'GTC' });
    const before = exchange.ledger.collected;
    const trades = place('0xc3', { outcome: 0, side: 'BUY', price: '0.45', size: '17.01', orderType: 'GTC' });
    // one fee a trade, however many makers: 7.44 × 0.03 × 0.43 × 0.57, then 9.57 × 0.03 × 0.45 × 0.55
    expect(trades.map(({ size, fee }) => [toFixed(size, 6), toFixed(fee, 6)])).toEqual([
      ['7.440000', '0.054700'],
      ['9.570000', '0.071050'],
    ]);
    expect(exchange.ledger.shares('0xc3', market.tokenIds[0])).toBe(toUnits('17.01'));
    // 1000 - 7.44 × 0.43 - 9.57 × 0.45 - 0.0547 - 0.07105
    expect(money('0xc3')).toBe('992.368550');
    expect(money('0xa1')).toBe('998.101900');
    expect(exchange.ledger.collected - before).toBe(125_750n);
    const [position] = exchange.ledger.list('0xc3');
    expect(position).toMatchObject({ size: toUnits('17.01'), cost: toUnits('7.5057'), fees: 125_750n });
  });

  it('a sale gets its money less the fee', () => {
    const { exchange, market, place, money } = anExchange();
    exchange.ledger.apply({
      ...{ wallet: '0xc3', tokenId: market.tokenIds[0], side: 'BUY', size: toUnits('9.09'), money: 0n, at: AT },
    });
    place('0xa1', { outcome: 0, side: 'BUY', price: '0.43', size: '20', orderType: 'GTC' });
    const [trade] = place('0xc3', { outcome: 0, side: 'SELL', price: '0.43', size: '9.09', orderType: 'FAK' });
    if (trade === undefined) throw new Error('Nothing was sold.');
    // 9.09 × 0.43 = 3.9087, less 9.09 × 0.03 × 0.43 × 0.57
    expect([toFixed(trade.fee, 6), money('0xc3')]).toEqual(['0.066830', '1003.841870']);
    expect(exchange.ledger.shares('0xc3', tokenOf(trade.taker))).toBe(0n);
    expect(exchange.ledger.list('0xc3')[0]?.realized).toBe(toUnits('3.9087'));
    expect(money('0xa1')).toBe('996.091300');
  });
});
