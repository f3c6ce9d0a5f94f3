import { Injectable } from '@nestjs/common';
import { badField } from '../../platform/errors/app-error.js';
import { canonicalEmail } from '../../platform/http/email-address.js';
import { WhitelistRepository } from './whitelist.repository.js';

/** The operator's list of addresses that may sign up in whitelist mode, beside WHITELIST_EMAILS. */
@Injectable()
export class WhitelistService {
  constructor(private readonly whitelist: WhitelistRepository) {}

  /** False where it was there already; throws `bad_request` for what is no address. */
  add(email: string): Promise<boolean> {
    return this.whitelist.add(checked(email));
  }

  /** False where it was not there; an account that exists goes on. */
  remove(email: string): Promise<boolean> {
    return this.whitelist.remove(checked(email));
  }

  list(): Promise<string[]> {
    return this.whitelist.list();
  }
}

function checked(email: string): string {
  const canonical = canonicalEmail(email);
  if (canonical === null) throw badField('email', 'must be one plain e-mail address');
  return canonical;
}
