import { type BookSide } from '../matching-engine.js';
import { magnitude, product, smaller } from '../units.js';
import { closable, emptyHolding, type Holding } from './ledger.js';

/** Cash and holdings of the primary account (number 0) or of a numbered one (1 to 63), apart from those of the others. */
export class Subaccount {
  /** By shard, with what resting orders hold back; a shard that never held money is missing. */
  readonly #cash = new Map<number, bigint>();
  readonly holdings = new Map<string, Holding>();

  constructor(
    readonly number: number,
    public updatedAt: number,
  ) {}

  /** The shards that ever held money, rising. */
  get fundedShards(): number[] {
    return [...this.#cash.keys()].sort((a, b) => a - b);
  }

  cashOn(shard: number): bigint {
    return this.#cash.get(shard) ?? 0n;
  }

  isFunded(shard: number): boolean {
    return this.#cash.has(shard);
  }

  /** Adds to the cash of a shard, or takes from it where the amount is negative. */
  pay(shard: number, amount: bigint, at: number): void {
    this.#cash.set(shard, this.cashOn(shard) + amount);
    this.updatedAt = at;
  }

  holding(ticker: string): Holding {
    return this.holdings.get(ticker) ?? emptyHolding();
  }

  /** Contracts that a reduce-only order on this side may at most trade. */
  reducible(ticker: string, side: BookSide): bigint {
    return closable(this.holding(ticker).position, side);
  }

  /** The worth of the holdings that `yesPrice` has a price for, to millionths. */
  portfolioValue(yesPrice: (ticker: string) => bigint | undefined, one: bigint): bigint {
    let value = 0n;
    for (const [ticker, { position }] of this.holdings) {
      const known = yesPrice(ticker);
      if (known === undefined) continue;
      const price = smaller(known, one);
      value += product(position > 0n ? price : one - price, magnitude(position));
    }
    return value;
  }
}
