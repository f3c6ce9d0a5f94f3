import { type DynamicModule, Module } from '@nestjs/common';
import { ConfigModule } from '../../platform/config/config.module.js';
import type { Settings } from '../../platform/config/settings.js';
import { UpstreamModule } from '../../platform/upstream/upstream.module.js';
import { DriftService } from './drift.service.js';

/** What `npm run drift` needs: the settings and the clients of other servers; no database, and no exchange with its signers. */
@Module({})
export class DriftModule {
  static with(settings: Settings): DynamicModule {
    const imports = [ConfigModule.with(settings), UpstreamModule];
    return { module: DriftModule, imports, providers: [DriftService] };
  }
}
