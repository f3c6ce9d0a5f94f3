/** What the number of a frame says of those before it. */
export type Place = 'next' | 'repeated' | 'late' | 'gap';

/**
 * Counts the frames of one subscription, over all of its markets (streams.md 1.4): from 1 on, one by one. Whether an answer to a
 * command uses up its number is not written, so behind one either is right.
 */
export class Sequence {
  /** Null before the first frame. */
  #last: number | null = null;
  /** Whether the last number was that of an answer, and may come again. */
  #isOpen = false;

  /** Places a frame with data. */
  place(number: number): Place {
    const isSame = this.#isOpen && number === this.#last;
    this.#isOpen = false;
    return isSame ? 'next' : this.#note(number);
  }

  /** Places the answer to a command; of one that comes late nothing follows. */
  placeAnswer(number: number): Place {
    const place = this.#note(number);
    this.#isOpen = place === 'next' || place === 'gap' || (this.#isOpen && place === 'repeated');
    return place === 'late' ? 'repeated' : place;
  }

  #note(number: number): Place {
    const last = this.#last;
    if (last !== null && number <= last) return number === last ? 'repeated' : 'late';
    this.#last = number;
    return last === null || number === last + 1 ? 'next' : 'gap';
  }
}
