import { CACHE_MAX_BYTES, CACHE_MAX_ENTRIES, DEFAULT_PAUSE_SECONDS } from './http.constants.js';
import { onAbort } from './on-abort.js';
import { Pause } from './pause.js';
import { boundedWait } from './retry-after.js';
import { UpstreamError, type UpstreamResponse } from './upstream-client.js';

/** An answer and the bytes of its body, by which the cache is bounded. */
export interface SizedResponse {
  readonly response: UpstreamResponse;
  readonly size: number;
}

interface Flight {
  readonly answer: Promise<SizedResponse>;
  /** Ends the call when nobody waits for it any more. */
  readonly ending: AbortController;
  waiting: number;
}

interface Cached extends SizedResponse {
  readonly timer: NodeJS.Timeout;
}

/**
 * Reads that are the same for everyone: identical ones in flight are one call, its good answer is kept for a moment, and
 * after a 429 none is made until the other server may be asked again (DESIGN 2).
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
   * The answer for `key`, by `call` where there is none. `caller` ends only its own wait; the call ends with its last
   * caller. Throws UpstreamError `paused` after a 429, `aborted`, or what `call` throws.
   */
  async read(
    key: string,
    options: { readonly fresh: boolean; readonly caller: AbortSignal | undefined },
    call: (signal: AbortSignal) => Promise<SizedResponse>,
  ): Promise<UpstreamResponse> {
    if (options.caller?.aborted) throw new UpstreamError('aborted', false);
    const cached = options.fresh ? undefined : this.#cache.get(key);
    if (cached !== undefined) return cached.response;
    const flight = this.#flights.get(key) ?? this.#start(key, call);
    return this.#join(key, flight, options.caller);
  }

  /** Forgets all answers. */
  clear(): void {
    for (const key of this.#cache.keys()) this.#forget(key);
  }

  #start(key: string, call: (signal: AbortSignal) => Promise<SizedResponse>): Flight {
    const pauseMs = this.pause.remainingMs;
    if (pauseMs > 0) throw new UpstreamError('paused', false, { retryAfterSeconds: Math.ceil(pauseMs / 1_000) });
    const ending = new AbortController();
    const answer = call(ending.signal);
    const flight: Flight = { answer, ending, waiting: 0 };
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

  async #join(key: string, flight: Flight, caller: AbortSignal | undefined): Promise<UpstreamResponse> {
    flight.waiting++;
    let forgetCaller: () => void = () => undefined;
    const gone = new Promise<never>((_, reject) => {
      if (caller === undefined) return;
      forgetCaller = onAbort(caller, () => {
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
