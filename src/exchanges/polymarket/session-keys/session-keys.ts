import { z } from 'zod';
import { AppError, badField } from '../../../platform/errors/app-error.js';
import { Secret } from '../../../platform/secrets/secret.js';
import { UpstreamError } from '../../../platform/upstream/upstream-client.js';
import type { Opened } from '../../credentials.contract.js';
import type {
  AcceptedSessionKey,
  ApiCredentialFields,
  PendingSessionKey,
  SessionKeyAuthorization,
  SessionKeyPair,
  SessionKeys,
} from '../../session-keys.contract.js';
import { optionalReadLimit, readOptional } from '../../optional-read.js';
import { UpstreamErrors } from '../../upstream-errors.js';
import type { PolymarketClient, SignedPolymarketClient } from '../connection/client.js';
import { CHAIN_ID } from '../ethereum.js';
import { type PolymarketCredentialsDto, sameAddress } from '../polymarket.credentials.dto.js';
import { POLYMARKET_ERRORS, SYSTEM_TROUBLE } from '../polymarket.errors.js';
import { isPlain, type PolymarketOrderDto } from '../trading/order.dto.js';
import { Wallet } from '../trading/wallet.js';
import { askAgain, inTime, type Patience, UnansweredError } from './asking.js';
import { clobAuthHeaders } from './clob-auth.js';
import { addressOfPrivateKey, newKeyPair } from './private-key.js';
import { isUsable, readSigners, SCOPE } from './registry.js';
import { wireApiKey, type WireSessionSigners } from './session-keys.wire.js';

/** So long the exchange may not know a key that its owner has authorised (polymarket.md 11.1). */
const PATIENCE: Patience = { totalMs: 65_000, pauseMs: 2_000 };

/** As one call of the exchange by default (`UPSTREAM_TIMEOUT`). */
const ONCE_MS = 10_000;

const DEPOSIT_WALLET = '3';

/** A request that was not read in time: whoever says so knows nothing of it. */
const REQUEST_TIMEOUT = 408;

/** What the owner's list says of a key; `unknown` where there is no list of that wallet to be read. */
type Listed = { readonly is: 'usable'; readonly validUntil: Date | null } | { readonly is: 'absent' | 'unknown' };

/** Session keys of Polymarket: makes them, and lets the exchange issue their API credentials (polymarket.md 11). */
export class PolymarketSessionKeys implements SessionKeys<PolymarketCredentialsDto, PolymarketOrderDto> {
  readonly #errors = new UpstreamErrors(POLYMARKET_ERRORS);

  constructor(
    private readonly client: PolymarketClient,
    private readonly patience: Patience = PATIENCE,
    /** How long the API credentials may take where they are asked for once, in ms. */
    private readonly onceMs = ONCE_MS,
  ) {}

  isNeededFor(request: PolymarketOrderDto): boolean {
    return isPlain(request);
  }

  generate(): SessionKeyPair {
    return newKeyPair();
  }

  pairOf(privateKey: Secret): SessionKeyPair {
    const address = addressOfPrivateKey(privateKey);
    if (address === null) throw badField('session_key', 'must be a private key of secp256k1: 0x and 64 hex digits');
    return { address, privateKey };
  }

  authorizationOf(walletAddress: string, address: string): SessionKeyAuthorization {
    return {
      wallet_address: walletAddress,
      session_address: address,
      chain_id: CHAIN_ID,
      scopes: [SCOPE],
      command: `npm run polymarket:session-key -- authorize --wallet ${walletAddress} --session ${address}`,
    };
  }

  async deriveApiCredentials(key: SessionKeyPair): Promise<ApiCredentialFields> {
    try {
      return await this.#once(() => this.#derive(key));
    } catch (error) {
      throw isRefusal(error) ? notAuthorized(error) : error;
    }
  }

  /**
   * Only an owner is told the keys of the wallet, and is none of them. The exchange's own refusal to tell them says that the key
   * is no owner's; any other failure says nothing, and is thrown (S-58).
   */
  async assertNoOwner(key: PendingSessionKey, apiCredentials: ApiCredentialFields): Promise<void> {
    const signed = this.#signedBy(key, apiCredentials);
    const list = await this.#once(() => nullIfNotTold(readSigners(signed)));
    if (list === null || !sameAddress(list.wallet, key.walletAddress)) return;
    if (list.signers.some(({ address }) => sameAddress(address, key.address))) return;
    throw badField('session_key', 'must be the private key of a session key, not that of the owner of wallet_address');
  }

  storedWith(
    { address, walletAddress }: PendingSessionKey,
    apiCredentials: ApiCredentialFields,
  ): Opened<PolymarketCredentialsDto> {
    return {
      ...apiCredentials,
      wallet_address: new Secret(walletAddress),
      signer_address: new Secret(address),
      signature_type: new Secret(DEPOSIT_WALLET),
    };
  }

  async awaitAccepted(
    key: PendingSessionKey,
    stored: Opened<PolymarketCredentialsDto> | null,
  ): Promise<AcceptedSessionKey> {
    let issued: ApiCredentialFields | null = null;
    const ask = async (): Promise<AcceptedSessionKey> => {
      issued ??= await this.#derive(key);
      return { apiCredentials: issued, validUntil: await this.#tryOut(key, issued, stored) };
    };
    try {
      return await askAgain(ask, this.patience);
    } catch (error) {
      if (error instanceof UnansweredError) throw this.#unanswered(error);
      throw isRefusal(error) ? notAuthorized(error) : error;
    }
  }

  /** A lost answer of the first call does no harm: the second tells the credentials that it made (polymarket.md 11.2). */
  async #derive(key: SessionKeyPair): Promise<ApiCredentialFields> {
    try {
      return await this.#attest('POST', '/auth/api-key', key);
    } catch (error) {
      if (!mayHaveCredentials(error)) throw error;
      try {
        return await this.#attest('GET', '/auth/derive-api-key', key);
      } catch (second) {
        throw isRefusal(second) && !isRefusal(error) ? error : second;
      }
    }
  }

