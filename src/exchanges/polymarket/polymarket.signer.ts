import { createHmac } from 'node:crypto';
import type { Secret } from '../../platform/secrets/secret.js';

/** What the exchange issued to a wallet for its private calls; `address` is the wallet that made them (polymarket.md 3). */
export interface ApiCredentials {
  readonly address: Secret;
  readonly apiKey: Secret;
  /** Base64 of either alphabet, with or without padding. */
  readonly secret: Secret;
  readonly passphrase: Secret;
}

/** A private call before it is signed: the path without the query, the body exactly as it will be sent. */
export interface UnsignedCall {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
}

/**
 * Signs private CLOB calls (L2, polymarket.md 3): HMAC-SHA256 over seconds, method, path and body, in URL-safe base64 that
 * keeps its padding. Pure: no clock, no network.
 */
export class PolymarketSigner {
  constructor(private readonly credentials: ApiCredentials) {}

  /** The five headers of the call, signed for the whole second that `at` lies in. */
  sign(call: UnsignedCall, at: Date): Record<string, string> {
    const timestamp = String(Math.floor(at.getTime() / 1000));
    const { address, apiKey, secret, passphrase } = this.credentials;
    return {
      POLY_ADDRESS: address.reveal(),
      POLY_SIGNATURE: callSignature(secret, timestamp, call),
      POLY_TIMESTAMP: timestamp,
      POLY_API_KEY: apiKey.reveal(),
      POLY_PASSPHRASE: passphrase.reveal(),
    };
  }
}

/** Returns what proves that a call, made at `timestamp` in Unix seconds, is that of the holder of a secret. */
export function callSignature(secret: Secret, timestamp: string, { method, path, body = '' }: UnsignedCall): string {
  // Node's decoder takes both alphabets and does without padding.
  const key = Buffer.from(secret.reveal(), 'base64');
  const digest = createHmac('sha256', key).update(`${timestamp}${method}${path}${body}`, 'utf8').digest('base64');
  key.fill(0);
  return digest.replaceAll('+', '-').replaceAll('/', '_');
}
