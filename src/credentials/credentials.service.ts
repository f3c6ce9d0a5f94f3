import { Injectable } from '@nestjs/common';
import type { ApiKeyPrincipal, SessionPrincipal } from '../access/principal.js';
import { SessionWrites } from '../access/session-writes.js';
import { ActivityService } from '../activity/activity.service.js';
import type { CredentialFacts } from '../exchanges/credentials.contract.js';
import type { Exchange } from '../exchanges/exchange.js';
import type { ApiCredentialFields, PendingSessionKey } from '../exchanges/session-keys.contract.js';
import type { Trading } from '../exchanges/trading.contract.js';
import { SealBrokenError } from '../platform/crypto/crypto.service.js';
import { AppError } from '../platform/errors/app-error.js';
import { validateAs } from '../platform/http/validation.js';
import { Secret } from '../platform/secrets/secret.js';
import { withCallContext } from '../platform/upstream/call-context.js';
import { CredentialOpener, SESSION_KEY_FIELD, unstoredSessionKey } from './credential-opener.js';
import { parseFacts } from './credential-facts.js';
import { type CredentialReview, readFacts, reviewOf } from './credential-review.js';
import {
  canSign,
  type CredentialSets,
  CredentialSetsRepository,
  type RemovedSets,
  type CredentialVersion,
} from './credential-sets.repository.js';
import { CredentialVault, type SecretFields } from './credential-vault.js';
import { type BotHalt, type SendingLook, type SendingPermit, sendingPermit } from './sending-permit.js';

export type { BotHalt, SendingLook, SendingPermit };

/** Signed calls that may send, and the permit that is looked at again when a sending begins. */
export interface SendingRights {
  readonly trading: Trading;
  readonly permit: SendingPermit;
}

/** What an answer may show of stored credentials: whether there are any, and the fields that are public (specification.md 4.13). */
export interface CredentialStatus extends CredentialReview {
  readonly exchange: string;
  readonly configured: boolean;
  readonly shown: Readonly<Record<string, string>>;
}

/**
 * Whether a user can trade at an exchange, and until when the session key that signs may trade; null where no session
 * key signs.
 */
export interface ExchangeReadiness {
  readonly exchange: string;
  readonly configured: boolean;
  readonly sessionKeyValidUntil: Date | null;
}

/** Credentials that were just stored. */
export interface StoredCredential extends CredentialStatus {
  readonly updatedAt: Date;
}

/** Stored credentials that the exchange has just accepted. */
export interface VerifiedCredential extends CredentialReview {
  readonly checkedAt: Date;
  readonly clockSkewMs: number | null;
  /** Contracts that the owner has yet to approve, where a session key is to trade; else empty. */
  readonly missingAllowances: readonly string[];
}

/** What `PUT` is to store: the fields of the owner, and a session key with what the exchange issued to it. */
interface Offer {
  readonly stored: SecretFields | null;
  readonly sessionKey: { readonly key: PendingSessionKey; readonly apiCredentials: ApiCredentialFields } | null;
}

function toSecrets(credentials: object): SecretFields {
  const given = Object.entries(credentials).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([field, value]) => [field, new Secret(String(value))]));
}

/** Returns the sets where they can sign; else throws `credentials_not_configured` (S-51). */
function usable(sets: CredentialSets, { id }: Exchange, needsSessionKey = false): CredentialSets {
  if (canSign(sets, needsSessionKey)) return sets;
  const { stored, pending } = sets;
  const path = `/account/credentials/${id}`;
  if (needsSessionKey && (stored ?? pending) !== null) {
    const first = pending === null ? `make one (POST ${path}/session-key), ` : '';
    throw new AppError(
      'credentials_not_configured',
      `Only an active session key can sign such an order: ${first}let the owner of the account authorise it, then take it ` +
        `into use (POST ${path}/session-key/activate). Or send an order that the account's own wallet has signed.`,
      { details: { reason: 'session_key_required' } },
    );
  }
  throw new AppError('credentials_not_configured', `Store your ${id} credentials first: PUT ${path}.`);
}

/**
 * Returns the newest value of each fact. A fact that the exchange does not state now keeps its value, such as the
 * binding of a key to one subaccount.
 */
function latestOf(fresh: CredentialFacts | null, kept: CredentialFacts | null): CredentialFacts | null {
  if (fresh === null || kept === null) return fresh ?? kept;
  return { key: fresh.key ?? kept.key, missingAllowances: fresh.missingAllowances ?? kept.missingAllowances };
}

/** Exchange credentials: checked, sealed field by field, opened for one request at a time (specification.md 2.4, S-36, S-39). */
@Injectable()
export class CredentialsService {
  constructor(
    private readonly sets: CredentialSetsRepository,
    private readonly vault: CredentialVault,
    private readonly opener: CredentialOpener,
    private readonly writes: SessionWrites,
    private readonly activity: ActivityService,
  ) {}

