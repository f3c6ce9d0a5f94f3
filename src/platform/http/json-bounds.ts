const MAX_NESTING = 20;
const MAX_MEMBERS = 256;
const MAX_ELEMENTS = 256;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);
const OPEN_ARRAY = 0x5b;
const BLANKS = new Set([0x20, 0x09, 0x0a, 0x0d]);

/** What has been seen of JSON text so far, outside of strings. */
class Tally {
  readonly #open: number[] = [];
  #members = 0;
  #elements = 0;
  /** Right behind the `[` of an array, which may be empty. */
  #atStart = false;

  get isOver(): boolean {
    return this.#open.length > MAX_NESTING || this.#members > MAX_MEMBERS || this.#elements > MAX_ELEMENTS;
  }

  /** Takes the next byte that is not inside a string; a string counts by its first quote. */
  take(byte: number): void {
    if (BLANKS.has(byte)) return;
    if (this.#atStart && !CLOSING.has(byte)) this.#elements += 1;
    this.#atStart = byte === OPEN_ARRAY;
    if (OPENING.has(byte)) this.#open.push(byte);
    else if (CLOSING.has(byte)) this.#open.pop();
    else if (byte === COLON) this.#members += 1;
    else if (byte === COMMA && this.#open.at(-1) === OPEN_ARRAY) this.#elements += 1;
  }
}

/**
 * Whether JSON text has more than 20 levels, or in all of them together more than 256 members of objects or 256 elements of
 * arrays (S-34, S-53). It is looked at before it is parsed, in one walk.
 */
export function isBeyondBounds(body: Buffer): boolean {
  const tally = new Tally();
  let inString = false;
  for (let index = 0; index < body.length && !tally.isOver; index += 1) {
    const byte = body[index] ?? 0;
    if (inString && byte === BACKSLASH) index += 1;
    else if (inString) inString = byte !== QUOTE;
    else {
      inString = byte === QUOTE;
      tally.take(byte);
    }
  }
  return tally.isOver;
}
