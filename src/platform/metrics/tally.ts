import type { Sample } from './sample.js';

interface Row {
  readonly values: readonly string[];
  count: number;
}

/** Counts of what happened, by the values of labels, which must come from short lists of our own. `Metrics.tally` shows one. */
export class Tally {
  readonly #rows = new Map<string, Row>();

  constructor(readonly labelNames: readonly string[]) {}

  /** Counts one; the values are in the order of `labelNames`. */
  count(...values: string[]): void {
    this.#row(values).count += 1;
  }

  /** Counts several at once. */
  add(many: number, ...values: string[]): void {
    this.#row(values).count += many;
  }

  /** Shows 0 where nothing was counted yet: only what was seen to be 0 can be seen to rise. */
  expect(...values: string[]): void {
    this.#row(values);
  }

  get samples(): Sample[] {
    return Array.from(this.#rows.values(), ({ values, count }) => ({
      labels: Object.fromEntries(this.labelNames.map((name, index) => [name, values[index] ?? ''])),
      value: count,
    }));
  }

  #row(values: readonly string[]): Row {
    const name = values.length === 1 ? (values[0] ?? '') : values.join('\0');
    const known = this.#rows.get(name);
    if (known !== undefined) return known;
    const row = { values, count: 0 };
    this.#rows.set(name, row);
    return row;
  }
}
