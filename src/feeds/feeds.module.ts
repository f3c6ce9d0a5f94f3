import { Module } from '@nestjs/common';
import { ExchangesModule } from '../exchanges/exchanges.module.js';
import { ExchangeFeeds } from './exchange-feeds.js';

/** What exchanges say by themselves, followed once an instance. */
@Module({
  imports: [ExchangesModule],
  providers: [ExchangeFeeds],
  exports: [ExchangeFeeds],
})
export class FeedsModule {}
