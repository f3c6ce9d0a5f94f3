import { createHmac } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { Injectable } from '@nestjs/common';
import bcrypt from 'bcrypt';
import { Settings } from '../config/settings.js';
import { currentRequest } from '../logging/current-request.js';
import { Tally } from '../metrics/tally.js';
import type { Secret } from '../secrets/secret.js';
import { HASH_SHARES, HashQueue, type HashShare, NOWHERE } from './hash-queue.js';

const VERSION = 'v1';

/** A digest for the dummy hash, behind the salt: characters of the alphabet of bcrypt, as many as a digest has. */
const NO_DIGEST = '.'.repeat(31);

/** For whom a hash is made; `account` is the one that knows the caller, or that mailed the caller a token. */
export interface HashTurn {
  readonly share: HashShare;
  readonly account?: string;
}

const STRANGER: HashTurn = { share: 'log_in' };

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
  readonly #queue: HashQueue;
  #running = 0;
  /** Hashes for which too many waited already. */
  readonly refused = new Tally(['share']);
  /**
   * A stored form that costs as much to compare with as a real one. It takes no hash to make, so the service is ready
   * earlier.
   */
  readonly #dummy: string;

  constructor(settings: Settings) {
    this.#pepper = settings.passwordPepper;
    this.#cost = settings.bcryptCost;
    this.#queue = new HashQueue(settings.rateLimitEnabled, (share) => {
      this.refused.count(share);
    });
    this.#dummy = `${VERSION}$${bcrypt.genSaltSync(this.#cost)}${NO_DIGEST}`;
  }

  /** How many hashes are being made, and how many wait (S-4). */
  get load(): { readonly running: number; readonly waiting: Readonly<Record<HashShare, number>> } {
    const waiting = Object.fromEntries(HASH_SHARES.map((share) => [share, this.#queue.waitingOf(share)]));
    return { running: this.#running, waiting: waiting as Record<HashShare, number> };
  }

  /** The stored form of a password; throws `service_unavailable` when too many hashes wait (S-4, R-10). */
  async hash(password: string, turn = STRANGER): Promise<string> {
    const hash = await this.#run(turn, () => bcrypt.hash(this.#prepare(password), this.#cost));
    return `${VERSION}$${hash}`;
  }

  /** Whether the password belongs to the stored form; costs one hash, also where `stored` is null (S-5). */
  async verify(password: string, stored: string | null, turn = STRANGER): Promise<boolean> {
    const [version, hash] = this.#split(stored ?? this.#dummy);
    const matches = await this.#run(turn, () => bcrypt.compare(this.#prepare(password), hash));
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

  /** Waits in the queue as the client of the current request, and in it for a turn of its networks. */
  #run<T>({ share, account }: HashTurn, task: () => Promise<T>): Promise<T> {
    const request = currentRequest();
    return new Promise<T>((resolve, reject) => {
      this.#queue.add({
        share,
        account,
        networks: request?.networks() ?? NOWHERE,
        hasGone: () => request?.hasGone() ?? false,
        begin: () => Promise.resolve().then(task).then(resolve, reject),
        refuse: reject,
      });
      this.#beginNext();
    });
  }

  /** Only the queue knows who waits: what it refused, or dropped, is kept nowhere. */
  #beginNext(): void {
    while (this.#running < MAX_PARALLEL) {
      const next = this.#queue.take();
      if (next === undefined) return;
      this.#running += 1;
      void next.begin().finally(() => {
        this.#running -= 1;
        this.#beginNext();
      });
    }
  }
}
