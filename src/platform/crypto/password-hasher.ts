import { createHmac } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { Injectable } from '@nestjs/common';
import bcrypt from 'bcrypt';
import pLimit from 'p-limit';
import { Settings } from '../config/settings.js';
import { AppError } from '../errors/app-error.js';
import type { Secret } from '../secrets/secret.js';

const VERSION = 'v1';
const MAX_WAITING = 100;
const RETRY_AFTER_SECONDS = 1;

/** In bcrypt's alphabet and of its length: what stands after the salt. */
const NO_DIGEST = '.'.repeat(31);

/** Hashes in parallel: one thread of the pool stays free, as signing shares it (S-4). */
const MAX_PARALLEL = Math.max(1, Math.min(availableParallelism(), 4) - 1);

/**
 * Passwords as bcrypt over base64 HMAC-SHA-384(pepper, password): 64 characters, so that every byte counts and bcrypt's
 * limit of 72 never bites (S-2). The stored form is `v1$<bcrypt>`.
 */
@Injectable()
export class PasswordHasher {
  readonly #pepper: Secret;
  readonly #cost: number;
  readonly #limit = pLimit(MAX_PARALLEL);
  /** Costs as much as a stored form to compare with, and nothing to make: the service is ready a hash earlier. */
  readonly #dummy: string;
  #refused = 0;

  constructor(settings: Settings) {
    this.#pepper = settings.passwordPepper;
    this.#cost = settings.bcryptCost;
    this.#dummy = `${VERSION}$${bcrypt.genSaltSync(this.#cost)}${NO_DIGEST}`;
  }

  /** Hashes that are made, that wait, and that were refused since the start (S-4). */
  get load(): { readonly running: number; readonly waiting: number; readonly refused: number } {
    return { running: this.#limit.activeCount, waiting: this.#limit.pendingCount, refused: this.#refused };
  }

  /** The stored form of a password; throws `service_unavailable` when too many hashes wait (S-4). */
  async hash(password: string): Promise<string> {
    const hash = await this.#run(() => bcrypt.hash(this.#prepare(password), this.#cost));
    return `${VERSION}$${hash}`;
  }

  /** Whether the password belongs to the stored form; costs one hash, also where `stored` is null (S-5). */
  async verify(password: string, stored: string | null): Promise<boolean> {
    const [version, hash] = this.#split(stored ?? this.#dummy);
    const matches = await this.#run(() => bcrypt.compare(this.#prepare(password), hash));
    return matches && stored !== null && version === VERSION;
  }

  /**
   * Whether a stored form is older than today's method or cheaper than today's cost, so that the next log-in should renew
   * it. A dearer one stays: instances of two costs would renew it back and forth.
   */
  isOutdated(stored: string): boolean {
    const [version, hash] = this.#split(stored);
    return version !== VERSION || bcrypt.getRounds(hash) < this.#cost;
  }

  #prepare(password: string): string {
    return createHmac('sha384', this.#pepper.reveal()).update(password, 'utf8').digest('base64');
  }

  #split(stored: string): [version: string, hash: string] {
    const at = stored.indexOf('$');
    return [stored.slice(0, at), stored.slice(at + 1)];
  }

  #run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#limit.pendingCount >= MAX_WAITING) {
      this.#refused += 1;
      throw new AppError('service_unavailable', 'Too many sign-ins at once. Try again shortly.', {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    }
    return this.#limit(task);
  }
}
