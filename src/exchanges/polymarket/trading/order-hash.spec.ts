import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { fitsWord, type HashedOrder, orderHash } from './order-hash.js';

interface Published {
  readonly polymarket: {
    readonly v2_orders: readonly {
      readonly name: string;
      readonly eip712_hash: string;
      readonly typed_data_domain: { readonly verifyingContract: string };
      readonly post_order_body: { readonly order: HashedOrder };
    }[];
  };
}

const NEG_RISK_CONTRACT = '0xe2222d279d744050d28e00520010520000310F59';
const file = new URL('../../../../test/vectors/exchange-vectors.json', import.meta.url);
const { v2_orders: orders } = (JSON.parse(readFileSync(file, 'utf8')) as Published).polymarket;
const [first] = orders;
if (first === undefined) throw new Error('There are no vectors.');
const known = first.post_order_body.order;

describe('orderHash', () => {
  it.each(orders.map((vector) => [vector.name, vector] as const))(
    'polymarket.md 3 gives the published hash of %s',
    (_name, { typed_data_domain: domain, post_order_body: { order }, eip712_hash: hash }) => {
      expect(orderHash(order, domain.verifyingContract === NEG_RISK_CONTRACT)).toBe(hash);
    },
  );

  it.each([
    ['salt', { salt: known.salt + 1 }],
    ['maker', { maker: `0x${'1'.repeat(40)}` }],
    ['signer', { signer: `0x${'1'.repeat(40)}` }],
    ['tokenId', { tokenId: '1' }],
    ['makerAmount', { makerAmount: '5200001' }],
    ['takerAmount', { takerAmount: '10000001' }],
    ['side', { side: 'SELL' }],
    ['signatureType', { signatureType: 1 }],
    ['timestamp', { timestamp: '1792000000124' }],
    ['metadata', { metadata: `0x${'0'.repeat(63)}1` }],
    ['builder', { builder: `0x${'0'.repeat(63)}1` }],
  ] as const)('polymarket.md 3 depends on %s', (_field, change) => {
    expect(orderHash({ ...known, ...change }, false)).not.toBe(orderHash(known, false));
  });

  it('polymarket.md 3 depends on the contract that settles the market', () => {
    expect(orderHash(known, true)).not.toBe(orderHash(known, false));
  });

  it('polymarket.md 2 does not care how addresses are spelt', () => {
    expect(orderHash({ ...known, maker: known.maker.toLowerCase() }, false)).toBe(first.eip712_hash);
  });

  it('polymarket.md 3 takes the largest word and refuses the next number', () => {
    const largest = (2n ** 256n - 1n).toString();
    const beyond = (2n ** 256n).toString();
    expect(orderHash({ ...known, tokenId: largest }, false)).toMatch(/^0x[0-9a-f]{64}$/);
    expect([fitsWord(largest), fitsWord(beyond)]).toEqual([true, false]);
    expect(() => orderHash({ ...known, tokenId: beyond }, false)).toThrow(RangeError);
  });
});
