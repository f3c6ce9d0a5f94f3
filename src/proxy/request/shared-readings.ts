import { withoutClientAbort } from '../../platform/upstream/call-context.js';

/** Of more readings those that serve nobody are forgotten. */
const MOST_READINGS = 10_000;

/** A reading, and when it ended, by `performance.now()`; null while it runs. */
interface Reading<T> {
  readonly done: Promise<T>;
  endedAt: number | null;
  /** That of those who wait for its end; null where nobody does. */
  next: Promise<T> | null;
}

/** Readings, one at a time of a name: it serves all who ask for one while it runs, and so many ms after its end. */
export class SharedReadings<T> {
  readonly #readings = new Map<string, Reading<T>>();

  constructor(private readonly sharedForMs: number) {}

  /**
   * Returns what `work` reads, or what another of the name has. `isFresh` takes none that began before: it waits for one that runs, and
   * then reads anew, once for all who wait. A reading goes on where a client that waits for it leaves.
   */
  read(name: string, work: () => Promise<T>, isFresh = false): Promise<T> {
    const known = this.#readings.get(name);
    if (known === undefined || (known.endedAt !== null && (isFresh || this.#isOld(known))))
      return this.#begin(name, work);
    if (known.endedAt !== null || !isFresh) return known.done;
    const anew = (): Promise<T> => {
      const now = this.#readings.get(name);
      return now === undefined || now === known ? this.#begin(name, work) : now.done;
    };
    known.next ??= known.done.then(anew, anew);
    return known.next;
  }

  #begin(name: string, work: () => Promise<T>): Promise<T> {
    if (this.#readings.size >= MOST_READINGS) this.#forgetOld();
    const done = withoutClientAbort(work).finally(() => {
      reading.endedAt = performance.now();
    });
    const reading: Reading<T> = { done, endedAt: null, next: null };
    this.#readings.set(name, reading);
    return done;
  }

  #forgetOld(): void {
    for (const [name, reading] of this.#readings) if (this.#isOld(reading)) this.#readings.delete(name);
  }

  /** Whether it serves nobody any more. */
  #isOld({ endedAt }: Reading<T>): boolean {
    return endedAt !== null && performance.now() - endedAt >= this.sharedForMs;
  }
}
