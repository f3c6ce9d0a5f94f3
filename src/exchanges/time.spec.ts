import { describe, expect, it } from '@jest/globals';
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
