import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ScopeRefusals } from '../access/scope-refusals.js';
import { ActivityService } from './activity.service.js';

/** Keeps the record of keys that were refused for their scope (S-41). */
@Injectable()
export class ScopeRefusalRecorder implements OnModuleInit {
  constructor(
    private readonly refusals: ScopeRefusals,
    private readonly activity: ActivityService,
  ) {}

  onModuleInit(): void {
    this.refusals.onRefusal(({ userId, keyPrefix }, needed) =>
      this.activity.record({ type: 'scope_refused', userId, keyPrefix, details: { required_scope: needed } }),
    );
  }
}
