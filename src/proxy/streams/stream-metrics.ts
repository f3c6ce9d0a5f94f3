import { Injectable } from '@nestjs/common';
import { Metrics } from '../../platform/metrics/metrics.js';
import { Tally } from '../../platform/metrics/tally.js';
import { CHANNELS } from './channel.contract.js';

const LEFT = 'reader_left';

/** Counts streams, what they wrote and how they ended. */
@Injectable()
export class StreamMetrics {
  readonly #ends = new Tally(['reason']);
  readonly #lines = new Tally(['channel']);
  #open = 0;
  #bytes = 0;
  #conflations = 0;

  constructor(metrics: Metrics) {
    for (const channel of CHANNELS) this.#lines.expect(channel);
    this.#ends.expect(LEFT);
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

  noteBytes(count: number): void {
    this.#bytes += count;
  }

  noteConflation(): void {
    this.#conflations += 1;
  }
}
