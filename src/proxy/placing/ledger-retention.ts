import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Retention } from '../../platform/retention/retention.js';
import { Amends } from './amends.repository.js';
import { LedgerUpkeep } from './ledger-upkeep.repository.js';

/** Frees keys after 24 h, and removes rows of the ledger after 30 or 90 days (contract.md 5 and 6, R-22). */
@Injectable()
export class LedgerRetention implements OnModuleInit {
  constructor(
    private readonly retention: Retention,
    private readonly ledger: LedgerUpkeep,
    private readonly amends: Amends,
  ) {}

  onModuleInit(): void {
    this.retention.register('idempotency_keys', (limit) => this.ledger.unbindOld(limit));
    this.retention.register('open placements', (limit) => this.ledger.leaveOld(limit));
    this.retention.register('placements', (limit) => this.ledger.removeOld(limit));
    this.retention.register('bot_positions', (limit) => this.ledger.removeEmptyPositions(limit));
    this.retention.register('order_amends', (limit) => this.amends.removeOld(limit));
  }
}
