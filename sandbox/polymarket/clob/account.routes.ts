import { type Call, type Routes } from '../../wire/router.js';
import { type Exchange } from '../exchange.js';
import { refusal } from '../refusals.js';
import { type ApiCredentials } from '../signing/l2-signature.js';
import { EXCHANGE_CONTRACT, NEG_RISK_CONTRACT } from '../signing/typed-data.js';
import { type SignatureType } from '../signing/wallet.js';
import { authenticateWallet, signed, type SignedCall } from './auth.js';

const UNLIMITED = (2n ** 256n - 1n).toString();

/** API credentials (L1) and balances (L2); polymarket.md 3 and 7. */
export function accountRoutes(exchange: Exchange): Routes {
  const { accounts } = exchange;
  return {
    'POST /auth/api-key': (call) => createKey(exchange, call),
    'GET /auth/derive-api-key': (call) => deriveKey(exchange, call),
    ...signed(accounts, {
      'GET /auth/api-keys': ({ account }) => ({ apiKeys: accounts.keysOf(account.address) }),
      'DELETE /auth/api-key': ({ account }) => {
        accounts.revoke(account.apiKey);
        return 'OK';
      },
      'GET /auth/ban-status/closed-only': () => ({ closed_only: false }),
      'GET /balance-allowance': (call) => getBalance(exchange, call),
      'GET /balance-allowance/update': (call) => getBalance(exchange, call),
    }),
  };
}

/** One key for each wallet and nonce; asking again for the same nonce is an error, as there. */
function createKey({ accounts }: Exchange, { request }: Call): unknown {
  const { address, nonce } = authenticateWallet(request);
  if (accounts.findByNonce(address, nonce) !== undefined) throw refusal('Could not create api key');
  return inWire(accounts.create(address, nonce));
}

/** Unlike there, a key that was never made is made now, so that a new wallet needs one call only (contract.md 7). */
function deriveKey({ accounts }: Exchange, { request }: Call): unknown {
  const { address, nonce } = authenticateWallet(request);
  return inWire(accounts.findByNonce(address, nonce) ?? accounts.create(address, nonce));
}

function inWire({ apiKey, secret, passphrase }: ApiCredentials): unknown {
  return { apiKey, secret, passphrase };
}

/** Gross: what open orders hold back is still in it. The wallet is that of the signature type, without one empty. */
function getBalance({ accounts, ledger }: Exchange, { account, request: { query } }: SignedCall): unknown {
  const wallet = accounts.walletOf(account.address, signatureType(query.get('signature_type')));
  const asset = query.get('asset_type');
  if (asset !== 'COLLATERAL' && asset !== 'CONDITIONAL') throw refusal('Invalid asset type');
  const amount = (owner: string): bigint =>
    asset === 'COLLATERAL' ? ledger.collateral(owner) : ledger.shares(owner, query.get('token_id') ?? '');
  return {
    balance: (wallet === undefined ? 0n : amount(wallet)).toString(),
    allowances: { [EXCHANGE_CONTRACT]: UNLIMITED, [NEG_RISK_CONTRACT]: UNLIMITED },
  };
}

function signatureType(text: string | null): SignatureType {
  const found = ([0, 1, 2, 3] as const).find((type) => String(type) === (text ?? '0'));
  if (found === undefined) throw refusal('Invalid signature_type');
  return found;
}
