/** A small generator of the same numbers for the same seed, for the generated past and the market maker's sizes. */
export class SeededRandom {
  #state = 2_166_136_261;

  constructor(seed: string) {
    for (const byte of Buffer.from(seed, 'utf8')) this.#state = Math.imul(this.#state ^ byte, 16_777_619) >>> 0;
  }

  /** A whole number from `low` to `high`, both included. */
  whole(low: number, high: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return low + (((mixed ^ (mixed >>> 14)) >>> 0) % (high - low + 1));
  }

  /** A UUID of version 4, the same for the same seed and position. */
  uuid(): string {
    return uuidOf(Array.from({ length: 4 }, () => this.whole(0, 0xffffffff).toString(16).padStart(8, '0')).join(''));
  }
}

/** The first 32 of the hex digits in the form of a UUID of version 4. */
export function uuidOf(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
