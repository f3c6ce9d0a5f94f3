/** The newest of many names, as many as are kept: what comes twice is known again. */
export class RecentNames {
  readonly #names = new Set<string>();

  constructor(private readonly most: number) {}

  has(name: string): boolean {
    return this.#names.has(name);
  }

  /** Adds a name; returns whether it is new. */
  add(name: string): boolean {
    if (this.#names.has(name)) return false;
    this.#names.add(name);
    if (this.#names.size > this.most) {
      const [oldest] = this.#names;
      if (oldest !== undefined) this.#names.delete(oldest);
    }
    return true;
  }
}
