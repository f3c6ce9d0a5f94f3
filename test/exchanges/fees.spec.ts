import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Execution, FeeEstimate, Fees } from '../../src/exchanges/fees.contract.js';
import type { MarketDto } from '../../src/exchanges/unified.market-data.dto.js';
import { FakeKalshi, sample as kalshiSample } from '../support/fake-kalshi.js';
import { FakePolymarket, sampleObject } from '../support/fake-polymarket.js';

const TAKEN: Execution = { price: '0.5', size: '100', role: 'taker' };

function estimate(fees: Fees | undefined, market: Partial<MarketDto>): Promise<FeeEstimate> {
  if (fees === undefined) throw new Error('This exchange has no fees.');
  return fees.estimate(market as MarketDto, 'buy', [TAKEN]);
}

describe('Kalshi (kalshi.md 7.1)', () => {
  const MARKET = { event_id: 'E-1' };
  let fake: FakeKalshi;
  beforeEach(async () => {
    fake = await FakeKalshi.start({ MARKET_DATA_CACHE_TTL: '0' });
  });
  afterEach(() => fake.close());

  function serve(event: object, series: object): void {
    fake.serve('GET /events/E-1', { event: { event_ticker: 'E-1', series_ticker: 'S-1', ...event } });
    const { series: whole } = kalshiSample('series') as { series: object };
    fake.serve('GET /series/S-1', { series: { ...whole, ...series } });
  }

  it('reads the rule of the series, and keeps it for all its users', async () => {
    serve({ fee_type_override: null }, { fee_type: 'quadratic', fee_multiplier: 0.5 });
    const source = "Kalshi's fee of the series S-1: quadratic, multiplier 0.5";
    expect(await estimate(fake.exchange.fees, MARKET)).toEqual({ amount: '0.875', source });
    expect(await estimate(fake.exchange.fees, MARKET)).toEqual({ amount: '0.875', source });
    expect(fake.calls()).toEqual(['GET /events/E-1', 'GET /series/S-1']);
  });

  it('the rule of an event goes before that of its series', async () => {
    serve({ fee_type_override: 'quadratic_with_maker_fees', fee_multiplier_override: 2 }, {});
    const source = "Kalshi's fee of the event E-1: quadratic_with_maker_fees, multiplier 2";
    expect(await estimate(fake.exchange.fees, MARKET)).toEqual({ amount: '3.5', source });
    expect(fake.calls()).toEqual(['GET /events/E-1']);
  });

  it.each([
    { fee_type_override: 'flat', fee_multiplier_override: null },
    { fee_type_override: 'quadratic' },
    { fee_type_override: null, fee_multiplier_override: 3 },
  ])('half a rule of an event is none: %j', async (event) => {
    serve(event, { fee_type: 'quadratic', fee_multiplier: 1 });
    expect(await estimate(fake.exchange.fees, MARKET)).toEqual({ amount: null, source: null });
  });

  it('a fee that is not published is null, and names its rule', async () => {
    serve({}, { fee_type: 'flat', fee_multiplier: 1 });
    expect(await estimate(fake.exchange.fees, MARKET)).toEqual({
      amount: null,
      source: "Kalshi's fee of the series S-1: flat, multiplier 1",
    });
  });

  it('what cannot be read is null, and is read again', async () => {
    fake.on('GET /events/E-1', () => ({ status: 500, body: {} }));
    expect(await estimate(fake.exchange.fees, MARKET)).toEqual({ amount: null, source: null });
    expect(await estimate(fake.exchange.fees, { event_id: null })).toEqual({ amount: null, source: null });
    serve({}, {});
    expect(await estimate(fake.exchange.fees, MARKET)).toMatchObject({ amount: '1.75' });
  });
});

describe('Polymarket (polymarket.md 7.3)', () => {
  const MARKET = { id: '0x747dc809fb79e1b05be09c42d6179459a58de2ef3e40f02484a4e1260f741f75' };
  const ROUTE = `GET /clob/clob-markets/${MARKET.id}`;
  let fake: FakePolymarket;
  beforeEach(async () => {
    fake = await FakePolymarket.start();
  });
  afterEach(() => fake.close());

  function serve(part: object): Promise<FeeEstimate> {
    fake.on(ROUTE, () => ({ body: { ...sampleObject('clob-market-info'), ...part } }));
    return estimate(fake.exchange.fees, MARKET);
  }

  it('reads rate and exponent from the CLOB', async () => {
    const source = "Polymarket's fee of this market: rate 0.05, exponent 1, paid by takers alone";
    expect(await serve({})).toEqual({ amount: '1.25', source });
    expect(await serve({ fd: { r: 0.25, e: 2, to: true } })).toMatchObject({ amount: '1.5625' });
  });

  it('a market without `fd` has no fee', async () => {
    expect(await serve({ fd: undefined })).toEqual({
      amount: '0',
      source: "Polymarket's CLOB states no fee of this market",
    });
  });

  it.each([{ fd: { r: null, e: 1, to: true } }, { fd: { r: 0.05, e: 0.5, to: true } }, { fd: { r: 0.05, to: true } }])(
    'a curve that is not understood is unknown: %j',
    async (part) => {
      expect(await serve(part)).toEqual({ amount: null, source: null });
    },
  );

  it('what cannot be read is unknown', async () => {
    expect(await estimate(fake.exchange.fees, MARKET)).toEqual({ amount: null, source: null });
  });
});
