import { Injectable } from '@nestjs/common';
import type { FinishedAnswer } from '../access/finished-answer.js';
import type { ApiKeyPrincipal } from '../access/principal.js';

/**
 * Answers that depend on nothing but the facts of the caller's API key. Each is bound to the very object that `ApiKeyCache`
 * keeps, so it goes with that and is of no use to anybody later than `API_KEY_CACHE_TTL` after those facts were read (S-30).
 */
@Injectable()
export class KeyAnswers {
  readonly #byTarget = new Map<string, WeakMap<ApiKeyPrincipal, FinishedAnswer>>();

  /** Whether there are such answers to `target`, whoever asks. */
  has(target: string): boolean {
    return this.#byTarget.has(target);
  }

  /** The answer to `target` for the caller whose facts these are. */
  get(target: string, facts: ApiKeyPrincipal): FinishedAnswer | undefined {
    return this.#byTarget.get(target)?.get(facts);
  }

  /** `target` is one of a few: the path of a route. */
  keep(target: string, facts: ApiKeyPrincipal, answer: FinishedAnswer): void {
    const kept = this.#byTarget.get(target) ?? new WeakMap<ApiKeyPrincipal, FinishedAnswer>();
    this.#byTarget.set(target, kept.set(facts, answer));
  }
}
