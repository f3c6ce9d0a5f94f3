/** The user id of a call's owner; undefined for calls of the service itself. */
export type Caller = string | undefined;

/** The callers that one call is made for: the first, and the callers that have joined the shared read since. */
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

  /** Calls `listener` for each caller that joins from now on; returns the function that removes it. */
  onJoin(listener: (name: Caller) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }
}
