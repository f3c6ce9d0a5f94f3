import { add, compare, type Decimal, isPositive } from '../exchanges/decimal.js';
import type { BestPrices, BookSide, LevelChange } from '../exchanges/feeds.contract.js';
import type { LevelDto } from '../exchanges/unified.market-data.dto.js';

type Levels = Map<Decimal, Decimal>;

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;
/** A second offset, for another 32 bits of a digest. */
const OTHER_OFFSET = 0x9e3779b9;
const { imul } = Math;

/** FNV-1a of 32 bits; nobody gains by a collision here. */
function hash32(text: string, offset: number): number {
  let hash = offset;
  for (let at = 0; at < text.length; at += 1) hash = imul(hash ^ text.charCodeAt(at), FNV_PRIME);
  return hash >>> 0;
}

/** The levels of one book, by price. Sizes are canonical decimals above 0. */
export class Book {
  readonly #levels: Readonly<Record<BookSide, Levels>> = { bids: new Map(), asks: new Map() };
  /** The best price of each side; undefined where it has to be looked for. */
  readonly #best: Record<BookSide, Decimal | null | undefined> = { bids: null, asks: null };
  #one = 0;
  #other = 0;

  /** Two books with the same digest have the same levels. */
  get digest(): string {
    return `${this.#one}.${this.#other}`;
  }

  get best(): BestPrices {
    return { bid: this.#bestOf('bids'), ask: this.#bestOf('asks') };
  }

  /** The best level of a side; null where that is empty. */
  top(side: BookSide): LevelDto | null {
    const price = this.#bestOf(side);
    return price === null ? null : { price, size: this.#levels[side].get(price) ?? '0' };
  }

  /** How many levels there are on both sides. */
  get size(): number {
    return this.#levels.bids.size + this.#levels.asks.size;
  }

  /** Whether somebody bids at least what is asked, which no exchange leaves so. */
  get isCrossed(): boolean {
    const { bid, ask } = this.best;
    return bid !== null && ask !== null && compare(bid, ask) >= 0;
  }

  /** Takes other levels in place of all; returns what changed, by the new sizes. */
  replace(bids: readonly LevelDto[], asks: readonly LevelDto[]): LevelChange[] {
    return [...this.#replaceSide('bids', bids), ...this.#replaceSide('asks', asks)];
  }

  /** Sets a level to a size, and removes it at 0; returns whether that changed anything. */
  set({ side, price, size }: LevelChange): boolean {
    const levels = this.#levels[side];
    const before = levels.get(price);
    if (before === size || (before === undefined && !isPositive(size))) return false;
    if (before !== undefined) this.#mix(side, price, before, -1);
    if (isPositive(size)) {
      levels.set(price, size);
      this.#mix(side, price, size, 1);
      this.#noteGrowth(side, price);
    } else {
      levels.delete(price);
      if (this.#best[side] === price) this.#best[side] = undefined;
    }
    return true;
  }

  /** Changes a level by an amount; returns its new size, or null where that is below 0: then the book is wrong. */
  step({ side, price, size }: LevelChange): Decimal | null {
    const sum = add(this.#levels[side].get(price) ?? '0', size);
    if (sum.startsWith('-')) return null;
    this.set({ side, price, size: sum });
    return sum;
  }

  /** One side, best first. */
  sorted(side: BookSide): LevelDto[] {
    const direction = side === 'bids' ? -1 : 1;
    const levels = Array.from(this.#levels[side], ([price, size]) => ({ price, size }));
    return levels.sort((one, other) => direction * compare(one.price, other.price));
  }

  #replaceSide(side: BookSide, wanted: readonly LevelDto[]): LevelChange[] {
    const left = new Set(this.#levels[side].keys());
    const changes: LevelChange[] = [];
    for (const { price, size } of wanted) {
      left.delete(price);
      const change = { side, price, size };
      if (this.set(change)) changes.push(change);
    }
    for (const price of left) {
      const change = { side, price, size: '0' };
      this.set(change);
      changes.push(change);
    }
    return changes;
  }

  #noteGrowth(side: BookSide, price: Decimal): void {
    const best = this.#best[side];
    if (best === undefined) return;
    const isBetter = best === null || (side === 'bids' ? compare(price, best) > 0 : compare(price, best) < 0);
    if (isBetter) this.#best[side] = price;
  }

  #bestOf(side: BookSide): Decimal | null {
    const known = this.#best[side];
    if (known !== undefined) return known;
    let best: Decimal | null = null;
    for (const price of this.#levels[side].keys()) {
      if (best === null || (side === 'bids' ? compare(price, best) > 0 : compare(price, best) < 0)) best = price;
    }
    this.#best[side] = best;
    return best;
  }

  /** Sums do not depend on the order of the levels. */
  #mix(side: BookSide, price: Decimal, size: Decimal, sign: 1 | -1): void {
    const text = `${side} ${price} ${size}`;
    this.#one = (this.#one + sign * hash32(text, FNV_OFFSET)) >>> 0;
    this.#other = (this.#other + sign * hash32(text, OTHER_OFFSET)) >>> 0;
  }
}

/** The digest of levels that are no book of ours. */
export function digestOf(bids: readonly LevelDto[], asks: readonly LevelDto[]): string {
  const book = new Book();
  book.replace(bids, asks);
  return book.digest;
}
