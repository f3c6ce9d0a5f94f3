import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { KALSHI_IDS } from './kalshi.ids.js';

describe('KALSHI_IDS', () => {
  it.each(['KXHIGHNY-26NOV20-B55.5', 'KXBTCD-25AUG0517-T113249.99', 'FED-23DEC-T3.00', 'PRES-2024-DJT', 'INXD_1'])(
    'takes the ticker %s',
    (ticker) => {
      expect([KALSHI_IDS.market.test(ticker), KALSHI_IDS.event.test(ticker), KALSHI_IDS.series.test(ticker)]).toEqual([
        true,
        true,
        true,
      ]);
    },
  );

  it('takes order ids as Kalshi makes them', () => {
    expect(KALSHI_IDS.order.test('97ec18b7-10d3-4557-9de0-8598aad625f0')).toBe(true);
  });

  it.each([
    '',
    '.',
    '..',
    'a/b',
    'a\\b',
    'a%2fb',
    '%5c',
    'a%00',
    'a;b',
    'a?b',
    'a#b',
    '@evil',
    '//evil',
    'https://evil',
    'a\n',
    'batched',
    'queue_positions',
    'trades',
    'candlesticks',
    'orderbooks',
    'multivariate',
    'fee_changes',
  ])('S-48 takes %j for no id of any kind', (id) => {
    expect(Object.values(KALSHI_IDS).some((pattern) => pattern.test(id))).toBe(false);
  });

  it('S-48 whatever is taken is one path segment that needs no encoding', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 12 }), (id) => {
        const taken = Object.values(KALSHI_IDS).some((pattern) => pattern.test(id));
        expect(!taken || (encodeURIComponent(id) === id && !/^\.{1,2}$/.test(id))).toBe(true);
      }),
    );
  });
});
