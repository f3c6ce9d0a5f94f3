import { describe, expect, it } from '@jest/globals';
import { modeOf } from './exchange-mode.js';

describe('sandbox or live (contract.md 4)', () => {
  it.each([
    [['http://127.0.0.1:4001/trade-api/v2', 'http://localhost:4002', 'http://[::1]:4003/'], 'sandbox'],
    [['http://127.0.0.1:4001', 'https://clob.polymarket.com'], 'live'],
    [['http://127.0.0.1:4001', 'ws://127.0.0.1:4001/ws'], 'sandbox'],
    [['http://127.0.0.1:4001', 'wss://ws.example.com'], 'live'],
    [['https://127.0.0.1:4001'], 'live'],
    [['http://localhost.example.com:4001'], 'live'],
    [['http://10.0.0.5:4001'], 'live'],
  ])('%j is %s', (addresses, mode) => {
    expect(modeOf(addresses)).toBe(mode);
  });
});
