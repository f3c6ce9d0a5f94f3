import type { Secret } from '../../platform/secrets/secret.js';
import { callSignature, type UnsignedCall } from '../../exchanges/polymarket/polymarket.signer.js';

/** A Builder API key of polymarket.com, which alone may have session keys authorised and revoked (polymarket.md 11). */
export interface BuilderCredentials {
  readonly apiKey: Secret;
  /** Base64. */
  readonly secret: Secret;
  readonly passphrase: Secret;
}

/** Returns the four headers of a builder's call, signed as L2 calls are, for the whole second that `at` lies in. */
export function builderHeaders(
  { apiKey, secret, passphrase }: BuilderCredentials,
  call: UnsignedCall,
  at: Date,
): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  return {
    POLY_BUILDER_API_KEY: apiKey.reveal(),
    POLY_BUILDER_PASSPHRASE: passphrase.reveal(),
    POLY_BUILDER_SIGNATURE: callSignature(secret, timestamp, call),
    POLY_BUILDER_TIMESTAMP: timestamp,
  };
}
