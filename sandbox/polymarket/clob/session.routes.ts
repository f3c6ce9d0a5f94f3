import { unixSeconds } from '../../times.js';
import { type Routes } from '../../wire/router.js';
import { type Exchange } from '../exchange.js';
import { refusal, TEXTS } from '../refusals.js';
import { checksum } from '../signing/address.js';
import { signed, type SignedCall } from './auth.js';

/** The registry of session keys (polymarket.md 11.1). */
export function sessionRoutes(exchange: Exchange): Routes {
  return signed(exchange.accounts, { 'GET /v1/user/session-signers': (call) => listSessionSigners(exchange, call) });
}

/** Those that can be used now. Only the owner of a deposit wallet may ask: session keys and strangers get 400. */
function listSessionSigners({ accounts, sessions, clock }: Exchange, { account }: SignedCall): unknown {
  const wallet = accounts.walletOf(account.address, 3);
  if (wallet === undefined) throw refusal(TEXTS.noOwner);
  const signers = sessions.list(wallet, clock()).map(({ address, scopes, validUntil }) => ({
    address: checksum(address),
    scopes,
    valid_until: unixSeconds(validUntil),
  }));
  return { wallet: checksum(wallet), signers };
}
