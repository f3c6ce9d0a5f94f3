import { describe, expect, it } from '@jest/globals';
import BigJs from 'big.js';
import fc from 'fast-check';
import {
  absolute,
  add,
  compare,
  complement,
  type Decimal,
  divide,
  isDecimal,
  isMultiple,
  isPositive,
  multiply,
  parseDecimal,
  placesOf,
  roundedDown,
  roundedUp,
  scaleDown,
  subtract,
  withPlaces,
} from './decimal.js';

const CANONICAL = /^(?:0|-?[1-9]\d*|-?(?:0|[1-9]\d*)\.\d*[1-9])$/;

/** A canonical decimal with the integer of `10^-places` units that it stands for. */
const amounts = fc
  .record({ units: fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n }), places: fc.integer({ min: 0, max: 8 }) })
  .map(({ units, places }) => ({ units: units * 10n ** BigInt(8 - places), text: scaleDown(String(units), places) }));

const eighths = (units: bigint): Decimal => scaleDown(String(units), 8);

describe('decimals', () => {
  it.each([
    ['0.4200', '0.42'],
    ['10.00', '10'],
    ['0.000000', '0'],
    ['-2.50', '-2.5'],
    ['-0.00', '0'],
    ['007.10', '7.1'],
    [0.1, '0.1'],
    [1e-7, '0.0000001'],
    [1.5e21, '1500000000000000000000'],
    [-0, '0'],
  ])('unified-schema.md 1 writes %p canonically', (value, expected) => {
    expect(parseDecimal(value)).toBe(expected);
  });

  it.each(['', '.5', '5.', '1e5', '+1', '1,5', ' 1', '0x10', 'NaN', Number.NaN, Infinity, null, undefined, {}, true])(
    'takes %p for no decimal',
    (value) => {
      expect(parseDecimal(value)).toBeNull();
    },
  );

  it.each(['0.42', '0.4200', '10', '-1'])('takes %p from a client', (value) => {
    expect(isDecimal(value)).toBe(true);
  });

  it.each(['', '.5', '00.5', '1e5', '+1', '1.', '0.5\n', '1'.repeat(65), 0.5])('refuses %p from a client', (value) => {
    expect(isDecimal(value)).toBe(false);
  });

  it('gives canonical results only', () => {
    fc.assert(
      fc.property(amounts, amounts, (a, b) => {
        const quotients = b.units === 0n ? [] : [divide(a.text, b.text)];
        const results = [add(a.text, b.text), subtract(a.text, b.text), multiply(a.text, b.text), ...quotients];
        for (const result of results) expect(result).toMatch(CANONICAL);
        expect(parseDecimal(a.text)).toBe(a.text);
      }),
    );
  });

  it.each([
    ['0.003639', 4, '0.0036', '0.0037'],
    ['-0.058639', 4, '-0.0587', '-0.0586'],
    ['-0.00001', 4, '-0.0001', '0'],
    ['1.25', 4, '1.25', '1.25'],
    ['0', 0, '0', '0'],
  ])('rounds %s to %i places: down to %s, up to %s', (value, places, down, up) => {
    expect([roundedDown(value, places), roundedUp(value, places)]).toEqual([down, up]);
  });

  it('adds, subtracts, multiplies and compares as integers do', () => {
    fc.assert(
      fc.property(amounts, amounts, (a, b) => {
        expect(add(a.text, b.text)).toBe(eighths(a.units + b.units));
        expect(subtract(a.text, b.text)).toBe(eighths(a.units - b.units));
        expect(multiply(a.text, b.text)).toBe(scaleDown(String(a.units * b.units), 16));
        expect(Math.sign(compare(a.text, b.text))).toBe(Number(a.units > b.units) - Number(a.units < b.units));
        expect(absolute(a.text)).toBe(eighths(a.units < 0n ? -a.units : a.units));
      }),
    );
  });

  it('cuts quotients after ten places and never rounds up', () => {
    expect(divide('2', '3')).toBe('0.6666666666');
    fc.assert(
      fc.property(amounts, amounts, (a, b) => {
        fc.pre(b.units !== 0n);
        const cut = (a.units * 10n ** 10n) / b.units;
        expect(divide(a.text, b.text)).toBe(scaleDown(String(cut), 10));
      }),
    );
  });

  it('writes a decimal with a fixed number of places', () => {
    expect(withPlaces('0.42', 4)).toBe('0.4200');
    expect(withPlaces('10', 2)).toBe('10.00');
    expect(withPlaces('0.99999', 4)).toBe('0.9999');
    fc.assert(
      fc.property(amounts, ({ text }) => {
        expect(parseDecimal(withPlaces(text, 8))).toBe(text);
        expect(placesOf(text)).toBeLessThanOrEqual(8);
        expect(withPlaces(text, placesOf(text))).toBe(text);
      }),
    );
  });

  it('sees a price from the other outcome and back without loss', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 6n }), (millionths) => {
        const price = scaleDown(String(millionths), 6);
        expect(complement(price)).toBe(scaleDown(String(10n ** 6n - millionths), 6));
        expect(complement(complement(price))).toBe(price);
        expect(add(price, complement(price))).toBe('1');
      }),
    );
  });
});

describe('decimals by their text (S-53)', () => {
  const digits = fc
    .tuple(fc.constantFrom('', '-'), fc.stringMatching(/^\d{1,20}$/), fc.stringMatching(/^(\.\d{1,12})?$/))
    .map((parts) => parts.join(''));

  it('are what exact arithmetic makes of them', () => {
    fc.assert(
      fc.property(digits, digits, (one, other) => {
        const exact = new BigJs(one).toFixed();
        expect(parseDecimal(one)).toBe(exact === '-0' ? '0' : exact);
        expect(compare(one, other)).toBe(new BigJs(one).cmp(new BigJs(other)));
        expect(isPositive(parseDecimal(one) ?? '')).toBe(new BigJs(one).gt(0));
      }),
    );
  });

  it('are read of any JSON number as exact arithmetic reads it', () => {
    fc.assert(
      fc.property(fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer()), (number) => {
        const exact = new BigJs(number).toFixed();
        expect(parseDecimal(number)).toBe(exact === '-0' ? '0' : exact);
      }),
    );
  });

  it('are read of nothing but digits with at most one point between them, and one sign', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[-+.,e\d ]{0,6}$/), (text) => {
        expect(parseDecimal(text) !== null).toBe(/^-?\d+(?:\.\d+)?$/.test(text));
      }),
    );
  });

  it('are seen from the other outcome as exact arithmetic sees them, however many places they have', () => {
    fc.assert(
      fc.property(fc.oneof(fc.stringMatching(/^0\.\d{1,20}$/), digits), (text) => {
        const exact = new BigJs(1).minus(text).toFixed();
        expect(complement(text)).toBe(exact === '-0' ? '0' : exact);
        expect(complement(parseDecimal(text) ?? '')).toBe(exact === '-0' ? '0' : exact);
      }),
    );
  });
});

describe('isMultiple', () => {
  it.each([
    ['0.42', '0.01', true],
    ['0.425', '0.01', false],
    ['0.425', '0.005', true],
    ['0.0075', '0.0025', true],
    ['0.0051', '0.0025', false],
    ['0.3', '0.1', true],
    ['7', '0.01', true],
    ['0', '0.01', true],
    ['0.5', '0', false],
    [`${'9'.repeat(60)}.01`, '0.01', true],
    [`0.${'0'.repeat(50)}1`, '0.01', false],
  ])('contract.md 5.6 of %s and %s is %s', (value, step, is) => {
    expect(isMultiple(value, step)).toBe(is);
  });
});