  /** One status an exchange; a field that does not open is left out (S-37). */
  async list(userId: string, exchanges: readonly Exchange[]): Promise<CredentialStatus[]> {
    const sets = await this.sets.list(userId);
    return exchanges.map((exchange) =>
      this.#statusOf(exchange, sets.get(exchange.id) ?? { stored: null, active: null, pending: null }),
    );
  }

  /** One an exchange, without opening anything. */
  async listReadiness(userId: string, exchanges: readonly Exchange[]): Promise<ExchangeReadiness[]> {
    const sets = await this.sets.list(userId);
    return exchanges.map(({ id }) => {
      const { stored = null, active = null } = sets.get(id) ?? {};
      const configured = stored !== null || active !== null;
      return { exchange: id, configured, sessionKeyValidUntil: active?.validUntil ?? null };
    });
  }

  /**
   * Seals and stores, over what was there; a session key replaces all that was there. With `verify` the exchange is asked first
   * by one signed read: refused is `credentials_rejected` and changes nothing (contract.md 4). What the exchange says of them is
   * stored too, where it does.
   */
  async replace(
    caller: SessionPrincipal,
    exchange: Exchange,
    { body, verify }: { body: unknown; verify: boolean },
  ): Promise<StoredCredential> {
    const { userId } = caller;
    const credentials = await validateAs<object>(exchange.Credentials, body);
    const offer = await this.#offerOf(userId, exchange, {
      ...credentials,
      ...(await exchange.derivedCredentials?.(credentials)),
    });
    const key = offer.sessionKey && unstoredSessionKey(offer.sessionKey.key, { ...offer.sessionKey, validUntil: null });
    const trading = exchange.trading(offer.stored, null, key);
    if (verify) await trading.verify();
    const facts = await readFacts(userId, trading);
    return this.writes.run(caller, async () => {
      const updatedAt = await this.#store({ userId, exchange: exchange.id }, offer, facts);
      return { ...this.#statusOf(exchange, await this.sets.find(userId, exchange.id)), updatedAt };
    });
  }

  /**
   * Tries the stored credentials by one signed read. Throws `credentials_rejected` where the exchange refuses them
   * (contract.md 4). Then renews the facts; a fact that the exchange does not state now keeps its value.
   */
  async verify(userId: string, exchange: Exchange): Promise<VerifiedCredential> {
    const sets = usable(await this.sets.find(userId, exchange.id), exchange);
    const trading = await this.opener.trading(exchange, sets);
    await trading.verify();
    const fresh = await readFacts(userId, trading);
    const facts = await this.#renewFacts(sets, fresh);
    const [active, stored] = [sets.active && { ...sets.active, facts }, sets.stored && { ...sets.stored, facts }];
    const missingAllowances = active === null ? [] : (facts?.missingAllowances ?? []);
    const review = reviewOf(exchange, { ...sets, active, stored });
    return { checkedAt: new Date(), clockSkewMs: exchange.clockSkewMs, missingAllowances, ...review };
  }

  /** Removes what is stored, session keys included, also when there is nothing (contract.md 4). */
  async remove(caller: SessionPrincipal, exchange: Exchange): Promise<{ exchange: string; configured: false }> {
    const { userId } = caller;
    await this.writes.run(caller, async () => {
      const [removed] = await this.sets.removeAll(userId, exchange.id);
      if (removed !== undefined) await this.#recordRemoved(userId, removed, false);
    });
    return { exchange: exchange.id, configured: false };
  }

  /** Removes what the user has stored for all exchanges, as part of a greater change. */
  async removeAll(userId: string): Promise<void> {
    for (const removed of await this.sets.removeAll(userId, null)) await this.#recordRemoved(userId, removed, true);
  }

  /** Returns which version of what signs these users have, by user and exchange; leaves out who has nothing. */
  versionsOf(userIds: readonly string[]): Promise<readonly CredentialVersion[]> {
    return this.sets.versions(userIds);
  }

  /** Signed reads and cancels with what is stored, for one request. Throws `credentials_not_configured`, and SealBrokenError as `internal_error`. */
  async trading(userId: string, exchange: Exchange): Promise<Trading> {
    return this.opener.trading(exchange, usable(await this.sets.find(userId, exchange.id), exchange));
  }

  /**
   * Returns the signed calls for an order or transfer that is to be sent once; `order` is the body of an order. Throws
   * `credentials_not_configured` with reason `session_key_required` where only a session key could sign the order.
   */
  async tradingToSend(caller: ApiKeyPrincipal, exchange: Exchange, order?: object): Promise<SendingRights> {
    return this.#rights(caller, exchange, await this.sets.find(caller.userId, exchange.id), order);
  }

  async #rights(
    caller: ApiKeyPrincipal,
    exchange: Exchange,
    sets: CredentialSets,
    order: object | undefined,
  ): Promise<SendingRights> {
    const needsSessionKey = order !== undefined && exchange.sessionKeys?.isNeededFor(order) === true;
    const trading = await this.opener.trading(exchange, usable(sets, exchange, needsSessionKey), needsSessionKey);
    return { trading, permit: sendingPermit(caller, exchange.id, sets) };
  }

  /** Stores the facts that the exchange states now about the credentials that sign calls, and returns the newest facts. */
  async #renewFacts(
    { active, stored }: CredentialSets,
    fresh: CredentialFacts | null,
  ): Promise<CredentialFacts | null> {
    const row = active ?? stored;
    const facts = latestOf(fresh, parseFacts(row?.facts));
    if (row !== null && fresh !== null && facts !== null) await this.sets.replaceFacts(row, facts);
    return facts;
  }

  /** A session key comes with its own API credentials, or the exchange issues them now. */
  async #offerOf(userId: string, exchange: Exchange, credentials: object): Promise<Offer> {
    const { [SESSION_KEY_FIELD]: privateKey, ...given } = toSecrets(credentials);
    const { sessionKeys } = exchange;
    if (privateKey === undefined || sessionKeys === undefined) return { stored: given, sessionKey: null };
    const { api_key, secret, passphrase, wallet_address } = given;
    const key = { ...sessionKeys.pairOf(privateKey), walletAddress: wallet_address?.reveal() ?? '' };
    if (api_key !== undefined && secret !== undefined && passphrase !== undefined) {
      const apiCredentials = { api_key, secret, passphrase };
      await withCallContext({ caller: userId, fresh: false }, () => sessionKeys.assertNoOwner(key, apiCredentials));
      const stored: object = sessionKeys.storedWith(key, apiCredentials);
      return { stored: { ...stored }, sessionKey: { key, apiCredentials } };
    }
    const context = { caller: userId, fresh: false };
    const apiCredentials = await withCallContext(context, () => sessionKeys.deriveApiCredentials(key));
    await withCallContext(context, () => sessionKeys.assertNoOwner(key, apiCredentials));
    return { stored: null, sessionKey: { key, apiCredentials } };
  }

  /** Needs a transaction. */
  async #store(
    id: { readonly userId: string; readonly exchange: string },
    { stored, sessionKey }: Offer,
    facts: CredentialFacts | null,
  ): Promise<Date> {
    const { userId, exchange } = id;
    await this.activity.record({ type: 'credentials_stored', userId, exchange });
    if (sessionKey !== null) {
      const { address, walletAddress, privateKey } = sessionKey.key;
      const details = { address };
      await this.activity.record({ type: 'session_key_activated', userId, exchange, details, isPart: true });
      await this.sets.removeAll(userId, exchange);
      const at = new Date();
      const key = { ...id, address, walletAddress, validUntil: null, createdAt: at, activatedAt: at, facts };
      const secrets = { [SESSION_KEY_FIELD]: privateKey, ...sessionKey.apiCredentials };
      await this.vault.storeSessionKey({ ...key, state: 'active', secrets });
    }
    return stored === null ? new Date() : this.vault.store(userId, exchange, stored, facts);
  }

  #statusOf(exchange: Exchange, sets: CredentialSets): CredentialStatus {
    const { stored, active } = sets;
    const wallet = active === null ? {} : { wallet_address: active.walletAddress };
    return {
      exchange: exchange.id,
      configured: stored !== null || active !== null,
      shown: { ...wallet, ...this.#shownFields(exchange, sets) },
      ...reviewOf(exchange, sets),
    };
  }

  #shownFields(exchange: Exchange, { stored }: CredentialSets): Record<string, string> {
    if (stored === null) return {};
    const fields = Object.keys(exchange.shownCredentials);
    try {
      const secrets = this.vault.open(stored, fields);
      return Object.fromEntries(fields.map((field) => [field, secrets[field]?.reveal() ?? '']));
    } catch (error) {
      if (error instanceof SealBrokenError) return {};
      throw error;
    }
  }

  /** Records what was removed. A pending session key could not trade, so it alone does not count as removed credentials. */
  async #recordRemoved(
    userId: string,
    { exchange, hadStored, sessionKeys }: RemovedSets,
    isPart: boolean,
  ): Promise<void> {
    const hadUse = hadStored || sessionKeys.some(({ state }) => state === 'active');
    const part = isPart ? ({ isPart: true } as const) : {};
    if (hadUse) await this.activity.record({ type: 'credentials_removed', userId, exchange, ...part });
    for (const { address } of sessionKeys) {
      const inner = hadUse ? ({ isPart: true } as const) : part;
      await this.activity.record({ type: 'session_key_removed', userId, exchange, details: { address }, ...inner });
    }
  }
}
