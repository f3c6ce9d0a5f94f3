import { type DynamicModule, Module } from '@nestjs/common';
import { ActivityModule } from '../../activity/activity.module.js';
import { AppModule } from '../../app.module.js';
import { CredentialsModule } from '../../credentials/credentials.module.js';
import { ExchangesModule } from '../../exchanges/exchanges.module.js';
import type { Settings } from '../../platform/config/settings.js';
import { ProxyModule } from '../../proxy/proxy.module.js';
import { HandSettling } from './hand-settling.repository.js';
import { HandSettlingService } from './hand-settling.service.js';
import { LedgerHistory } from './ledger-history.repository.js';
import { OrderHistoryService } from './order-history.service.js';

/** The service, and what shows its operator the life of an order. */
@Module({})
export class OrdersCommandModule {
  static with(settings: Settings): DynamicModule {
    const imports = [ActivityModule, AppModule.with(settings), CredentialsModule, ExchangesModule, ProxyModule];
    return {
      module: OrdersCommandModule,
      imports,
      providers: [HandSettling, HandSettlingService, LedgerHistory, OrderHistoryService],
    };
  }
}
