import { AppError } from '../../../platform/errors/app-error.js';
import type { CredentialFacts, KeyFacts } from '../../credentials.contract.js';
import { isoTime } from '../../time.js';
import { optionalReadLimit } from '../../optional-read.js';
import type { SignedKalshiClient } from '../connection/client.js';
import { isOfBoundKey } from '../kalshi.errors.js';
import { wireBalance } from './account.wire.js';
import { wireApiKeys } from './api-keys.wire.js';

/** As many subaccounts of a member are asked for. */
const MOST_TRIED = 10;

const UNKNOWN: KeyFacts = { scopes: null, subaccount: null, isBound: null, attestationExpiresAt: null };

/** What Kalshi says of the API key that signs (kalshi.md 2.2). */
export class KalshiApiKeys {
  constructor(private readonly client: SignedKalshiClient) {}

  /**
   * Checks that the exchange accepts the signature of a key. It reads the list of keys or, where that cannot be read within 2 s,
   * the balance: a key that may not read the list, or is bound to a subaccount, is a good key too. Throws `credentials_rejected`
   * where the exchange refuses the key, else the error of the read.
   */
  async verify(): Promise<void> {
    try {
      await this.#read(optionalReadLimit());
    } catch (error) {
      if (!(error instanceof AppError) || error.code === 'credentials_rejected') throw error;
      await this.#verifyByBalance();
    }
  }

  /** Reads scopes, binding and attestation; what the exchange does not say is null. */
  async facts(): Promise<CredentialFacts> {
    return { key: await this.#keyFacts(), missingAllowances: null };
  }

  async #verifyByBalance(): Promise<void> {
    const read = (subaccount: number | undefined) =>
      this.client.read('/portfolio/balance', { subaccount }, wireBalance);
    try {
      await this.client.account.named(read);
    } catch (error) {
      if (!isRefusal(error)) throw error;
    }
  }

  async #keyFacts(): Promise<KeyFacts | null> {
    try {
      const { api_keys: keys, api_key_region_expiration_ts: seconds } = await this.#read();
      const attestationExpiresAt = seconds === null ? null : isoTime(seconds * 1_000);
      const own = keys.find(({ api_key_id: id }) => this.client.isOwnKey(id));
      if (own === undefined) return { ...UNKNOWN, attestationExpiresAt };
      const subaccount = own.subaccount === null ? null : String(own.subaccount);
      return { scopes: own.scopes, subaccount, isBound: subaccount !== null, attestationExpiresAt };
    } catch (error) {
      if (isOfBoundKey(error)) return { ...UNKNOWN, isBound: true, subaccount: await this.#boundTo() };
      if (error instanceof AppError) return null;
      throw error;
    }
  }

  /**
   * Returns the subaccount of a key that may not read the list of keys: the one of the first ten whose balance the key may read,
   * since subaccounts are numbered in the order in which they are made. Returns null where the key may read none of the ten, or
   * where this takes longer than 2 s.
   */
  async #boundTo(): Promise<string | null> {
    const limit = optionalReadLimit();
    for (let subaccount = 0; subaccount < MOST_TRIED; subaccount += 1) {
      const isOwn = await this.#mayRead(subaccount, limit);
      if (isOwn !== false) return isOwn === null ? null : String(subaccount);
    }
    return null;
  }

  /** Null where the answer proves neither. */
  async #mayRead(subaccount: number, limit: AbortSignal): Promise<boolean | null> {
    try {
      await this.client.read('/portfolio/balance', { subaccount }, wireBalance, limit);
      return true;
    } catch (error) {
      if (isOfBoundKey(error)) return false;
      if (error instanceof AppError) return null;
      throw error;
    }
  }

  async #read(signal?: AbortSignal) {
    return (await this.client.read('/api_keys', {}, wireApiKeys, signal)).value;
  }
}

/** Whether the exchange itself, and no gateway, says that this key may not do this: then it knows the key. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof AppError) || error.details?.reason !== 'permission_denied') return false;
  const { code = null, message } = error.details.exchange ?? {};
  return code !== null || message !== undefined;
}
