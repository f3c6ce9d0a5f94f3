import { Module } from '@nestjs/common';
import { ExchangesModule } from '../exchanges/exchanges.module.js';
import { MetricsModule } from '../platform/metrics/metrics.module.js';
import { AccountFeeds } from './account-feeds.js';
import { ExchangeFeeds } from './exchange-feeds.js';
import { FeedMetrics } from './feed-metrics.js';

/** What exchanges say by themselves, followed once an instance. */
@Module({
  imports: [ExchangesModule, MetricsModule],
  providers: [AccountFeeds, ExchangeFeeds, FeedMetrics],
  exports: [AccountFeeds, ExchangeFeeds],
})
export class FeedsModule {}
