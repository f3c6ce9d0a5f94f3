import { Injectable, type OnModuleInit } from '@nestjs/common';
import { CredentialKeys } from './credential-keys.js';

/** Refuses to start without the keys that stored credentials are sealed under, and with a wrong one (S-38). */
@Injectable()
export class CredentialKeysCheck implements OnModuleInit {
  constructor(private readonly keys: CredentialKeys) {}

  async onModuleInit(): Promise<void> {
    await this.keys.verify();
  }
}
