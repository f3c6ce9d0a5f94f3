type Listener<E> = (events: readonly E[]) => void;

/**
 * What happens in an exchange, told to its streams in order once the call that did it is over: so books and orders then stand as
 * REST shows them. Nothing is kept while nobody listens.
 */
export class Tape<E> {
  readonly #listeners = new Set<Listener<E>>();
  #events: E[] = [];

  note(event: E): void {
    if (this.#listeners.size === 0) return;
    if (this.#events.push(event) > 1) return;
    queueMicrotask(() => {
      this.#tell();
    });
  }

  /** Returns what ends the listening. */
  watch(listener: Listener<E>): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #tell(): void {
    const events = this.#events;
    this.#events = [];
    for (const listener of this.#listeners) listener(events);
  }
}
