import { randomBytes, randomUUID } from 'node:crypto';
import { type AccountCall, type Route, type Routes, signedRoutes } from '../../wire/router.js';
import { type WireRequest } from '../../wire/server.js';
import { header, isFresh } from '../headers.js';
import { refusal } from '../refusals.js';
import { l2Signature, sameText } from '../signing/l2-signature.js';

/** A Builder API key; `secret` is base64. */
export interface BuilderKey {
  api_key: string;
  secret: string;
  passphrase: string;
}

export function aBuilderKey(): BuilderKey {
  return {
    api_key: randomUUID(),
    secret: randomBytes(32).toString('base64'),
    passphrase: randomBytes(32).toString('hex'),
  };
}

/** A call that a builder key signed. */
export type BuilderCall = AccountCall<BuilderKey>;

/** Routes for holders of the builder key alone. */
export function builderRoutes(key: BuilderKey, routes: Routes<BuilderCall>): Record<string, Route> {
  return signedRoutes((request) => authenticate(key, request), routes);
}

/** Signed as L2 calls are (polymarket.md 11.1); whatever does not fit, the answer is the same 401. */
function authenticate(key: BuilderKey, request: WireRequest): BuilderKey {
  const { headers } = request;
  const timestamp = header(headers, 'poly_builder_timestamp');
  const fits =
    isFresh(timestamp, request.receivedAt) &&
    sameText(header(headers, 'poly_builder_api_key'), key.api_key) &&
    sameText(header(headers, 'poly_builder_passphrase'), key.passphrase) &&
    sameText(header(headers, 'poly_builder_signature'), l2Signature(key.secret, timestamp, request));
  if (!fits) throw refusal('invalid builder api key', 401);
  return key;
}
