import { Injectable } from '@nestjs/common';
import type { SessionPrincipal } from '../access/principal.js';
import { SessionWrites } from '../access/session-writes.js';
import { ActivityService } from '../activity/activity.service.js';
import type { Exchange, Opened, Trading } from '../exchanges/exchange.js';
import { SealBrokenError } from '../platform/crypto/crypto.service.js';
import { Secret } from '../platform/secrets/secret.js';
import { AppError } from '../platform/errors/app-error.js';
import { validateAs } from '../platform/http/validation.js';
import type { CredentialEntity } from './credential.entity.js';
import { CredentialVault, type SecretFields } from './credential-vault.js';
import { CredentialsRepository } from './credentials.repository.js';

/** What an answer may show of stored credentials: whether there are any, and the fields that are public (specification.md 4.13). */
export interface CredentialStatus {
  readonly exchange: string;
  readonly configured: boolean;
  readonly shown: Readonly<Record<string, string>>;
}

/** Credentials that were just stored. */
export interface StoredCredential {
  readonly exchange: string;
  readonly updatedAt: Date;
  readonly shown: Readonly<Record<string, string>>;
}

function toSecrets(credentials: object): SecretFields {
  const given = Object.entries(credentials).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([field, value]) => [field, new Secret(String(value))]));
}

/** Exchange credentials: checked, sealed field by field, opened for one request at a time (specification.md 2.4, S-36, S-39). */
@Injectable()
export class CredentialsService {
  constructor(
    private readonly repository: CredentialsRepository,
    private readonly vault: CredentialVault,
    private readonly writes: SessionWrites,
    private readonly activity: ActivityService,
  ) {}

  /** One status an exchange; a field that does not open is left out (S-37). */
  async list(userId: string, exchanges: readonly Exchange[]): Promise<CredentialStatus[]> {
    const rows = await this.repository.list(userId);
    return exchanges.map((exchange) => {
      const row = rows.find((candidate) => candidate.exchange === exchange.id);
      return {
        exchange: exchange.id,
        configured: row !== undefined,
        shown: row === undefined ? {} : this.#shownFields(exchange, row),
      };
    });
  }

  /**
   * Seals and stores, over what was there. With `verify` the exchange is asked first by one signed read: refused is
   * `credentials_rejected` and changes nothing (contract.md 4).
   */
  async replace(
    caller: SessionPrincipal,
    exchange: Exchange,
    { body, verify }: { body: unknown; verify: boolean },
  ): Promise<StoredCredential> {
    const secrets = toSecrets(await validateAs<object>(exchange.Credentials, body));
    if (verify) await exchange.trading(secrets).verify();
    const { userId } = caller;
    const updatedAt = await this.writes.run(caller, async () => {
      await this.activity.record({ type: 'credentials_stored', userId, exchange: exchange.id });
      return this.vault.store(userId, exchange.id, secrets);
    });
    return { exchange: exchange.id, updatedAt, shown: this.#reveal(exchange, secrets) };
  }

  /** Asks the exchange by one signed read with the stored credentials; refused is `credentials_rejected` (contract.md 4). */
  async verify(userId: string, exchange: Exchange): Promise<{ checkedAt: Date; clockSkewMs: number | null }> {
    await (await this.trading(userId, exchange)).verify();
    return { checkedAt: new Date(), clockSkewMs: exchange.clockSkewMs };
  }

  /** Removes what is stored, also when there is nothing (contract.md 4). */
  async remove(caller: SessionPrincipal, exchange: Exchange): Promise<{ exchange: string; configured: false }> {
    const { userId } = caller;
    await this.writes.run(caller, async () => {
      if (!(await this.repository.remove(userId, exchange.id))) return;
      await this.activity.record({ type: 'credentials_removed', userId, exchange: exchange.id });
    });
    return { exchange: exchange.id, configured: false };
  }

  /** Removes what the user has stored for all exchanges, as part of a greater change. */
  async removeAll(userId: string): Promise<void> {
    for (const exchange of await this.repository.removeAll(userId)) {
      await this.activity.record({ type: 'credentials_removed', userId, exchange, isPart: true });
    }
  }

  /** Signed calls with the stored credentials; throws `credentials_not_configured`, SealBrokenError as `internal_error`. */
  async trading(userId: string, exchange: Exchange): Promise<Trading> {
    return exchange.trading(await this.#open(userId, exchange));
  }

  async #open(userId: string, exchange: Exchange): Promise<Opened<object>> {
    const row = await this.repository.find(userId, exchange.id);
    if (row === null) {
      throw new AppError(
        'credentials_not_configured',
        `Store your ${exchange.id} credentials first: PUT /account/credentials/${exchange.id}.`,
      );
    }
    try {
      return this.vault.open(row);
    } catch (error) {
      if (error instanceof SealBrokenError) await this.#recordBroken(row);
      throw error;
    }
  }

  #shownFields(exchange: Exchange, row: CredentialEntity): Record<string, string> {
    try {
      return this.#reveal(exchange, this.vault.open(row, Object.keys(exchange.shownCredentials)));
    } catch (error) {
      if (error instanceof SealBrokenError) return {};
      throw error;
    }
  }

  #recordBroken({ userId, exchange, keyId }: CredentialEntity): Promise<void> {
    return this.activity.record({ type: 'decrypt_failed', userId, exchange, details: { key_id: keyId } });
  }

  #reveal(exchange: Exchange, secrets: SecretFields): Record<string, string> {
    return Object.fromEntries(
      Object.keys(exchange.shownCredentials).map((field) => [field, secrets[field]?.reveal() ?? '']),
    );
  }
}
