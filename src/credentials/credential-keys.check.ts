import { Injectable, type OnModuleInit } from '@nestjs/common';
import { CryptoService } from '../platform/crypto/crypto.service.js';
import { CredentialsRepository } from './credentials.repository.js';

/** Refuses to start while stored credentials are sealed under a key that `ENCRYPTION_KEYS` does not hold (S-38). */
@Injectable()
export class CredentialKeysCheck implements OnModuleInit {
  constructor(
    private readonly repository: CredentialsRepository,
    private readonly crypto: CryptoService,
  ) {}

  async onModuleInit(): Promise<void> {
    const used = await this.repository.listKeyIds();
    const missing = used.filter((id) => !this.crypto.keyIds.includes(id));
    if (missing.length === 0) return;
    throw new Error(`ENCRYPTION_KEYS must hold the keys that stored credentials need: ${missing.join(', ')}`);
  }
}
