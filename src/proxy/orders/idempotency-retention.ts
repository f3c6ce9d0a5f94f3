import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Retention } from '../../platform/retention/retention.js';
import { IdempotencyRepository } from './idempotency.repository.js';

/** Removes records of orders under an `Idempotency-Key` after 24 h (contract.md 5, R-22). */
@Injectable()
export class IdempotencyRetention implements OnModuleInit {
  constructor(
    private readonly retention: Retention,
    private readonly repository: IdempotencyRepository,
  ) {}

  onModuleInit(): void {
    this.retention.register('idempotent_orders', (limit) => this.repository.removeOld(limit));
  }
}
