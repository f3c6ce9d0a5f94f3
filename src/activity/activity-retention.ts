import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Retention } from '../platform/retention/retention.js';
import { ActivityRepository } from './activity.repository.js';

/** Tidies the record of what happened. */
@Injectable()
export class ActivityRetention implements OnModuleInit {
  constructor(
    private readonly retention: Retention,
    private readonly events: ActivityRepository,
  ) {}

  onModuleInit(): void {
    this.retention.register('security_events', (limit) => this.events.removeOld(limit));
  }
}
