import { Injectable, Logger } from '@nestjs/common';
import { ActivityService } from '../activity/activity.service.js';
import type { Opened } from '../exchanges/credentials.contract.js';
import type { Exchange } from '../exchanges/exchange.js';
import type { AcceptedSessionKey, OpenedSessionKey, PendingSessionKey } from '../exchanges/session-keys.contract.js';
import type { Trading } from '../exchanges/trading.contract.js';
import { SealBrokenError } from '../platform/crypto/crypto.service.js';
import type { Secret } from '../platform/secrets/secret.js';
import { factsOf } from './credential-review.js';
import type { CredentialSets, StoredRow } from './credential-sets.repository.js';
import { CredentialVault } from './credential-vault.js';
import { withPrivateKeyBytes } from './private-key-bytes.js';
import { type SessionKeyRow, SessionKeysRepository } from './session-keys.repository.js';

/** The field that holds the private half of a session key, `0x` and 64 hex digits. */
export const SESSION_KEY_FIELD = 'session_key';

/** What an exchange issues to a session key. */
const API_FIELDS = ['api_key', 'secret', 'passphrase'] as const;

/** Opens stored credentials for one request (S-37, S-39). */
@Injectable()
export class CredentialOpener {
  readonly #logger = new Logger('CredentialOpener');

  constructor(
    private readonly vault: CredentialVault,
    private readonly sessionKeys: SessionKeysRepository,
    private readonly activity: ActivityService,
  ) {}

  /** Returns what `PUT` stored; null where it stored nothing. Records and throws SealBrokenError, where it does not open (S-37). */
  async openStored({ stored }: Pick<CredentialSets, 'stored'>): Promise<Opened<object> | null> {
    return stored && this.#recorded(stored, () => this.vault.open(stored));
  }

  /** Returns a session key that waits, for the calls that try it. Throws as `openStored`. */
  async openPending(row: SessionKeyRow): Promise<PendingSessionKey> {
    const fields = await this.#recorded(row, () => this.vault.openSessionKey(row, [SESSION_KEY_FIELD]));
    const { [SESSION_KEY_FIELD]: privateKey } = fields;
    if (privateKey === undefined) throw new Error('a pending session key has no private half');
    return { address: row.address, walletAddress: row.walletAddress, privateKey };
  }

  /**
   * Returns the signed calls by all credentials of a user, of which there must be some. Throws as `openStored`. Where
   * the session key is to sign (`isToSign`) it also throws if the private half does not open.
   */
  async trading(exchange: Exchange, sets: CredentialSets, isToSign = false): Promise<Trading> {
    const { active } = sets;
    if (active !== null && isToSign)
      await this.#recorded(active, () => usePrivateKey(this.vault, active, (key) => key.length));
    const sessionKey =
      active &&
      (await this.#recorded(active, () =>
        openedSessionKey(this.vault, active, (isRefused) => this.#noteRefused(active, isRefused)),
      ));
    return exchange.trading(await this.openStored(sets), factsOf(sets), sessionKey);
  }

  /** Records that a row does not open. */
  async #recorded<T>({ userId, exchange, keyId }: StoredRow | SessionKeyRow, open: () => T): Promise<T> {
    try {
      return open();
    } catch (error) {
      if (error instanceof SealBrokenError) {
        await this.activity.record({ type: 'decrypt_failed', userId, exchange, details: { key_id: keyId } });
      }
      throw error;
    }
  }

  async #noteRefused(row: SessionKeyRow, isRefused: boolean): Promise<void> {
    try {
      await this.sessionKeys.setRefused(row, isRefused);
    } catch (error) {
      this.#logger.error({ err: error, message: 'it is not kept whether the exchange refuses a session key' });
    }
  }
}

/** Opens an active session key; `noteRefused` learns whether the exchange refuses it. Throws SealBrokenError. */
export function openedSessionKey(
  vault: CredentialVault,
  row: SessionKeyRow,
  noteRefused: OpenedSessionKey['noteRefused'],
): OpenedSessionKey {
  const { api_key, secret, passphrase } = vault.openSessionKey(row, API_FIELDS);
  if (api_key === undefined || secret === undefined || passphrase === undefined || row.activatedAt === null) {
    throw new SealBrokenError('a session key lacks what belongs to it');
  }
  return {
    address: row.address,
    walletAddress: row.walletAddress,
    validUntil: row.validUntil,
    activatedAt: row.activatedAt,
    isRefused: row.refusedAt !== null,
    apiCredentials: { api_key, secret, passphrase },
    withPrivateKey: (use) => usePrivateKey(vault, row, use),
    noteRefused,
  };
}

function usePrivateKey<T>(vault: CredentialVault, row: SessionKeyRow, use: (privateKey: Uint8Array) => T): T {
  return vault.openFor(row, SESSION_KEY_FIELD, (text) => withPrivateKeyBytes(text, use));
}

/** A session key that is not stored yet, for the calls that try it. */
export function unstoredSessionKey(
  { address, walletAddress, privateKey }: PendingSessionKey,
  { apiCredentials, validUntil }: AcceptedSessionKey,
): OpenedSessionKey {
  return {
    address,
    walletAddress,
    validUntil,
    activatedAt: new Date(),
    isRefused: false,
    apiCredentials,
    withPrivateKey: (use) => withTextOf(privateKey, (text) => withPrivateKeyBytes(text, use)),
    noteRefused: () => Promise.resolve(),
  };
}

function withTextOf<T>(secret: Secret, use: (text: Buffer) => T): T {
  const text = Buffer.from(secret.reveal(), 'utf8');
  try {
    return use(text);
  } finally {
    text.fill(0);
  }
}
