import { describe, expect, it } from '@jest/globals';
import type { FillDto, OrderDto } from '../exchanges/unified.trading.dto.js';
import { ToldEvents } from './told-events.js';

function order(status: OrderDto['status'], filled_size: string): OrderDto {
  return { id: 'o', status, price: '0.5', size: '10', filled_size, remaining_size: '0', expires_at: null } as OrderDto;
}

function fill(id: string, status: FillDto['status'], size = '4'): FillDto {
  return { id, order_id: 'o', status, size, timestamp: '2026-11-27T12:00:00.000Z' } as FillDto;
}

describe('feeds.md 6 what has been told', () => {
  it('takes a fill once in each state, and none back into an earlier one', () => {
    const told = new ToldEvents();
    const steps = ['pending', 'pending', 'failed', 'pending', 'failed'] as const;
    expect(steps.map((status) => told.noteFill(fill('f', status)))).toEqual([true, false, true, false, false]);
    expect(told.nextPending(Infinity, 10)).toEqual([]);
  });

  it('asks for all that may fail yet in turn', () => {
    const told = new ToldEvents();
    for (const id of ['a', 'b', 'c']) told.noteFill(fill(id, 'pending'));
    const asked = Array.from({ length: 4 }, () => told.nextPending(Infinity, 2).map(({ id }) => id));
    expect(asked).toEqual([
      ['a', 'b'],
      ['c', 'a'],
      ['b', 'c'],
      ['a', 'b'],
    ]);
    expect(told.nextPending(0, 2)).toEqual([]);
  });

  it('takes no order that is older than what was told', () => {
    const told = new ToldEvents();
    const steps = [order('open', '0'), order('partially_filled', '4'), order('open', '0'), order('filled', '10')];
    expect([...steps, steps[1], steps[3]].map((one) => one && told.noteOrder(one))).toEqual([
      true,
      true,
      false,
      true,
      false,
      false,
    ]);
    expect(told.missingFrom([])).toEqual([]);
  });

  it('knows whether more has filled than was told, and asks once', () => {
    const told = new ToldEvents();
    told.noteFirst([order('partially_filled', '2')], [fill('old', 'confirmed', '2')]);
    expect(told.isShort('o')).toBe(false);
    told.noteOrder(order('partially_filled', '6'));
    expect(told.isShort('o')).toBe(true);
    told.noteFill(fill('new', 'confirmed'));
    expect([told.isShort('o'), told.noteFill(fill('old', 'confirmed', '2'))]).toEqual([false, false]);
    told.noteOrder(order('filled', '10'));
    told.noteRead('o');
    expect(told.isShort('o')).toBe(false);
  });

  it('knows what was open and is listed no more', () => {
    const told = new ToldEvents();
    told.noteFirst([order('open', '0')], []);
    expect([told.missingFrom([order('open', '0')]), told.missingFrom([])]).toEqual([[], ['o']]);
    expect(told.open).toEqual([order('open', '0')]);
    told.forgetOrder('o');
    expect(told.missingFrom([])).toEqual([]);
  });
});
