import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type published from '../../../test/vectors/exchange-vectors.json';
import { checksum, proxyWalletOf, recoverSigner, safeWalletOf } from './address.js';
import { fromHex } from './hex.js';
import { l2Headers, l2Signature } from './l2-signature.js';
import { clobAuthDigest, depositWalletDigest, type OrderStruct, orderDigest, orderHash } from './typed-data.js';
import { SandboxWallet, type WireOrder } from './wallet.js';

const file = new URL('../../../test/vectors/exchange-vectors.json', import.meta.url);
const vectors = JSON.parse(readFileSync(file, 'utf8')) as typeof published;
const { l2_hmac, l2_headers_example, l1_clob_auth_example, v2_orders } = vectors.polymarket;
const wallet = SandboxWallet.fromPrivateKey(l1_clob_auth_example.private_key_TEST_ONLY);
const NEG_RISK = '0xe2222d279d744050d28e00520010520000310F59';

function asStruct(order: (typeof v2_orders)[number]['post_order_body']['order']): OrderStruct {
  return { ...order, side: order.side === 'BUY' ? 'BUY' : 'SELL' };
}

describe('L2 signatures (polymarket.md 3)', () => {
  it.each(l2_hmac.vectors.map((vector) => [vector.name, vector] as const))('matches the vector %s', (_name, vector) => {
    const call = { method: vector.method, path: vector.request_path, body: vector.body ?? '' };
    expect(l2Signature(vector.secret, vector.timestamp, call)).toBe(vector.signature);
  });

  it('builds the five headers of the published example', () => {
    const { key, secret, passphrase } = l2_hmac.credentials;
    const credentials = { address: wallet.address, apiKey: key, secret, passphrase };
    const call = { method: 'GET', path: '/data/orders', body: '' };
    expect(l2Headers(credentials, call, 1_792_000_000)).toEqual(l2_headers_example.headers);
  });
});

describe('L1 signatures (polymarket.md 3)', () => {
  it('signs ClobAuth exactly as the published example', () => {
    const { timestamp, nonce, headers } = l1_clob_auth_example;
    expect(wallet.l1Headers(Number(timestamp), nonce)).toEqual(headers);
  });

  it('recovers the signing wallet, and another one when a signed part changes', () => {
    const signature = fromHex(l1_clob_auth_example.headers.POLY_SIGNATURE);
    expect(recoverSigner(clobAuthDigest(wallet.address, '1792000000', 0n), signature)).toBe(wallet.address);
    expect(recoverSigner(clobAuthDigest(wallet.address, '1792000000', 1n), signature)).not.toBe(wallet.address);
  });
});

describe('V2 orders (polymarket.md 3)', () => {
  it.each(v2_orders.map((vector) => [vector.name, vector] as const))('hashes %s as published', (_name, vector) => {
    const negRisk = vector.typed_data_domain.verifyingContract === NEG_RISK;
    expect(orderHash(asStruct(vector.post_order_body.order), negRisk)).toBe(vector.eip712_hash);
  });

  it.each(v2_orders.map((vector) => [vector.name, vector] as const))('signs %s byte for byte', (_name, vector) => {
    const { order } = vector.post_order_body;
    const terms = {
      tokenId: order.tokenId,
      side: asStruct(order).side,
      price: '0.52',
      size: '10',
      expiration: order.expiration,
      negRisk: vector.typed_data_domain.verifyingContract === NEG_RISK,
    };
    const signed: WireOrder = wallet.signOrder(terms, { salt: order.salt, timestamp: order.timestamp });
    expect(JSON.stringify(signed)).toBe(JSON.stringify(order));
  });

  it('refuses to recover a signer from a malleable or cut signature', () => {
    const order = wallet.signOrder({ tokenId: '1', side: 'BUY', price: '0.5', size: '10' });
    const digest = orderDigest(order, 'v1');
    const bytes = fromHex(order.signature);
    expect(recoverSigner(digest, bytes)).toBe(wallet.address);
    expect(recoverSigner(digest, bytes.slice(0, 64))).toBeUndefined();
    const curveOrder = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
    const high = curveOrder - BigInt(`0x${order.signature.slice(66, 130)}`);
    const flipped = order.signature.endsWith('1b') ? '1c' : '1b';
    const twin = `${order.signature.slice(0, 66)}${high.toString(16).padStart(64, '0')}${flipped}`;
    expect(recoverSigner(digest, fromHex(twin))).toBeUndefined();
  });

  it('wraps the signature of a deposit wallet as the official client does (type 3)', () => {
    const order = wallet.signOrder({ tokenId: '1', side: 'BUY', price: '0.5', size: '10', signatureType: 3 });
    const bytes = fromHex(order.signature);
    expect(order.signer).toBe(order.maker);
    expect(order.maker).not.toBe(wallet.address);
    expect(bytes).toHaveLength(65 + 32 + 32 + 186 + 2);
    expect(recoverSigner(depositWalletDigest(order, 'v1'), bytes.slice(0, 65))).toBe(wallet.address);
  });

  it('refuses terms whose money cannot be said in six decimals', () => {
    expect(() => wallet.signOrder({ tokenId: '1', side: 'BUY', price: '0.0001', size: '0.005' })).toThrow(RangeError);
  });
});

describe('addresses', () => {
  it('spells addresses in EIP-55', () => {
    expect(checksum('0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266')).toBe('0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266');
  });

  it('derives the proxy wallet and the safe of an owner as the factories on Polygon do', () => {
    expect(proxyWalletOf(wallet.address)).toBe('0x365f0CA36Ae1f641E02fE3B7743673da42A13A70');
    expect(safeWalletOf(wallet.address)).toBe('0xd93B25cb943D14d0d34FBaF01Fc93a0f8b5F6E47');
  });
});
