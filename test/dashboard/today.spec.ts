import { describe, expect, it } from '@jest/globals';
import { todayOf } from '../../dashboard/src/api/today.js';

const HOUR_MS = 3_600_000;
const MIDNIGHT = Date.parse('2026-05-04T00:00:00Z');

function totalOf(realised: string | null, open: string | null, currency = 'USD') {
  return { currency, realized_pnl: realised, unrealized_pnl: open };
}

function atHours(hours: number): string {
  return new Date(MIDNIGHT + hours * HOUR_MS).toISOString();
}

function nowOf(...of: Parameters<typeof totalOf>) {
  return { ...totalOf(...of), at: atHours(1) };
}

function pointAt(hours: number, ...totals: ReturnType<typeof totalOf>[]) {
  return { at: atHours(hours), other_accounts: [] as string[], totals };
}

function ofOthers(point: ReturnType<typeof pointAt>): ReturnType<typeof pointAt> {
  return { ...point, other_accounts: ['USD'] };
}

describe('what the day of the reader brought', () => {
  it('is today’s where the point before it is 6 hours old at most, else of the time since', () => {
    const day = (hours: number): unknown => todayOf(nowOf('5', '-3'), [pointAt(hours, totalOf('1.5', '2'))], MIDNIGHT);
    const result = { realised: '3.5', open: '-5', result: '-1.5' };
    expect(day(-6)).toEqual({ since: atHours(-6), isToday: true, ...result });
    expect(day(-6.001)).toEqual({ since: atHours(-6.001), isToday: false, ...result });
    expect(day(-160)).toEqual({ since: atHours(-160), isToday: false, ...result });
  });

  it('is of the last point before the day that knows the currency', () => {
    const points = [
      pointAt(-3, totalOf('100', '100')),
      pointAt(-2, totalOf('1', '2'), totalOf('50', '50', 'PUSD')),
      pointAt(-1, totalOf(null, '7')),
      pointAt(-0.5, totalOf('9', '9', 'PUSD')),
      pointAt(0, totalOf('200', '200')),
    ];
    expect(todayOf(nowOf('4', '4'), points, MIDNIGHT)).toMatchObject({
      since: atHours(-2),
      realised: '3',
      open: '2',
    });
    expect(todayOf(nowOf('4', '4', 'EUR'), points, MIDNIGHT)).toMatchObject({ since: null, result: null });
  });

  it('never counts from a point of other accounts', () => {
    const points = [pointAt(-3, totalOf('1', '1')), ofOthers(pointAt(-1, totalOf('100', '100')))];
    expect(todayOf(nowOf('4', '4'), points, MIDNIGHT)).toMatchObject({ since: atHours(-3), result: '6' });
    expect(todayOf(nowOf('4', '4'), points.slice(1), MIDNIGHT)).toMatchObject({ since: null, result: null });
  });

  it('is unknown where what is known now is older than the point', () => {
    const points = [pointAt(-1, totalOf('1', '2'))];
    const day = (hours: number): unknown => todayOf({ ...totalOf('5', '5'), at: atHours(hours) }, points, MIDNIGHT);
    expect(day(-1.001)).toMatchObject({ since: atHours(-1), realised: null, open: null, result: null });
    expect(day(-1)).toMatchObject({ since: atHours(-1), realised: '4', open: '3', result: '7' });
  });

  it('is told part by part where not all is known now', () => {
    const points = [pointAt(-3, totalOf('1', '2')), pointAt(-2, totalOf('1.5', null)), pointAt(-1, totalOf(null, '7'))];
    const day = (...of: Parameters<typeof totalOf>): unknown => todayOf(nowOf(...of), points, MIDNIGHT);
    expect(day('4', null)).toMatchObject({ since: atHours(-2), realised: '2.5', open: null, result: null });
    expect(day(null, '4')).toMatchObject({ since: atHours(-1), realised: null, open: '-3', result: null });
    expect(day('4', '4')).toMatchObject({ since: atHours(-3), realised: '3', open: '2', result: '5' });
    expect(day(null, null)).toMatchObject({ since: atHours(-1), realised: null, open: null, result: null });
  });
});
