import { type DynamicModule, Module } from '@nestjs/common';
import { AppModule } from '../../app.module.js';
import { BotsModule } from '../../bots/bots.module.js';
import type { Settings } from '../../platform/config/settings.js';
import { UsersModule } from '../../users/users.module.js';

/** The service, and what its operator does with bots. */
@Module({})
export class BotsCommandModule {
  static with(settings: Settings): DynamicModule {
    return { module: BotsCommandModule, imports: [AppModule.with(settings), BotsModule, UsersModule] };
  }
}
