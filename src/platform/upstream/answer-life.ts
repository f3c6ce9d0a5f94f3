/**
 * How long an answer that is made of several reads may be used: until the first of these reads leaves the cache of shared reads
 * (contract.md 2). Times are those of `performance.now()`.
 */
export class AnswerLife {
  #end = Infinity;

  /** 0 where nothing was read, or where a read may not be used again. */
  get end(): number {
    return this.#end === Infinity ? 0 : this.#end;
  }

  /** Whether a call that begins now would read the same: no read so far has come to its end. */
  get isShareable(): boolean {
    return this.#end > performance.now();
  }

  /** Notes a read whose answer may be used until then. */
  endBy(end: number): void {
    this.#end = Math.min(this.#end, end);
  }

  /** Notes a read that failed, is of one caller alone, or is not known here. */
  endNow(): void {
    this.#end = 0;
  }
}
