import { Injectable } from '@nestjs/common';
import { Settings } from '../../platform/config/settings.js';
import { AccountTokens } from '../tokens/account-tokens.js';
import type { TokenSubject } from '../tokens/account-tokens.repository.js';

/** Links with a token made at this moment, in the fragment, below the configured address only (S-9, S-46). */
@Injectable()
export class MailLinks {
  readonly #base: string;

  constructor(
    settings: Settings,
    private readonly tokens: AccountTokens,
  ) {
    this.#base = `${settings.publicUrl}/dashboard`;
  }

  async toVerify(subject: TokenSubject): Promise<string> {
    const token = await this.tokens.issue('verify', subject);
    return `${this.#base}/verify-email#token=${token.reveal()}`;
  }

  async toReset(subject: TokenSubject): Promise<string> {
    const token = await this.tokens.issue('reset', subject);
    return `${this.#base}/reset-password#token=${token.reveal()}`;
  }
}
