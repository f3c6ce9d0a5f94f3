import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import type { SessionPrincipal } from '../access/principal.js';
import { SessionWrites } from '../access/session-writes.js';
import { ActivityService } from '../activity/activity.service.js';
import type { CredentialFacts, Exchange, KeyFacts, Opened, Trading } from '../exchanges/exchange.js';
import type { CredentialWarning } from '../exchanges/unified.words.js';
import { SealBrokenError } from '../platform/crypto/crypto.service.js';
import { Secret } from '../platform/secrets/secret.js';
import { AppError } from '../platform/errors/app-error.js';
import { validateAs } from '../platform/http/validation.js';
import { withCallContext, withReadLimit } from '../platform/upstream/call-context.js';
import type { CredentialEntity } from './credential.entity.js';
import { parseFacts } from './credential-facts.js';
import { CredentialVault, type SecretFields } from './credential-vault.js';
import { CredentialsRepository } from './credentials.repository.js';

/** What the exchange said of credentials, and what their owner should know of it now (contract.md 9). */
export interface CredentialReview {
  /** Null where the exchange has no such keys, or has not said. */
  readonly key: KeyFacts | null;
  readonly warnings: readonly CredentialWarning[];
}

/** What an answer may show of stored credentials: whether there are any, and the fields that are public (specification.md 4.13). */
export interface CredentialStatus extends CredentialReview {
  readonly exchange: string;
  readonly configured: boolean;
  readonly shown: Readonly<Record<string, string>>;
}

/** Credentials that were just stored. */
export interface StoredCredential extends CredentialReview {
  readonly exchange: string;
  readonly updatedAt: Date;
  readonly shown: Readonly<Record<string, string>>;
}

/** Stored credentials that the exchange has just accepted. */
export interface VerifiedCredential extends CredentialReview {
  readonly checkedAt: Date;
  readonly clockSkewMs: number | null;
}

/** How long storing or verifying waits for what the exchange says of the credentials, in ms. */
const FACTS_LIMIT_MS = 2_000;

function toSecrets(credentials: object): SecretFields {
  const given = Object.entries(credentials).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([field, value]) => [field, new Secret(String(value))]));
}

function reviewOf(exchange: Exchange, facts: CredentialFacts | null): CredentialReview {
  if (facts === null) return { key: null, warnings: [] };
  return { key: facts.key, warnings: exchange.warningsOf(facts, new Date()) };
}

/** What was said last of each: a silence now takes back nothing, such as that a key is bound to one subaccount. */
function latestOf(fresh: CredentialFacts | null, kept: CredentialFacts | null): CredentialFacts | null {
  if (fresh === null || kept === null) return fresh ?? kept;
  return { key: fresh.key ?? kept.key, missingAllowances: fresh.missingAllowances ?? kept.missingAllowances };
}

/** Exchange credentials: checked, sealed field by field, opened for one request at a time (specification.md 2.4, S-36, S-39). */
@Injectable()
export class CredentialsService {
  readonly #logger = new Logger('CredentialsService');

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
        ...reviewOf(exchange, parseFacts(row?.facts)),
      };
    });
  }

  /**
   * Seals and stores, over what was there. With `verify` the exchange is asked first by one signed read: refused is
   * `credentials_rejected` and changes nothing (contract.md 4). What the exchange says of them is stored too, where it does.
   */
  async replace(
    caller: SessionPrincipal,
    exchange: Exchange,
    { body, verify }: { body: unknown; verify: boolean },
  ): Promise<StoredCredential> {
    const secrets = toSecrets(await validateAs<object>(exchange.Credentials, body));
    const trading = exchange.trading(secrets);
    if (verify) await trading.verify();
    const { userId } = caller;
    const facts = await this.#readFacts(userId, trading);
    const updatedAt = await this.writes.run(caller, async () => {
      await this.activity.record({ type: 'credentials_stored', userId, exchange: exchange.id });
      return this.vault.store(userId, exchange.id, secrets, facts);
    });
    return { exchange: exchange.id, updatedAt, shown: this.#reveal(exchange, secrets), ...reviewOf(exchange, facts) };
  }

  /**
   * Asks the exchange by one signed read with the stored credentials; refused is `credentials_rejected` (contract.md 4). Then
   * renews what it says of them; where it says nothing now, what it said last stands.
   */
  async verify(userId: string, exchange: Exchange): Promise<VerifiedCredential> {
    const row = await this.#get(userId, exchange);
    const trading = await this.#tradingWith(row, exchange);
    await trading.verify();
    const fresh = await this.#readFacts(userId, trading);
    const facts = latestOf(fresh, parseFacts(row.facts));
    if (fresh !== null && facts !== null) await this.repository.replaceFacts(row, facts);
    const review = reviewOf(exchange, facts);
    return { checkedAt: new Date(), clockSkewMs: exchange.clockSkewMs, ...review };
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
    return this.#tradingWith(await this.#get(userId, exchange), exchange);
  }

  async #get(userId: string, exchange: Exchange): Promise<CredentialEntity> {
    const row = await this.repository.find(userId, exchange.id);
    if (row !== null) return row;
    throw new AppError(
      'credentials_not_configured',
      `Store your ${exchange.id} credentials first: PUT /account/credentials/${exchange.id}.`,
    );
  }

  async #tradingWith(row: CredentialEntity, exchange: Exchange): Promise<Trading> {
    return exchange.trading(await this.#open(row), parseFacts(row.facts));
  }

  /**
   * What the exchange says of credentials, within 2 s; null where it fails, which refuses nothing. Its calls count as those of
   * the owner, so that bad credentials of one user open no breaker for others.
   */
  async #readFacts(userId: string, trading: Trading): Promise<CredentialFacts | null> {
    const read = withCallContext({ caller: userId, fresh: false }, () =>
      withReadLimit(FACTS_LIMIT_MS, () => trading.readFacts()),
    );
    try {
      return parseFacts(await Promise.race([read, delay(FACTS_LIMIT_MS, null, { ref: false })]));
    } catch (error) {
      if (!(error instanceof AppError))
        this.#logger.error({ err: error, message: 'facts of credentials are not read' });
      return null;
    }
  }

  async #open(row: CredentialEntity): Promise<Opened<object>> {
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
