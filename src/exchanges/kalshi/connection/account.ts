import { LRUCache } from 'lru-cache';
import type { CredentialFacts } from '../../credentials.contract.js';
import { isOfBoundKey } from '../kalshi.errors.js';

/** The primary account of a member (kalshi.md 2.3). */
const PRIMARY = 0;

/** As many keys are remembered. */
const MOST_KEYS = 10_000;

/** The keys that the exchange has called bound to a subaccount in this process, by digests of them. */
export class BoundKeys {
  readonly #keys = new LRUCache<string, true>({ max: MOST_KEYS });

  has(digest: string): boolean {
    return this.#keys.get(digest) === true;
  }

  add(digest: string): void {
    this.#keys.set(digest, true);
  }
}

/** Which account of a member the calls are about: the one that the key is bound to, else the primary one (contract.md 5.7). */
export class CalledAccount {
  #isBound: boolean;

  /** `key` is a digest of the key. */
  constructor(
    facts: CredentialFacts | null,
    private readonly bound: BoundKeys,
    private readonly key: string,
  ) {
    this.#isBound = facts?.key?.isBound === true || bound.has(key);
  }

  /** Goes with every call that takes it; left out for a bound key, whose own account the exchange then takes. */
  get subaccount(): number | undefined {
    return this.#isBound ? undefined : PRIMARY;
  }

  /**
   * Makes a call that names the account. Where the exchange refuses it since the key is bound to a subaccount, which could not
   * be read before, it is made once more without the account; so are all calls of the key from then on.
   */
  async named<T>(call: (subaccount: number | undefined) => Promise<T>): Promise<T> {
    const { subaccount } = this;
    try {
      return await call(subaccount);
    } catch (error) {
      if (subaccount === undefined || !isOfBoundKey(error)) throw error;
      this.#isBound = true;
      this.bound.add(this.key);
      return call(undefined);
    }
  }

  /** Whether what carries this number is the account's; what carries none is. */
  owns({ subaccount_number: number }: { readonly subaccount_number: number | null }): boolean {
    return this.subaccount === undefined || (number ?? PRIMARY) === this.subaccount;
  }
}
