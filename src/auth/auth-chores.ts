import { Injectable } from '@nestjs/common';
import { DurableLimits } from '../platform/limits/durable-limits.repository.js';
import { Housekeeping } from '../platform/housekeeping/housekeeping.js';
import { AuthRowsRepository } from './auth-rows.repository.js';

/** Registers what is to be tidied of accounts. */
@Injectable()
export class AuthChores {
  constructor(housekeeping: Housekeeping, rows: AuthRowsRepository, limits: DurableLimits) {
    for (const table of rows.tables) housekeeping.register(table, (limit) => rows.removeOver(table, limit));
    housekeeping.register('rate_limits', (limit) => limits.removeExpired(limit));
  }
}
