import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AppError } from '../../src/platform/errors/app-error.js';
import { OrderSearch } from '../../src/exchanges/order-search.js';
import { CREDENTIALS, FakePolymarket, sample, sampleObject } from '../support/fake-polymarket.js';
import type { FakeAnswer } from '../support/fake-server.js';
import {
  BUY,
  HASH,
  KEYSET,
  listed,
  MARKET,
  POST,
  prepareAt,
  READ,
  SELL,
  startWithMarket,
  TOKEN,
} from './polymarket-order.fixture.js';

let fake: FakePolymarket;

beforeEach(async () => {
  fake = await startWithMarket();
});

afterEach(async () => {
  await fake.close();
});

async function fate(answer: FakeAnswer): Promise<unknown> {
  fake.on(POST, () => answer);
  const order = await prepareAt(fake);
  return order.place().catch((error: unknown) => error);
}

describe('prepareOrder', () => {
  it('unified-schema.md 7 computes the published order hash and sends nothing', async () => {
    expect((await prepareAt(fake)).reference.details).toEqual({ order_id: HASH });
    expect(fake.at(POST)).toHaveLength(0);
  });

  it('polymarket.md 3 hashes for the contract of neg-risk markets, asking the CLOB where Gamma does not say', async () => {
    const market = { ...sampleObject('gamma-market'), conditionId: MARKET, negRisk: undefined };
    const tokens = { clobTokenIds: JSON.stringify([TOKEN, '5']) };
    fake.on(KEYSET, () => ({ body: { markets: [{ ...market, ...tokens }] } }));
    fake.on('GET /clob/neg-risk', () => ({ body: { neg_risk: true } }));
    const { order } = SELL.post_order_body;
    const prepared = await prepareAt(fake, order, { time_in_force: 'gtd', post_only: true });
    expect(prepared.reference.details).toEqual({ order_id: SELL.eip712_hash });
  });

  it.each([
    ['signed_order.maker', { maker: `0x${'1'.repeat(40)}` }],
    ['signed_order.signer', { signer: `0x${'1'.repeat(40)}` }],
    ['signed_order.signatureType', { signatureType: 1 }],
    ['signed_order.tokenId', { tokenId: '9'.repeat(78) }],
    ['signed_order.expiration', { expiration: '1792003660' }],
  ])('contract.md 5 refuses another %s and does not call the exchange', async (field, change) => {
    const refused = { code: 'bad_request', details: { fields: [{ field }] } };
    await expect(prepareAt(fake, change)).rejects.toMatchObject(refused);
    expect(fake.arrived).toEqual([]);
  });

  it.each([
    ['signed_order.expiration', { time_in_force: 'gtd' }],
    ['post_only', { time_in_force: 'fok', post_only: true }],
    ['post_only', { time_in_force: 'ioc', post_only: true }],
  ])('unified-schema.md 7 refuses on %s with %j', async (field, rest) => {
    await expect(prepareAt(fake, {}, rest)).rejects.toMatchObject({
      code: 'bad_request',
      details: { fields: [{ field }] },
    });
  });

  it('unified-schema.md 7 takes addresses in any spelling', async () => {
    const wallet_address = CREDENTIALS.wallet_address.toLowerCase();
    expect((await prepareAt(fake, {}, {}, { ...CREDENTIALS, wallet_address })).reference.details).toEqual({
      order_id: HASH,
    });
  });

  it.each([
    ['1', 'signer'],
    ['2', 'signer'],
    ['3', 'wallet'],
  ])('unified-schema.md 7 wants an order of type %s signed by the %s', async (type, by) => {
    const wallet = `0x${'a'.repeat(40)}`;
    const credentials = {
      ...CREDENTIALS,
      wallet_address: wallet,
      signer_address: CREDENTIALS.wallet_address,
      signature_type: type,
    };
    const signedBy = (signer: string) =>
      prepareAt(fake, { maker: wallet, signer, signatureType: Number(type) }, {}, credentials);
    const [right, wrong] =
      by === 'wallet' ? [wallet, CREDENTIALS.wallet_address] : [CREDENTIALS.wallet_address, wallet];
    await expect(signedBy(right)).resolves.toBeDefined();
    await expect(signedBy(wrong)).rejects.toMatchObject({ details: { fields: [{ field: 'signed_order.signer' }] } });
  });

  it('unified-schema.md 7 answers not_found for a token of no market, and looks in the CLOB first', async () => {
    fake.on(KEYSET, () => ({ body: { markets: [] } }));
    await expect(prepareAt(fake)).rejects.toMatchObject({ code: 'not_found' });
    expect(fake.at(`GET /clob/markets-by-token/${TOKEN}`)).toHaveLength(1);
    fake.on(`GET /clob/markets-by-token/${TOKEN}`, () => ({ body: { condition_id: MARKET } }));
    const info = {
      c: MARKET,
      t: [
        { t: TOKEN, o: 'Yes' },
        { t: '5', o: 'No' },
      ],
    };
    fake.on(`GET /clob/clob-markets/${MARKET}`, () => ({ body: info }));
    fake.on('GET /clob/neg-risk', () => ({ body: { neg_risk: false } }));
    expect((await prepareAt(fake)).reference.details).toEqual({ order_id: HASH });
  });

  it.each([500, 429])('unified-schema.md 7 reports a failing look-up (%i) as a read error', async (status) => {
    fake.on(KEYSET, () => ({ status, body: { error: 'no' } }));
    const code = status === 429 ? 'exchange_rate_limited' : 'exchange_error';
    await expect(prepareAt(fake)).rejects.toMatchObject({ code });
  });
});

