import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import { PreviewsModule } from './agents/previews/previews.module.js';
import { AccessModule } from './access/access.module.js';
import { ApiRateGuard } from './access/api-rate.guard.js';
import { BotExchangeGuard } from './access/bot-exchange.guard.js';
import { ConfirmationGuard } from './access/confirmation.guard.js';
import { DeclaredAccessGuard } from './access/declared-access.guard.js';
import { AgentsModule } from './agents/agents.module.js';
import { ApiKeysModule } from './api-keys/api-keys.module.js';
import { AuthModule } from './auth/auth.module.js';
import { BotsModule } from './bots/bots.module.js';
import { CredentialsModule } from './credentials/credentials.module.js';
import { DashboardModule } from './dashboard/dashboard.module.js';
import { ExchangeGuard } from './exchanges/exchange.guard.js';
import { ExchangesModule } from './exchanges/exchanges.module.js';
import { OperationsModule } from './operations/operations.module.js';
import { ConfigModule } from './platform/config/config.module.js';
import type { Settings } from './platform/config/settings.js';
import { CryptoModule } from './platform/crypto/crypto.module.js';
import { DatabaseModule } from './platform/database/database.module.js';
import { ErrorFilter } from './platform/http/error.filter.js';
import { UpstreamModule } from './platform/upstream/upstream.module.js';
import { RetentionModule } from './platform/retention/retention.module.js';
import { LimitsModule } from './platform/limits/limits.module.js';
import { MailModule } from './platform/mail/mail.module.js';
import { StrictInputGuard } from './platform/http/strict-input.guard.js';
import { ValidationPipe } from './platform/http/validation.js';
import { ProxyModule } from './proxy/proxy.module.js';
import { UsersModule } from './users/users.module.js';

/** The list of modules, the global guards in the order of checks of contract.md 3, and the one error filter. */
@Module({})
export class AppModule {
  static with(settings: Settings): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.with(settings),
        CryptoModule,
        DatabaseModule,
        UpstreamModule,
        RetentionModule,
        LimitsModule,
        MailModule,
        AccessModule,
        OperationsModule,
        ExchangesModule,
        UsersModule,
        AuthModule,
        DashboardModule,
        ApiKeysModule,
        BotsModule,
        CredentialsModule,
        ProxyModule,
        PreviewsModule,
        ...(settings.mcp ? [AgentsModule] : []),
      ],
      providers: [
        { provide: APP_GUARD, useClass: DeclaredAccessGuard },
        { provide: APP_GUARD, useClass: ApiRateGuard },
        { provide: APP_GUARD, useClass: ConfirmationGuard },
        { provide: APP_GUARD, useClass: ExchangeGuard },
        { provide: APP_GUARD, useClass: BotExchangeGuard },
        { provide: APP_GUARD, useClass: StrictInputGuard },
        { provide: APP_PIPE, useClass: ValidationPipe },
        { provide: APP_FILTER, useClass: ErrorFilter },
      ],
    };
  }
}
