import { Injectable } from '@nestjs/common';
import { Settings } from '../../platform/config/settings.js';
import { WhitelistRepository } from './whitelist.repository.js';

/** Who may get an account: anybody who proves an address, or pre-approved addresses only (specification 3, S-13). */
@Injectable()
export class AccessMode {
  readonly isOpen: boolean;
  readonly #approved: ReadonlySet<string>;

  constructor(
    settings: Settings,
    private readonly whitelist: WhitelistRepository,
  ) {
    this.isOpen = settings.accessMode === 'open';
    this.#approved = new Set(settings.whitelistEmails);
  }

  /** Whether an account may be made for this canonical address. */
  async admits(email: string): Promise<boolean> {
    const listed = await this.whitelist.has(email);
    return this.isOpen || listed || this.#approved.has(email);
  }
}
