import { Injectable } from '@nestjs/common';
import { FinishedAnswer } from './finished-answer.js';
import { AnswerLife } from '../platform/upstream/answer-life.js';
import { Tally } from '../platform/metrics/tally.js';
import { withCallContext } from '../platform/upstream/call-context.js';
import { type Caller, Callers } from '../platform/upstream/callers.js';
import { type CacheBounds, ExpiringCache } from '../platform/upstream/expiring-cache.js';
import { Flight } from '../platform/upstream/flight.js';
import type { AnySignal } from '../platform/upstream/stop-signal.js';

/** The most that is kept, beside what the answers were made of (`upstream.constants.ts`). */
const BOUNDS = { entries: 1_000, bytes: 16 * 1024 * 1024 };

/** Who asks for an answer, where what is kept is not used. */
export interface Asker {
  readonly caller: Caller;
  /** Whether the shared reads may use nothing that they keep: `Cache-Control: no-cache`, or a renewal ahead. */
  readonly fresh: boolean;
  /** Ends this asker's own wait. */
  readonly signal: AnySignal;
}

/** Makes what is to be answered, or throws what is to be answered instead. */
type Make = () => Promise<unknown>;

/** An answer that is being made. */
interface Making {
  readonly flight: Flight<FinishedAnswer>;
  readonly life: AnswerLife;
}

/**
 * Answers that depend on nothing but the request target. Each is made once for all who wait for it, and kept as long as every
 * shared read that it was made of: never longer than `MARKET_DATA_CACHE_TTL` after the first of them (contract.md 2, 5.10).
 */
@Injectable()
export class FinishedAnswers {
  /** Requests that were answered with what is kept, and those that were not. */
  readonly uses = new Tally(['result']);
  readonly #kept = new ExpiringCache<FinishedAnswer>(BOUNDS);
  readonly #makings = new Map<string, Making>();

  get size(): CacheBounds {
    return this.#kept.size;
  }

  /** What is kept and may still be used. */
  get(target: string): FinishedAnswer | undefined {
    return this.#kept.get(target);
  }

  /**
   * The answer to `target` for one who may use nothing that is kept: one that is being made, or by `make`. Throws what `make`
   * throws, and UpstreamError `aborted` where the signal ends the wait. The making ends with its last asker; its reads
   * wait for their places in the turn of each. Who wants a fresh answer joins none, since the shared reads know which of
   * theirs to join; others may join that one.
   */
  ask(target: string, asker: Asker, make: Make): Promise<FinishedAnswer> {
    const running = asker.fresh ? undefined : this.#joinable(target);
    const { flight } = running ?? this.#start(target, asker, make);
    return flight.join(new Callers(asker.caller), asker.signal);
  }

  /** One that began too long ago is not joined: a part of it may be older by now than what the caches hold. */
  #joinable(target: string): Making | undefined {
    const running = this.#makings.get(target);
    return running?.life.isShareable === true && !running.flight.isAbandoned ? running : undefined;
  }

  #start(target: string, { caller, fresh }: Asker, make: Make): Making {
    const life = new AnswerLife();
    const startedAt = performance.now();
    const flight = new Flight(caller, async (signal, callers) => {
      try {
        const value = await withCallContext({ caller, callers, fresh, signal, life }, make);
        const body = Buffer.from(JSON.stringify(value));
        return this.#keep(target, new FinishedAnswer(body, life.end, performance.now() - startedAt));
      } finally {
        if (this.#makings.get(target)?.life === life) this.#makings.delete(target);
      }
    });
    const making = { flight, life };
    this.#makings.set(target, making);
    return making;
  }

  /** What began earlier does not replace what is newer. */
  #keep(target: string, answer: FinishedAnswer): FinishedAnswer {
    const { body, end } = answer;
    const isNewest = end >= (this.get(target)?.end ?? 0);
    const isUsable = end > performance.now();
    if (isNewest && isUsable) this.#kept.set(target, answer, { bytes: body.length + target.length, end });
    return answer;
  }
}
