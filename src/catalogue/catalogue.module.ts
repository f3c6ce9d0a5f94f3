import { Module } from '@nestjs/common';
import { ExchangesModule } from '../exchanges/exchanges.module.js';
import { MetricsModule } from '../platform/metrics/metrics.module.js';
import { CatalogueMetrics } from './catalogue-metrics.js';
import { CatalogueRows } from './catalogue-search.repository.js';
import { CatalogueSearch } from './catalogue-search.service.js';
import { CatalogueWalk } from './catalogue-walk.js';
import { CatalogueWalks } from './catalogue-walks.repository.js';
import { QuoteReads } from './quote-reads.js';

/** The open markets and events of all exchanges, to be found by words. */
@Module({
  imports: [ExchangesModule, MetricsModule],
  providers: [CatalogueMetrics, CatalogueRows, CatalogueSearch, CatalogueWalk, CatalogueWalks, QuoteReads],
  exports: [CatalogueSearch],
})
export class CatalogueModule {}
