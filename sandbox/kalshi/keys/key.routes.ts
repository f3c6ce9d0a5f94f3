import { unixSeconds } from '../../times.js';
import { type Routes } from '../../wire/router.js';
import { signed, type SignedCall } from '../auth.js';
import { type Exchange } from '../exchange.js';
import { READ_ACCOUNT } from './scopes.js';

/** The keys of a member and its location attestation (kalshi.md 2.2). */
export function keyRoutes(exchange: Exchange): Routes {
  return signed(exchange.keys, READ_ACCOUNT, { 'GET /api_keys': (call) => listKeys(exchange, call) });
}

/** The attestation is left out where there never was one. */
function listKeys(exchange: Exchange, { account }: SignedCall): unknown {
  const { attestedUntil } = account;
  return {
    api_keys: exchange.keys.of(account).map(({ id, name, scopes, subaccount }) => ({
      api_key_id: id,
      name,
      scopes,
      ...(subaccount === undefined ? {} : { subaccount }),
    })),
    ...(attestedUntil === null ? {} : { api_key_region_expiration_ts: unixSeconds(attestedUntil) }),
  };
}
