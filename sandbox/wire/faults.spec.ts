import { describe, expect, it } from '@jest/globals';
import { type Fault, FaultList, InvalidFault, parseFault } from './faults.js';

const ORDERS = { exchange: 'kalshi', method: 'POST', path: '/portfolio', fault: 'hang', times: 2 };

function aFault(overrides: Partial<Fault> = {}): Fault {
  return { ...parseFault(ORDERS), ...overrides };
}

describe('FaultList', () => {
  it('contract.md 7 hits requests by exchange, method and path prefix, as often as asked', () => {
    const faults = new FaultList();
    faults.add(aFault());
    expect(faults.take('polymarket', 'POST', ['/portfolio/orders'])).toBeUndefined();
    expect(faults.take('kalshi', 'GET', ['/portfolio/orders'])).toBeUndefined();
    expect(faults.take('kalshi', 'POST', ['/markets'])).toBeUndefined();
    expect(faults.take('kalshi', 'POST', ['/trade-api/v2/portfolio/x', '/portfolio/x'])?.fault).toBe('hang');
    expect(faults.take('kalshi', 'POST', ['/portfolio'])?.fault).toBe('hang');
    expect(faults.take('kalshi', 'POST', ['/portfolio'])).toBeUndefined();
  });

  it('uses up the oldest of several fitting faults first', () => {
    const faults = new FaultList();
    faults.add(aFault({ times: 1 }));
    faults.add(aFault({ fault: 'reset_before' }));
    expect(faults.take('kalshi', 'POST', ['/portfolio'])?.fault).toBe('hang');
    expect(faults.take('kalshi', 'POST', ['/portfolio'])?.fault).toBe('reset_before');
  });

  it('hits every method where the method is *', () => {
    const faults = new FaultList();
    faults.add(aFault({ method: '*' }));
    expect(faults.take('kalshi', 'GET', ['/portfolio'])).toBeDefined();
    expect(faults.take('kalshi', 'DELETE', ['/portfolio'])).toBeDefined();
  });

  it('disarms everything and says how much that was', () => {
    const faults = new FaultList();
    faults.add(aFault());
    expect(faults.clear()).toBe(1);
    expect(faults.list()).toEqual([]);
  });
});

describe('parseFault', () => {
  it('takes the shape of contract.md 7, one time by default', () => {
    expect(parseFault({ ...ORDERS, times: undefined, method: 'post' })).toEqual({ ...ORDERS, times: 1 });
    expect(parseFault({ ...ORDERS, fault: 'status', status: 503, body: { a: 1 }, headers: { b: 'c' } })).toEqual({
      ...ORDERS,
      fault: 'status',
      status: 503,
      body: { a: 1 },
      headers: { b: 'c' },
    });
  });

  it.each([
    ['no object', [], 'JSON object'],
    ['another exchange', { ...ORDERS, exchange: 'nyse' }, 'exchange must be one of: kalshi, polymarket'],
    ['no method', { ...ORDERS, method: '' }, 'method'],
    ['a path without slash', { ...ORDERS, path: 'x' }, 'path must'],
    ['an unknown fault', { ...ORDERS, fault: 'explode' }, 'fault must be one of: hang, delay'],
    ['zero times', { ...ORDERS, times: 0 }, 'times must'],
    ['times as text', { ...ORDERS, times: '1' }, 'times must'],
    ['a status out of range', { ...ORDERS, fault: 'status', status: 99 }, 'status must'],
    ['no status where it is the point', { ...ORDERS, fault: 'status' }, 'status must be given'],
    ['no delay where it is the point', { ...ORDERS, fault: 'delay' }, 'delay_ms must be given'],
    ['an unknown field', { ...ORDERS, delay: 1 }, 'Unknown field "delay"'],
    ['headers that are no strings', { ...ORDERS, headers: { a: 1 } }, 'headers.a must'],
  ])('refuses %s and says so', (_name, input, message) => {
    expect(() => parseFault(input)).toThrow(InvalidFault);
    expect(() => parseFault(input)).toThrow(message);
  });
});
