import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Retention } from '../../platform/retention/retention.js';
import { KeptPreviews } from './kept-previews.repository.js';

/** Removes previews once nobody can ask for them (contract.md 6, R-22). */
@Injectable()
export class PreviewRetention implements OnModuleInit {
  constructor(
    private readonly retention: Retention,
    private readonly kept: KeptPreviews,
  ) {}

  onModuleInit(): void {
    this.retention.register('order_previews', (limit) => this.kept.removeOld(limit));
  }
}
