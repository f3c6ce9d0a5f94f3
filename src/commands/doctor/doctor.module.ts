import { type DynamicModule, Module } from '@nestjs/common';
import { ExchangesModule } from '../../exchanges/exchanges.module.js';
import { ConfigModule } from '../../platform/config/config.module.js';
import type { Settings } from '../../platform/config/settings.js';
import { UpstreamModule } from '../../platform/upstream/upstream.module.js';
import { ExchangeChecks } from './exchange.checks.js';

/** What `npm run doctor` needs to ask the exchanges: no database. */
@Module({})
export class DoctorModule {
  static with(settings: Settings): DynamicModule {
    const imports = [ConfigModule.with(settings), UpstreamModule, ExchangesModule];
    return { module: DoctorModule, imports, providers: [ExchangeChecks] };
  }
}
