import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { toBalance, toFill, toPosition } from './account.mapper.js';
import { wireBalance, wireFill, wireFillPage, wirePositionPage } from './account.wire.js';

const sample = (name: string): unknown => JSON.parse(readFileSync(`test/vectors/kalshi/kalshi-${name}.json`, 'utf8'));

describe('toBalance', () => {
  it('unified.md 8 maps money: dollars as text, the portfolio from cents', () => {
    expect(toBalance(wireBalance.parse(sample('balance')))).toEqual({
      exchange: 'kalshi',
      currency: 'USD',
      available: '98.0186',
      reserved: null,
      total: null,
      portfolio_value: '2.84',
      breakdown: [
        { key: '0', available: '78.0186' },
        { key: '2', available: '20' },
      ],
      updated_at: '2026-11-20T15:00:00.000Z',
    });
  });

  it('unified.md 1 what is not told is null, and a breakdown may be missing', () => {
    const balance = toBalance(wireBalance.parse({ balance_dollars: '0.0000' }));
    expect(balance).toMatchObject({ available: '0', portfolio_value: null, breakdown: [], updated_at: null });
  });
});

describe('toFill', () => {
  const fills = wireFillPage.parse(sample('fills')).fills;

  it('unified.md 8 maps fills as buy of the outcome exposed', () => {
    expect(fills.map(toFill)).toEqual([
      {
        exchange: 'kalshi',
        id: '06fcbb9d-c250-4ad8-a97a-ad289d1a935b',
        order_id: 'a2ae6a96-8599-4a67-a35b-2984bafd3c48',
        market_id: 'KXHIGHNY-26NOV20-B55.5',
        outcome: { id: 'KXHIGHNY-26NOV20-B55.5:yes', index: 0, label: 'Yes' },
        side: 'buy',
        price: '0.52',
        size: '5',
        fee: '0.0875',
        role: 'taker',
        status: 'confirmed',
        timestamp: '2026-11-20T15:00:00.713Z',
        transaction_hash: null,
      },
      {
        exchange: 'kalshi',
        id: 'd75f515f-ec98-436e-aaed-afc810d4cd7c',
        order_id: '7b76274e-d549-4e14-ae57-61f63c1fbde3',
        market_id: 'KXFEDDECISION-26DEC-H0',
        outcome: { id: 'KXFEDDECISION-26DEC-H0:no', index: 1, label: 'No' },
        side: 'buy',
        price: '0.25',
        size: '2.5',
        fee: '0.0109',
        role: 'maker',
        status: 'confirmed',
        timestamp: '2026-11-20T14:55:00.238Z',
        transaction_hash: null,
      },
    ]);
  });

  it('takes the time in seconds where there is no other, and no fill without a time', () => {
    const fill = { ...fills[0], ts: 1795186800 };
    expect(toFill(wireFill.parse(fill)).timestamp).toBe('2026-11-20T15:00:00.000Z');
    expect(wireFill.safeParse({ ...fill, ts: undefined }).success).toBe(false);
  });
});

describe('toPosition', () => {
  it('unified.md 8 maps positions: a negative one holds NO, the average is exposure by size', () => {
    expect(wirePositionPage.parse(sample('positions')).market_positions.map(toPosition)).toMatchObject([
      {
        exchange: 'kalshi',
        market_id: 'KXHIGHNY-26NOV20-B55.5',
        event_id: null,
        outcome: { id: 'KXHIGHNY-26NOV20-B55.5:yes', index: 0, label: 'Yes' },
        size: '5',
        average_price: '0.52',
        cost_basis: '2.6',
        current_price: null,
        market_value: null,
        unrealized_pnl: null,
        realized_pnl: '0',
        fees_paid: '0.0875',
        currency: 'USD',
        status: 'open',
        title: null,
        updated_at: '2026-11-20T15:00:00.713Z',
      },
      { outcome: { index: 1, label: 'No' }, size: '2.5', average_price: '0.25', cost_basis: '0.625' },
    ]);
  });
});
