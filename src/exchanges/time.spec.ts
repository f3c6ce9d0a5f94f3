import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isoTime, parseIsoTime, secondsBefore, secondsFrom } from './time.js';

describe('parseIsoTime', () => {
  it.each([
    ['2026-11-20T15:00:00.713999Z', '2026-11-20T15:00:00.713Z'],
    ['2026-11-20T15:00:00Z', '2026-11-20T15:00:00.000Z'],
    ['2028-02-29T15:00:00Z', '2028-02-29T15:00:00.000Z'],
    ['2026-11-20T15:00:00.1+02:00', '2026-11-20T13:00:00.100Z'],
  ])('unified-schema.md 1 gives %s in UTC with exactly milliseconds, finer ones cut', (text, expected) => {
    expect(parseIsoTime(text)).toBe(expected);
  });

  it.each([
    '0001-01-01T00:00:00Z',
    '1970-01-01T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-11-20',
    '2026-02-29T00:00:00Z',
    '2026-04-31T12:00:00+02:00',
    '',
    5,
    null,
    undefined,
  ])('unified-schema.md 1 takes %p as unknown', (value) => {
    expect(parseIsoTime(value)).toBeNull();
  });
});

describe('parseIsoTime and Date', () => {
  /** What `Date` makes of a text whose fraction is cut to milliseconds; null for a day that it takes for another one. */
  function byDate(text: string): string | null {
    const time = new Date(text.replace(/(\.\d{3})\d*/, '$1'));
    if (Number.isNaN(time.getTime()) || time.getTime() < Date.UTC(1990, 0, 1)) return null;
    return time.toISOString().startsWith(text.slice(0, 10)) ? time.toISOString() : null;
  }

  const two = (max: number) => fc.integer({ min: 0, max }).map((number) => String(number).padStart(2, '0'));
  const years = fc.oneof(fc.integer({ min: 1985, max: 2045 }), fc.constantFrom(1900, 2000, 2100, 2400, 9999));

  it('agree on every time of UTC, and on those that are none', () => {
    const fractions = fc.stringMatching(/^(\.\d{1,12})?$/);
    fc.assert(
      fc.property(years, two(13), two(32), two(23), two(61), two(61), fractions, (year, month, day, ...rest) => {
        const [hour, minute, second, fraction] = rest;
        const text = `${year}-${month}-${day}T${hour}:${minute}:${second}${fraction}Z`;
        expect(parseIsoTime(text)).toBe(byDate(text));
      }),
      { numRuns: 2_000 },
    );
  });

  it('agree on which days there are', () => {
    const numbers = Array.from({ length: 31 }, (_, index) => String(index + 1).padStart(2, '0'));
    for (const year of [1996, 2023, 2024, 2100, 2400]) {
      for (const month of numbers.slice(0, 12)) {
        const texts = numbers.map((day) => `${year}-${month}-${day}T12:00:00Z`);
        expect(texts.map(parseIsoTime)).toEqual(texts.map(byDate));
      }
    }
  });
});

describe('isoTime', () => {
  it('reads milliseconds and dates', () => {
    expect(isoTime(1795186800164)).toBe('2026-11-20T15:00:00.164Z');
    expect(isoTime(new Date(1795186800164))).toBe('2026-11-20T15:00:00.164Z');
    expect(isoTime(Number.NaN)).toBeNull();
    expect(isoTime(Number.MAX_SAFE_INTEGER)).toBeNull();
  });
});

describe('secondsFrom and secondsBefore', () => {
  it('unified-schema.md 6 make inclusive seconds of a half-open interval', () => {
    expect(secondsFrom(new Date(5_000))).toBe(5);
    expect(secondsFrom(new Date(5_001))).toBe(6);
    expect(secondsBefore(new Date(5_000))).toBe(4);
    expect(secondsBefore(new Date(5_001))).toBe(5);
  });
});
