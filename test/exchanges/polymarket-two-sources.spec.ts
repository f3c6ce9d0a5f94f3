import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { OrderDto } from '../../src/exchanges/unified.trading.dto.js';
import { PolymarketOrderDto } from '../../src/exchanges/polymarket/trading/order.dto.js';
import { validateAs } from '../../src/platform/http/validation.js';
import { FakePolymarket, sampleObject } from '../support/fake-polymarket.js';
import { naming } from '../support/naming.js';
import { aSessionKey } from './polymarket-v2.fixture.js';

const KEYSET = 'GET /gamma/markets/keyset';
const POST = 'POST /clob/order';
const GAMMA = sampleObject('gamma-market');
const CLOB = sampleObject('clob-market-info') as {
  readonly c: string;
  readonly t: readonly { t: string; o: string }[];
};
const MARKET = CLOB.c;
const [YES = '', NO = ''] = CLOB.t.map(({ t }) => t);
const INFO = `GET /clob/clob-markets/${MARKET}`;
const BOOK = 'GET /clob/book';
const HOUR_MS = 3_600_000;

/** Gamma's answer with the two token ids the wrong way round. */
const WRONG = { clobTokenIds: JSON.stringify([NO, YES]) };
const FAILED = { code: 'exchange_error' };

let fake: FakePolymarket;

beforeEach(async () => {
  fake = await FakePolymarket.start();
  fake.on(INFO, () => ({ body: CLOB }));
  fake.on(POST, () => ({
    body: { success: true, errorMsg: '', orderID: `0x${'a'.repeat(64)}`, status: 'live' },
  }));
  fake.on(BOOK, ({ query }) => ({
    body: { market: MARKET, asset_id: query.get('token_id'), timestamp: '1792000000123', bids: [], asks: [] },
  }));
});

afterEach(() => fake.close());

/** Gamma answers with these changes in turn, and with the last one from then on. */
function gammaSays(...changes: readonly object[]): void {
  let asked = 0;
  fake.on(KEYSET, ({ query }) => {
    if (query.get('closed') !== 'false') return { body: { markets: [] } };
    asked += 1;
    return { body: { markets: [{ ...GAMMA, ...changes[Math.min(asked, changes.length) - 1] }] } };
  });
}

function clobSays(change: object): void {
  fake.on(INFO, () => ({ body: { ...CLOB, ...change } }));
}

async function place(outcome: string): Promise<OrderDto> {
  const body = { market_id: MARKET, outcome, side: 'buy', price: '0.52', size: '10' };
  const request = await validateAs(PolymarketOrderDto, body);
  return (await fake.trading(null, aSessionKey()).prepareOrder(request, naming())).place();
}

function sentTokens(): unknown[] {
  return fake.at(POST).map(({ body }) => (JSON.parse(body) as { order: { tokenId: string } }).order.tokenId);
}

async function bookOf(outcome: string): Promise<string> {
  const { value } = await fake.exchange.marketData.getOrderBook({ market_id: MARKET, outcome });
  return value.outcome.id;
}

