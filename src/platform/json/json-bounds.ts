/** The most that JSON text may hold, in all its levels together. */
export interface JsonBounds {
  readonly levels: number;
  /** Members of all objects together. */
  readonly members: number;
  /** Different names of members: each costs far more than a name that is known. */
  readonly names: number;
  /** Elements of all arrays together. */
  readonly elements: number;
  /** Bytes of one text or name. */
  readonly textBytes: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const SPACE = 0x20;
const FNV_PRIME = 0x01000193;
const { imul } = Math;
/** Not known to others, so that they cannot choose names which count as one. */
const SEED = Math.floor(Math.random() * 2 ** 32);

/** FNV-1a of some bytes. */
function hashOf(body: Buffer, start: number, end: number): number {
  let hash = SEED;
  for (let index = start; index < end; index += 1) hash = imul(hash ^ (body[index] ?? 0), FNV_PRIME);
  return hash;
}

/** Returns where the text ends whose first byte is at `start`: at its quote, or at the end of the body. */
function endOfText(body: Buffer, start: number): number {
  let index = start;
  while (index < body.length && body[index] !== QUOTE) index += body[index] === BACKSLASH ? 2 : 1;
  return index;
}

/** What has been seen of JSON text so far. */
class Tally {
  /** Whether there was more than the bounds allow. */
  isOver = false;
  readonly #open: number[] = [];
  readonly #names = new Set<number>();
  #members = 0;
  #elements = 0;
  #isInArray = false;
  /** Right behind the `[` of an array, which may be empty. */
  #atStart = false;
  #textStart = 0;
  #textEnd = 0;

  constructor(
    private readonly body: Buffer,
    private readonly bounds: JsonBounds,
  ) {}

  /** Counts a text, given the place of its first byte; returns the place of its last quote. */
  takeText(start: number): number {
    if (this.#atStart) this.#countElement();
    this.#textStart = start;
    this.#textEnd = endOfText(this.body, start);
    if (this.#textEnd - start > this.bounds.textBytes) this.isOver = true;
    return this.#textEnd;
  }

  /** Takes the next byte that is neither blank nor of a text. */
  take(byte: number): void {
    if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) {
      this.#atStart = false;
      this.#open.pop();
      this.#isInArray = this.#open.at(-1) === OPEN_ARRAY;
      return;
    }
    if (this.#atStart) this.#countElement();
    if (byte === COLON) this.#countMember();
    else if (byte === COMMA && this.#isInArray) this.#countElement();
    else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) this.#goInto(byte);
  }

  #goInto(bracket: number): void {
    this.#isInArray = this.#atStart = bracket === OPEN_ARRAY;
    if (this.#open.push(bracket) > this.bounds.levels) this.isOver = true;
  }

  #countElement(): void {
    this.#atStart = false;
    if (++this.#elements > this.bounds.elements) this.isOver = true;
  }

  #countMember(): void {
    this.#names.add(hashOf(this.body, this.#textStart, this.#textEnd));
    if (++this.#members > this.bounds.members || this.#names.size > this.bounds.names) this.isOver = true;
  }
}

/** Whether JSON text holds more than `bounds`. It is looked at before it is parsed, in one walk (S-34, S-53). */
export function isBeyondBounds(body: Buffer, bounds: JsonBounds): boolean {
  const tally = new Tally(body, bounds);
  for (let index = 0; index < body.length; index += 1) {
    const byte = body[index] ?? 0;
    if (byte <= SPACE) continue;
    if (byte === QUOTE) index = tally.takeText(index + 1);
    else tally.take(byte);
    if (tally.isOver) return true;
  }
  return false;
}
