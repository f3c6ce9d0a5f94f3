/** How long another server may not be called; a pause that one of its hosts asks for holds for all of them (contract.md 5). */
export class Pause {
  #until = 0;

  /** `now` is a clock in ms that only goes forward. */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** 0 or less where there is none. */
  get remainingMs(): number {
    return this.#until - this.now();
  }

  /** At least so long from now on; never shortens. */
  extend(seconds: number): void {
    this.#until = Math.max(this.#until, this.now() + seconds * 1_000);
  }
}
