import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { bytesToHex } from '@noble/hashes/utils.js';
import { Secret } from '../../../platform/secrets/secret.js';
import { clobAuthDigest, clobAuthHeaders } from './clob-auth.js';

type Who = 'owner' | 'session';

interface Vectors {
  readonly keys_TEST_ONLY: Readonly<Record<Who, { private_key: string; address: string }>>;
  readonly l1_clob_auth: Readonly<Record<Who, { digest: string; headers: Record<string, string> }>>;
}

const vectors = JSON.parse(readFileSync('test/vectors/vectors-polymarket-2026.json', 'utf8')) as Vectors;

describe('polymarket.md 11.2 the signature of a key for itself', () => {
  it.each<Who>(['owner', 'session'])('is that of the vectors for the %s, at any time of its second', (who) => {
    const { private_key, address } = vectors.keys_TEST_ONLY[who];
    const { digest, headers } = vectors.l1_clob_auth[who];
    const timestamp = headers.POLY_TIMESTAMP ?? '';
    expect(`0x${bytesToHex(clobAuthDigest(address, timestamp))}`).toBe(digest);
    for (const ms of [0, 999]) {
      const at = new Date(Number(timestamp) * 1_000 + ms);
      expect(clobAuthHeaders({ address, privateKey: new Secret(private_key) }, at)).toEqual(headers);
    }
  });
});
