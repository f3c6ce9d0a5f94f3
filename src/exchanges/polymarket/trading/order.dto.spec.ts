import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { plainToInstance } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';
import { validateAs } from '../../../platform/http/validation.js';
import { PolymarketOrderDto } from './order.dto.js';

const ORDER = {
  salt: 479249096354,
  maker: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
  signer: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
  tokenId: '71321045679252212594626385532706912750332728571942532289631379312455583992563',
  makerAmount: '5200000',
  takerAmount: '10000000',
  side: 'BUY',
  signatureType: 0,
  timestamp: '1792000000123',
  expiration: '0',
  metadata: `0x${'0'.repeat(64)}`,
  builder: `0x${'0'.repeat(64)}`,
  signature: `0x${'ab'.repeat(65)}`,
};

/** The fields that are refused, those inside the signed order with their path. */
function refused(body: Readonly<Record<string, unknown>>): string[] {
  const instance = plainToInstance(PolymarketOrderDto, body);
  return validateSync(instance, { whitelist: true, forbidNonWhitelisted: true }).flatMap(pathsOf);
}

function pathsOf({ property, children = [] }: ValidationError): string[] {
  return children.length === 0 ? [property] : children.flatMap(pathsOf).map((inner) => `${property}.${inner}`);
}

describe('PolymarketOrderDto', () => {
  it('unified-schema.md 7 takes a signed order and is gtc by default', () => {
    const body = { signed_order: ORDER };
    expect(refused(body)).toEqual([]);
    expect(plainToInstance(PolymarketOrderDto, body)).toMatchObject({ time_in_force: 'gtc' });
  });

  it.each(['gtc', 'gtd', 'ioc', 'fok'])('unified-schema.md 7 takes time_in_force %s and post_only', (time_in_force) => {
    expect(refused({ signed_order: ORDER, time_in_force, post_only: false })).toEqual([]);
  });

  it.each([
    ['time_in_force', 'GTC'],
    ['time_in_force', null],
    ['post_only', 'true'],
    ['post_only', null],
    ['client_order_id', 'mine'],
    ['expires_at', '2026-11-20T15:00:00.000Z'],
    ['owner', 'someone'],
  ])('unified-schema.md 7 refuses %s: %j', (field, value) => {
    expect(refused({ signed_order: ORDER, [field]: value })).toEqual([field]);
  });

  it.each([undefined, null, 'text', 5, [], [ORDER]])('unified-schema.md 7 refuses %j as signed order', (order) => {
    expect(refused({ signed_order: order }).length).toBeGreaterThan(0);
  });

  it.each([
    ['salt', ''],
    ['salt', '-1'],
    ['salt', '1.5'],
    ['salt', '1e3'],
    ['salt', '0x5'],
    ['salt', ' 5'],
    ['salt', String(2 ** 53)],
    ['salt', '9'.repeat(17)],
    ['salt', true],
    ['salt', ['5']],
    ['salt', -1],
    ['salt', 1.5],
    ['salt', 2 ** 53],
    ['maker', '0x1'],
    ['signer', null],
    ['tokenId', 5],
    ['tokenId', '0x5'],
    ['tokenId', '05'],
    ['tokenId', '1'.repeat(79)],
    ['makerAmount', '0'],
    ['makerAmount', '1.5'],
    ['makerAmount', '1e6'],
    ['takerAmount', 10000000],
    ['takerAmount', '-1'],
    ['side', 'buy'],
    ['side', 0],
    ['signatureType', 4],
    ['signatureType', '0'],
    ['timestamp', 1792000000123],
    ['timestamp', ''],
    ['expiration', 0],
    ['expiration', '-5'],
    ['metadata', '0x'],
    ['builder', `0x${'g'.repeat(64)}`],
    ['signature', '0x'],
    ['signature', '0xabc'],
    ['signature', 'ab'.repeat(65)],
    ['nonce', '0'],
    ['taker', ORDER.maker],
  ])('unified-schema.md 7 refuses signed_order.%s: %j', (field, value) => {
    expect(refused({ signed_order: { ...ORDER, [field]: value } })).toEqual([`signed_order.${field}`]);
  });

  it.each(Object.keys(ORDER))('unified-schema.md 7 refuses an order without %s', (field) => {
    expect(refused({ signed_order: { ...ORDER, [field]: undefined } })).toEqual([`signed_order.${field}`]);
  });

  it.each(['479249096354', 479249096354, '0', String(Number.MAX_SAFE_INTEGER)])(
    'polymarket.md 7.1 takes the salt %j and has it as a number',
    (salt) => {
      const body = { signed_order: { ...ORDER, salt } };
      expect(refused(body)).toEqual([]);
      expect(plainToInstance(PolymarketOrderDto, body).signed_order?.salt).toBe(Number(salt));
    },
  );

  it.each([undefined, null, 'abc', -1, 2 ** 53])(
    'contract.md 3 says of the salt %j what it should be',
    async (salt) => {
      const checked = validateAs(PolymarketOrderDto, { signed_order: { ...ORDER, salt } });
      const message = 'must be a whole number from 0 to 9007199254740991, as a number or as digits';
      await expect(checked).rejects.toMatchObject({ details: { fields: [{ field: 'signed_order.salt', message }] } });
    },
  );
});

