import { type BookSide, type OrderBook } from '../matching-engine.js';
import { type SeededRandom } from '../random.js';
import { ONE, smaller } from '../units.js';
import { Refusal } from '../wire/refusal.js';

/** A market that can be moved. Prices and sizes are millionths, of outcome 0. */
export interface Movable {
  readonly book: OrderBook;
  /** The next valid price above or below; undefined where there is none. */
  next(price: bigint, way: 'up' | 'down'): bigint | undefined;
  /** Rests an order and returns what takes it out again, which does nothing where it is gone. Throws a `Refusal`. */
  rest(side: BookSide, price: bigint, size: bigint): () => void;
  /** Takes so much at that price or better. Throws a `Refusal`. */
  take(side: BookSide, price: bigint, size: bigint): void;
}

/** Orders of the made-up trader that rest at a time. */
const MOST_ORDERS = 60;
/** The first markets of an exchange are moved as often as all others together: the demo shows these. */
const SHOWN = 3;
const SMALLEST = 5;
const LARGEST = 120;

/**
 * A quiet made-up trader: rests small orders near the best prices, takes them back, and trades a little, at random but always the
 * same for the same seed and books. What it takes it offers anew, so that no book runs dry.
 */
export class Mover {
  readonly #orders: (() => void)[] = [];

  constructor(private readonly random: SeededRandom) {}

  /** Moves one of the markets; one that takes no orders stays as it is. */
  step(markets: readonly Movable[]): void {
    const isShown = this.random.whole(0, 1) === 0;
    const market = markets[this.random.whole(0, (isShown ? Math.min(SHOWN, markets.length) : markets.length) - 1)];
    if (market === undefined) return;
    try {
      this.#move(market);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
    }
  }

  #move(market: Movable): void {
    const [dice, side] = [this.random.whole(0, 9), this.random.whole(0, 1) === 0 ? 'bid' : ('ask' as BookSide)];
    const size = BigInt(this.random.whole(SMALLEST, LARGEST)) * ONE;
    if (this.#orders.length >= MOST_ORDERS || (dice < 2 && this.#orders.length > 0)) this.#orders.shift()?.();
    else if (dice < 7) this.#rest(market, side, size);
    else this.#trade(market, side, size);
  }

  /** At the best price of the side, up to two ticks behind, or one before it where the spread has room. */
  #rest(market: Movable, side: BookSide, size: bigint): void {
    const best = market.book.best(side)?.price;
    if (best === undefined) return;
    const [behind, before] = side === 'bid' ? (['down', 'up'] as const) : (['up', 'down'] as const);
    const ticks = this.random.whole(-1, 2);
    const way = ticks < 0 ? before : behind;
    let price: bigint | undefined = best;
    for (let tick = 0; tick < Math.abs(ticks) && price !== undefined; tick += 1) price = market.next(price, way);
    if (price === undefined || market.book.crosses(side, price)) return;
    this.#orders.push(market.rest(side, price, size));
  }

  #trade(market: Movable, side: BookSide, size: bigint): void {
    const level = market.book.best(opposite(side));
    if (level === undefined) return;
    const taken = smaller(level.size, size);
    market.take(side, level.price, taken);
    market.rest(opposite(side), level.price, taken);
  }
}

function opposite(side: BookSide): BookSide {
  return side === 'bid' ? 'ask' : 'bid';
}
