import { Injectable } from '@nestjs/common';
import type { CredentialFacts } from '../exchanges/exchange.js';
import { CryptoService, SealBrokenError } from '../platform/crypto/crypto.service.js';
import { Sealed } from '../platform/crypto/sealed.js';
import type { Secret } from '../platform/secrets/secret.js';
import type { CredentialEntity } from './credential.entity.js';
import { CredentialsRepository, type SealedRow } from './credentials.repository.js';
import { EncryptionKeysRepository } from './encryption-keys.repository.js';

/** Fields of credentials by name. */
export type SecretFields = Readonly<Record<string, Secret>>;

type SealedRowId = Pick<SealedRow, 'userId' | 'exchange' | 'rowVersion'>;

/** Keeps credentials sealed field by field, each bound to user, exchange, field and row version (specification.md 2.4, S-36). */
@Injectable()
export class CredentialVault {
  constructor(
    private readonly repository: CredentialsRepository,
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
    await this.registerSealingKey();
    const id = { userId, exchange, rowVersion: await this.repository.nextVersion() };
    await this.repository.replace({ ...id, ...this.#seal(id, secrets), facts, updatedAt });
    return updatedAt;
  }

  /**
   * The row with the same content, version and times, sealed under the first key (S-38). The version stays: a write that has
   * drawn its own meanwhile must find an older one, or it would be dropped.
   */
  reseal(row: CredentialEntity): SealedRow {
    const { userId, exchange, rowVersion } = row;
    return { userId, exchange, rowVersion, ...this.#seal(row, this.open(row)) };
  }

  /** Whether every field of a row opens. */
  opens(row: CredentialEntity): boolean {
    try {
      this.open(row);
      return true;
    } catch (error) {
      if (error instanceof SealBrokenError) return false;
      throw error;
    }
  }

  /** The named fields of a row, opened; throws SealBrokenError where one does not open (S-37). */
  open(row: CredentialEntity, fields: readonly string[] = Object.keys(row.fields)): SecretFields {
    return Object.fromEntries(fields.map((field) => [field, this.#openField(row, field)]));
  }

  #seal(row: SealedRowId, secrets: SecretFields): Pick<SealedRow, 'keyId' | 'fields'> {
    const sealed = Object.entries(secrets).map(([field, secret]) => {
      const value = this.crypto.seal(secret, [row.userId, row.exchange, field, row.rowVersion]);
      return [field, value.toText()] as const;
    });
    return { keyId: this.crypto.sealingKeyId, fields: Object.fromEntries(sealed) };
  }

  #openField(row: CredentialEntity, field: string): Secret {
    const sealed = Sealed.fromText(row.fields[field] ?? '');
    return this.crypto.open(sealed, [row.userId, row.exchange, field, row.rowVersion]);
  }
}
