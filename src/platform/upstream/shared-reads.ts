import { CACHE_MAX_BYTES, CACHE_MAX_ENTRIES, DEFAULT_PAUSE_SECONDS } from './upstream.constants.js';
import { type Caller, Callers } from './callers.js';
import { onAbort } from './on-abort.js';
import { Pause } from './pause.js';
import { boundedWait } from './retry-after.js';
import { UpstreamError, type UpstreamResponse } from './upstream-client.js';

/** An answer and the bytes of its body, by which the cache is bounded. */
export interface SizedResponse {
  readonly response: UpstreamResponse;
  readonly size: number;
}

/** The caller of a read. */
export interface Reader {
  /** Whether the cache is skipped. */
  readonly fresh: boolean;
  /** Ends this reader's own wait. */
  readonly signal: AbortSignal | undefined;
  readonly caller: Caller;
}

/** Makes one call for all `callers`; `signal` ends it. */
type Call = (signal: AbortSignal, callers: Callers) => Promise<SizedResponse>;

interface Flight {
  readonly answer: Promise<SizedResponse>;
  readonly callers: Callers;
  /** Ends the call when no reader waits for it any more. */
  readonly ending: AbortController;
  waiting: number;
}

interface Cached extends SizedResponse {
  readonly timer: NodeJS.Timeout;
}

/**
 * Reads that are the same for everyone: identical ones in flight are one call, its good answer is kept for a moment, and
 * after a 429 none is made until the other server may be asked again (contract.md 2).
 */
export class SharedReads {
  readonly #flights = new Map<string, Flight>();
  readonly #cache = new Map<string, Cached>();
  #cachedBytes = 0;

  /** `ttlMs` 0 keeps nothing; `pause` may be that of several hosts together. */
  constructor(
    private readonly ttlMs: number,
    private readonly pause: Pause = new Pause(),
  ) {}

  /**
   * The answer for `key`, by `call` where there is none. A reader that goes away ends only its own wait; the call ends with
   * its last reader, and waits for a place in the turn of each. Throws UpstreamError `paused` after a 429,
   * `aborted`, or what `call` throws.
   */
  async read(key: string, reader: Reader, call: Call): Promise<UpstreamResponse> {
    if (reader.signal?.aborted) throw new UpstreamError('aborted', false);
    const cached = reader.fresh ? undefined : this.#cache.get(key);
    if (cached !== undefined) return cached.response;
    const flight = this.#flights.get(key) ?? this.#start(key, reader.caller, call);
    flight.callers.join(reader.caller);
    return this.#join(key, flight, reader.signal);
  }

  /** Forgets all answers. */
  clear(): void {
    for (const key of this.#cache.keys()) this.#forget(key);
  }

  #start(key: string, caller: Caller, call: Call): Flight {
    const pauseMs = this.pause.remainingMs;
    if (pauseMs > 0) throw new UpstreamError('paused', false, { retryAfterSeconds: Math.ceil(pauseMs / 1_000) });
    const ending = new AbortController();
    const callers = new Callers(caller);
    const answer = call(ending.signal, callers);
    const flight: Flight = { answer, callers, ending, waiting: 0 };
    this.#flights.set(key, flight);
    const land = (): void => {
      if (this.#flights.get(key) === flight) this.#flights.delete(key);
    };
    answer.then((sized) => {
      land();
      this.#learn(key, sized);
    }, land);
    return flight;
  }

  async #join(key: string, flight: Flight, signal: AbortSignal | undefined): Promise<UpstreamResponse> {
    flight.waiting++;
    let forgetCaller: () => void = () => undefined;
    const gone = new Promise<never>((_, reject) => {
      if (signal === undefined) return;
      forgetCaller = onAbort(signal, () => {
        reject(new UpstreamError('aborted', true));
      });
    });
    try {
      return (await Promise.race([flight.answer, gone])).response;
    } finally {
      forgetCaller();
      flight.waiting--;
      if (flight.waiting === 0) this.#abandon(key, flight);
    }
  }

  #abandon(key: string, flight: Flight): void {
    if (this.#flights.get(key) !== flight) return;
    this.#flights.delete(key);
    flight.ending.abort();
  }

  #learn(key: string, sized: SizedResponse): void {
    const { status, retryAfterSeconds } = sized.response;
    if (status === 429) {
      this.pause.extend(boundedWait(retryAfterSeconds ?? DEFAULT_PAUSE_SECONDS));
    }
    if (status >= 200 && status < 300 && this.ttlMs > 0) this.#keep(key, sized);
  }

  #keep(key: string, sized: SizedResponse): void {
    this.#forget(key);
    const timer = setTimeout(() => {
      this.#forget(key);
    }, this.ttlMs).unref();
    this.#cache.set(key, { ...sized, timer });
    this.#cachedBytes += sized.size;
    for (const oldest of this.#cache.keys()) {
      if (this.#cache.size <= CACHE_MAX_ENTRIES && this.#cachedBytes <= CACHE_MAX_BYTES) break;
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    const cached = this.#cache.get(key);
    if (cached === undefined) return;
    clearTimeout(cached.timer);
    this.#cache.delete(key);
    this.#cachedBytes -= cached.size;
  }
}
