/** Names of one kind that are reported of a route. */
const MOST_NAMES = 50;
const LONGEST_NAME = 64;
const LONGEST_PLACE = 200;

/** Everything but printable ASCII, which all names of these APIs are: it could move a cursor or hide what follows. */
const UNFIT = /[^\x20-\x7e]/gu;

/** A word of the exchange's, fit for a terminal: an exchange could write anything into one. */
export function clean(text: string, longest = LONGEST_NAME): string {
  // A character has two UTF-16 units at most.
  const line = text.slice(0, 2 * longest).replace(UNFIT, '?');
  return line.length > longest || text.length > 2 * longest ? `${line.slice(0, longest)}...` : line;
}

/** Names without repetition, in the order in which they came; of very many the first are kept. */
export class NameList {
  readonly #names = new Set<string>();
  #isCut = false;

  /** `place` is of our making but for cleaned names. */
  add(place: string): void {
    const name = place.length > LONGEST_PLACE ? `${place.slice(0, LONGEST_PLACE)}...` : place;
    if (this.#names.has(name)) return;
    if (this.#names.size < MOST_NAMES) this.#names.add(name);
    else this.#isCut = true;
  }

  toArray(): string[] {
    return this.#isCut ? [...this.#names, '... and more'] : [...this.#names];
  }
}
