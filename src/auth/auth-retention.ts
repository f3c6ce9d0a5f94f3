import { Injectable } from '@nestjs/common';
import { DurableLimits } from '../platform/limits/durable-limits.repository.js';
import { Retention } from '../platform/retention/retention.js';
import { AuthRowsRepository } from './auth-rows.repository.js';

/** Registers what is to be tidied of accounts. */
@Injectable()
export class AuthRetention {
  constructor(retention: Retention, rows: AuthRowsRepository, limits: DurableLimits) {
    for (const table of rows.tables) retention.register(table, (limit) => rows.removeOver(table, limit));
    retention.register('rate_limits', (limit) => limits.removeExpired(limit));
  }
}