describe('PolymarketOrderDto of plain parameters', () => {
  const PLAIN = { market_id: 'will-it-rain', outcome: 'yes', side: 'buy', price: '0.42', size: '10' };
  const NEEDED = Object.keys(PLAIN);
  const LATER = '2099-11-21T15:00:00Z';

  /** The fields that are refused, with what is said of each. */
  async function told(body: object): Promise<Record<string, string>> {
    const fields = await validateAs(PolymarketOrderDto, body).then(
      () => [],
      (error: unknown) => (error as { details: { fields: { field: string; message: string }[] } }).details.fields,
    );
    return Object.fromEntries(fields.map(({ field, message }) => [field, message]));
  }

  it('contract.md 5.6 takes the least that an order needs, and then it is gtc', async () => {
    expect(await validateAs(PolymarketOrderDto, PLAIN)).toEqual({ ...PLAIN, time_in_force: 'gtc' });
  });

  it.each([
    { outcome: 0 },
    { outcome: 1 },
    { outcome: 'Over 2.5' },
    { outcome: '7'.repeat(78) },
    { market_id: `0x${'a'.repeat(62)}` },
    { market_id: '2901455' },
    { side: 'sell' },
    { price: '0.0001' },
    { size: '10.00' },
    { time_in_force: 'ioc' },
    { time_in_force: 'gtd', expires_at: LATER },
    { post_only: true },
  ])('contract.md 5.6 takes %j', async (change) => {
    expect(await told({ ...PLAIN, ...change })).toEqual({});
  });

  it.each<[field: string, values: unknown[]]>([
    ['market_id', [undefined, '', '.', '../x', 'a/b', 'a%2fb', 'x'.repeat(256), 5, {}, null]],
    ['outcome', [undefined, null, '', 2, -1, 0.5, true, ['yes'], {}, 'x'.repeat(201)]],
    ['side', [undefined, '', 'BUY', 5]],
    ['price', [undefined, 0.42, '0', '1', '-0.1', '.5', '5e-1', '', null]],
    ['size', [undefined, 10, '0', '-1', '1e3', '9'.repeat(65), null]],
    ['time_in_force', ['GTC', 'FAK', null]],
    ['post_only', ['true', null]],
    ['reduce_only', [true]],
    ['client_order_id', ['mine']],
    ['expires_at', [LATER]],
  ])('contract.md 5.6 refuses a bad %s by name', async (field, values) => {
    for (const value of values) {
      const rest = Object.fromEntries(Object.entries(PLAIN).filter(([name]) => name !== field));
      const body = value === undefined ? rest : { ...rest, [field]: value };
      expect([value, Object.keys(await told(body))]).toEqual([value, [field]]);
    }
  });

  it('unified-schema.md 7 gtd needs expires_at', async () => {
    for (const expires_at of [undefined, null, '', 'tomorrow', '2026-11-31T15:00:00Z', 1795186800]) {
      const body = { ...PLAIN, time_in_force: 'gtd', ...(expires_at !== undefined && { expires_at }) };
      expect(Object.keys(await told(body))).toEqual(['expires_at']);
    }
  });

  it('contract.md 5.6 says of a body of neither form what it lacks', async () => {
    const fields = await told({ time_in_force: 'gtc' });
    expect(Object.keys(fields).toSorted()).toEqual([...NEEDED, 'signed_order'].toSorted());
    expect(fields.signed_order).toContain('market_id, outcome, side, price and size');
  });

  it('contract.md 5.6 refuses each plain field beside a signed order, and no other', async () => {
    const time = { time_in_force: 'gtd', expires_at: LATER };
    const fields = await told({ signed_order: ORDER, ...PLAIN, ...time });
    expect(Object.keys(fields).toSorted()).toEqual([...NEEDED, 'expires_at'].toSorted());
    expect(new Set(Object.values(fields))).toEqual(new Set(['must be left out beside signed_order']));
    expect(await told({ signed_order: ORDER, price: '0.42' })).toEqual({
      price: 'must be left out beside signed_order',
    });
    expect(await told({ signed_order: null, ...PLAIN })).not.toEqual({});
  });
});
