import { Injectable } from '@nestjs/common';
import { CryptoService } from '../platform/crypto/crypto.service.js';
import { Sealed } from '../platform/crypto/sealed.js';
import type { Secret } from '../platform/crypto/secret.js';
import type { CredentialEntity } from './credential.entity.js';
import { CredentialsRepository } from './credentials.repository.js';

/** Fields of credentials by name. */
export type SecretFields = Readonly<Record<string, Secret>>;

/** Keeps credentials sealed field by field, each bound to user, exchange, field and row version (spec 2.4, S-36). */
@Injectable()
export class CredentialVault {
  constructor(
    private readonly repository: CredentialsRepository,
    private readonly crypto: CryptoService,
  ) {}

  /** Seals and stores, over what was there. */
  async store(userId: string, exchange: string, secrets: SecretFields): Promise<Date> {
    const updatedAt = new Date();
    const rowVersion = await this.repository.nextVersion();
    const sealed = Object.entries(secrets).map(
      ([field, secret]) => [field, this.crypto.seal(secret, [userId, exchange, field, rowVersion])] as const,
    );
    await this.repository.replace({
      userId,
      exchange,
      rowVersion,
      keyId: sealed[0]?.[1].keyId ?? '',
      fields: Object.fromEntries(sealed.map(([field, value]) => [field, value.toText()])),
      updatedAt,
    });
    return updatedAt;
  }

  /** The named fields of a row, opened; throws SealBrokenError where one does not open (S-37). */
  open(row: CredentialEntity, fields: readonly string[] = Object.keys(row.fields)): SecretFields {
    return Object.fromEntries(fields.map((field) => [field, this.#openField(row, field)]));
  }

  #openField(row: CredentialEntity, field: string): Secret {
    const sealed = Sealed.fromText(row.fields[field] ?? '');
    return this.crypto.open(sealed, [row.userId, row.exchange, field, row.rowVersion]);
  }
}
