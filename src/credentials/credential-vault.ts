import { Injectable } from '@nestjs/common';
import type { CredentialFacts } from '../exchanges/credentials.contract.js';
import { CryptoService, SealBrokenError } from '../platform/crypto/crypto.service.js';
import { Sealed } from '../platform/crypto/sealed.js';
import { Secret } from '../platform/secrets/secret.js';
import { CredentialsRepository } from './credentials.repository.js';
import { EncryptionKeysRepository } from './encryption-keys.repository.js';
import type { SealedRow } from './sealed-rows.repository.js';
import { type SessionKeyRow, SessionKeysRepository } from './session-keys.repository.js';

/** Fields of credentials by name. */
export type SecretFields = Readonly<Record<string, Secret>>;

/** A session key before it is sealed. */
export type SessionKeyToStore = Omit<SessionKeyRow, 'rowVersion' | 'keyId' | 'fields' | 'refusedAt'> & {
  readonly secrets: SecretFields;
};

/** Keeps credentials sealed field by field, each bound to user, exchange, field and row version (specification.md 2.4, S-36). */
@Injectable()
export class CredentialVault {
  constructor(
    private readonly repository: CredentialsRepository,
    private readonly sessionKeys: SessionKeysRepository,
    private readonly knownKeys: EncryptionKeysRepository,
    private readonly crypto: CryptoService,
  ) {}

  /**
   * Records the check value of the sealing key under its id (S-38). Throws SealBrokenError where the id belongs to another
   * key: of two instances with different keys under one id only the first may seal.
   */
  async registerSealingKey(): Promise<void> {
    const keyId = this.crypto.sealingKeyId;
    const checkValue = this.crypto.checkValue(keyId);
    const known = (await this.knownKeys.find(keyId)) ?? (await this.knownKeys.add(keyId, checkValue));
    if (!checkValue.equals(known)) throw new SealBrokenError(`ENCRYPTION_KEYS holds a wrong key under the id ${keyId}`);
  }

  /** Seals and stores, over what was there; `facts` are stored as they are. */
  async store(
    userId: string,
    exchange: string,
    secrets: SecretFields,
    facts: CredentialFacts | null = null,
  ): Promise<Date> {
    const updatedAt = new Date();
    await this.repository.replace({ ...(await this.#sealNew({ userId, exchange, secrets })), facts, updatedAt });
    return updatedAt;
  }

  /** Seals and stores a session key, over the one of the same state. */
  async storeSessionKey({ secrets, ...key }: SessionKeyToStore): Promise<void> {
    const sealed = await this.#sealNew({ ...key, secrets: { ...secrets, ...addressesOf(key) } });
    await this.sessionKeys.replace({ ...key, ...sealed });
  }

  /**
   * The named fields of a session key, opened. Throws SealBrokenError where one does not open, or the row names another key or
   * wallet than it was sealed with: write access to the database does not choose for whom a key signs (S-36, S-37).
   */
  openSessionKey(row: SessionKeyRow, fields: readonly string[]): SecretFields {
    for (const [field, address] of Object.entries(addressesOf(row))) {
      const isOwn = this.openFor(row, field, (text) => text.equals(Buffer.from(address.reveal())));
      if (!isOwn) throw new SealBrokenError(`the ${field} of a session key was changed`);
    }
    return this.open(row, fields);
  }

  /**
   * Returns the row with the same content, version and times, sealed under the first key (S-38). The version stays the
   * same: a write that has drawn a version meanwhile must find an older one in the row, or that write would be dropped.
   */
  reseal(row: SealedRow): SealedRow {
    const { userId, exchange, rowVersion } = row;
    return { userId, exchange, rowVersion, ...this.#seal(row, this.open(row)) };
  }

  /** Whether every field of a row opens. */
  opens(row: SealedRow): boolean {
    try {
      for (const field of Object.keys(row.fields)) this.openFor(row, field, () => undefined);
      return true;
    } catch (error) {
      if (error instanceof SealBrokenError) return false;
      throw error;
    }
  }

  /** The named fields of a row, opened; throws SealBrokenError where one does not open (S-37). */
  open(row: SealedRow, fields: readonly string[] = Object.keys(row.fields)): SecretFields {
    return Object.fromEntries(
      fields.map((field) => [field, this.crypto.open(sealedIn(row, field), contextOf(row, field))]),
    );
  }

  /** Opens one field for one use of its bytes, which are wiped then (S-39). Throws SealBrokenError. */
  openFor<T>(row: SealedRow, field: string, use: (plaintext: Buffer) => T): T {
    return this.crypto.openFor(sealedIn(row, field), contextOf(row, field), use);
  }

  /** Under a version that no row has had. */
  async #sealNew({
    userId,
    exchange,
    secrets,
  }: Pick<SessionKeyToStore, 'userId' | 'exchange' | 'secrets'>): Promise<SealedRow> {
    await this.registerSealingKey();
    const id = { userId, exchange, rowVersion: await this.repository.nextVersion() };
    return { ...id, ...this.#seal(id, secrets) };
  }

  #seal(row: Omit<SealedRow, 'keyId' | 'fields'>, secrets: SecretFields): Pick<SealedRow, 'keyId' | 'fields'> {
    const sealed = Object.entries(secrets).map(([field, secret]) => {
      return [field, this.crypto.seal(secret, contextOf(row, field)).toText()] as const;
    });
    return { keyId: this.crypto.sealingKeyId, fields: Object.fromEntries(sealed) };
  }
}

function contextOf({ userId, exchange, rowVersion }: Omit<SealedRow, 'keyId' | 'fields'>, field: string): string[] {
  return [userId, exchange, field, rowVersion];
}

/** The public addresses of a session key. They are sealed beside the key, so that a change of the row is noticed. */
function addressesOf({ address, walletAddress }: Pick<SessionKeyRow, 'address' | 'walletAddress'>): SecretFields {
  return { address: new Secret(address), wallet_address: new Secret(walletAddress) };
}

function sealedIn({ fields }: SealedRow, field: string): Sealed {
  return Sealed.fromText(fields[field] ?? '');
}
