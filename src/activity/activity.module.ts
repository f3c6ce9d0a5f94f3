import { Module } from '@nestjs/common';
import { UsersModule } from '../users/users.module.js';
import { ActivityRetention } from './activity-retention.js';
import { ActivityController } from './activity.controller.js';
import { ActivityHooks } from './activity-hooks.js';
import { ActivityPages } from './activity-pages.js';
import { ActivityRepository } from './activity.repository.js';
import { ActivityService } from './activity.service.js';
import { OwnerNotices } from './owner-notices.js';
import { ScopeRefusalRecorder } from './scope-refusal.recorder.js';

/** What happened to accounts: recorded by every feature, shown to its owner, who gets a mail where it matters. */
@Module({
  imports: [UsersModule],
  controllers: [ActivityController],
  providers: [
    ActivityRetention,
    ActivityHooks,
    ActivityPages,
    ActivityRepository,
    ActivityService,
    OwnerNotices,
    ScopeRefusalRecorder,
  ],
  exports: [ActivityService],
})
export class ActivityModule {}
