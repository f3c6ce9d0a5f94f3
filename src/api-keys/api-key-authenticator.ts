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

  /** As `authenticate` of a live key whose facts are at hand; null for every other, of which nothing is said. */
  authenticateKnown(key: string): ApiKeyPrincipal | null {
    const name = sha256(key).toString('hex');
    const facts = this.cache.peek(name);
    return facts === null ? null : this.#admit(name, facts);
  }

  /** The same object each time that the cache answers: what is made of it may be bound to it (KeyAnswers). */
  #admit(name: string, facts: ApiKeyFacts): ApiKeyPrincipal {
    this.usage.note(name);
    return facts;
  }
}
