import { Module } from '@nestjs/common';
import { MetricsModule } from '../platform/metrics/metrics.module.js';
import { BuildMetrics } from './build-metrics.js';
import { Drain } from './drain.js';
import { HealthController } from './health.controller.js';
import { HealthService } from './health.service.js';
import { MetricsServer } from './metrics-server.js';
import { RequestMetrics } from './request-metrics.js';

/** What operators need: health and metrics. */
@Module({
  imports: [MetricsModule],
  controllers: [HealthController],
  providers: [BuildMetrics, Drain, HealthService, MetricsServer, RequestMetrics],
  exports: [Drain],
})
export class OperationsModule {}
