import { createHmac, timingSafeEqual } from 'node:crypto';

/** API credentials of a wallet (L2). `secret` is base64, `address` the wallet that made them. */
export interface ApiCredentials {
  address: string;
  apiKey: string;
  secret: string;
  passphrase: string;
}

/** What an L2 signature covers: the path without the query and the body exactly as sent (polymarket.md 3). */
export interface SignedCall {
  method: string;
  path: string;
  body: string;
}

/** The value of POLY_SIGNATURE: HMAC-SHA256 in URL-safe base64 with padding; `timestamp` in seconds as digits. */
export function l2Signature(secret: string, timestamp: string, call: SignedCall): string {
  const key = Buffer.from(secret.replaceAll('-', '+').replaceAll('_', '/'), 'base64');
  const message = timestamp + call.method + call.path + call.body;
  return createHmac('sha256', key).update(message, 'utf8').digest('base64').replaceAll('+', '-').replaceAll('/', '_');
}

/** The five headers of a private call. */
export function l2Headers(
  credentials: ApiCredentials,
  call: SignedCall,
  timestamp = Math.floor(Date.now() / 1000),
): Record<string, string> {
  return {
    POLY_ADDRESS: credentials.address,
    POLY_SIGNATURE: l2Signature(credentials.secret, String(timestamp), call),
    POLY_TIMESTAMP: String(timestamp),
    POLY_API_KEY: credentials.apiKey,
    POLY_PASSPHRASE: credentials.passphrase,
  };
}

/** Compares two texts in a time that does not depend on their content. */
export function sameText(one: string, other: string): boolean {
  const left = Buffer.from(one, 'utf8');
  const right = Buffer.from(other, 'utf8');
  return left.length === right.length && timingSafeEqual(left, right);
}