  /** Returns until when the key may trade, null where nobody says; throws where the exchange does not take it. */
  async #tryOut(
    key: PendingSessionKey,
    issued: ApiCredentialFields,
    stored: Opened<PolymarketCredentialsDto> | null,
  ): Promise<Date | null> {
    const listed = await this.#listed(key, stored);
    if (listed.is === 'absent') throw notAuthorized();
    const signed = this.#signedBy(key, issued);
    const query = [
      ['asset_type', 'COLLATERAL'],
      ['signature_type', DEPOSIT_WALLET],
    ] as const;
    try {
      await signed.read('/balance-allowance', query, z.unknown());
    } catch (error) {
      // What the list says counts for more than a read that is not known to answer session keys (polymarket.md 15).
      if (listed.is !== 'usable' || !isRefusal(error) || isUnknownKey(error)) throw error;
    }
    return listed.is === 'usable' ? listed.validUntil : null;
  }

  /** Only a wallet's owner is told which keys may trade for it. */
  async #listed(key: PendingSessionKey, stored: Opened<PolymarketCredentialsDto> | null): Promise<Listed> {
    const owner = stored && new Wallet(stored);
    if (owner === null || sameAddress(owner.apiCredentials.address.reveal(), key.address)) return { is: 'unknown' };
    const signed = this.client.signedWith(owner);
    const list = await this.#listOf(signed);
    if (list === null || !sameAddress(list.wallet, key.walletAddress)) return { is: 'unknown' };
    const found = list.signers.find((signer) => isUsable(signer, key.address, signed.now()));
    return found === undefined ? { is: 'absent' } : { is: 'usable', validUntil: found.valid_until };
  }

  /** The keys of a wallet; null where they are not told. */
  #listOf(signed: SignedPolymarketClient): Promise<WireSessionSigners | null> {
    return readOptional(readSigners(signed, optionalReadLimit()), null);
  }

  /** In the time of one call. */
  async #once<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await inTime(call, this.onceMs);
    } catch (error) {
      throw error instanceof UnansweredError ? this.#unanswered(error) : error;
    }
  }

  #signedBy(key: PendingSessionKey, issued: ApiCredentialFields): SignedPolymarketClient {
    const { api_key: apiKey, secret, passphrase } = issued;
    return this.client.signedWith({
      apiCredentials: { address: new Secret(key.address), apiKey, secret, passphrase },
      secrets: [key.privateKey, apiKey, secret, passphrase],
    });
  }

  async #attest(method: 'GET' | 'POST', path: string, key: SessionKeyPair): Promise<ApiCredentialFields> {
    const sign = (at: Date): Record<string, string> => clobAuthHeaders(key, at);
    return (await this.client.attest({ method, path, sign, hidden: [key.privateKey] }, wireApiKey)).value;
  }

  #unanswered({ isLate }: UnansweredError): AppError {
    return this.#errors.ofCall(new UpstreamError(isLate ? 'timeout' : 'aborted', true), 'signed');
  }
}

/** Whether the exchange may have credentials of a key although it did not tell them when it was asked to make some. */
function mayHaveCredentials(error: unknown): boolean {
  if (!(error instanceof AppError)) return false;
  if (error.code === 'exchange_rejected') return error.details?.exchange?.status === 400;
  return error.code === 'exchange_timeout' || error.code === 'exchange_error';
}

/** Null where the exchange itself refuses to tell the list, in its own words, and has no trouble of its own. */
async function nullIfNotTold(list: Promise<WireSessionSigners>): Promise<WireSessionSigners | null> {
  try {
    return await list;
  } catch (error) {
    if (error instanceof AppError && isNotTold(error)) return null;
    throw error;
  }
}

function isNotTold({ code, details }: AppError): boolean {
  if (code === 'not_found') return true;
  const { status, message = '' } = details?.exchange ?? { status: null };
  const isOwn = code === 'exchange_rejected' && message !== '' && status !== REQUEST_TIMEOUT;
  return isOwn && details?.reason === 'invalid_order' && !SYSTEM_TROUBLE.test(message);
}

/** The exchange refuses the key itself, rather than the place or everybody. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof AppError)) return false;
  return isUnknownKey(error) || (error.code === 'exchange_rejected' && error.details?.reason === 'invalid_order');
}

/** The exchange does not take the API credentials. */
function isUnknownKey(error: unknown): boolean {
  return error instanceof AppError && error.code === 'credentials_rejected';
}

function notAuthorized(cause?: unknown): AppError {
  const message =
    'Polymarket does not let this session key trade for the wallet. Its owner authorizes it with ' +
    '`npm run polymarket:session-key -- authorize`; then repeat the call. That may take a minute to be known.';
  const said = cause instanceof AppError ? cause.details?.exchange : undefined;
  const exchange = said && { exchange: { id: said.id, status: said.status, code: said.code } };
  return new AppError('credentials_rejected', message, {
    details: { reason: 'session_key_not_authorized', ...exchange },
    cause,
  });
}
