import { constants, type KeyObject, verify } from 'node:crypto';
import { type Call, type Route, type Routes } from '../wire/router.js';
import { type WireRequest } from '../wire/server.js';
import { type Account } from './account.js';
import { type Demand, isGranted, type Scope } from './keys/scopes.js';
import { refusal, restricted } from './refusals.js';

/** How far a request's timestamp may lie from the exchange's clock, either way (kalshi.md 2: 10 s pass, 30 s do not). */
const TOLERANCE_MS = 15_000;

/** A key that a member has registered. */
export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly publicKey: KeyObject;
  readonly account: Account;
  readonly scopes: readonly Scope[];
  /** The only subaccount that the key may read and trade on; undefined for any. */
  readonly subaccount?: number;
}

/** The public keys that members have registered, by key id. */
export class KeyRing {
  readonly #keys = new Map<string, ApiKey>();

  register(key: ApiKey): void {
    this.#keys.set(key.id, key);
  }

  find(id: string): ApiKey | undefined {
    return this.#keys.get(id);
  }

  /** A member's keys, oldest first. */
  of(account: Account): ApiKey[] {
    return [...this.#keys.values()].filter((key) => key.account === account);
  }

  /** The key that signed a request (kalshi.md 2), or a 401 refusal: headers, then clock, then key, then signature. */
  authenticate(request: WireRequest): ApiKey {
    const accessKey = header(request, 'kalshi-access-key');
    const timestamp = header(request, 'kalshi-access-timestamp');
    const signature = header(request, 'kalshi-access-signature');
    if (!/^\d{1,15}$/.test(timestamp) || Math.abs(Number(timestamp) - request.receivedAt.getTime()) > TOLERANCE_MS)
      throw refusal(401, 'header_timestamp_expired');
    const key = this.#keys.get(accessKey);
    if (key === undefined) throw refusal(401, 'authentication_error', 'NOT_FOUND');
    if (!isSignedBy(key.publicKey, `${timestamp}${request.method}${request.path}`, signature))
      throw refusal(401, 'authentication_error', 'INCORRECT_API_KEY_SIGNATURE');
    return key;
  }
}

/** A call that a member signed. */
export interface SignedCall extends Call {
  readonly account: Account;
  readonly key: ApiKey;
}

/** Routes for members alone whose key meets the demand; others are 401, then 403. */
export function signed(keys: KeyRing, demand: Demand, routes: Routes<SignedCall>): Record<string, Route> {
  const entries = Object.entries(routes).map(([pattern, route]): [string, Route] => [
    pattern,
    (call) => {
      const key = keys.authenticate(call.request);
      checkDemand(key, demand);
      return route({ ...call, key, account: key.account });
    },
  ]);
  return Object.fromEntries(entries);
}

/** The words for a missing scope are not known: the shape is that of the other 403s (kalshi.md 12.2). */
function checkDemand({ scopes, subaccount }: ApiKey, { scope, bound }: Demand): void {
  if (subaccount !== undefined && !bound) throw restricted();
  if (scope !== undefined && !isGranted(scopes, scope))
    throw refusal(403, 'forbidden', `API key lacks the scope ${scope}`);
}

/**
 * The subaccount that a call is about: the one it names, else the one its key is bound to, else `otherwise`. Throws a 403
 * refusal where a bound key names another one.
 */
export function subaccountOf<T>({ key }: SignedCall, named: number | undefined, otherwise: T): number | T {
  if (key.subaccount === undefined) return named ?? otherwise;
  if (named !== undefined && named !== key.subaccount) throw restricted();
  return key.subaccount;
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
