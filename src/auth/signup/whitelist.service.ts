import { Injectable } from '@nestjs/common';
import { Settings } from '../../platform/config/settings.js';
import { badField } from '../../platform/errors/app-error.js';
import { canonicalEmail } from '../../platform/http/email-address.js';
import { WhitelistRepository } from './whitelist.repository.js';

/**
 * Who may get an account: in open mode anybody who proves an address, in whitelist mode pre-approved addresses only, by
 * WHITELIST_EMAILS and the operator's list (specification.md 3, S-13).
 */
@Injectable()
export class WhitelistService {
  readonly isOpenMode: boolean;
  readonly #approved: ReadonlySet<string>;

  constructor(
    settings: Settings,
    private readonly whitelist: WhitelistRepository,
  ) {
    this.isOpenMode = settings.accessMode === 'open';
    this.#approved = new Set(settings.whitelistEmails);
  }

  /** Whether an account may be made for this canonical address. */
  async admits(email: string): Promise<boolean> {
    const isListed = await this.whitelist.has(email);
    return this.isOpenMode || isListed || this.#approved.has(email);
  }

  /** Adds to the operator's list; false where the address is there already. Throws `bad_request` for no address. */
  add(email: string): Promise<boolean> {
    return this.whitelist.add(checked(email));
  }

  /** Removes from the operator's list; false where the address is not there. An account that exists stays. */
  remove(email: string): Promise<boolean> {
    return this.whitelist.remove(checked(email));
  }

  /** The operator's list. */
  list(): Promise<string[]> {
    return this.whitelist.list();
  }
}

function checked(email: string): string {
  const canonical = canonicalEmail(email);
  if (canonical === null) throw badField('email', 'must be one plain e-mail address');
  return canonical;
}
