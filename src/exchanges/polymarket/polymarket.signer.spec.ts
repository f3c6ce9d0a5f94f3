import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { Secret } from '../../platform/secrets/secret.js';
import { PolymarketSigner } from './polymarket.signer.js';

interface Vector {
  readonly name: string;
  readonly secret: string;
  readonly timestamp: string;
  readonly method: string;
  readonly request_path: string;
  readonly body: string | null;
  readonly signature: string;
  readonly negative?: boolean;
}

interface Published {
  readonly polymarket: {
    readonly l2_hmac: {
      readonly credentials: { readonly key: string; readonly secret: string; readonly passphrase: string };
      readonly vectors: readonly Vector[];
    };
    readonly l2_headers_example: { readonly headers: Readonly<Record<string, string>> };
  };
}

const file = new URL('../../../test/vectors/exchange-vectors.json', import.meta.url);
const { polymarket } = JSON.parse(readFileSync(file, 'utf8')) as Published;
const { credentials, vectors } = polymarket.l2_hmac;
const example = polymarket.l2_headers_example.headers;

function signer(secret: string): PolymarketSigner {
  return new PolymarketSigner({
    address: new Secret(example.POLY_ADDRESS ?? ''),
    apiKey: new Secret(credentials.key),
    secret: new Secret(secret),
    passphrase: new Secret(credentials.passphrase),
  });
}

describe('PolymarketSigner', () => {
  it.each(vectors.map((vector) => [vector.name, vector] as const))(
    'polymarket.md 3 signs the published vector %s',
    (_name, { secret, timestamp, method, request_path: path, body, signature }) => {
      const call = { method, path, ...(body === null ? {} : { body }) };
      const headers = signer(secret).sign(call, new Date(Number(timestamp) * 1_000));
      expect(headers).toMatchObject({ POLY_SIGNATURE: signature, POLY_TIMESTAMP: timestamp });
    },
  );

  it('polymarket.md 3 makes exactly the five published headers', () => {
    const headers = signer(credentials.secret).sign(
      { method: 'GET', path: '/data/orders' },
      new Date(1_792_000_000_999),
    );
    expect(headers).toEqual(example);
  });

  it('polymarket.md 3 signs an empty body as no body', () => {
    const at = new Date(1_792_000_000_000);
    const { sign } = { sign: (body?: string) => signer(credentials.secret).sign(withBody(body), at) };
    expect(sign('')).toEqual(sign());
    expect(sign('{}')).not.toEqual(sign());
  });
});

function withBody(body: string | undefined): { method: string; path: string; body?: string } {
  return { method: 'DELETE', path: '/cancel-all', ...(body === undefined ? {} : { body }) };
}
