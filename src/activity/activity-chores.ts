import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Housekeeping } from '../platform/housekeeping/housekeeping.js';
import { ActivityRepository } from './activity.repository.js';

/** Tidies the record of what happened. */
@Injectable()
export class ActivityChores implements OnModuleInit {
  constructor(
    private readonly housekeeping: Housekeeping,
    private readonly events: ActivityRepository,
  ) {}

  onModuleInit(): void {
    this.housekeeping.register('security_events', (limit) => this.events.removeOld(limit));
  }
}
