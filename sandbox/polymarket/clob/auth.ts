import { type AccountCall, type Route, type Routes, signedRoutes } from '../../wire/router.js';
import { type WireRequest } from '../../wire/server.js';
import { type Accounts } from '../accounts.js';
import { header, isFresh } from '../headers.js';
import { refusal, TEXTS } from '../refusals.js';
import { checksum, isAddress, recoverSigner, sameAddress } from '../signing/address.js';
import { type ApiCredentials, l2Signature, sameText } from '../signing/l2-signature.js';
import { clobAuthDigest } from '../signing/typed-data.js';
import { signatureBytes } from '../signing/verify.js';

const MAX_NONCE = 2n ** 64n;

/** A call with the API credentials that signed it. */
export type SignedCall = AccountCall<ApiCredentials>;

/** Routes for holders of API credentials alone. */
export function signed(accounts: Accounts, routes: Routes<SignedCall>): Record<string, Route> {
  return signedRoutes((request) => authenticate(accounts, request), routes);
}

/**
 * The credentials behind a private call. Key, wallet, passphrase, time and HMAC must all fit; whatever does not,
 * the answer is the same 401 (polymarket.md 3, 13).
 */
function authenticate(accounts: Accounts, request: WireRequest): ApiCredentials {
  const { headers } = request;
  const credentials = accounts.find(header(headers, 'poly_api_key'));
  const timestamp = header(headers, 'poly_timestamp');
  if (credentials === undefined || !isFresh(timestamp, request.receivedAt)) throw refusal(TEXTS.unauthorized, 401);
  const expected = l2Signature(credentials.secret, timestamp, request);
  const fits =
    sameAddress(header(headers, 'poly_address'), credentials.address) &&
    sameText(header(headers, 'poly_passphrase'), credentials.passphrase) &&
    sameText(header(headers, 'poly_signature'), expected);
  if (!fits) throw refusal(TEXTS.unauthorized, 401);
  return credentials;
}

/** The wallet and nonce that a ClobAuth signature proves; 401 where it does not. */
export function authenticateWallet(request: WireRequest): { address: string; nonce: bigint } {
  const { headers } = request;
  const address = header(headers, 'poly_address');
  const timestamp = header(headers, 'poly_timestamp');
  const nonce = header(headers, 'poly_nonce') === '' ? '0' : header(headers, 'poly_nonce');
  if (!isAddress(address) || !isFresh(timestamp, request.receivedAt) || !isNonce(nonce)) throw refusal(TEXTS.l1, 401);
  const digest = clobAuthDigest(address, timestamp, BigInt(nonce));
  const signer = recoverSigner(digest, signatureBytes(header(headers, 'poly_signature')));
  if (signer === undefined || !sameAddress(signer, address)) throw refusal(TEXTS.l1, 401);
  return { address: checksum(address), nonce: BigInt(nonce) };
}

function isNonce(text: string): boolean {
  return /^\d{1,20}$/.test(text) && BigInt(text) < MAX_NONCE;
}
