import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ActivityModule } from '../activity/activity.module.js';
import { CredentialsModule } from '../credentials/credentials.module.js';
import { ExchangesModule } from '../exchanges/exchanges.module.js';
import { MetricsModule } from '../platform/metrics/metrics.module.js';
import { ApiKeyAuthenticator } from './api-key-authenticator.js';
import { ApiKeyCache } from './api-key-cache.js';
import { ApiKeyCacheLease } from './api-key-cache-lease.js';
import { ApiKeyCachesRepository } from './api-key-caches.repository.js';
import { ApiKeyMetrics } from './api-key-metrics.js';
import { ApiKeyRetention } from './api-key-retention.js';
import { ApiKeyEntity } from './api-key.entity.js';
import { ApiKeyStrategy } from './api-key.strategy.js';
import { ApiKeyUsage } from './api-key-usage.js';
import { ApiKeysController } from './api-keys.controller.js';
import { ApiKeysRepository } from './api-keys.repository.js';
import { ApiKeysService } from './api-keys.service.js';
import { MeController } from './me.controller.js';
import { MeService } from './me.service.js';

@Module({
  imports: [
    ActivityModule,
    CredentialsModule,
    ExchangesModule,
    MetricsModule,
    TypeOrmModule.forFeature([ApiKeyEntity]),
  ],
  controllers: [ApiKeysController, MeController],
  providers: [
    ApiKeysService,
    ApiKeysRepository,
    ApiKeyAuthenticator,
    ApiKeyMetrics,
    ApiKeyRetention,
    ApiKeyCache,
    ApiKeyCacheLease,
    ApiKeyCachesRepository,
    ApiKeyUsage,
    ApiKeyStrategy,
    MeService,
  ],
  exports: [ApiKeysService],
})
export class ApiKeysModule {}
