import { Injectable } from '@nestjs/common';
import { FinishedAnswer } from './finished-answer.js';
import type { ApiKeyPrincipal } from '../access/principal.js';

/** An answer that is made, or was. */
interface Making {
  readonly made: Promise<FinishedAnswer>;
  answer?: FinishedAnswer;
}

/**
 * Answers that depend on nothing but who owns the caller's API key. Each is bound to the very object that `ApiKeyCache`
 * keeps, so it goes with that and is of no use to anybody later than `API_KEY_CACHE_TTL` after those facts were read (S-30).
 */
@Injectable()
export class KeyAnswers {
  readonly #byTarget = new Map<string, WeakMap<ApiKeyPrincipal, Making>>();

  /** Whether there are such answers to `target`, whoever asks. */
  has(target: string): boolean {
    return this.#byTarget.has(target);
  }

  /** The answer to `target` for the caller whose facts these are. */
  get(target: string, facts: ApiKeyPrincipal): FinishedAnswer | undefined {
    return this.#byTarget.get(target)?.get(facts)?.answer;
  }

  /** As `get`, or made once for all who ask meanwhile; `target` is one of a few: the path of a route. A failure is not kept. */
  async ask(target: string, facts: ApiKeyPrincipal, make: () => Promise<unknown>): Promise<FinishedAnswer> {
    const ofTarget = this.#byTarget.get(target) ?? new WeakMap<ApiKeyPrincipal, Making>();
    this.#byTarget.set(target, ofTarget);
    const known = ofTarget.get(facts);
    if (known !== undefined) return known.made;
    const made = make().then((value) => new FinishedAnswer(Buffer.from(JSON.stringify(value)), Infinity));
    const making: Making = { made };
    ofTarget.set(facts, making);
    try {
      return (making.answer = await made);
    } catch (error) {
      ofTarget.delete(facts);
      throw error;
    }
  }
}
