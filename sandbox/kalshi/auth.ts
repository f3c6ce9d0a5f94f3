import { constants, type KeyObject, verify } from 'node:crypto';
import { type AccountCall, type Route, type Routes, signedRoutes } from '../wire/router.js';
import { type WireRequest } from '../wire/server.js';
import { type Account } from './account.js';
import { refusal } from './refusals.js';

/** How far a request's timestamp may lie from the exchange's clock, either way (kalshi.md 2: 10 s pass, 30 s do not). */
const TOLERANCE_MS = 15_000;

/** The public keys that members have registered, by key id. */
export class KeyRing {
  readonly #keys = new Map<string, { publicKey: KeyObject; account: Account }>();

  register(accessKey: string, publicKey: KeyObject, account: Account): void {
    this.#keys.set(accessKey, { publicKey, account });
  }

  /** The key of an id and whose it is. */
  find(accessKey: string): { publicKey: KeyObject; account: Account } | undefined {
    return this.#keys.get(accessKey);
  }

  /** The member who signed a request (kalshi.md 2), or a 401 refusal: headers, then clock, then key, then signature. */
  authenticate(request: WireRequest): Account {
    const accessKey = header(request, 'kalshi-access-key');
    const timestamp = header(request, 'kalshi-access-timestamp');
    const signature = header(request, 'kalshi-access-signature');
    if (!/^\d{1,15}$/.test(timestamp) || Math.abs(Number(timestamp) - request.receivedAt.getTime()) > TOLERANCE_MS)
      throw refusal(401, 'header_timestamp_expired');
    const key = this.#keys.get(accessKey);
    if (key === undefined) throw refusal(401, 'authentication_error', 'NOT_FOUND');
    if (!isSignedBy(key.publicKey, `${timestamp}${request.method}${request.path}`, signature))
      throw refusal(401, 'authentication_error', 'INCORRECT_API_KEY_SIGNATURE');
    return key.account;
  }
}

/** A call that a member signed. */
export type SignedCall = AccountCall<Account>;

/** Routes for members alone. */
export function signed(keys: KeyRing, routes: Routes<SignedCall>): Record<string, Route> {
  return signedRoutes((request) => keys.authenticate(request), routes);
}

/** RSA: PSS with SHA-256 and a salt of exactly 32 bytes; Ed25519: the message itself. Standard base64 only. */
function isSignedBy(publicKey: KeyObject, message: string, signature: string): boolean {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(signature) || signature.length % 4 !== 0) return false;
  const bytes = Buffer.from(signature, 'base64');
  const data = Buffer.from(message, 'utf8');
  if (publicKey.asymmetricKeyType === 'ed25519') return verify(null, data, publicKey, bytes);
  const options = { key: publicKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 };
  return verify('RSA-SHA256', data, options, bytes);
}

function header(request: WireRequest, name: string): string {
  const value = request.headers[name];
  if (typeof value !== 'string' || value === '') throw refusal(401, 'signature_is_missing_from_headers');
  return value;
}
