import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Housekeeping } from '../platform/housekeeping/housekeeping.js';
import { ApiKeysRepository } from './api-keys.repository.js';

/** Forgets keys that were revoked 90 days ago (DESIGN 4, R-22). */
@Injectable()
export class ApiKeyChores implements OnModuleInit {
  constructor(
    private readonly housekeeping: Housekeeping,
    private readonly repository: ApiKeysRepository,
  ) {}

  onModuleInit(): void {
    this.housekeeping.register('api_keys', (limit) => this.repository.removeLongRevoked(limit));
  }
}
