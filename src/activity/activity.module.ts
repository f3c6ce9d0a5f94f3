import { Module } from '@nestjs/common';
import { MetricsModule } from '../platform/metrics/metrics.module.js';
import { Retention } from '../platform/retention/retention.js';
import { UsersModule } from '../users/users.module.js';
import { ActivityController } from './activity.controller.js';
import { ActivityHooks } from './activity-hooks.js';
import { ActivityMetrics } from './activity-metrics.js';
import { ActivityPages } from './activity-pages.js';
import { ActivityRepository } from './activity.repository.js';
import { ActivityService } from './activity.service.js';
import { DailyLimitsService } from './daily-limits.service.js';
import { OwnerNotices } from './owner-notices.js';

/** Activity: what happened to accounts, recorded by every feature, shown to the owner, mailed where it matters. */
@Module({
  imports: [MetricsModule, UsersModule],
  controllers: [ActivityController],
  providers: [
    ActivityHooks,
    ActivityMetrics,
    ActivityPages,
    ActivityRepository,
    ActivityService,
    DailyLimitsService,
    OwnerNotices,
  ],
  exports: [ActivityService, DailyLimitsService],
})
export class ActivityModule {
  constructor(retention: Retention, events: ActivityRepository) {
    retention.register('security_events', (limit) => events.removeOld(limit));
    retention.register('unproved_signups', (limit) => events.removeUnproved(limit));
  }
}
