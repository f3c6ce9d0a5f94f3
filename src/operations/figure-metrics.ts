import { Injectable } from '@nestjs/common';
import { ExchangeRegistry } from '../exchanges/exchange.registry.js';
import { KeptReading } from '../platform/metrics/kept-reading.js';
import { Metrics } from '../platform/metrics/metrics.js';
import type { MetricFacts, Sample } from '../platform/metrics/sample.js';
import { AGES, ENDS, type Figure, FiguresRepository } from './figures.repository.js';
import { HealthService } from './health.service.js';

/** Of several instances each reads the same. */
const FIGURES = { keepMs: 10_000, patienceMs: 2_000 };
const STATE = { keepMs: 500, patienceMs: 2_000 };

/** What one scrape shows of the database; no figures where it is away, or too slow for them. */
interface Snapshot {
  readonly isUp: boolean;
  readonly figures: readonly Figure[] | null;
}

/**
 * Shows what only the database knows. While it is away these metrics have no figures, and `database_up` is 0; all of one scrape
 * shows the same moment.
 */
@Injectable()
export class FigureMetrics {
  readonly #isUp: KeptReading<boolean>;
  readonly #figures: KeptReading<readonly Figure[]>;
  #taking: Promise<Snapshot> | null = null;
  readonly #exchanges: readonly string[];

  constructor(
    private readonly metrics: Metrics,
    rows: FiguresRepository,
    health: HealthService,
    registry: ExchangeRegistry,
  ) {
    this.#isUp = new KeptReading(() => health.databaseAnswers(), STATE);
    this.#figures = new KeptReading(() => rows.read(), FIGURES);
    this.#exchanges = registry.all.map(({ id }) => id);
    metrics.gauge({ name: 'database_up', help: '1 where the database answers.' }, async () => [
      { value: (await this.#snapshot()).isUp ? 1 : 0 },
    ]);
    this.#showUnknown('orders');
    this.#showUnknown('transfers');
    const unsettled = 'Orders of bots of which something is not proved: whether they exist, or how much has filled.';
    this.#showByExchange('bot_orders', { name: 'bot_orders_unsettled', help: unsettled });
    this.#showByExchange('oldest_bot_order', {
      name: 'bot_orders_unsettled_oldest_age_seconds',
      help: 'Of the one of these that has waited longest; 0 without one.',
    });
    this.#show('bot_halts', {
      name: 'bot_halts_incomplete',
      help: 'Bots that are halted, or missed their beat, of whom orders may still rest.',
    });
    this.#show('oldest_bot_halt', {
      name: 'bot_halts_incomplete_oldest_age_seconds',
      help: 'Of the one of these that was halted first; 0 without one.',
    });
    this.#show('mails', { name: 'mail_outbox_waiting', help: 'Mails that are not done with.' });
    this.#show('oldest_mail', {
      name: 'mail_outbox_oldest_age_seconds',
      help: 'Of the mail that waits longest; 0 without one.',
    });
    const ending = 'Session keys in use that end within so many days.';
    this.#showByExchange('session_keys', { name: 'session_keys_ending', help: ending }, 'within', ENDS);
    const help = 'How often each key of ENCRYPTION_KEYS has sealed, over all instances; 2^32 is the end.';
    this.#show('encryptions', { name: 'key_encryptions', help, labelNames: ['key_id'] });
    const sizes = 'What each table takes on the disk of the database, with its indexes.';
    this.#show('table_bytes', { name: 'database_table_bytes', help: sizes, labelNames: ['table'] });
  }

  #showUnknown(figure: 'orders' | 'transfers'): void {
    const help = `Of ${figure} under an Idempotency-Key it is not known whether they exist, by how long ago they were first sent.`;
    this.#showByExchange(figure, { name: `${figure}_unknown`, help }, 'age', AGES);
  }

  #show(figure: Figure['figure'], facts: MetricFacts): void {
    const [label] = facts.labelNames ?? [];
    this.metrics.gauge(facts, async () => {
      const found = await this.#read(figure);
      return found.map(({ part, value }) =>
        label === undefined ? { value } : { labels: { [label]: part ?? '' }, value },
      );
    });
  }

  /** With a 0 for every exchange, and part where there are some, without a figure. */
  #showByExchange(figure: Figure['figure'], facts: MetricFacts, label?: string, parts: readonly string[] = []): void {
    const labels = this.#exchanges.flatMap((exchange): Readonly<Record<string, string>>[] =>
      label === undefined ? [{ exchange }] : parts.map((part) => ({ exchange, [label]: part })),
    );
    this.metrics.gauge({ ...facts, labelNames: ['exchange', ...(label === undefined ? [] : [label])] }, async () => {
      const found = await this.#read(figure);
      return labels.map((values): Sample => {
        const part = label === undefined ? null : values[label];
        const known = found.find((each) => each.exchange === values.exchange && each.part === part);
        return { labels: values, value: known?.value ?? 0 };
      });
    });
  }

  /** Throws where there are no figures: what was read before may not be true any more. */
  async #read(figure: Figure['figure']): Promise<Figure[]> {
    const { figures } = await this.#snapshot();
    if (figures === null) throw new Error('the database is away');
    return figures.filter((each) => each.figure === figure);
  }

  /** Returns the same snapshot to all metrics of a scrape, which ask in one turn of the event loop. */
  #snapshot(): Promise<Snapshot> {
    this.#taking ??= this.#take().finally(() => {
      this.#taking = null;
    });
    return this.#taking;
  }

  async #take(): Promise<Snapshot> {
    const isUp = await this.#isUp.get().catch(() => false);
    return { isUp, figures: isUp ? await this.#figures.get().catch(() => null) : null };
  }
}
