import { CACHE_MAX_BYTES, CACHE_MAX_ENTRIES, DEFAULT_PAUSE_SECONDS } from './upstream.constants.js';
import type { Caller, Callers } from './callers.js';
import { ExpiringCache } from './expiring-cache.js';
import { Flight } from './flight.js';
import type { AnySignal } from './stop-signal.js';
import { Pause } from './pause.js';
import { PRIORITIES, type Priority } from './priority.js';
import { boundedWait } from './retry-after.js';
import { UpstreamError, type UpstreamResponse } from './upstream-client.js';

/** An answer and the bytes of its body, by which the cache is bounded. */
export interface SizedResponse {
  readonly response: UpstreamResponse;
  readonly size: number;
}

/** An answer, and until when it may be used, by `performance.now()`; 0 where it is not kept. */
export interface SharedAnswer {
  readonly response: UpstreamResponse;
  readonly end: number;
}

/** The callers of a read, and how urgent it is for them. */
export interface Reader {
  /** Whether the cache is skipped. */
  readonly fresh: boolean;
  /** Ends this reader's own wait. */
  readonly signal: AnySignal | undefined;
  /** More than one where the read is for an answer that several wait for. */
  readonly callers: Callers;
  /** No pause holds back what an order or a cancel needs. */
  readonly priority: Priority;
}

/** A call on its way. */
interface Running {
  readonly flight: Flight<SharedAnswer>;
  readonly priority: Priority;
}

/** Whether a read may be joined: somebody still waits for it, and it is at least as urgent as a call of this priority. */
function isJoinable(running: Running | undefined, priority: Priority): running is Running {
  if (running === undefined || running.flight.isAbandoned) return false;
  return PRIORITIES.indexOf(running.priority) <= PRIORITIES.indexOf(priority);
}

/** Makes one call for all `callers`; `signal` ends it. */
type Call = (signal: AnySignal, callers: Callers) => Promise<SizedResponse>;

/**
 * Reads that are the same for everyone: identical ones in flight are one call, unless the newest is more urgent; its good
 * answer is kept for a moment, and a 429 pauses them (contract.md 2, 5).
 */
export class SharedReads {
  /** The most urgent one of each key: others may join it. */
  readonly #running = new Map<string, Running>();
  readonly #cache = new ExpiringCache<SharedAnswer>({ entries: CACHE_MAX_ENTRIES, bytes: CACHE_MAX_BYTES });

  /** `ttlMs` 0 keeps nothing. */
  constructor(
    private readonly ttlMs: number,
    private readonly pause: Pause = new Pause(),
  ) {}

  /**
   * The answer for `key`, by `call` where there is none. A reader that goes away ends only its own wait; the call ends with
   * its last reader, and waits for a place in the turn of each. Throws UpstreamError `paused` after a 429 that concerns
   * all callers, `aborted`, or what `call` throws.
   */
  async read(key: string, reader: Reader, call: Call): Promise<SharedAnswer> {
    const { fresh, signal, callers, priority } = reader;
    if (signal?.aborted) throw new UpstreamError('aborted', false);
    const cached = fresh ? undefined : this.#cache.get(key);
    if (cached !== undefined) return cached;
    const running = this.#running.get(key);
    const flight = isJoinable(running, priority) ? running.flight : this.#start(key, reader, call);
    return flight.join(callers, signal);
  }

  /** Forgets all answers. */
  clear(): void {
    this.#cache.clear();
  }

  #start(key: string, reader: Reader, call: Call): Flight<SharedAnswer> {
    const starter = this.#starterOf(reader);
    const flight = new Flight(starter, async (signal, callers) => {
      try {
        const sized = await call(signal, callers);
        this.#pauseAfter(sized, starter);
        return this.#keep(key, sized);
      } finally {
        this.#land(key, flight);
      }
    });
    this.#running.set(key, { flight, priority: reader.priority });
    return flight;
  }

  /** Returns the first caller who may read now; a 429 counts for this caller. */
  #starterOf({ callers, priority }: Reader): Caller {
    let leastMs = Infinity;
    for (const caller of callers) {
      const pauseMs = this.pause.remainingMs(caller);
      if (pauseMs <= 0 || priority !== 'read') return caller;
      leastMs = Math.min(leastMs, pauseMs);
    }
    throw new UpstreamError('paused', false, { retryAfterSeconds: Math.ceil(leastMs / 1_000) });
  }

  #land(key: string, flight: Flight<SharedAnswer>): void {
    if (this.#running.get(key)?.flight === flight) this.#running.delete(key);
  }

  #pauseAfter({ response: { status, retryAfterSeconds } }: SizedResponse, starter: Caller): void {
    if (status === 429) this.pause.draw(starter, boundedWait(retryAfterSeconds ?? DEFAULT_PAUSE_SECONDS));
  }

  #keep(key: string, { response, size }: SizedResponse): SharedAnswer {
    const { status } = response;
    if (status < 200 || status >= 300 || this.ttlMs === 0) return { response, end: 0 };
    const answer = { response, end: performance.now() + this.ttlMs };
    this.#cache.set(key, answer, { bytes: size, end: answer.end });
    return answer;
  }
}
