import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { SessionPrincipal } from '../access/principal.js';
import { SessionWrites } from '../access/session-writes.js';
import { ActivityService } from '../activity/activity.service.js';
import type { CredentialFacts } from '../exchanges/credentials.contract.js';
import type { Exchange } from '../exchanges/exchange.js';
import type {
  AcceptedSessionKey,
  PendingSessionKey,
  SessionKeyAuthorization,
  SessionKeys,
} from '../exchanges/session-keys.contract.js';
import { AppError, badField } from '../platform/errors/app-error.js';
import { withCallContext } from '../platform/upstream/call-context.js';
import { unlessAborted } from '../platform/upstream/stop-signal.js';
import { CredentialOpener, SESSION_KEY_FIELD, unstoredSessionKey } from './credential-opener.js';
import { readFacts } from './credential-review.js';
import { CredentialSetsRepository } from './credential-sets.repository.js';
import { CredentialVault } from './credential-vault.js';
import { SessionKeyReminders } from './session-key-reminders.js';
import type { SessionKeyRow } from './session-keys.repository.js';

/** A session key as it was just stored. */
export type ChangedSessionKey = Pick<
  SessionKeyRow,
  'exchange' | 'state' | 'address' | 'walletAddress' | 'validUntil' | 'createdAt'
>;

/** A key that was just made, and what its owner has to do. */
export interface CreatedSessionKey {
  readonly key: ChangedSessionKey;
  readonly authorization: SessionKeyAuthorization;
}

/** No exchange lets a key live as long (contract.md 5.9). */
const LONGEST_LIFE_MS = 200 * 86_400_000;

/** Session keys: made here, authorised by the owner of the account, taken into use, forgotten (contract.md 5.9, S-58). */
@Injectable()
export class SessionKeysService implements OnModuleDestroy {
  readonly #stop = new AbortController();

  constructor(
    private readonly sets: CredentialSetsRepository,
    private readonly vault: CredentialVault,
    private readonly opener: CredentialOpener,
    private readonly writes: SessionWrites,
    private readonly activity: ActivityService,
    private readonly reminders: SessionKeyReminders,
  ) {}

  /** Activations that wait for the exchange end: a stop waits for nobody's signature. */
  onModuleDestroy(): void {
    this.#stop.abort();
  }

  /** Makes a key pair and keeps it until it is activated, in the place of one that waits already. */
  async create(caller: SessionPrincipal, exchange: Exchange, walletAddress: string): Promise<CreatedSessionKey> {
    const sessionKeys = sessionKeysOf(exchange);
    const { userId } = caller;
    const { address, privateKey } = sessionKeys.generate();
    const key = { userId, exchange: exchange.id, address, walletAddress, createdAt: new Date() };
    const pending = { ...key, state: 'pending', validUntil: null, activatedAt: null, facts: null } as const;
    await this.writes.run(caller, async () => {
      const details = { address };
      await this.activity.record({ type: 'session_key_created', userId, exchange: exchange.id, details });
      await this.vault.storeSessionKey({ ...pending, secrets: { [SESSION_KEY_FIELD]: privateKey } });
    });
    return { key: pending, authorization: sessionKeys.authorizationOf(walletAddress, address) };
  }

  /**
   * Takes the pending key into use once the exchange knows it, which is asked for as long as that may take; `validUntil` is
   * when it ends, where the exchange does not say. Meanwhile no transaction is open: only the very key that was read is
   * activated. Throws `not_found` where there is none, and `credentials_rejected` where the exchange does not know it.
   */
  async activate(caller: SessionPrincipal, exchange: Exchange, validUntil: Date | null): Promise<ChangedSessionKey> {
    const sessionKeys = sessionKeysOf(exchange);
    checkEnd(validUntil, Date.now());
    const { userId } = caller;
    const found = await this.sets.find(userId, exchange.id);
    const { pending } = found;
    if (pending === null) throw noPendingKey(exchange);
    const key = await this.opener.openPending(pending);
    const stored = await this.opener.openStored(found);
    const answer = await this.#whileServing(userId, () => sessionKeys.awaitAccepted(key, stored));
    const accepted = { ...answer, validUntil: answer.validUntil ?? validUntil };
    const trading = exchange.trading(stored, null, unstoredSessionKey(key, accepted));
    const facts = await readFacts(userId, trading);
    return this.writes.run(caller, () => this.#activate(exchange, pending, { key, accepted, facts }));
  }

  /** Forgets the active and the pending key; false where there was none. */
  async remove(caller: SessionPrincipal, exchange: Exchange): Promise<boolean> {
    sessionKeysOf(exchange);
    const { userId } = caller;
    return this.writes.run(caller, async () => {
      const removed = await this.sets.removeSessionKeys(userId, exchange.id);
      for (const [index, { address }] of removed.entries()) {
        const part = index > 0 ? ({ isPart: true } as const) : {};
        const event = { type: 'session_key_removed', userId, exchange: exchange.id, details: { address } } as const;
        await this.activity.record({ ...event, ...part });
      }
      return removed.length > 0;
    });
  }

  /** Needs a transaction. */
  async #activate(
    exchange: Exchange,
    pending: SessionKeyRow,
    { key, accepted, facts }: { key: PendingSessionKey; accepted: AcceptedSessionKey; facts: CredentialFacts | null },
  ): Promise<ChangedSessionKey> {
    if (!(await this.sets.removePending(pending))) throw noPendingKey(exchange);
    const { userId, address } = pending;
    const details = { address };
    await this.activity.record({ type: 'session_key_activated', userId, exchange: exchange.id, details });
    const { validUntil, apiCredentials } = accepted;
    const active = { ...pending, state: 'active', validUntil, activatedAt: new Date(), facts } as const;
    const secrets = { [SESSION_KEY_FIELD]: key.privateKey, ...apiCredentials };
    await this.vault.storeSessionKey({ ...active, secrets });
    await this.reminders.remind(userId);
    return active;
  }

  /** Waits for the exchange, also where the client has gone, but not where the service stops. */
  #whileServing<T>(userId: string, wait: () => Promise<T>): Promise<T> {
    const { signal } = this.#stop;
    const words = 'The service is being stopped. The key still waits: activate it again.';
    return unlessAborted(
      signal,
      () => withCallContext({ caller: userId, fresh: false, signal }, wait),
      () => new AppError('service_unavailable', words, { retryAfterSeconds: 1 }),
    );
  }
}

/** The routes of exchanges without session keys are refused before (contract.md 5.9). */
function sessionKeysOf({ id, sessionKeys }: Exchange): SessionKeys {
  if (sessionKeys !== undefined) return sessionKeys;
  throw new AppError('not_found', `There are no session keys at ${id}.`);
}

function noPendingKey({ id }: Exchange): AppError {
  return new AppError(
    'not_found',
    `No session key waits to be activated: make one with POST /account/credentials/${id}/session-key.`,
  );
}

function checkEnd(validUntil: Date | null, now: number): void {
  if (validUntil === null) return;
  const leftMs = validUntil.getTime() - now;
  if (leftMs <= 0) throw badField('valid_until', 'must lie ahead');
  if (leftMs > LONGEST_LIFE_MS) throw badField('valid_until', 'must be at most 200 days ahead');
}
