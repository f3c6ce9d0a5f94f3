import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { toEvent } from './event.mapper.js';
import { identify, identityAtClob } from './market-identity.js';
import { isListed, toMarket } from './market.mapper.js';
import { wireClobMarket, wireEvent, wireMarket, wireMarketPage } from './market.wire.js';

const WIDE = '0x013009decfd1e0532df9db26862e9635ef000000000000000000000000000000';
const NARROW = WIDE.slice(0, -2);
const YES = '537189630403892523469500727402877303043040617668726428832973578133921857536';
const NO = '537189630403892523469500727402877303043040617668726428832973578133921857537';
/** The index of another outcome. */
const THIRD = '537189630403892523469500727402877303043040617668726428832973578133921857538';
const OF_ANOTHER = '565555121794386773805920904625450626135712065844518762598123036465392779265';
const TOKENS = ['107505882767731489358349912513945399560393482969656700824895970500493757150417', '73'];

function sampleObject(name: string): Record<string, unknown> {
  const file = new URL(`../../../../test/vectors/polymarket/polymarket-${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
}

/** A sample market with other fields; undefined leaves one out. */
function market(change: Readonly<Record<string, unknown>> = {}, name = 'gamma-market-v2') {
  return wireMarket.parse({ ...sampleObject(name), ...change });
}

describe('identify', () => {
  it.each([
    ['forms', { outcomes: 5, question: null, clobTokenIds: {}, bestBid: 'much' }],
    ['names', { conditionId: { wide: WIDE }, slug: 7 }],
  ])('polymarket.md 15 reads a list although a market of an unknown version has other %s', (_, change) => {
    const markets = [{ ...sampleObject('gamma-market-v2'), version: 'v3', ...change }, sampleObject('gamma-market')];
    const { items } = wireMarketPage.parse({ markets });
    expect(items.map((one) => identify(one))).toEqual(['not_understood', expect.objectContaining({ protocol: 'v1' })]);
  });

  it('polymarket.md 2.3 names a V2 market by the wide form of its id and by its positions', () => {
    expect(identify(market())).toEqual({
      protocol: 'v2',
      marketId: WIDE,
      outcomes: [
        { id: YES, index: 0, label: 'Yes' },
        { id: NO, index: 1, label: 'No' },
      ],
    });
  });

  it.each([
    ['the wide id', { conditionId: WIDE }],
    ['capitals', { conditionId: NARROW.toUpperCase().replace('0X', '0x') }],
    ['positions as text', { positionIds: JSON.stringify([YES, NO]) }],
    ['tokens beside its positions', { clobTokenIds: JSON.stringify(TOKENS) }],
    ['tokens that are no list', { clobTokenIds: 'null' }],
    ['no tokens', { clobTokenIds: undefined }],
    ['outcomes as a list', { outcomes: ['Yes', 'No'] }],
  ])('polymarket.md 10.2 and 15 takes %s', (_name, change) => {
    expect(identify(market(change))).toMatchObject({
      protocol: 'v2',
      marketId: WIDE,
      outcomes: [{ id: YES }, { id: NO }],
    });
  });

  it.each([
    ['of a version to come', { version: 'v3' }],
    ['of a version that is a number', { version: 2 }],
    ['of a version in capitals', { version: 'V2' }],
    ['of no version', { version: undefined }],
    ['of no version, with tokens of V1', { version: null, clobTokenIds: JSON.stringify(TOKENS) }],
    ['with a V1 version', { version: 'v1' }],
    ['whose positions are swapped', { positionIds: [NO, YES] }],
    ['with a position of another condition', { positionIds: [YES, OF_ANOTHER] }],
    ['with a position of a third outcome', { positionIds: [YES, THIRD] }],
    ['with one position', { positionIds: [YES] }],
    ['with three outcomes', { outcomes: '["a","b","c"]' }],
    ['with three positions', { positionIds: [YES, NO, THIRD] }],
    ['with positions that are numbers', { positionIds: [1, 2] }],
    ['with positions in hex', { positionIds: [`0x${'1'.repeat(64)}`, `0x${'2'.repeat(64)}`] }],
    ['with positions that are no list', { positionIds: 'x' }],
    ['with no positions', { positionIds: [] }],
    ['with tokens alone', { positionIds: null, clobTokenIds: JSON.stringify([YES, NO]) }],
    ['without a condition', { conditionId: '' }],
    ['of another condition', { conditionId: `0x02${NARROW.slice(4)}` }],
    ['whose wide id is padded at the left', { conditionId: `0x00${NARROW.slice(2)}` }],
  ])('contract.md 5.2 does not understand a market %s, and lists it nowhere', (_name, change) => {
    const odd = market(change);
    expect([identify(odd), toMarket(odd), isListed(odd)]).toEqual(['not_understood', null, false]);
  });

  it('contract.md 5.2 does not understand a V2 market whose ids are not assigned yet', () => {
    expect(identify(market({}, 'gamma-market-v2-no-ids'))).toBe('not_understood');
  });

  const V1 = 'gamma-market-v1-with-position-ids';

  it.each([{}, { version: null }, { version: undefined }, { positionIds: 'x' }])(
    'polymarket.md 10.2 takes the tokens of a V1 market, whatever its positions are: %j',
    (change) => {
      const dto = toMarket(market(change, V1));
      expect(dto?.outcomes.map(({ id }) => id)).toEqual(JSON.parse(String(sampleObject(V1).clobTokenIds)));
      expect(dto?.refs.protocol).toBe('v1');
    },
  );

  it.each([
    ['positions as tokens', { clobTokenIds: JSON.stringify([YES, NO]) }],
    ['a position among its tokens', { clobTokenIds: JSON.stringify([TOKENS[0], NO]) }],
    ['the condition of a V2 market', { conditionId: WIDE }],
    ['one token twice', { clobTokenIds: JSON.stringify(['73', '73']) }],
    ['a token that is no number', { clobTokenIds: JSON.stringify(['0x49', '73']) }],
    ['a token of more than 256 bits', { clobTokenIds: JSON.stringify(['9'.repeat(78), '73']) }],
  ])('contract.md 5.2 does not understand a V1 market with %s, with a version or without', (_name, change) => {
    for (const version of ['v1', null]) {
      expect(identify(market({ ...change, version }, V1))).toBe('not_understood');
    }
  });

  it('polymarket.md 10.2 never falls back to the positions of a V1 market', () => {
    expect(identify(market({ clobTokenIds: null }, V1))).toBe('no_book');
    expect(identify(market({ clobTokenIds: null, version: null }, V1))).toBe('not_understood');
    expect(identify(market({ conditionId: NARROW }, V1))).toBe('not_understood');
  });
});

describe('toMarket of V2', () => {
  it('unified-schema.md 2 maps an open V2 market', () => {
    expect(toMarket(market())).toMatchObject({
      id: WIDE,
      event_id: '410233',
      status: 'open',
      tradable: true,
      outcomes: [
        { id: YES, label: 'Yes', bid: '0.52', ask: '0.53', last_price: '0.52' },
        { id: NO, label: 'No', bid: '0.47', ask: '0.48', last_price: '0.48' },
      ],
      result: null,
      mutually_exclusive_group_id: null,
      refs: { gamma_id: '2901455', condition_id: WIDE, neg_risk: false, protocol: 'v2' },
    });
  });

  it.each([
    [{}, { status: 'settled', result: { outcome_index: 0, settlement_price: '1' } }],
    [
      { outcomePrices: '["0.5","0.5"]' },
      { status: 'settled', result: { outcome_index: null, settlement_price: '0.5' } },
    ],
    [{ outcomePrices: '["0.999","0.001"]' }, { status: 'settled', result: { outcome_index: null } }],
    [{ resolutionStatus: 'active' }, { status: 'settled', result: { outcome_index: 0 } }],
    [
      { resolutionStatus: 'active', outcomePrices: '["0.9","0.1"]' },
      { status: 'closed', result: null },
    ],
    [
      { resolutionStatus: null, outcomePrices: '["0.9","0.1"]' },
      { status: 'closed', result: null },
    ],
    [{ resolutionStatus: null, umaResolutionStatus: 'resolved', outcomePrices: '["0.9","0.1"]' }, { status: 'closed' }],
    [
      { closed: false, acceptingOrders: true },
      { status: 'open', result: null },
    ],
  ])('polymarket.md 10.4 knows by the V2 status and final prices what is settled: %j', (change, expected) => {
    expect(toMarket(market(change, 'gamma-market-v2-resolved'))).toMatchObject(expected);
  });

  it('polymarket.md 10.2 reads the protocol of each market of an event, not of the event', () => {
    const raw = sampleObject('gamma-event-mixed') as { markets: object[] };
    const unknown = { ...raw.markets[0], id: '1', version: 'v3' };
    const event = toEvent(wireEvent.parse({ ...raw, version: 'v1', markets: [...raw.markets, unknown] }));
    expect(event.markets?.map(({ refs }) => refs.protocol)).toEqual(['v2', 'v1']);
    expect(new Set(event.markets?.map(({ title }) => title)).size).toBe(1);
  });
});

describe('identityAtClob', () => {
  const tokens = (...ids: string[]) => ids.map((id, index) => ({ id, label: `label ${index}` }));

  it('polymarket.md 10.2 takes the outcomes of a V2 market in the order of their positions', () => {
    const { c, v, t } = wireClobMarket.parse(sampleObject('clob-market-info-v2'));
    const listed = t.map(({ t: id, o: label }) => ({ id, label }));
    expect(identityAtClob(c ?? '', v, listed.toReversed())).toEqual(identify(market()));
  });

  it.each([null, 'v1'])('polymarket.md 14.1 takes version %s for V1', (version) => {
    expect(identityAtClob(`0x${'9'.repeat(64)}`, version, tokens('5', '6'))).toMatchObject({
      protocol: 'v1',
      outcomes: [{ id: '5' }, { id: '6' }],
    });
  });

  it.each([
    ['v3', `0x${'9'.repeat(64)}`, ['5', '6']],
    ['v2', WIDE, [YES, OF_ANOTHER]],
    ['v2', `0x${'9'.repeat(64)}`, [YES, NO]],
    [null, WIDE, [YES, NO]],
    ['v1', WIDE, [YES, NO]],
    [null, `0x${'9'.repeat(64)}`, [YES, NO]],
    ['v1', `0x${'9'.repeat(64)}`, ['5', '5']],
    ['v1', `0x${'9'.repeat(64)}`, ['5', 'x']],
  ])('contract.md 5.2 does not understand version %s of %s with %j', (version, id, ids) => {
    expect(() => identityAtClob(id, version, tokens(...ids))).toThrow(
      expect.objectContaining({ code: 'not_supported', details: { reason: 'market_version' } }),
    );
  });

  it('unified-schema.md 2 has no market of three outcomes', () => {
    expect(identityAtClob(WIDE, 'v2', tokens(YES, NO, THIRD))).toBeNull();
  });
});
