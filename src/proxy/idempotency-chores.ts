import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Housekeeping } from '../platform/housekeeping/housekeeping.js';
import { IdempotencyRepository } from './idempotency.repository.js';

/** Forgets orders under an `Idempotency-Key` after 24 h (DESIGN 5, R-22). */
@Injectable()
export class IdempotencyChores implements OnModuleInit {
  constructor(
    private readonly housekeeping: Housekeeping,
    private readonly repository: IdempotencyRepository,
  ) {}

  onModuleInit(): void {
    this.housekeeping.register('idempotent_orders', (limit) => this.repository.removeOld(limit));
  }
}
