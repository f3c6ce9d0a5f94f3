import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { fitsWord } from '../position-ids.js';
import { domainOf, DOMAINS } from './order-domains.js';
import { type HashedOrder, orderHash, structHash } from './order-hash.js';

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

type Name = 'v1_standard' | 'v1_neg_risk' | 'v2';

interface Published2026 {
  readonly domains: Readonly<Record<Name, { readonly separator: string; readonly verifyingContract: string }>>;
  readonly orders: readonly {
    readonly name: string;
    readonly domain: Name;
    readonly order_hash: string;
    readonly struct_hash: string;
    readonly post_order_body: { readonly order: HashedOrder };
  }[];
  readonly wrong_domain_gives_other_hash: Readonly<
    Record<'correct_v2' | 'under_v1_standard' | 'under_v1_neg_risk', string>
  >;
}

function vectors(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`../../../../test/vectors/${name}.json`, import.meta.url), 'utf8'));
}

const { v2_orders: orders } = (vectors('exchange-vectors') as Published).polymarket;
const of2026 = vectors('vectors-polymarket-2026') as Published2026;
const OURS = { v1_standard: DOMAINS.v1Standard, v1_neg_risk: DOMAINS.v1NegRisk, v2: DOMAINS.v2 };
const NEG_RISK_CONTRACT = of2026.domains.v1_neg_risk.verifyingContract;
const [first] = orders;
if (first === undefined) throw new Error('There are no vectors.');
const known = first.post_order_body.order;

describe('orderHash', () => {
  it.each(orders.map((vector) => [vector.name, vector] as const))(
    'polymarket.md 3 gives the published hash of %s',
    (_name, { typed_data_domain: domain, post_order_body: { order }, eip712_hash: hash }) => {
      const negRisk = domain.verifyingContract === NEG_RISK_CONTRACT;
      expect(orderHash(order, domainOf({ protocol: 'v1', negRisk }))).toBe(hash);
    },
  );

  it.each(of2026.orders.map((vector) => [vector.name, vector] as const))(
    'polymarket.md 3.3 gives the published hash of %s',
    (_name, { domain, post_order_body: { order }, order_hash: hash, struct_hash: struct }) => {
      expect(orderHash(order, OURS[domain])).toBe(hash);
      expect(`0x${Buffer.from(structHash(order)).toString('hex')}`).toBe(struct);
    },
  );

  it.each(Object.entries(OURS))('polymarket.md 3.3 has the published separator of %s', (name, { separator }) => {
    expect(`0x${separator}`).toBe(of2026.domains[name as Name].separator);
  });

  it('polymarket.md 3.3 names one order otherwise under each domain', () => {
    const order = of2026.orders.find(({ name }) => name === 'v2-eoa-buy')?.post_order_body.order ?? known;
    const { correct_v2, under_v1_standard, under_v1_neg_risk } = of2026.wrong_domain_gives_other_hash;
    const hashes = [DOMAINS.v2, DOMAINS.v1Standard, DOMAINS.v1NegRisk].map((domain) => orderHash(order, domain));
    expect(hashes).toEqual([correct_v2, under_v1_standard, under_v1_neg_risk]);
  });

  it.each([true, false])('polymarket.md 3.3 has one contract for V2 markets, neg-risk or not: %s', (negRisk) => {
    expect(domainOf({ protocol: 'v2', negRisk })).toBe(DOMAINS.v2);
  });

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
    expect(orderHash({ ...known, ...change }, DOMAINS.v1Standard)).not.toBe(orderHash(known, DOMAINS.v1Standard));
  });

  it('polymarket.md 3 depends on the contract that settles the market', () => {
    expect(orderHash(known, DOMAINS.v1NegRisk)).not.toBe(orderHash(known, DOMAINS.v1Standard));
  });

  it('polymarket.md 2 does not care how addresses are spelt', () => {
    expect(orderHash({ ...known, maker: known.maker.toLowerCase() }, DOMAINS.v1Standard)).toBe(first.eip712_hash);
  });

  it('polymarket.md 3 takes the largest word and refuses the next number', () => {
    const largest = (2n ** 256n - 1n).toString();
    const beyond = (2n ** 256n).toString();
    expect(orderHash({ ...known, tokenId: largest }, DOMAINS.v2)).toMatch(/^0x[0-9a-f]{64}$/);
    expect([fitsWord(largest), fitsWord(beyond)]).toEqual([true, false]);
    expect(() => orderHash({ ...known, tokenId: beyond }, DOMAINS.v2)).toThrow(RangeError);
  });
});
