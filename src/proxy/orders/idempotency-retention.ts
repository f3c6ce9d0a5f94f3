import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Retention } from '../../platform/retention/retention.js';
import { TransferRecordsRepository } from '../transfers/transfer-records.repository.js';
import { IdempotencyRepository } from './idempotency.repository.js';

/** Removes records of orders and transfers under an `Idempotency-Key` after 24 h (contract.md 5, R-22). */
@Injectable()
export class IdempotencyRetention implements OnModuleInit {
  constructor(
    private readonly retention: Retention,
    private readonly orders: IdempotencyRepository,
    private readonly transfers: TransferRecordsRepository,
  ) {}

  onModuleInit(): void {
    this.retention.register('idempotent_orders', (limit) => this.orders.removeOld(limit));
    this.retention.register('idempotent_transfers', (limit) => this.transfers.removeOld(limit));
  }
}
