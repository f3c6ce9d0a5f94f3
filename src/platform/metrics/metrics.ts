import { Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { MetricFacts, Sample } from './sample.js';
import type { Tally } from './tally.js';

const PREFIX = 'trading_proxy_';

/** Reads the figures of a metric as they are now. What it throws leaves the metric without figures. */
type Read = () => readonly Sample[] | Promise<readonly Sample[]>;

function described({ name, help, labelNames = [] }: MetricFacts) {
  return { name: `${PREFIX}${name}`, help, labelNames: [...labelNames], registers: [] };
}

async function figures(read: Read): Promise<readonly Sample[]> {
  try {
    return await read();
  } catch {
    return [];
  }
}

/**
 * The figures of one application, as Prometheus reads them. Labels never hold users, keys, addresses or anything else that a
 * client can choose; their values are few.
 */
@Injectable()
export class Metrics {
  readonly #registry = new Registry();
  #reading: Promise<string> | null = null;
  #isWatchingProcess = false;

  /** The media type of `text`. */
  get contentType(): string {
    return this.#registry.contentType;
  }

  /** Shows what rises and falls. */
  gauge(facts: MetricFacts, read: Read): void {
    const isBare = (facts.labelNames ?? []).length === 0;
    const gauge = new Gauge({
      ...described(facts),
      async collect() {
        this.reset();
        // Without labels `reset` leaves a 0, which would be a lie where nothing can be read.
        if (isBare) this.remove();
        for (const { labels = {}, value } of await figures(read)) this.set(labels, value);
      },
    });
    this.#registry.registerMetric(gauge);
  }

  /** Shows what only rises, and is counted elsewhere. */
  counter(facts: MetricFacts, read: Read): void {
    const counter = new Counter({
      ...described(facts),
      async collect() {
        this.reset();
        for (const { labels = {}, value } of await figures(read)) this.inc(labels, value);
      },
    });
    this.#registry.registerMetric(counter);
  }

  /** Shows a tally. */
  tally(facts: Pick<MetricFacts, 'name' | 'help'>, tally: Tally): void {
    this.counter({ ...facts, labelNames: tally.labelNames }, () => tally.samples);
  }

  /** Makes a histogram; `buckets` are upper bounds, in the unit that its name ends with. */
  histogram(facts: MetricFacts, buckets: readonly number[]): Histogram {
    const histogram = new Histogram({ ...described(facts), buckets: [...buckets] });
    this.#registry.registerMetric(histogram);
    return histogram;
  }

  /**
   * Begins to watch the process itself: event loop, garbage collection, memory, CPU, handles. Calling it again changes nothing.
   */
  watchProcess(): void {
    if (this.#isWatchingProcess) return;
    this.#isWatchingProcess = true;
    collectDefaultMetrics({ register: this.#registry });
  }

  /** All figures in Prometheus' text format. Requests that come while they are read share one reading. */
  text(): Promise<string> {
    this.watchProcess();
    this.#reading ??= this.#registry.metrics().finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }
}
