import type { MarketDto } from '../../unified.market-data.dto.js';
import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { toEvent } from './event.mapper.js';
import { wireEvent, wireMarket, wireMarketPage } from './market.wire.js';
import { toMarket } from './market.mapper.js';

function sampleObject(name: string): Record<string, unknown> {
  const file = new URL(`../../../../test/vectors/polymarket/polymarket-${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
}

/** A sample market with other fields; undefined leaves one out. */
function market(change: Readonly<Record<string, unknown>> = {}, name = 'gamma-market'): MarketDto {
  const dto = toMarket(wireMarket.parse({ ...sampleObject(name), ...change }));
  if (dto === null) throw new Error('The sample has no tokens.');
  return dto;
}

describe('toMarketDto', () => {
  it('unified-schema.md 2 maps every field of an open market', () => {
    expect(market()).toEqual({
      exchange: 'polymarket',
      id: '0x747dc809fb79e1b05be09c42d6179459a58de2ef3e40f02484a4e1260f741f75',
      event_id: '90177',
      series_id: null,
      title: 'Will the US confirm that aliens exist before 2027?',
      subtitle: 'December 31, 2026',
      description: expect.stringContaining('extraterrestrial life'),
      category: 'World',
      tags: ['world', 'science'],
      status: 'open',
      tradable: true,
      outcomes: [
        {
          id: '107505882767731489358349912513945399560393482969656700824895970500493757150417',
          index: 0,
          label: 'Yes',
          bid: '0.084',
          ask: '0.086',
          last_price: '0.085',
          bid_size: null,
          ask_size: null,
        },
        {
          id: '7305630249804085635496399869905769372294302716159034447326228509068694952392',
          index: 1,
          label: 'No',
          bid: '0.914',
          ask: '0.916',
          last_price: '0.915',
          bid_size: null,
          ask_size: null,
        },
      ],
      result: null,
      open_time: '2025-11-07T20:11:33.001Z',
      close_time: '2027-01-01T00:00:00.000Z',
      expected_resolution_time: '2027-01-01T00:00:00.000Z',
      created_at: '2025-11-07T20:11:33.001Z',
      updated_at: '2026-11-20T14:58:00.784Z',
      volume: '18402311.44',
      volume_24h: '120331.62',
      open_interest: null,
      liquidity: '412003.18',
      volume_unit: 'currency',
      price_ranges: [{ start: '0', end: '1', step: '0.001' }],
      min_order_size: '5',
      size_step: '0.01',
      mutually_exclusive_group_id: null,
      currency: 'PUSD',
      fees: { type: 'price_curve', taker_rate: '0.05', exponent: '1', taker_only: true },
      url: expect.stringMatching(/^https:\/\/polymarket\.com\/event\/will-the-us-/),
      refs: {
        gamma_id: '703257',
        slug: 'will-the-us-confirm-that-aliens-exist-before-2027-789-924-249',
        condition_id: '0x747dc809fb79e1b05be09c42d6179459a58de2ef3e40f02484a4e1260f741f75',
        neg_risk: false,
        protocol: 'v1',
      },
    });
  });

  it('unified-schema.md 2 tells the winner of a settled market and reads its odd time', () => {
    const { status, tradable, result } = market({}, 'gamma-market-closed');
    expect({ status, tradable }).toEqual({ status: 'settled', tradable: false });
    expect(result).toEqual({ outcome_index: 1, settlement_price: '0', settled_at: '2026-11-05T03:11:20.000Z' });
  });

  it('unified-schema.md 2 leaves the winner of a split open', () => {
    const { result } = market({ outcomePrices: '["0.5","0.5"]' }, 'gamma-market-closed');
    expect(result).toMatchObject({ outcome_index: null, settlement_price: '0.5' });
  });

  it.each([
    ['open', {}],
    ['paused', { acceptingOrders: false }],
    ['paused', { acceptingOrders: undefined }],
    ['closed', { closed: true }],
    ['closed', { closed: true, umaResolutionStatus: 'disputed' }],
    ['settled', { closed: true, umaResolutionStatus: 'resolved' }],
    ['settled', { closed: true, outcomePrices: '["1","0"]' }],
    ['closed', { closed: true, outcomePrices: '["0.9995","0.0005"]' }],
  ])('unified-schema.md 2 calls it %s with %j', (status, change) => {
    expect(market(change)).toMatchObject({ status, result: status === 'settled' ? {} : null });
  });

  it.each(['active', 'acceptingOrders', 'enableOrderBook'])(
    'unified-schema.md 2 is not tradable without %s',
    (flag) => {
      expect(market({ [flag]: false }).tradable).toBe(false);
      expect(market({ [flag]: undefined }).tradable).toBe(false);
    },
  );

  it('unified-schema.md 2 has no quotes where the exchange has none', () => {
    const bare = market({ bestBid: undefined, bestAsk: 1, lastTradePrice: 0, volumeNum: 0 });
    expect(bare.outcomes).toMatchObject([
      { bid: null, ask: null, last_price: null },
      { bid: null, ask: null, last_price: null },
    ]);
    expect(market({ bestBid: 0 }).outcomes).toMatchObject([{ bid: null }, { ask: null }]);
  });

  it('polymarket.md 4 reads outcomes, numbers as text and omitted fields', () => {
    const odd = market({
      outcomes: ['Lakers', 'Celtics'],
      clobTokenIds: ['11', '12'],
      volumeNum: undefined,
      volume: '8010332.710000001',
      liquidityNum: undefined,
      liquidity: '0',
      feesEnabled: false,
      orderPriceMinTickSize: 0.0001,
      groupItemTitle: '',
      description: undefined,
      endDate: '',
    });
    expect(odd).toMatchObject({
      outcomes: [
        { id: '11', label: 'Lakers' },
        { id: '12', label: 'Celtics' },
      ],
      volume: '8010332.710000001',
      liquidity: '0',
      fees: null,
      price_ranges: [{ step: '0.0001' }],
      subtitle: null,
      description: null,
      close_time: null,
    });
  });

  it.each([
    ['no tokens', { clobTokenIds: undefined }],
    ['three outcomes', { outcomes: '["a","b","c"]' }],
    ['one token', { clobTokenIds: '["1"]' }],
    ['no condition', { conditionId: '' }],
  ])('unified-schema.md 2 has no such market with %s', (_name, change) => {
    expect(toMarket(wireMarket.parse({ ...sampleObject('gamma-market'), ...change }))).toBeNull();
  });

  it.each([{ outcomes: 'Yes, No' }, { volumeNum: 'much' }, { closed: 'no' }, { id: null }])(
    'polymarket.md 6 does not take %j for a market',
    (change) => {
      expect(wireMarket.safeParse({ ...sampleObject('gamma-market'), ...change }).success).toBe(false);
    },
  );

  it('polymarket.md 4 reads a whole page', () => {
    const { items: markets, next } = wireMarketPage.parse(sampleObject('gamma-markets-keyset'));
    expect(markets.map((one) => toMarket(one)?.outcomes.map(({ label }) => label))).toEqual([
      ['Yes', 'No'],
      ['Yes', 'No'],
      [expect.not.stringMatching('Yes'), expect.not.stringMatching('No')],
    ]);
    expect(typeof next).toBe('string');
  });
});

describe('toEventDto', () => {
  const raw = sampleObject('gamma-event') as { markets: object[] };

  it('unified-schema.md 3 maps an event with its markets', () => {
    const event = toEvent(wireEvent.parse(raw));
    expect(event).toMatchObject({
      exchange: 'polymarket',
      id: '30829',
      title: 'Democratic Presidential Nominee 2028',
      status: 'open',
      mutually_exclusive: true,
      start_time: '2025-05-02T17:00:00.000Z',
      end_time: '2028-11-07T00:00:00.000Z',
      updated_at: '2026-11-20T14:59:00.093Z',
      volume: '25230998.1',
      volume_24h: '138632.1',
      open_interest: '9911000',
      liquidity: '800661.5',
      volume_unit: 'currency',
      resolution_sources: [],
      url: 'https://polymarket.com/event/democratic-presidential-nominee-2028',
      refs: { slug: 'democratic-presidential-nominee-2028' },
    });
    expect(event.markets?.[0]).toMatchObject({ event_id: '30829', subtitle: 'Gavin Newsom', tags: event.tags });
  });

  it.each([{ active: false }, { negRiskOther: true }])('polymarket.md 4 leaves out placeholders with %j', (flag) => {
    const [first, ...others] = raw.markets;
    const event = toEvent(wireEvent.parse({ ...raw, markets: [{ ...first, ...flag }, ...others] }));
    expect(event.markets).toHaveLength(raw.markets.length - 1);
  });

  it.each([
    ['open', { active: true, closed: false }, {}],
    ['paused', { active: false, closed: false }, {}],
    ['closed', { closed: true }, { closed: true }],
    ['settled', { closed: true }, { closed: true, umaResolutionStatus: 'resolved' }],
  ])('unified-schema.md 3 calls it %s with %j and markets with %j', (status, change, inside) => {
    const markets = raw.markets.map((one) => ({ ...one, ...inside }));
    expect(toEvent(wireEvent.parse({ ...raw, ...change, markets })).status).toBe(status);
  });

  it('unified-schema.md 3 names the source of the resolution', () => {
    const at = (resolutionSource: string) => toEvent(wireEvent.parse({ ...raw, resolutionSource })).resolution_sources;
    expect(at('https://www.fifa.com')).toEqual([{ name: null, url: 'https://www.fifa.com' }]);
    expect(at('Associated Press')).toEqual([{ name: 'Associated Press', url: null }]);
  });
});
