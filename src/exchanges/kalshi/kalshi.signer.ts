import { constants, createPrivateKey, type KeyObject, sign } from 'node:crypto';
import type { Secret } from '../../platform/crypto/secret.js';

const LEAST_RSA_BITS = 2048;

/** What is signed of a call: `path` from the host root, percent-encoded, without the query (kalshi.md 2). */
export interface UnsignedRequest {
  readonly method: string;
  readonly path: string;
}

/** The three headers of a signed call. */
export type KalshiHeaders = Readonly<
  Record<'KALSHI-ACCESS-KEY' | 'KALSHI-ACCESS-SIGNATURE' | 'KALSHI-ACCESS-TIMESTAMP', string>
>;

/**
 * Signs calls as Kalshi demands (kalshi.md 2): RSA-PSS with SHA-256 and a salt as long as the digest, or Ed25519, by the
 * kind of the key. Pure: the time is given, nothing is kept but the parsed key.
 */
export class KalshiSigner {
  readonly #key: KeyObject;

  /** Throws where `privateKey` is not one that `isSigningKey` accepts. */
  constructor(
    private readonly accessKey: Secret,
    privateKey: Secret,
  ) {
    const key = parseSigningKey(privateKey.reveal());
    if (key === null) throw new TypeError('the stored private key cannot sign');
    this.#key = key;
  }

  sign({ method, path }: UnsignedRequest, at: Date): KalshiHeaders {
    const timestamp = String(at.getTime());
    const message = Buffer.from(`${timestamp}${method.toUpperCase()}${path}`, 'utf8');
    return {
      'KALSHI-ACCESS-KEY': this.accessKey.reveal(),
      'KALSHI-ACCESS-SIGNATURE': signature(this.#key, message).toString('base64'),
      'KALSHI-ACCESS-TIMESTAMP': timestamp,
    };
  }
}

/** Whether a text is a private key that Kalshi takes: PEM, unencrypted, RSA of 2048 bits or more, or Ed25519. */
export function isSigningKey(text: string): boolean {
  return parseSigningKey(text) !== null;
}

function signature(key: KeyObject, message: Buffer): Buffer {
  if (key.asymmetricKeyType === 'ed25519') return sign(null, message, key);
  return sign('sha256', message, {
    key,
    padding: constants.RSA_PKCS1_PSS_PADDING,
    saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
  });
}

function parseSigningKey(text: string): KeyObject | null {
  const pem = normalisePem(text);
  if (pem === null) return null;
  try {
    const key = createPrivateKey({ key: pem, format: 'pem' });
    return isStrongEnough(key) ? key : null;
  } catch {
    return null;
  }
}

/** Exactly one private key in PEM, with `\n` escapes, CRLF or lost line breaks put right; null for anything else. */
function normalisePem(text: string): string | null {
  const plain = text.replace(/\\r/g, '').replace(/\\n/g, '\n').trim();
  const match = /^-----BEGIN ((?:RSA )?PRIVATE KEY)-----\s([A-Za-z0-9+/=\s]+)-----END \1-----$/.exec(plain);
  const lines = match?.[2]?.replace(/\s+/g, '').match(/.{1,64}/g);
  const label = match?.[1];
  if (label === undefined || !lines) return null;
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}

function isStrongEnough(key: KeyObject): boolean {
  if (key.asymmetricKeyType === 'ed25519') return true;
  return key.asymmetricKeyType === 'rsa' && (key.asymmetricKeyDetails?.modulusLength ?? 0) >= LEAST_RSA_BITS;
}
