import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { bytesToHex } from '@noble/hashes/utils.js';
import { Secret } from '../../platform/secrets/secret.js';
import { builderHeaders } from './builder.signer.js';
import { calldataOf, signedBody, walletCall, walletCallDigest } from './wallet-call.js';

interface SignedVector {
  readonly now: number;
  readonly nonce: string;
  readonly call: { readonly data: string };
  readonly digest: string;
  readonly body: { readonly validUntil?: string; readonly deadline: string };
  readonly request: {
    readonly request_path: string;
    readonly body: string;
    readonly headers: Record<string, string>;
  };
}

interface Vectors {
  readonly keys_TEST_ONLY: Readonly<Record<'owner' | 'session', { private_key: string; address: string }>>;
  readonly wallets: { readonly deposit: string };
  readonly credentials: { readonly builder: { key: string; secret: string; passphrase: string } };
  readonly session_keys: { readonly authorise: SignedVector; readonly revoke: SignedVector };
}

const vectors = JSON.parse(readFileSync('test/vectors/vectors-polymarket-2026.json', 'utf8')) as Vectors;
const { keys_TEST_ONLY: KEYS, wallets, credentials, session_keys: SIGNED } = vectors;

describe('polymarket.md 11.1 what an owner signs', () => {
  it.each([
    ['authorize', SIGNED.authorise],
    ['revoke', SIGNED.revoke],
  ] as const)('to %s a session key is that of the vectors, byte for byte', (action, vector) => {
    const { now, nonce } = vector;
    const of = { wallet: wallets.deposit, session: KEYS.session.address, nonce };
    const call = walletCall(action, of, new Date(now * 1_000 + 999));
    expect(call.validUntil).toBe(action === 'authorize' ? Number(vector.body.validUntil) : null);
    expect(call.deadline).toBe(Number(vector.body.deadline));
    expect(`0x${bytesToHex(calldataOf(call))}`).toBe(vector.call.data);
    expect(`0x${bytesToHex(walletCallDigest(call))}`).toBe(vector.digest);
    expect(signedBody(call, new Secret(KEYS.owner.private_key))).toBe(vector.request.body);
  });

  it.each([
    ['authorise', SIGNED.authorise],
    ['revoke', SIGNED.revoke],
  ])('is sent to %s under the headers of the vectors', (_, { request, now }) => {
    const { key, secret, passphrase } = credentials.builder;
    const builder = { apiKey: new Secret(key), secret: new Secret(secret), passphrase: new Secret(passphrase) };
    const call = { method: 'POST', path: request.request_path, body: request.body };
    expect(builderHeaders(builder, call, new Date(now * 1_000 + 500))).toEqual(request.headers);
  });
});
