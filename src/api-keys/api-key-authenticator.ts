import { Injectable } from '@nestjs/common';
import { unauthorized } from '../access/bearer.js';
import type { ApiKeyPrincipal } from '../access/principal.js';
import { sha256 } from '../platform/crypto/digests.js';
import { ApiKeyCache } from './api-key-cache.js';
import { isApiKey } from './api-key.format.js';
import { ApiKeyUsage } from './api-key-usage.js';
import { type ApiKeyFacts, ApiKeysRepository } from './api-keys.repository.js';
import { keyRefusal } from './live-keys.service.js';

/** Identifies callers by their API key (S-27, S-28, S-30). */
@Injectable()
export class ApiKeyAuthenticator {
  constructor(
    private readonly repository: ApiKeysRepository,
    private readonly cache: ApiKeyCache,
    private readonly usage: ApiKeyUsage,
  ) {}

  /**
   * The owner of this key, which is used from `address`. Throws `unauthorized` with the reason `invalid`, `key_revoked` or `key_expired`,
   * and `forbidden` with `address_not_allowed`.
   */
  async authenticate(key: string, address: string): Promise<ApiKeyPrincipal> {
    if (!isApiKey(key)) throw unauthorized('invalid');
    const hash = sha256(key);
    const name = hash.toString('hex');
    const facts = await this.#factsOf(name, hash);
    const refusal = keyRefusal(facts, address);
    if (facts === null || refusal !== null) throw refusal ?? unauthorized('invalid');
    return this.#admit(name, facts);
  }

  /**
   * Returns the owner of a live main key whose facts are in the cache. Null for every other key, which may be good or bad, and for
   * those of bots, of whom more is looked at.
   */
  authenticateKnown(key: string): ApiKeyPrincipal | null {
    const name = sha256(key).toString('hex');
    const facts = this.cache.peek(name);
    return facts?.bot === null ? this.#admit(name, facts) : null;
  }

  /** Facts of a key that ended while they were waited for are read anew: its end goes by the database's clock. */
  async #factsOf(name: string, hash: Buffer): Promise<ApiKeyFacts | null> {
    const read = (): Promise<ApiKeyFacts | null> => this.repository.findByHash(hash);
    const facts = await this.cache.get(name, read);
    return facts !== null && facts.refusal === null && facts.endsAt <= performance.now() ? read() : facts;
  }

  /** Returns the very object that the cache holds, since KeyAnswers binds answers to that object. */
  #admit(name: string, facts: ApiKeyFacts): ApiKeyPrincipal {
    this.usage.note(name);
    return facts;
  }
}
