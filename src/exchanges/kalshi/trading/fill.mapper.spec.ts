import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { wireFill, wireFillPage } from './account.wire.js';
import { toFill } from './fill.mapper.js';

const sample = (name: string): unknown => JSON.parse(readFileSync(`test/vectors/kalshi/kalshi-${name}.json`, 'utf8'));

describe('toFill', () => {
  const fills = wireFillPage.parse(sample('fills')).items;

  it('unified-schema.md 8 maps fills as buy of the outcome exposed', () => {
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
