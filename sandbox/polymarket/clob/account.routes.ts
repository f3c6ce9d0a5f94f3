import { type Call, type Routes } from '../../wire/router.js';
import { type Exchange } from '../exchange.js';
import { refusal, TEXTS } from '../refusals.js';
import { type ApiCredentials } from '../signing/l2-signature.js';
import { EXCHANGE_CONTRACT, NEG_RISK_CONTRACT, protocolOf, V2_CONTRACT } from '../signing/typed-data.js';
import { type SignatureType } from '../signing/wallet.js';
import { authenticateWallet, signed, type SignedCall } from './auth.js';

const UNLIMITED = (2n ** 256n - 1n).toString();

/** `CONDITIONAL-V2` are shares of V2 markets (polymarket.md 9.3). */
const ASSET_TYPES = ['COLLATERAL', 'CONDITIONAL', 'CONDITIONAL-V2'] as const;
type AssetType = (typeof ASSET_TYPES)[number];

/** API credentials (L1) and balances (L2); polymarket.md 3, 9.3. */
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
      'GET /auth/ban-status/closed-only': (call) => ({ closed_only: isClosedOnly(exchange, call) }),
      'GET /balance-allowance': (call) => getBalance(exchange, call),
      'GET /balance-allowance/update': (call) => getBalance(exchange, call),
    }),
  };
}

/** True where any account wallet of the API key's may only sell. */
function isClosedOnly({ accounts, standings, clock }: Exchange, { account }: SignedCall): boolean {
  const wallets = ([0, 1, 2, 3] as const).map((type) => accounts.tradedWallet(account.address, type, clock()));
  return wallets.some((wallet) => wallet !== undefined && standings.of(wallet).closedOnly);
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

/** The contracts that need a wallet's leave to move what it holds. */
const SPENDERS: Readonly<Record<AssetType, readonly string[]>> = {
  COLLATERAL: [EXCHANGE_CONTRACT, NEG_RISK_CONTRACT, V2_CONTRACT],
  CONDITIONAL: [EXCHANGE_CONTRACT, NEG_RISK_CONTRACT],
  'CONDITIONAL-V2': [V2_CONTRACT],
};

/**
 * Gross: what open orders hold back is still in it. The wallet is that of the signature type; of type 3 the one that the API
 * key owns or is a session key of, and 400 where it is neither.
 */
function getBalance(exchange: Exchange, { account, request: { query } }: SignedCall): unknown {
  const { accounts, ledger, standings } = exchange;
  const type = signatureType(query.get('signature_type'));
  const wallet = accounts.tradedWallet(account.address, type, exchange.clock());
  if (wallet === undefined) throw refusal(TEXTS.noDepositWallet);
  const asset = ASSET_TYPES.find((one) => one === query.get('asset_type'));
  if (asset === undefined) throw refusal('Invalid asset type');
  const token = query.get('token_id') ?? '';
  const held = fits(asset, token) ? ledger.shares(wallet, token) : 0n;
  const isAllowed = (spender: string): boolean => spender !== V2_CONTRACT || standings.of(wallet).exchangeV3;
  return {
    balance: (asset === 'COLLATERAL' ? ledger.collateral(wallet) : held).toString(),
    allowances: Object.fromEntries(SPENDERS[asset].map((spender) => [spender, isAllowed(spender) ? UNLIMITED : '0'])),
  };
}

/** Shares of V1 and of V2 markets lie in different contracts: asked for as the other kind there are none. */
function fits(asset: AssetType, token: string): boolean {
  return /^\d{1,78}$/.test(token) && (protocolOf(token) === 'v2') === (asset === 'CONDITIONAL-V2');
}

function signatureType(text: string | null): SignatureType {
  const found = ([0, 1, 2, 3] as const).find((type) => String(type) === (text ?? '0'));
  if (found === undefined) throw refusal('Invalid signature_type');
  return found;
}
