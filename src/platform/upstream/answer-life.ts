/**
 * Until when an answer may be used that is made of several reads: as long as each of them might be read from the cache of
 * shared reads (contract.md 2). Times are those of `performance.now()`.
 */
export class AnswerLife {
  #end = Infinity;

  /** 0 where nothing was read, or where a read may not be used again. */
  get end(): number {
    return this.#end === Infinity ? 0 : this.#end;
  }

  /** Whether who asks now could still read the same: nothing that was read so far has come to its end. */
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
