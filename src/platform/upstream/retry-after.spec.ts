import { describe, expect, it } from '@jest/globals';
import { retryAfterSeconds, secondsUntil } from './retry-after.js';

const RECEIVED = new Date('2026-11-20T15:00:00.400Z');
const DATE = 'Fri, 20 Nov 2026 15:00:00 GMT';

describe('retryAfterSeconds (RFC 9110 10.2.3)', () => {
  it.each([
    ['7', 7],
    [' 12 ', 12],
    ['0', 0],
    ['Fri, 20 Nov 2026 15:00:30 GMT', 30],
    ['Fri, 20 Nov 2026 14:00:00 GMT', 0],
    ['60', 60],
    ['61', 60],
    ['999999999', 60],
    ['9'.repeat(12), 60],
    ['9'.repeat(16_000), 60],
    ['Fri, 20 Nov 2099 15:00:30 GMT', 60],
  ])('reads %j as %d s, at most the pause that is kept', (header, seconds) => {
    expect(retryAfterSeconds(header, DATE, RECEIVED)).toBe(seconds);
  });

  it.each([null, '', 'soon', '-1', '1.5', '1e3', '2026-11-20T15:00:30Z', 'Fri, 99 Nov 2026 15:00:30 GMT'])(
    'reads %j as null',
    (header) => {
      expect(retryAfterSeconds(header, DATE, RECEIVED)).toBeNull();
    },
  );

  it('counts a date from the clock of who wrote it', () => {
    expect(retryAfterSeconds('Fri, 20 Nov 2026 16:00:30 GMT', 'Fri, 20 Nov 2026 16:00:00 GMT', RECEIVED)).toBe(30);
  });

  it('counts a date from the time of receipt where the answer has no date', () => {
    expect(retryAfterSeconds('Fri, 20 Nov 2026 15:00:30 GMT', null, RECEIVED)).toBe(30);
    expect(retryAfterSeconds('Fri, 20 Nov 2026 15:00:30 GMT', 'yesterday', RECEIVED)).toBe(30);
  });
});

describe('secondsUntil (polymarket.md 12.2)', () => {
  const at = Date.parse(DATE) / 1_000;

  it.each([
    [at + 5, 5],
    [at, 0],
    [at - 100, 0],
    [at + 5_000, 60],
  ])('reads %j as %d s from the clock of who wrote it', (second, seconds) => {
    expect(secondsUntil(String(second), DATE, new Date(0))).toBe(seconds);
    expect(secondsUntil(String(second), null, new Date(DATE))).toBe(seconds);
  });

  it.each([null, '', 'soon', '-1', '1.5', '9'.repeat(40)])('reads %j as null', (header) => {
    expect(secondsUntil(header, DATE, RECEIVED)).toBeNull();
  });
});
