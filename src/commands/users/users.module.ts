import { type DynamicModule, Module } from '@nestjs/common';
import { ActivityModule } from '../../activity/activity.module.js';
import { AppModule } from '../../app.module.js';
import { AuthModule } from '../../auth/auth.module.js';
import type { Settings } from '../../platform/config/settings.js';
import { UsersModule } from '../../users/users.module.js';
import { UsersAdminService } from './users-admin.service.js';

/** The service, and what its operator does with users. */
@Module({})
export class UsersCommandModule {
  static with(settings: Settings): DynamicModule {
    const imports = [AppModule.with(settings), ActivityModule, AuthModule, UsersModule];
    return { module: UsersCommandModule, imports, providers: [UsersAdminService] };
  }
}
