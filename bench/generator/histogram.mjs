/** Times in buckets of 1 % width from 1 µs to 2 minutes: percentiles of any number of answers without keeping them. */
const GROWTH = Math.log(1.01);
const BUCKETS = Math.ceil(Math.log(120_000_000) / GROWTH) + 1;

export class Histogram {
  #counts = new Uint32Array(BUCKETS);
  #total = 0;
  #sumUs = 0;
  #maxUs = 0;

  /** Adds one time in ms. */
  add(ms) {
    const us = Math.max(1, ms * 1_000);
    this.#counts[Math.min(BUCKETS - 1, Math.round(Math.log(us) / GROWTH))] += 1;
    this.#total += 1;
    this.#sumUs += us;
    this.#maxUs = Math.max(this.#maxUs, us);
  }

  get total() {
    return this.#total;
  }

  /** No more than this share of the times were longer, in ms; null where there are none. */
  percentileMs(share) {
    if (this.#total === 0) return null;
    let left = this.#total * share;
    for (let bucket = 0; bucket < BUCKETS; bucket += 1) {
      left -= this.#counts[bucket];
      if (left <= 0) return Math.exp(bucket * GROWTH) / 1_000;
    }
    return this.#maxUs / 1_000;
  }

  /** Count, mean and percentiles, in ms. */
  summary() {
    const [p50, p99, p999] = [0.5, 0.99, 0.999].map((share) => this.percentileMs(share));
    const mean = this.#total === 0 ? null : this.#sumUs / this.#total / 1_000;
    return { count: this.#total, mean, p50, p99, p999, max: this.#total === 0 ? null : this.#maxUs / 1_000 };
  }
}
