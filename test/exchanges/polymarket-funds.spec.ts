import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { FakeAnswer } from '../support/fake-server.js';
import { CREDENTIALS, type FakePolymarket, sample, sampleObject } from '../support/fake-polymarket.js';
import { DEPOSIT_CREDENTIALS, KEYSET, prepare, startWithV2, vector } from './polymarket-v2.fixture.js';

const BALANCE = 'GET /clob/balance-allowance';
const POST = 'POST /clob/order';
const STANDARD = '0xE111180000d2663C0091e4f400237545B87B996B';
const NEG_RISK = '0xe2222d279d744050d28e00520010520000310F59';
const V3 = '0xe3333700cA9d93003F00f0F71f8515005F6c00Aa';
const REFUSED = { status: 400, body: { error: 'not enough balance / allowance' } };

let fake: FakePolymarket;

beforeEach(async () => {
  fake = await startWithV2();
  fake.on(POST, () => REFUSED);
});

afterEach(() => fake.close());

async function refusal(name: string, credentials: Parameters<typeof prepare>[2] = CREDENTIALS): Promise<unknown> {
  const { order, orderType } = vector(name).post_order_body;
  const rest = { time_in_force: orderType === 'GTD' ? 'gtd' : 'gtc' };
  const prepared = await prepare(fake, order, credentials, rest);
  return prepared.place().catch((error: unknown) => error);
}

function allows(balance: string, allowances?: Readonly<Record<string, unknown>>): void {
  fake.on(BALANCE, () => ({ body: { balance, allowances } }));
}

describe('a refusal for funds', () => {
  it('contract.md 5.6 names the contract that a V2 buy lacks the approval of', async () => {
    fake.on(BALANCE, () => ({ body: sample('clob-balance-allowance-three-exchanges') }));
    expect(await refusal('v2-eoa-buy')).toMatchObject({
      code: 'exchange_rejected',
      message: expect.stringContaining('details.spender'),
      details: {
        reason: 'allowance_missing',
        spender: V3,
        exchange: { id: 'polymarket', status: 400, message: 'not enough balance / allowance' },
      },
    });
    const looks = fake.at(BALANCE).map(({ query }) => Object.fromEntries(query));
    expect(looks).toEqual([{ asset_type: 'COLLATERAL', signature_type: '0' }]);
    expect(fake.at(POST)).toHaveLength(1);
  });

  it('polymarket.md 9.3 looks for the shares of a V2 sale as CONDITIONAL-V2', async () => {
    allows('10000000', { [V3.toLowerCase()]: '0' });
    const failed = await refusal('v2-deposit-owner-sell-builder', DEPOSIT_CREDENTIALS);
    expect(failed).toMatchObject({ details: { reason: 'allowance_missing', spender: V3 } });
    const { tokenId } = vector('v2-deposit-owner-sell-builder').post_order_body.order;
    const query = { asset_type: 'CONDITIONAL-V2', token_id: String(tokenId), signature_type: '3' };
    expect(Object.fromEntries(fake.at(BALANCE)[0]?.query ?? [])).toEqual(query);
  });

  it.each([
    ['v1-standard-eoa-buy', false, 'COLLATERAL', STANDARD, NEG_RISK],
    ['v1-neg-risk-eoa-sell-gtd', true, 'CONDITIONAL', NEG_RISK, STANDARD],
  ])('contract.md 5.6 looks at the contract of the market of %s', async (name, negRisk, asset, spender, other) => {
    const { tokenId } = vector(name).post_order_body.order;
    const market = { ...sampleObject('gamma-market'), negRisk, clobTokenIds: [tokenId, '5'] };
    fake.on(KEYSET, () => ({ body: { markets: [market] } }));
    allows('99000000', { [spender]: '0', [other]: '99000000', [V3]: '99000000' });
    expect(await refusal(name)).toMatchObject({ details: { reason: 'allowance_missing', spender } });
    expect(fake.at(BALANCE)[0]?.query.get('asset_type')).toBe(asset);
    allows('99000000', { [spender]: '99000000', [other]: '0', [V3]: '0' });
    expect(await refusal(name)).toMatchObject({ details: { reason: 'insufficient_funds' } });
  });

  it.each<[string, FakeAnswer | 'hang', string]>([
    [
      'has the money and less leave',
      { body: { balance: '5200000', allowances: { [V3]: '5199999' } } },
      'allowance_missing',
    ],
    [
      'has the money, and leave for others alone',
      { body: { balance: '5200000', allowances: { [NEG_RISK]: '9' } } },
      'allowance_missing',
    ],
    [
      'has the money and the leave',
      { body: { balance: '5200000', allowances: { [V3]: '5200000' } } },
      'insufficient_funds',
    ],
    [
      'has endless leave',
      { body: { balance: '9000000', allowances: { [V3]: String(2n ** 256n - 1n) } } },
      'insufficient_funds',
    ],
    ['has less money', { body: { balance: '5199999', allowances: { [V3]: '0' } } }, 'insufficient_funds'],
    ['is told without allowances', { body: { balance: '9000000' } }, 'insufficient_funds'],
    ['is told with none', { body: { balance: '9000000', allowances: {} } }, 'insufficient_funds'],
    ['is told with others than that', { body: { balance: '9000000', allowances: ['x'] } }, 'insufficient_funds'],
    ['cannot be read', { status: 500, body: { error: 'x' } }, 'insufficient_funds'],
    ['is not told in time', 'hang', 'insufficient_funds'],
  ])('contract.md 5.6 where the account %s: see the reason', async (_name, answer, reason) => {
    fake.on(BALANCE, () => answer);
    const begun = performance.now();
    expect(await refusal('v2-eoa-buy')).toMatchObject({ code: 'exchange_rejected', details: { reason } });
    expect(performance.now() - begun).toBeLessThan(3_000);
  });

  it('contract.md 5.6 looks too where a success is a refusal, and nowhere else', async () => {
    fake.on(BALANCE, () => ({ body: sample('clob-balance-allowance-three-exchanges') }));
    const body = { success: true, errorMsg: 'not enough balance / allowance', orderID: '', status: '' };
    fake.on(POST, () => ({ body }));
    expect(await refusal('v2-eoa-buy')).toMatchObject({ details: { reason: 'allowance_missing' } });
    fake.on(POST, () => ({ status: 400, body: { error: 'invalid expiration' } }));
    expect(await refusal('v2-eoa-buy')).toMatchObject({ details: { reason: 'invalid_order' } });
    fake.on(POST, () => 'reset');
    expect(await refusal('v2-eoa-buy')).toMatchObject({ code: 'order_outcome_unknown' });
    expect(fake.at(BALANCE)).toHaveLength(1);
  });
});

