import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Retention } from '../platform/retention/retention.js';
import { ApiKeysRepository } from './api-keys.repository.js';

/** Removes keys that were revoked 90 days ago (contract.md 4, R-22). */
@Injectable()
export class ApiKeyRetention implements OnModuleInit {
  constructor(
    private readonly retention: Retention,
    private readonly repository: ApiKeysRepository,
  ) {}

  onModuleInit(): void {
    this.retention.register('api_keys', (limit) => this.repository.removeLongRevoked(limit));
  }
}
