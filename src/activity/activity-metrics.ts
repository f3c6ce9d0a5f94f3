import { Injectable } from '@nestjs/common';
import { Metrics } from '../platform/metrics/metrics.js';
import { ACTIVITY_TYPES } from './activity-event.js';
import { ActivityService } from './activity.service.js';

/** Beside those that owners see: what an operator waits for. */
const OPERATORS = ['decrypt_failed', 'limit_hit', 'mail_given_up'];

/** Shows how often each thing happens to accounts, and never to whose (S-41, R-24). */
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
