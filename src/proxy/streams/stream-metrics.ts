import { Injectable } from '@nestjs/common';
import { EXCHANGE_IDS } from '../../exchanges/exchange.registry.js';
import { TIME_BUCKETS } from '../../platform/metrics/buckets.js';
import { Metrics } from '../../platform/metrics/metrics.js';
import { Tally } from '../../platform/metrics/tally.js';
import { type ChannelName, CHANNELS } from './channel.contract.js';

const LEFT = 'reader_left';

/** Counts streams, what they wrote and how they ended. */
@Injectable()
export class StreamMetrics {
  readonly #ends = new Tally(['reason']);
  readonly #lines = new Tally(['channel']);
  readonly #ages: ReturnType<Metrics['histogram']>;
  #open = 0;
  #bytes = 0;
  #conflations = 0;

  constructor(metrics: Metrics) {
    for (const channel of CHANNELS) this.#lines.expect(channel);
    this.#ends.expect(LEFT);
    const age = "From the exchange's own time of a change, trade or fill to its first reader, where it states one.";
    const labelNames = ['exchange', 'channel'];
    this.#ages = metrics.histogram({ name: 'stream_message_age_seconds', help: age, labelNames }, TIME_BUCKETS);
    for (const exchange of EXCHANGE_IDS) for (const channel of CHANNELS) this.#ages.zero({ exchange, channel });
    metrics.gauge({ name: 'streams_open', help: 'Streams that are open.' }, () => [{ value: this.#open }]);
    metrics.tally({ name: 'stream_lines_total', help: 'Lines of streams that were opened, by channel.' }, this.#lines);
    metrics.tally({ name: 'stream_ends_total', help: 'Streams that ended, by error code or reader_left.' }, this.#ends);
    metrics.counter({ name: 'stream_bytes_total', help: 'Bytes that were written to streams.' }, () => [
      { value: this.#bytes },
    ]);
    metrics.counter(
      { name: 'stream_conflations_total', help: 'Times that messages were put together for a slow reader.' },
      () => [{ value: this.#conflations }],
    );
  }

  noteOpened(channels: readonly string[]): void {
    this.#open += 1;
    for (const channel of channels) this.#lines.count(channel);
  }

  noteClosed(code: string | null): void {
    this.#open -= 1;
    this.#ends.count(code ?? LEFT);
  }

  /** A message was told to the first of its readers; `timeMs` is the exchange's own time of it, Unix milliseconds. */
  noteAge(exchange: string, channel: ChannelName, timeMs: number): void {
    this.#ages.observe({ exchange, channel }, Math.max(0, Date.now() - timeMs) / 1_000);
  }

  noteBytes(count: number): void {
    this.#bytes += count;
  }

  noteConflation(): void {
    this.#conflations += 1;
  }
}
