/** An API key that this tab knows: just created, or pasted. Only in memory: it is gone with the tab. */
export interface KnownKey {
  readonly key: string;
  readonly prefix: string;
  /** Whether it was created here: then it is shown, this once. */
  readonly isNew: boolean;
}

const PREFIX_LENGTH = 16;

class Keyring {
  #known: KnownKey | null = null;
  readonly #listeners = new Set<() => void>();

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly known = (): KnownKey | null => this.#known;

  keep(key: string, isNew: boolean): void {
    this.#change({ key, prefix: key.slice(0, PREFIX_LENGTH), isNew });
  }

  forget(): void {
    this.#change(null);
  }

  #change(known: KnownKey | null): void {
    this.#known = known;
    for (const listener of [...this.#listeners]) listener();
  }
}

export const keyring = new Keyring();
