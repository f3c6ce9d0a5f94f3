import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { toMarket } from './market.mapper.js';
import { type WireMarket, wireMarket, wireMarketPage, wireOneMarket } from './market.wire.js';

const sample = (name: string): unknown => JSON.parse(readFileSync(`test/vectors/kalshi/kalshi-${name}.json`, 'utf8'));

const { market: OPEN } = wireOneMarket.parse(sample('market'));
const market = (change: Partial<WireMarket> = {}): WireMarket => ({ ...OPEN, ...change });

describe('toMarket', () => {
  it('unified-schema.md 2 maps a market field by field; what was not read is null', () => {
    expect(toMarket(OPEN)).toEqual({
      exchange: 'kalshi',
      id: 'KXHIGHNY-26NOV20-B55.5',
      event_id: 'KXHIGHNY-26NOV20',
      series_id: null,
      title: 'Will the high temp in NYC be 55-56° on Nov 20, 2026?',
      subtitle: '55° to 56°',
      description:
        'If the highest temperature recorded in Central Park, New York for November 20, 2026 as reported by the National ' +
        "Weather Service's Climatological Report (Daily), is between 55-56°, then the market resolves to Yes.",
      category: null,
      tags: [],
      status: 'open',
      tradable: true,
      outcomes: [
        {
          id: 'KXHIGHNY-26NOV20-B55.5:yes',
          index: 0,
          label: 'Yes',
          bid: '0.42',
          ask: '0.44',
          last_price: '0.43',
          bid_size: '13',
          ask_size: '17',
        },
        {
          id: 'KXHIGHNY-26NOV20-B55.5:no',
          index: 1,
          label: 'No',
          bid: '0.56',
          ask: '0.58',
          last_price: '0.57',
          bid_size: '17',
          ask_size: '13',
        },
      ],
      result: null,
      open_time: '2026-11-19T15:00:00.000Z',
      close_time: '2026-11-21T04:59:00.000Z',
      expected_resolution_time: '2026-11-21T14:00:00.000Z',
      created_at: '2026-11-19T14:00:00.135Z',
      updated_at: '2026-11-19T15:00:00.151Z',
      volume: '51873.25',
      volume_24h: '44120',
      open_interest: '23190.5',
      liquidity: null,
      volume_unit: 'contracts',
      price_ranges: [{ start: '0', end: '1', step: '0.01' }],
      min_order_size: '0.01',
      size_step: '0.01',
      mutually_exclusive_group_id: null,
      currency: 'USD',
      fees: null,
      url: null,
      refs: { ticker: 'KXHIGHNY-26NOV20-B55.5', exchange_index: 0 },
    });
  });

  it('unified-schema.md 2 adds what event and series tell', () => {
    const context = {
      seriesId: 'KXHIGHNY',
      category: 'Climate and Weather',
      tags: ['Daily temperature'],
      mutuallyExclusive: true,
      feeType: 'quadratic',
    };
    expect(toMarket(OPEN, context)).toMatchObject({
      series_id: 'KXHIGHNY',
      category: 'Climate and Weather',
      tags: ['Daily temperature'],
      mutually_exclusive_group_id: 'KXHIGHNY-26NOV20',
      fees: { type: 'quadratic', taker_rate: null, exponent: null, taker_only: null },
      refs: { series_ticker: 'KXHIGHNY' },
    });
  });

  it('unified-schema.md 2 maps a settled market: no quotes, a result', () => {
    const { market: settled } = wireOneMarket.parse(sample('market-settled'));
    expect(toMarket(settled)).toMatchObject({
      status: 'settled',
      tradable: false,
      result: { outcome_index: 0, settlement_price: '1', settled_at: '2026-11-19T14:59:00.197Z' },
      outcomes: [
        { bid: null, ask: null, bid_size: null, ask_size: null, last_price: '0.99' },
        { bid: null, ask: null, bid_size: null, ask_size: null, last_price: '0.01' },
      ],
    });
  });

  it.each([
    ['initialized', 'unopened'],
    ['active', 'open'],
    ['inactive', 'paused'],
    ['closed', 'closed'],
    ['determined', 'closed'],
    ['disputed', 'closed'],
    ['amended', 'closed'],
    ['finalized', 'settled'],
  ] as const)('unified-schema.md 2 %s is %s', (status, expected) => {
    expect(toMarket(market({ status }))).toMatchObject({ status: expected, tradable: status === 'active' });
  });

  it.each([
    ['no', { outcome_index: 1, settlement_price: '0', settled_at: null }],
    ['scalar', { outcome_index: null, settlement_price: '0', settled_at: null }],
    ['', null],
    [undefined, null],
  ] as const)('unified-schema.md 2 result %p', (result, expected) => {
    expect(toMarket(market({ result, settlement_value_dollars: '0' })).result).toEqual(expected);
  });

  it('unified-schema.md 2 an empty side is no quote, a lone last price of 0 is none', () => {
    const empty = toMarket(
      market({ yes_bid_dollars: '0', yes_bid_size_fp: '0', last_price_dollars: '0', volume_fp: '0' }),
    );
    expect(empty.outcomes[0]).toMatchObject({ bid: null, bid_size: null, ask: '0.44', last_price: null });
    expect(empty.outcomes[1]).toMatchObject({ ask: null, ask_size: null, bid: '0.56', last_price: null });
    const full = toMarket(market({ yes_ask_dollars: '1', yes_ask_size_fp: '0' }));
    expect(full.outcomes[0]).toMatchObject({ ask: null, ask_size: null });
    const unopened = toMarket(market({ yes_ask_dollars: '0', yes_ask_size_fp: null }));
    expect(unopened.outcomes[0]).toMatchObject({ ask: null, ask_size: null });
    const stale = toMarket(market({ yes_bid_size_fp: '0' }));
    expect(stale.outcomes.map(({ bid, ask }) => [bid, ask])).toEqual([
      [null, '0.44'],
      ['0.56', null],
    ]);
    const traded = toMarket(market({ last_price_dollars: '0' }));
    expect(traded.outcomes.map((outcome) => outcome.last_price)).toEqual(['0', '1']);
  });

  it('reads every market of the list, also with tapered ticks', () => {
    const markets = wireMarketPage.parse(sample('markets-list')).items.map((wire) => toMarket(wire));
    expect(markets).toHaveLength(4);
    expect(markets[2]?.outcomes[0]).toMatchObject({ bid: null, ask: '0.02' });
    expect(markets[3]?.price_ranges).toEqual([
      { start: '0', end: '0.1', step: '0.001' },
      { start: '0.1', end: '0.9', step: '0.01' },
      { start: '0.9', end: '1', step: '0.001' },
    ]);
  });

  it('takes a status and a result that are new since: neither open nor settled, without a winner', () => {
    const wire = wireMarket.parse({ ...(sample('market') as { market: object }).market, status: 'new', result: 'new' });
    expect(toMarket(wire)).toMatchObject({ status: 'paused', tradable: false, result: null });
  });

  it('R-15 refuses a market of which a used field is of the wrong type', () => {
    for (const change of [{ ticker: 5 }, { status: 5 }, { yes_bid_dollars: 0.42 }, { yes_bid_dollars: 'x' }]) {
      expect(wireMarket.safeParse({ ...(sample('market') as { market: object }).market, ...change }).success).toBe(
        false,
      );
    }
  });

  it('unified-schema.md 2 joins both rules with a blank line', () => {
    expect(toMarket(market({ rules_primary: 'A.', rules_secondary: 'B.' })).description).toBe('A.\n\nB.');
    expect(toMarket(market({ rules_primary: null, rules_secondary: null })).description).toBeNull();
  });
});
