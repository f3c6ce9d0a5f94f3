import { Injectable } from '@nestjs/common';
import { unauthorized } from '../access/bearer.js';
import { AppError } from '../platform/errors/app-error.js';
import { ApiKeyCacheLease } from './api-key-cache-lease.js';
import { type ApiKeyFacts, ApiKeysRepository } from './api-keys.repository.js';

/** Why a key, of which nothing may be known, may not be used from `address`; null where it may. */
export function keyRefusal(facts: ApiKeyFacts | null, address: string): AppError | null {
  if (facts === null) return unauthorized('invalid');
  if (facts.refusal !== null) return unauthorized(facts.refusal);
  return facts.networks?.holds(address) === false ? addressNotAllowed() : null;
}

function addressNotAllowed(): AppError {
  return new AppError(
    'forbidden',
    'This key may not be used from your address. Its owner can allow it: PATCH /account/bots.',
    {
      details: { reason: 'address_not_allowed' },
    },
  );
}

export type { ApiKeyFacts } from './api-keys.repository.js';

/** Whether the keys of long calls still live, and how long an instance may rely on that (S-30, S-60). */
@Injectable()
export class LiveKeysService {
  constructor(
    private readonly keys: ApiKeysRepository,
    private readonly lease: ApiKeyCacheLease,
  ) {}

  /** How long a stream may go on by what was read of its caller, in milliseconds from before the read. */
  get relianceMs(): number {
    return this.lease.streamsMs;
  }

  /** Until when those who end a key or a session wait for the streams of this instance, by `performance.now()`. */
  get trustedUntil(): number {
    return this.lease.trustedUntil;
  }

  /** Says to all instances that this one has streams: to be called before each stream begins. */
  announce(): Promise<void> {
    return this.lease.raise();
  }

  /** Reads keys by their SHA-256 in hex, past every cache; those that nobody has are left out. */
  find(hashes: readonly string[]): Promise<ReadonlyMap<string, ApiKeyFacts>> {
    return this.keys.findByHashes(hashes);
  }
}
