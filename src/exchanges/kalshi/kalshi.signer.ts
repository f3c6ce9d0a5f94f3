import { constants, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { promisify } from 'node:util';
import { z } from 'zod';
import type { Secret } from '../../platform/secrets/secret.js';

/** Both run in the thread pool: signing with a long key holds up nobody else (S-53). */
const signInPool = promisify(sign);
const verifyInPool = promisify(verify);

/** Room for an RSA key of 4096 bits with its line breaks escaped. */
export const LONGEST_KEY = 8_192;

const LEAST_RSA_BITS = 2_048;
const MOST_RSA_BITS = 4_096;
const LEAST_EXPONENT = 3n;
const MOST_EXPONENT = 2n ** 32n;

const PSS = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST } as const;
const PROBE = Buffer.from('probe of a private key', 'utf8');

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

  /** `privateKey` is a PEM, or what `fastForm` made of it. Throws where it is not one that `isSigningKey` accepts. */
  constructor(
    private readonly accessKey: Secret,
    privateKey: Secret,
  ) {
    const text = privateKey.reveal();
    const key = text.startsWith('{') ? parseFastForm(text) : parseSigningKey(text);
    if (key === null) throw new TypeError('the stored private key cannot sign');
    this.#key = key;
  }

  /** Rejects where the parts of the key do not fit each other. */
  async sign({ method, path }: UnsignedRequest, at: Date): Promise<KalshiHeaders> {
    const timestamp = String(at.getTime());
    const message = Buffer.from(`${timestamp}${method.toUpperCase()}${path}`, 'utf8');
    return {
      'KALSHI-ACCESS-KEY': this.accessKey.reveal(),
      'KALSHI-ACCESS-SIGNATURE': (await signature(this.#key, message)).toString('base64'),
      'KALSHI-ACCESS-TIMESTAMP': timestamp,
    };
  }
}

/**
 * Whether a text is a private key that Kalshi takes: PEM, unencrypted, RSA of 2048 to 4096 bits with an odd public exponent
 * of at most 2^32, or Ed25519 (S-54). Nothing is computed with the key.
 */
export function isSigningKey(text: string): boolean {
  return parseSigningKey(text) !== null;
}

/** Whether such a key signs what its own public half verifies: one whose parts do not fit each other does not (S-54). */
export async function canSign(text: string): Promise<boolean> {
  const key = parseSigningKey(text);
  return key !== null && signsFor(key, key);
}

/**
 * The same key as a JWK (RFC 7517), which imports in a thirtieth of the time of a PEM. Null where that does not sign as the PEM
 * does, which then has to serve as it is.
 */
export async function fastForm(text: string): Promise<string | null> {
  const key = parseSigningKey(text);
  if (key === null) return null;
  const fast = JSON.stringify(key.export({ format: 'jwk' }));
  const imported = parseFastForm(fast);
  return imported !== null && (await signsFor(imported, key)) ? fast : null;
}

/** Whether what one key signs is verified by the public half of the other. */
async function signsFor(signing: KeyObject, owner: KeyObject): Promise<boolean> {
  try {
    const publicKey = createPublicKey(owner);
    const signed = await signature(signing, PROBE);
    const options = isEd25519(owner) ? publicKey : { key: publicKey, ...PSS };
    return await verifyInPool(algorithmOf(owner), PROBE, options, signed);
  } catch {
    return false;
  }
}

function signature(key: KeyObject, message: Buffer): Promise<Buffer> {
  return signInPool(algorithmOf(key), message, isEd25519(key) ? key : { key, ...PSS });
}

function isEd25519({ asymmetricKeyType }: KeyObject): boolean {
  return asymmetricKeyType === 'ed25519';
}

/** Ed25519 has its own. */
function algorithmOf(key: KeyObject): 'sha256' | null {
  return isEd25519(key) ? null : 'sha256';
}

function parseSigningKey(text: string): KeyObject | null {
  if (text.length > LONGEST_KEY) return null;
  const pem = normalisePem(text);
  if (pem === null) return null;
  try {
    const key = createPrivateKey({ key: pem, format: 'pem' });
    return isAllowed(key) ? key : null;
  } catch {
    return null;
  }
}

const FAST_FORM = z.record(z.string(), z.string());

function parseFastForm(text: string): KeyObject | null {
  try {
    const key = createPrivateKey({ key: FAST_FORM.parse(JSON.parse(text)), format: 'jwk' });
    return isAllowed(key) ? key : null;
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

function isAllowed(key: KeyObject): boolean {
  if (isEd25519(key)) return true;
  const { modulusLength: bits = 0, publicExponent: exponent = 0n } = key.asymmetricKeyDetails ?? {};
  const isGoodSize = bits >= LEAST_RSA_BITS && bits <= MOST_RSA_BITS;
  const isGoodExponent = exponent >= LEAST_EXPONENT && exponent <= MOST_EXPONENT && exponent % 2n === 1n;
  return key.asymmetricKeyType === 'rsa' && isGoodSize && isGoodExponent;
}
