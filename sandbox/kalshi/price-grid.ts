import { ONE, toUnits } from '../units.js';
import { dollars } from './format.js';

interface PriceRange {
  start: bigint;
  end: bigint;
  step: bigint;
}

/** The ticks of a market: which prices an order may have (kalshi.md 3: `price_ranges` is authoritative). */
export class PriceGrid {
  #sorted: readonly bigint[] | undefined;

  private constructor(
    /** `price_level_structure` */
    readonly name: string,
    private readonly ranges: readonly PriceRange[],
  ) {}

  static readonly cent = PriceGrid.#of('linear_cent', [['0', '1', '0.01']]);
  static readonly centiCent = PriceGrid.#of('linear_centi_cent', [['0', '1', '0.0001']]);
  static readonly tapered = PriceGrid.#of('tapered_deci_cent', [
    ['0', '0.1', '0.001'],
    ['0.1', '0.9', '0.01'],
    ['0.9', '1', '0.001'],
  ]);
  /** Of combos (kalshi.md 3). */
  static readonly centiCentEdges = PriceGrid.#of('tapered_centi_cent', [
    ['0', '0.01', '0.0001'],
    ['0.01', '0.99', '0.01'],
    ['0.99', '1', '0.0001'],
  ]);

  static #of(name: string, ranges: [string, string, string][]): PriceGrid {
    return new PriceGrid(
      name,
      ranges.map(([start, end, step]) => ({ start: toUnits(start), end: toUnits(end), step: toUnits(step) })),
    );
  }

  /** True for a price strictly between 0 and 1 that lies on a tick. */
  has(price: bigint): boolean {
    return this.ranges.some(
      ({ start, end, step }) =>
        price >= start && price <= end && price > 0n && price < ONE && (price - start) % step === 0n,
    );
  }

  /** All valid prices, rising. */
  prices(): readonly bigint[] {
    this.#sorted ??= this.#list();
    return this.#sorted;
  }

  #list(): bigint[] {
    const prices = new Set<bigint>();
    for (const { start, end, step } of this.ranges)
      for (let price = start; price <= end; price += step) if (this.has(price)) prices.add(price);
    return [...prices].sort((a, b) => (a < b ? -1 : 1));
  }

  toJson(): { start: string; end: string; step: string }[] {
    return this.ranges.map(({ start, end, step }) => ({
      start: dollars(start),
      end: dollars(end),
      step: dollars(step),
    }));
  }
}
