import { describe, expect, it } from '@jest/globals';
import { hexToBytes } from '@noble/hashes/utils.js';
import { readFileSync } from 'node:fs';
import { DOMAINS, type OrderDomain } from './order-domains.js';
import { type HashedOrder, orderHash } from './order-hash.js';
import { sessionSignature } from './session-signature.js';

type Name = 'v1_standard' | 'v1_neg_risk' | 'v2';

interface Published {
  readonly keys_TEST_ONLY: { readonly session: { readonly private_key: string; readonly address: string } };
  readonly orders: readonly {
    readonly name: string;
    readonly domain: Name;
    readonly order_hash: string;
    readonly signature: string;
    readonly post_order_body: { readonly order: HashedOrder };
  }[];
}

const file = new URL('../../../../test/vectors/vectors-polymarket-2026.json', import.meta.url);
const { keys_TEST_ONLY: keys, orders } = JSON.parse(readFileSync(file, 'utf8')) as Published;
const OURS: Readonly<Record<Name, OrderDomain>> = {
  v1_standard: DOMAINS.v1Standard,
  v1_neg_risk: DOMAINS.v1NegRisk,
  v2: DOMAINS.v2,
};
const BY_SESSION = orders.filter(({ name }) => name.includes('session'));

const key = {
  address: keys.session.address,
  withPrivateKey: <T>(use: (privateKey: Uint8Array) => T): T => use(hexToBytes(keys.session.private_key.slice(2))),
};

describe('sessionSignature', () => {
  it('knows the published orders of session keys, of all three contracts', () => {
    expect(new Set(BY_SESSION.map(({ domain }) => domain)).size).toBe(3);
    expect(BY_SESSION).toHaveLength(4);
  });

  it.each(BY_SESSION.map((vector) => [vector.name, vector] as const))(
    'polymarket.md 11.2 signs %s byte for byte',
    (_name, { domain, order_hash: hash, signature, post_order_body: { order } }) => {
      expect(sessionSignature(order, OURS[domain], key)).toBe(signature);
      expect(orderHash(order, OURS[domain])).toBe(hash);
    },
  );

  it('contract.md 5.6 opens the key once for a signature', () => {
    const [
      {
        domain,
        post_order_body: { order },
      },
    ] = BY_SESSION as [(typeof BY_SESSION)[number]];
    let opened = 0;
    const counting = {
      ...key,
      withPrivateKey: <T>(use: (privateKey: Uint8Array) => T): T => {
        opened += 1;
        return key.withPrivateKey(use);
      },
    };
    sessionSignature(order, OURS[domain], counting);
    expect(opened).toBe(1);
  });
});