describe('an order of plain parameters, by what Gamma and the CLOB say of its market', () => {
  it('S-50 is for the right token where one answer of Gamma had them the wrong way round, and so is all that follows', async () => {
    gammaSays(WRONG, {});
    expect(await bookOf('yes')).toBe(NO);
    expect(await place('yes')).toMatchObject({ outcome: { id: YES, index: 0, label: 'Yes' } });
    expect(sentTokens()).toEqual([YES]);
    expect([await bookOf('yes'), await bookOf('no')]).toEqual([YES, NO]);
    await place('no');
    expect(sentTokens()).toEqual([YES, NO]);
    expect(fake.at(KEYSET)).toHaveLength(2);
  });

  it('S-50 reads anew past what the cache of public reads has', async () => {
    await fake.close();
    fake = await FakePolymarket.start({ MARKET_DATA_CACHE_TTL: '1m' });
    fake.on(INFO, () => ({ body: CLOB }));
    fake.on(POST, () => ({ body: { success: true, orderID: `0x${'a'.repeat(64)}`, status: 'live' } }));
    gammaSays(WRONG, {});
    await place('yes');
    expect(sentTokens()).toEqual([YES]);
  });

  it.each([
    ['has the tokens the wrong way round', WRONG, {}],
    ['has a token that the CLOB does not have', { clobTokenIds: JSON.stringify(['5', NO]) }, {}],
    ['has another label', { outcomes: JSON.stringify(['Maybe', 'No']) }, {}],
    ['says neg-risk of a market that is none', { negRisk: true }, { nr: false }],
    ['says no neg-risk of a market that is', { negRisk: false }, { nr: true }],
  ])('S-50 is not sent where Gamma always %s', async (_name, gamma, clob) => {
    gammaSays(gamma);
    clobSays(clob);
    await expect(place('0')).rejects.toMatchObject(FAILED);
    expect([fake.at(POST), fake.at(KEYSET).length, fake.at(INFO).length]).toEqual([[], 2, 2]);
    gammaSays({});
    clobSays({});
    await place('0');
    expect(sentTokens()).toEqual([YES]);
  });

  it('S-50 costs no more calls where both agree', async () => {
    gammaSays({});
    await place('yes');
    await place('no');
    expect([fake.at(KEYSET).length, fake.at(INFO).length]).toEqual([1, 2]);
  });

  it.each([
    ['names no tokens', { t: [] }],
    ['leaves them out', { t: null, nr: null }],
    ['names none of them', { t: [null, { t: '', o: 'Yes' }] }],
    ['writes labels otherwise', { t: CLOB.t.map(({ t, o }) => ({ t, o: ` ${o.toUpperCase()} ` })) }],
    ['calls both alike', { t: CLOB.t.map(({ t }) => ({ t, o: 'Draw' })) }],
    ['says the same of neg-risk', { nr: false }],
  ])('S-50 is sent where the CLOB %s', async (_name, clob) => {
    gammaSays({ negRisk: false });
    clobSays(clob);
    await place('yes');
    expect(sentTokens()).toEqual([YES]);
    expect([fake.at(KEYSET).length, fake.at(INFO).length]).toEqual([1, 1]);
  });

  it('S-50 of two outcomes called alike, is for the token that its id or place names', async () => {
    const alike = { outcomes: JSON.stringify(['Draw', 'Draw']) };
    gammaSays(alike);
    clobSays({ t: CLOB.t.map(({ t }) => ({ t, o: 'Draw' })) });
    await place('1');
    await place(YES);
    expect(sentTokens()).toEqual([NO, YES]);
  });
});

describe('what is kept of markets', () => {
  let nowMs = 0;

  it('S-50 is read anew after an hour, however it is asked for', async () => {
    const directory = fake.directory(() => nowMs);
    gammaSays(WRONG, {});
    const labelOf = async () => (await directory.getToken(YES)).outcome.label;
    const byGammaId = async () => (await directory.get(String(GAMMA.id))).outcomes[0].id;
    fake.on(`GET /gamma/markets/${String(GAMMA.id)}`, () => ({ body: GAMMA }));
    await directory.getOutcomes(MARKET);
    expect([(await directory.get(MARKET)).outcomes[0].id, await labelOf(), await byGammaId()]).toEqual([NO, 'No', NO]);
    nowMs += HOUR_MS / 2;
    await directory.getOutcomes(MARKET);
    nowMs += HOUR_MS / 2 - 1;
    expect([(await directory.get(MARKET)).outcomes[0].id, await labelOf(), await byGammaId()]).toEqual([NO, 'No', NO]);
    nowMs += 1;
    expect(await labelOf()).toBe('Yes');
    expect([(await directory.get(MARKET)).outcomes[0].id, await byGammaId()]).toEqual([YES, YES]);
  });

  it('S-50 holds the flag that only the CLOB states no longer either', async () => {
    const directory = fake.directory(() => nowMs);
    gammaSays({ negRisk: null });
    fake.on('GET /clob/neg-risk', () => ({ body: { neg_risk: true } }));
    const flag = async () => (await directory.getToken(NO)).negRisk;
    expect(await flag()).toBe(true);
    fake.on('GET /clob/neg-risk', () => ({ body: { neg_risk: false } }));
    nowMs += HOUR_MS - 1;
    expect(await flag()).toBe(true);
    nowMs += 1;
    expect(await flag()).toBe(false);
  });
});
