import { type WireRequest, type WireResponse } from '../../wire/server.js';
import { authenticate, authenticateWallet } from './auth.js';
import { ok } from './routes.js';
import { type ExchangeState } from '../exchange.js';
import { type ApiCredentials } from '../signing/l2-signature.js';
import { Refused } from '../refusals.js';
import { type Routes } from '../router.js';
import { EXCHANGE_CONTRACT, NEG_RISK_CONTRACT } from '../signing/typed-data.js';
import { type SignatureType } from '../signing/wallet.js';

const UNLIMITED = (2n ** 256n - 1n).toString();

/** API credentials (L1) and balances (L2); `polymarket.md` 3 and 7. */
export function accountRoutes(state: ExchangeState): Routes {
  const { accounts } = state;
  return {
    'POST /auth/api-key': (request) => createKey(state, request),
    'GET /auth/derive-api-key': (request) => deriveKey(state, request),
    'GET /auth/api-keys': (request) => ok({ apiKeys: accounts.keysOf(authenticate(accounts, request).address) }),
    'DELETE /auth/api-key': (request) => {
      accounts.revoke(authenticate(accounts, request).apiKey);
      return ok('OK');
    },
    'GET /auth/ban-status/closed-only': (request) => {
      authenticate(accounts, request);
      return ok({ closed_only: false });
    },
    'GET /balance-allowance': (request) => ok(balance(state, request)),
    'GET /balance-allowance/update': (request) => ok(balance(state, request)),
  };
}

/** One key for each wallet and nonce; asking again for the same nonce is an error, as there. */
function createKey({ accounts }: ExchangeState, request: WireRequest): WireResponse {
  const { address, nonce } = authenticateWallet(request);
  if (accounts.findByNonce(address, nonce) !== undefined) throw new Refused('Could not create api key');
  return ok(inWire(accounts.create(address, nonce)));
}

/** Unlike there, a key that was never made is made now, so that a new wallet needs one call only (DESIGN 7). */
function deriveKey({ accounts }: ExchangeState, request: WireRequest): WireResponse {
  const { address, nonce } = authenticateWallet(request);
  return ok(inWire(accounts.findByNonce(address, nonce) ?? accounts.create(address, nonce)));
}

function inWire({ apiKey, secret, passphrase }: ApiCredentials): Record<string, string> {
  return { apiKey, secret, passphrase };
}

/** Gross: what open orders hold back is still in it. The wallet is that of the signature type, without one empty. */
function balance({ accounts, ledger }: ExchangeState, request: WireRequest): unknown {
  const { address } = authenticate(accounts, request);
  const { query } = request;
  const wallet = accounts.walletOf(address, signatureType(query.get('signature_type')));
  const asset = query.get('asset_type');
  if (asset !== 'COLLATERAL' && asset !== 'CONDITIONAL') throw new Refused('Invalid asset type');
  const amount = (owner: string): bigint =>
    asset === 'COLLATERAL' ? ledger.collateral(owner) : ledger.shares(owner, query.get('token_id') ?? '');
  return {
    balance: (wallet === undefined ? 0n : amount(wallet)).toString(),
    allowances: { [EXCHANGE_CONTRACT]: UNLIMITED, [NEG_RISK_CONTRACT]: UNLIMITED },
  };
}

function signatureType(text: string | null): SignatureType {
  const found = ([0, 1, 2, 3] as const).find((type) => String(type) === (text ?? '0'));
  if (found === undefined) throw new Refused('Invalid signature_type');
  return found;
}
