import { Injectable } from '@nestjs/common';
import { ExchangeRegistry } from '../exchanges/exchange.registry.js';
import { KeptReading } from '../platform/metrics/kept-reading.js';
import { Metrics } from '../platform/metrics/metrics.js';
import { CatalogueWalk } from './catalogue-walk.js';
import { CatalogueWalks } from './catalogue-walks.repository.js';

const READING = { keepMs: 30_000, patienceMs: 2_000 };

/** One figure of each exchange, also of one that was not walked yet. */
function figures<T extends { readonly exchange: string }>(
  ids: readonly string[],
  known: readonly T[],
  figure: (of: T | undefined) => number,
): { labels: { exchange: string }; value: number }[] {
  return ids.map((id) => ({ labels: { exchange: id }, value: figure(known.find(({ exchange }) => exchange === id)) }));
}

/** Shows how old and how large the catalogue is, and what its walk does. */
@Injectable()
export class CatalogueMetrics {
  constructor(metrics: Metrics, registry: ExchangeRegistry, walk: CatalogueWalk, walks: CatalogueWalks) {
    for (const { id } of registry.all) {
      for (const outcome of ['read', 'failed', 'rate_limited', 'refused']) walk.calls.expect(id, outcome);
      walk.changes.expect(id);
    }
    metrics.tally(
      { name: 'catalogue_calls_total', help: 'Pages that the walk of the catalogue asked for, by what came of it.' },
      walk.calls,
    );
    metrics.tally(
      { name: 'catalogue_rows_changed_total', help: 'Rows of the catalogue that a walk has written.' },
      walk.changes,
    );
    const ids = walk.isOn ? registry.all.map(({ id }) => id) : [];
    const ages = new KeptReading(() => walks.parts(), READING);
    const sizes = new KeptReading(() => walks.sizes(), READING);
    metrics.gauge(
      {
        name: 'catalogue_age_seconds',
        help: 'Since the start of the last complete walk, or of the first.',
        labelNames: ['exchange'],
      },
      async () =>
        figures(ids, await ages.get(), (part) => {
          const since = part?.asOf ?? part?.since;
          return since === undefined ? 0 : Math.max(0, (Date.now() - since.getTime()) / 1_000);
        }),
    );
    metrics.gauge(
      { name: 'catalogue_rows', help: 'Open markets and events in the catalogue.', labelNames: ['exchange', 'kind'] },
      async () => {
        const found = await sizes.get();
        return ['markets' as const, 'events' as const].flatMap((kind) =>
          figures(ids, found, (size) => size?.[kind] ?? 0).map(({ labels, value }) => ({
            labels: { ...labels, kind },
            value,
          })),
        );
      },
    );
    metrics.gauge(
      {
        name: 'catalogue_walk_seconds',
        help: 'How long a walk may take: CATALOGUE_REFRESH, or as long as the last complete one.',
        labelNames: ['exchange'],
      },
      async () => figures(ids, await ages.get(), (part) => Math.max(walk.everySeconds, part?.walkedSeconds ?? 0)),
    );
  }
}