describe('readFacts', () => {
  it.each<[string, FakeAnswer, string[] | null]>([
    ['0', { body: { balance: '1', allowances: { [V3.toLowerCase()]: '0' } } }, [V3]],
    ['some', { body: { balance: '1', allowances: { [V3]: 7 } } }, []],
    ['0 of two', { body: { balance: '1', allowances: { [V3]: '0', [STANDARD]: '0' } } }, [STANDARD, V3]],
    ['nothing of it', { body: { balance: '1', allowances: { [STANDARD]: '0' } } }, null],
    ['what is none', { body: { balance: '1', allowances: { [V3]: 'much' } } }, null],
    ['no allowances', { body: { balance: '1' } }, null],
    ['401', { status: 401, body: { error: 'Unauthorized' } }, null],
    ['500', { status: 500, body: { error: 'x' } }, null],
  ])('contract.md 5.6 tells by an allowance of %s which are missing', async (_name, answer, missingAllowances) => {
    fake.on(BALANCE, () => answer);
    expect(await fake.trading(CREDENTIALS).readFacts()).toEqual({ key: null, missingAllowances });
  });
});

describe('a 429 of the CLOB', () => {
  const reset = (seconds: number): string => String(Math.floor(Date.now() / 1_000) + seconds);

  it.each([
    ['Retry-After', () => ({ 'retry-after': '7', 'poly-ratelimit-reset': reset(40) }), 7, 7],
    ['Poly-RateLimit-Reset', () => ({ 'poly-ratelimit-reset': reset(40) }), 30, 40],
    ['a reset that is past', () => ({ 'poly-ratelimit-reset': reset(-40) }), 1, 1],
    ['a reset that is none', () => ({ 'poly-ratelimit-reset': 'soon' }), 1, 1],
  ])('polymarket.md 12.2 is waited for by %s', async (_name, headersOf, least, most) => {
    const headers: Record<string, string> = headersOf();
    fake.on(POST, () => ({ status: 429, headers, body: { error: 'Too Many Requests' } }));
    const failed = (await refusal('v2-eoa-buy')) as { code: string; retryAfterSeconds: number };
    expect(failed.code).toBe('exchange_rate_limited');
    expect(failed.retryAfterSeconds).toBeGreaterThanOrEqual(least);
    expect(failed.retryAfterSeconds).toBeLessThanOrEqual(most);
  });

  it('polymarket.md 12.2 is no warning: neither that nor a reset beside a success stops anything', async () => {
    const headers = {
      'poly-ratelimit-warning': 'true',
      'poly-ratelimit-remaining': '-3',
      'poly-ratelimit-reset': reset(50),
    };
    fake.on(BALANCE, () => ({ headers, body: sample('clob-balance-allowance') }));
    await fake.trading(CREDENTIALS).verify();
    await fake.trading(CREDENTIALS).verify();
    expect(fake.at(BALANCE)).toHaveLength(2);
  });
});
