import { Module } from '@nestjs/common';
import { MetricsModule } from '../platform/metrics/metrics.module.js';
import { ExchangesModule } from '../exchanges/exchanges.module.js';
import { BuildMetrics } from './build-metrics.js';
import { Drain } from '../platform/http/drain.js';
import { FigureMetrics } from './figure-metrics.js';
import { FiguresRepository } from './figures.repository.js';
import { HealthController } from './health.controller.js';
import { HealthService } from './health.service.js';
import { MetricsServer } from './metrics-server.js';
import { RequestMetrics } from './request-metrics.js';

/** What operators need: health and metrics. */
@Module({
  imports: [ExchangesModule, MetricsModule],
  controllers: [HealthController],
  providers: [BuildMetrics, Drain, FigureMetrics, FiguresRepository, HealthService, MetricsServer, RequestMetrics],
  exports: [Drain],
})
export class OperationsModule {}
