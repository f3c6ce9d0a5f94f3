import { Injectable } from '@nestjs/common';
import { Metrics } from '../platform/metrics/metrics.js';
import { ACTIVITY_TYPES } from './activity-event.js';
import { ActivityService } from './activity.service.js';

/** Types that only the operator sees and that an alert waits for; shown beside the types that owners see. */
const OPERATORS = ['decrypt_failed', 'limit_hit', 'mail_given_up'];

/** Shows how many events of each type there were; no figure names a user (S-41, R-24). */
@Injectable()
export class ActivityMetrics {
  constructor(metrics: Metrics, activity: ActivityService) {
    for (const type of [...ACTIVITY_TYPES, ...OPERATORS]) activity.recorded.expect(type);
    metrics.tally(
      { name: 'activity_events_total', help: 'Events in the activity of accounts, by type.' },
      activity.recorded,
    );
  }
}