describe('place', () => {
  it('unified-schema.md 7 sends the published body, signed, and answers the order', async () => {
    fake.on(POST, () => ({ body: sample('post-order.response') }));
    const order = await (await prepareAt(fake)).place();
    expect(order).toEqual({
      exchange: 'polymarket',
      id: HASH,
      client_order_id: null,
      market_id: MARKET,
      outcome: { id: TOKEN, index: 0, label: 'Up' },
      side: 'buy',
      type: 'limit',
      time_in_force: 'gtc',
      post_only: false,
      price: '0.52',
      size: '10',
      filled_size: '0',
      remaining_size: '10',
      average_fill_price: null,
      fees: null,
      currency: 'PUSD',
      status: 'open',
      status_reason: null,
      created_at: null,
      updated_at: null,
      expires_at: null,
      trade_ids: [],
    });
    const [sent, ...more] = fake.at(POST);
    expect(more).toEqual([]);
    expect(sent?.body).toBe(BUY.post_order_body_raw);
  });

  it.each([
    ['gtc', {}, 'GTC'],
    ['gtd', { expiration: '1792003660' }, 'GTD'],
    ['ioc', {}, 'FAK'],
    ['fok', {}, 'FOK'],
  ])('unified-schema.md 7 sends %s as the type of the exchange', async (time_in_force, change, orderType) => {
    fake.on(POST, () => ({ body: sample('post-order.response') }));
    const order = await (await prepareAt(fake, change, { time_in_force })).place();
    expect(JSON.parse(fake.at(POST)[0]?.body ?? '')).toMatchObject({ orderType, owner: CREDENTIALS.api_key });
    expect(order).toMatchObject({
      time_in_force,
      expires_at: time_in_force === 'gtd' ? '2026-10-14T18:47:40.000Z' : null,
    });
  });

  it('unified-schema.md 7 derives price and size of a sale from the amounts', async () => {
    const market = { ...sampleObject('gamma-market'), clobTokenIds: JSON.stringify(['5', TOKEN]), negRisk: true };
    fake.on(KEYSET, () => ({ body: { markets: [market] } }));
    const body = { success: true, errorMsg: '', orderID: SELL.eip712_hash, status: 'live' };
    fake.on(POST, () => ({ body }));
    const order = await (await prepareAt(fake, SELL.post_order_body.order, { time_in_force: 'gtd' })).place();
    expect(order).toMatchObject({ side: 'sell', price: '0.52', size: '10', outcome: { index: 1, label: 'No' } });
  });

  it.each([
    ['delayed', 'pending'],
    ['unmatched', 'open'],
    ['LIVE', 'open'],
  ])('unified-schema.md 7 answers %s as %s', async (status, unified) => {
    const body = { success: true, errorMsg: '', orderID: HASH, status };
    expect(await fate({ body })).toMatchObject({ id: HASH, status: unified });
  });

  it('polymarket.md 7.1 reads an order that matched instead of trusting the amounts', async () => {
    fake.on(READ, () => ({ body: listed }));
    const body = {
      success: true,
      errorMsg: '',
      orderID: HASH,
      status: 'matched',
      takingAmount: '10',
      makingAmount: '5',
    };
    const order = await fate({ body });
    expect(order).toMatchObject({
      status: 'partially_filled',
      filled_size: '4',
      remaining_size: '6',
      trade_ids: ['t1'],
    });
  });

  it.each([
    [{ takingAmount: '10' }, 'gtc', 'filled', '10'],
    [{ takingAmount: '10000000' }, 'gtc', 'filled', '10'],
    [{ takingAmount: '2500000' }, 'gtc', 'partially_filled', '2.5'],
    [{ takingAmount: '2.5' }, 'ioc', 'cancelled', '2.5'],
    [{ takingAmount: '' }, 'fok', 'filled', '10'],
  ])(
    'polymarket.md 7.1 makes do with %j (%s) where it cannot read it',
    async (amounts, time_in_force, status, filled) => {
      const body = { success: true, errorMsg: '', orderID: HASH, status: 'matched', tradeIDs: ['t9'], ...amounts };
      fake.on(POST, () => ({ body }));
      const order = await (await prepareAt(fake, {}, { time_in_force })).place();
      expect(order).toMatchObject({ status, filled_size: filled, trade_ids: ['t9'] });
    },
  );

  it('polymarket.md 7.1 does not trust a read that lags behind the match', async () => {
    fake.on(READ, () => ({ body: { ...listed, size_matched: '0' } }));
    const body = { success: true, errorMsg: '', orderID: HASH, status: 'matched', takingAmount: '4' };
    expect(await fate({ body })).toMatchObject({ status: 'partially_filled', filled_size: '4' });
  });

  it('polymarket.md 2 keeps the name that the exchange gives the order', async () => {
    const orderID = `0x${'B'.repeat(64)}`;
    const body = { success: true, errorMsg: '', orderID, status: 'live' };
    expect(await fate({ body })).toMatchObject({ id: orderID.toLowerCase(), status: 'open' });
  });

  it.each([
    [400, 'not enough balance / allowance', 'insufficient_funds'],
    [400, 'invalid post-only order: order crosses book', 'would_cross'],
    [400, `order ${HASH} crosses the book`, 'would_cross'],
    [400, "order couldn't be fully filled. FOK orders are fully filled or killed.", 'not_filled'],
    [400, 'no orders found to match with FAK order. FAK orders are partially filled or killed.', 'not_filled'],
    [400, 'the market is not yet ready to process new orders', 'market_closed'],
    [400, 'the orderbook 123 does not exist', 'market_closed'],
    [404, 'No orderbook exists for the requested token id', 'market_closed'],
    [400, `order ${HASH} is invalid. Price (0.521) breaks minimum tick size rule: 0.01`, 'invalid_order'],
    [400, `order ${HASH} is invalid. Size (1) lower than the minimum: 5`, 'invalid_order'],
    [400, 'invalid expiration', 'invalid_order'],
    [400, 'the order owner has to be the owner of the API KEY', 'invalid_order'],
    [400, 'the order signer address has to be the address of the API KEY', 'invalid_order'],
    [400, 'Invalid order payload', 'invalid_order'],
    [400, "'0x1234' address banned", 'permission_denied'],
    [400, "'0x1234' address in closed only mode", 'closed_only'],
    [400, 'maker address not allowed, please use the deposit wallet flow', 'permission_denied'],
    [400, 'order_version_mismatch', 'invalid_order'],
    [403, 'Trading restricted in your region, please refer to available regions', 'permission_denied'],
  ])('unified-schema.md 11 maps %i %s to %s', async (status, error, reason) => {
    const refusal = { code: 'exchange_rejected', details: { reason, exchange: { id: 'polymarket', status } } };
    expect(await fate({ status, body: { error } })).toMatchObject(refusal);
    expect(fake.at(POST)).toHaveLength(1);
  });

  it.each([
    ['not enough balance / allowance', 'insufficient_funds'],
    ['the market is not yet ready to process new orders', 'market_closed'],
    ['anything else', 'invalid_order'],
  ])('polymarket.md 7.1 takes a success that says "%s" for a refusal', async (errorMsg, reason) => {
    const body = { success: true, errorMsg, orderID: '', status: '' };
    expect(await fate({ body })).toMatchObject({ code: 'exchange_rejected', details: { reason } });
  });

  it('polymarket.md 7.3 takes a delayed match for a pending order', async () => {
    const errorMsg = 'order match delayed due to market conditions';
    const body = { success: true, errorMsg, orderID: HASH, status: 'delayed' };
    expect(await fate({ body })).toMatchObject({ id: HASH, status: 'pending' });
  });

  it.each([
    [401, 'Unauthorized/Invalid api key', 'credentials_rejected'],
    [425, 'the matching engine is restarting', 'exchange_unavailable'],
    [429, 'Too Many Requests', 'exchange_rate_limited'],
    [503, 'Trading is currently cancel-only. New orders are not accepted.', 'order_outcome_unknown'],
  ])('R-15 maps %i %s of an order to %s', async (status, error, code) => {
    expect(await fate({ status, body: { error } })).toMatchObject({ code });
  });

  it('R-15 tells how long the exchange takes post-only orders only, and at most a minute', async () => {
    const error = 'post-only mode: only post-only orders and cancels are allowed';
    const body = { error, code: 'post_only_mode', retry_after_seconds: 79 };
    const refusal = { code: 'order_outcome_unknown', retryAfterSeconds: 60 };
    expect(await fate({ status: 503, body })).toMatchObject(refusal);
  });

  it.each<[string, FakeAnswer]>([
    ['no answer', 'hang'],
    ['a reset', 'reset'],
    ['a 500', { status: 500, body: { error: 'order timed out' } }],
    ['a 502', { status: 502 }],
    ['a 503 of someone else', { status: 503, body: 'busy' }],
    ['a 425 without a word', { status: 425, body: {} }],
    ['a redirect', { status: 302, headers: { location: '/elsewhere' } }],
    ['no body', { status: 200 }],
    ['another body', { status: 200, body: { ok: true } }],
    ['a success without an id', { body: { success: true, errorMsg: '', status: 'live' } }],
    ['no success and no reason', { body: { success: false, errorMsg: '', orderID: HASH, status: '' } }],
    ['trouble of its own', { body: { success: true, errorMsg: 'could not insert order', orderID: '', status: '' } }],
  ])('R-13 says after %s that the outcome is unknown, having sent it once', async (_name, answer) => {
    expect(await fate(answer)).toMatchObject({
      code: 'order_outcome_unknown',
      retryable: true,
      details: { order_id: HASH },
    });
    expect(fake.at(POST)).toHaveLength(1);
  });

  it('R-13 says that nothing was sent where there is no connection', async () => {
    const order = await prepareAt(fake);
    await fake.close();
    const failed = await order.place().catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: 'exchange_error' });
    fake = await FakePolymarket.start();
  });

  it.each([
    ['of another sort', {}, { order_type: 'FAK', status: 'MATCHED' }],
    ['that expires, asked for gtc', {}, { order_type: null, expiration: '1792003600' }],
  ])('unified-schema.md 11 refuses a duplicate %s', async (_name, asked, found) => {
    fake.on(READ, () => ({ body: { ...listed, ...found } }));
    fake.on(POST, () => ({ status: 400, body: { error: `order ${HASH} is invalid. Duplicated.` } }));
    const order = await prepareAt(fake, {}, asked);
    await expect(order.place()).rejects.toMatchObject({
      code: 'exchange_rejected',
      details: { reason: 'duplicate_order' },
    });
    expect(await order.find(new OrderSearch())).toMatchObject({ isAsAsked: false });
  });

  it('S-39 shows no credential in an error, whatever the exchange repeats', async () => {
    const error = `bad key ${CREDENTIALS.api_key} ${CREDENTIALS.passphrase} ${CREDENTIALS.secret}`;
    const failed = await fate({ status: 400, body: { error } });
    const shown = failed instanceof AppError ? JSON.stringify(failed.details) : '';
    expect(shown).toContain('invalid_order');
    for (const secret of [CREDENTIALS.api_key, CREDENTIALS.passphrase, CREDENTIALS.secret]) {
      expect(shown).not.toContain(secret);
    }
  });

  it('S-39 keeps no API key in a prepared order', async () => {
    expect(JSON.stringify(await prepareAt(fake))).not.toContain(CREDENTIALS.api_key);
  });
});
