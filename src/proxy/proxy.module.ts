import { Module } from '@nestjs/common';
import { ActivityModule } from '../activity/activity.module.js';
import { CredentialsModule } from '../credentials/credentials.module.js';
import { ExchangesModule } from '../exchanges/exchanges.module.js';
import { MetricsModule } from '../platform/metrics/metrics.module.js';
import { FinishedAnswers } from './answers/finished-answers.js';
import { CallContextInterceptor } from './request/call-context.interceptor.js';
import { Cursors } from './paging/cursors.js';
import { MarketDataController } from './market-data/market-data.controller.js';
import { MarketDataService } from './market-data/market-data.service.js';
import { IdempotencyRetention } from './orders/idempotency-retention.js';
import { IdempotencyRepository } from './orders/idempotency.repository.js';
import { OrderHistoryRepository } from './orders/order-history.repository.js';
import { OrderHistoryService } from './orders/order-history.service.js';
import { OrderJournal } from './orders/order-journal.js';
import { OrderPlacement } from './orders/order-placement.js';
import { OutcomeRecorder } from './orders/outcome-recorder.js';
import { OrderFinder } from './orders/order-finder.js';
import { PlacementCounts } from './orders/placement-counts.js';
import { OrderSettling } from './orders/order-settling.js';
import { OrdersService } from './orders/orders.service.js';
import { Sendings } from './orders/sendings.js';
import { ProxyMetrics } from './proxy-metrics.js';
import { PortfolioService } from './trading/portfolio.service.js';
import { TradingController } from './trading/trading.controller.js';
import { TransferJournal } from './transfers/transfer-journal.js';
import { TransferPlacement } from './transfers/transfer-placement.js';
import { TransferRecordsRepository } from './transfers/transfer-records.repository.js';
import { TransfersController } from './transfers/transfers.controller.js';
import { TransfersService } from './transfers/transfers.service.js';

/** Market data and trading under `/{exchange}/…`. */
@Module({
  imports: [ActivityModule, CredentialsModule, ExchangesModule, MetricsModule],
  controllers: [MarketDataController, TradingController, TransfersController],
  providers: [
    Cursors,
    CallContextInterceptor,
    FinishedAnswers,
    IdempotencyRetention,
    IdempotencyRepository,
    MarketDataService,
    OrderHistoryRepository,
    OrderHistoryService,
    OrderJournal,
    OrderPlacement,
    OrderSettling,
    OutcomeRecorder,
    OrderFinder,
    OrdersService,
    Sendings,
    PlacementCounts,
    PortfolioService,
    ProxyMetrics,
    TransferJournal,
    TransferPlacement,
    TransferRecordsRepository,
    TransfersService,
  ],
})
export class ProxyModule {}
