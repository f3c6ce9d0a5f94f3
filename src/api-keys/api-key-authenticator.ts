import { Injectable } from '@nestjs/common';
import { unauthorized } from '../access/bearer.js';
import type { ApiKeyPrincipal } from '../access/principal.js';
import { sha256 } from '../platform/crypto/digests.js';
import { ApiKeyCache } from './api-key-cache.js';
import { isApiKey } from './api-key.format.js';
import { ApiKeyUsage } from './api-key-usage.js';
import { type ApiKeyFacts, ApiKeysRepository } from './api-keys.repository.js';

/** Identifies callers by their API key (S-27, S-28, S-30). */
@Injectable()
export class ApiKeyAuthenticator {
  constructor(
    private readonly repository: ApiKeysRepository,
    private readonly cache: ApiKeyCache,
    private readonly usage: ApiKeyUsage,
  ) {}

  /** The owner of this key; throws `unauthorized` with the reason `invalid` or `key_revoked`. */
  async authenticate(key: string): Promise<ApiKeyPrincipal> {
    if (!isApiKey(key)) throw unauthorized('invalid');
    const hash = sha256(key);
    const name = hash.toString('hex');
    const facts = await this.cache.get(name, () => this.repository.findByHash(hash));
    if (facts === null) throw unauthorized('invalid');
    if (facts.revoked) throw unauthorized('key_revoked');
    return this.#admit(name, facts);
  }

  /** Returns the owner of a live key whose facts are in the cache. Null for every other key, which may be good or bad. */
  authenticateKnown(key: string): ApiKeyPrincipal | null {
    const name = sha256(key).toString('hex');
    const facts = this.cache.peek(name);
    return facts === null ? null : this.#admit(name, facts);
  }

  /** Returns the very object that the cache holds, since KeyAnswers binds answers to that object. */
  #admit(name: string, facts: ApiKeyFacts): ApiKeyPrincipal {
    this.usage.note(name);
    return facts;
  }
}
