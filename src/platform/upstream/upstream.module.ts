import { Global, Module } from '@nestjs/common';
import { MetricsModule } from '../metrics/metrics.module.js';
import { ProviderHttp } from './provider-http.js';
import { UpstreamClients } from './upstream-clients.js';
import { UpstreamMetrics } from './upstream-metrics.js';

/** The only way to other servers (CONTRIBUTING.md 2); needs `Settings` from a global module. */
@Global()
@Module({
  imports: [MetricsModule],
  providers: [ProviderHttp, UpstreamClients, UpstreamMetrics],
  exports: [ProviderHttp, UpstreamClients],
})
export class UpstreamModule {}
