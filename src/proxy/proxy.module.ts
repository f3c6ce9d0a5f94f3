import { Module } from '@nestjs/common';
import { ActivityModule } from '../activity/activity.module.js';
import { CredentialsModule } from '../credentials/credentials.module.js';
import { ExchangesModule } from '../exchanges/exchanges.module.js';
import { CallContextInterceptor } from './call-context.interceptor.js';
import { Cursors } from './cursors.js';
import { MarketDataController } from './market-data.controller.js';
import { MarketDataService } from './market-data.service.js';
import { IdempotencyRetention } from './idempotency-retention.js';
import { IdempotencyRepository } from './idempotency.repository.js';
import { OrderJournal } from './order-journal.js';
import { OrderPlacementService } from './order-placement.service.js';
import { OrderRecords } from './order-records.js';
import { OrderSearches } from './order-searches.js';
import { TradingController } from './trading.controller.js';
import { TradingService } from './trading.service.js';

/** Market data and trading under `/{exchange}/…`. */
@Module({
  imports: [ActivityModule, CredentialsModule, ExchangesModule],
  controllers: [MarketDataController, TradingController],
  providers: [
    Cursors,
    CallContextInterceptor,
    IdempotencyRetention,
    IdempotencyRepository,
    MarketDataService,
    OrderJournal,
    OrderPlacementService,
    OrderRecords,
    OrderSearches,
    TradingService,
  ],
})
export class ProxyModule {}
