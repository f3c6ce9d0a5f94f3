import type { CredentialFacts } from '../../exchange.js';

/** The primary account of a member (kalshi-2026.md 3). */
const PRIMARY = 0;

/** Which account of a member the calls are about: the one that the key is bound to, else the primary one (contract.md 9). */
export class KalshiAccount {
  /** Goes with every call that takes it; left out for a bound key, whose own account the exchange then takes. */
  readonly subaccount: number | undefined;

  constructor(facts: CredentialFacts | null) {
    this.subaccount = facts?.key?.isBound === true ? undefined : PRIMARY;
  }

  /** Whether what carries this number is the account's; what carries none is. */
  owns({ subaccount_number: number }: { readonly subaccount_number: number | null }): boolean {
    return this.subaccount === undefined || (number ?? PRIMARY) === this.subaccount;
  }
}
