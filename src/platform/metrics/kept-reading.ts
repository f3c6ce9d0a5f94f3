import { within } from '../time/within.js';

/** A reading that is dear, made at most once in a while however often it is asked for, and waited for only so long. */
export class KeptReading<T> {
  #reading: Promise<T> | undefined;
  #usableUntil = -Infinity;

  /**
   * `read` is waited for `patienceMs`; what it returns is kept for `keepMs`, a failure for a tenth of that. `now` is a clock in ms
   * that only goes forward.
   */
  constructor(
    private readonly read: () => Promise<T>,
    private readonly times: { readonly keepMs: number; readonly patienceMs: number },
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Throws what `read` throws, or an Error where it takes too long; it then goes on, and a later call may have it. */
  get(): Promise<T> {
    const kept = this.now() < this.#usableUntil ? this.#reading : undefined;
    return within(this.times.patienceMs, kept ?? this.#start(), () => {
      throw new Error('a reading took too long');
    });
  }

  #start(): Promise<T> {
    const reading = this.read();
    this.#reading = reading;
    // Until it ends nobody begins another.
    this.#usableUntil = Infinity;
    const keepFor = (ms: number) => () => {
      if (this.#reading === reading) this.#usableUntil = this.now() + ms;
    };
    reading.then(keepFor(this.times.keepMs), keepFor(this.times.keepMs / 10));
    return reading;
  }
}
