/** Whose call it is: a user's id, or undefined for the service itself. */
export type Caller = string | undefined;

/** Those for whom one call is made: who asked for it, and who joined it since (a read that is the same for everyone). */
export class Callers implements Iterable<Caller> {
  readonly #names: Set<Caller>;
  readonly #listeners = new Set<(name: Caller) => void>();

  constructor(first: Caller) {
    this.#names = new Set([first]);
  }

  [Symbol.iterator](): Iterator<Caller> {
    return this.#names.values();
  }

  join(name: Caller): void {
    if (this.#names.has(name)) return;
    this.#names.add(name);
    for (const listener of this.#listeners) listener(name);
  }

  /** Tells of everyone who joins from now on, until the answer is called. */
  onJoin(listener: (name: Caller) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }
}
