import { Module } from '@nestjs/common';
import { ActivityModule } from '../activity/activity.module.js';
import { ApiKeysModule } from '../api-keys/api-keys.module.js';
import { CredentialsModule } from '../credentials/credentials.module.js';
import { ExchangesModule } from '../exchanges/exchanges.module.js';
import { FeedsModule } from '../feeds/feeds.module.js';
import { OperationsModule } from '../operations/operations.module.js';
import { UsersModule } from '../users/users.module.js';
import { MetricsModule } from '../platform/metrics/metrics.module.js';
import { CallContextInterceptor } from './request/call-context.interceptor.js';
import { Cursors } from './paging/cursors.js';
import { CombinedStreamController } from './streams/combined-stream.controller.js';
import { STREAM_PROVIDERS } from './streams/stream-providers.js';
import { StreamsController } from './streams/streams.controller.js';
import { AccountOrdersController } from './history/account-orders.controller.js';
import { AccountOrdersService } from './history/account-orders.service.js';
import { CatalogueModule } from '../catalogue/catalogue.module.js';
import { FoundController } from './market-data/found.controller.js';
import { FoundService } from './market-data/found.service.js';
import { MarketDataController } from './market-data/market-data.controller.js';
import { MarketDataService } from './market-data/market-data.service.js';
import { AbandonedKeysService } from './orders/abandoned-keys.service.js';
import { OrderJournal } from './orders/order-journal.js';
import { OrderAmends } from './orders/order-amends.service.js';
import { OrderBatches } from './orders/order-batches.service.js';
import { OrderKeysService } from './orders/order-keys.service.js';
import { OrderPreviews } from './orders/order-previews.service.js';
import { OrderNotes } from './orders/order-notes.js';
import { BotOrdersService } from './orders/bot-orders.service.js';
import { BotLimits } from './orders/bot-limits.js';
import { OrderProofs } from './orders/order-proofs.js';
import { OrderParts } from './orders/ledger-order.js';
import { OrderSettler } from './orders/order-settler.js';
import { ProofRounds } from './orders/proof-rounds.js';
import { ReferencePrices } from './orders/reference-prices.js';
import { OrdersService } from './orders/orders.service.js';
import { SentOrders } from './orders/sent-orders.js';
import { Amends } from './placing/amends.repository.js';
import { BotHalts } from './placing/bot-halts.repository.js';
import { LedgerKeys } from './placing/ledger-keys.repository.js';
import { DailyPlacements } from './placing/daily-placements.js';
import { OpenPlacements } from './placing/ledger-open.repository.js';
import { LedgerPages } from './placing/ledger-pages.repository.js';
import { LedgerReads } from './placing/ledger-reads.repository.js';
import { LedgerRetention } from './placing/ledger-retention.js';
import { LedgerTransfers } from './placing/ledger-transfers.repository.js';
import { LedgerUpkeep } from './placing/ledger-upkeep.repository.js';
import { Ledger } from './placing/ledger.repository.js';
import { LookUps } from './placing/look-ups.js';
import { OutcomeRecorder } from './placing/outcome-recorder.js';
import { PlacementCounts } from './placing/placement-counts.js';
import { Placing } from './placing/placing.js';
import { Previews } from './placing/previews.js';
import { PreviewedOrders } from './placing/previews.repository.js';
import { Proofs } from './placing/proofs.repository.js';
import { Reservations } from './placing/reservations.repository.js';
import { Sendings } from './placing/sendings.js';
import { UnkeyedPlacements } from './placing/unkeyed.repository.js';
import { ProxyMetrics } from './proxy-metrics.js';
import { AccountReader } from './portfolio/account-reader.js';
import { EquityController } from './portfolio/equity.controller.js';
import { EquityRepository } from './portfolio/equity.repository.js';
import { EquityRounds } from './portfolio/equity-rounds.js';
import { EquityService } from './portfolio/equity.service.js';
import { PortfolioController } from './portfolio/portfolio.controller.js';
import { PortfolioService } from './portfolio/portfolio.service.js';
import { CsvFiles } from './trading/csv-files.js';
import { HoldingsService } from './trading/holdings.service.js';
import { HoldingsController } from './trading/holdings.controller.js';
import { AmendsController } from './trading/amends.controller.js';
import { OrderPreviewsController } from './trading/order-previews.controller.js';
import { TradingController } from './trading/trading.controller.js';
import { TransferJournal } from './transfers/transfer-journal.js';
import { TransferParts } from './transfers/transfer.subject.js';
import { TransfersController } from './transfers/transfers.controller.js';
import { TransfersService } from './transfers/transfers.service.js';

/** Market data and trading under `/{exchange}/…`. */
@Module({
  imports: [
    ActivityModule,
    ApiKeysModule,
    CatalogueModule,
    CredentialsModule,
    ExchangesModule,
    FeedsModule,
    MetricsModule,
    OperationsModule,
    UsersModule,
  ],
  controllers: [
    AccountOrdersController,
    AmendsController,
    CombinedStreamController,
    StreamsController,
    FoundController,
    MarketDataController,
    OrderPreviewsController,
    TradingController,
    HoldingsController,
    PortfolioController,
    EquityController,
    TransfersController,
  ],
  providers: [
    ...STREAM_PROVIDERS,
    AbandonedKeysService,
    AccountOrdersService,
    Amends,
    BotLimits,
    BotOrdersService,
    BotHalts,
    Cursors,
    CallContextInterceptor,
    DailyPlacements,
    Ledger,
    LedgerKeys,
    LedgerPages,
    LedgerReads,
    LedgerRetention,
    LedgerTransfers,
    LedgerUpkeep,
    FoundService,
    MarketDataService,
    OrderJournal,
    OrderKeysService,
    OrderAmends,
    OrderBatches,
    OrderNotes,
    OrderPreviews,
    OrderProofs,
    OpenPlacements,
    OrderParts,
    OrderSettler,
    LookUps,
    Placing,
    OutcomeRecorder,
    OrdersService,
    Sendings,
    SentOrders,
    PlacementCounts,
    AccountReader,
    CsvFiles,
    EquityRepository,
    EquityRounds,
    EquityService,
    HoldingsService,
    PortfolioService,
    PreviewedOrders,
    Previews,
    ProofRounds,
    ProxyMetrics,
    ReferencePrices,
    Proofs,
    Reservations,
    TransferJournal,
    TransferParts,
    TransfersService,
    UnkeyedPlacements,
  ],
  exports: [
    BotOrdersService,
    FoundService,
    HoldingsService,
    MarketDataService,
    OrderKeysService,
    OrderNotes,
    OrderPreviews,
    OrdersService,
    PortfolioService,
  ],
})
export class ProxyModule {}
