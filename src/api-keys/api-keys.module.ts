import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ActivityModule } from '../activity/activity.module.js';
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
import { BotKeysRepository } from './bot-keys.repository.js';
import { BotKeysService } from './bot-keys.service.js';
import { LiveKeysService } from './live-keys.service.js';

@Module({
  imports: [ActivityModule, MetricsModule, TypeOrmModule.forFeature([ApiKeyEntity])],
  controllers: [ApiKeysController],
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
    BotKeysRepository,
    BotKeysService,
    LiveKeysService,
  ],
  exports: [ApiKeysService, BotKeysService, LiveKeysService],
})
export class ApiKeysModule {}
