import { sameAddress } from './address.js';

export const SESSION_SCOPES = ['CLOB', 'COMBOSRFQ', 'ALL'] as const;
export type SessionScope = (typeof SESSION_SCOPES)[number];

/** A key that may trade for a deposit wallet (polymarket.md 11.1). */
export interface SessionSigner {
  address: string;
  validUntil: Date;
  scopes: readonly SessionScope[];
  /** Before that the exchange does not know the key yet; left out where it knows it at once. */
  usableFrom?: Date;
}

interface Authorisation {
  /** In the spelling of the last authorisation. */
  wallet: string;
  signer: SessionSigner;
}

/** Which session keys the owners of deposit wallets have authorised. */
export class SessionSigners {
  /** The newest last. */
  readonly #authorisations = new Map<string, Authorisation>();

  /** A second authorisation of the same key replaces the first. */
  authorise(wallet: string, signer: SessionSigner): void {
    const key = keyOf(wallet, signer.address);
    this.#authorisations.delete(key);
    this.#authorisations.set(key, { wallet, signer });
  }

  /** False where there was nothing to revoke. */
  revoke(wallet: string, address: string): boolean {
    return this.#authorisations.delete(keyOf(wallet, address));
  }

  /** The keys of a wallet that can be used now, the oldest first. */
  list(wallet: string, now: Date): SessionSigner[] {
    return this.#usable(now)
      .filter((one) => sameAddress(one.wallet, wallet))
      .map(({ signer }) => signer);
  }

  /** True for a key that is authorised and can be used now. */
  isUsable(wallet: string, address: string, now: Date): boolean {
    return this.#find(wallet, address, now) !== undefined;
  }

  /** True where it is authorised to trade besides. */
  mayTrade(wallet: string, address: string, now: Date): boolean {
    return this.#find(wallet, address, now)?.scopes.some((one) => one !== 'COMBOSRFQ') === true;
  }

  /** The wallet of the newest authorisation of a key that can be used now; undefined where there is none. */
  walletOf(address: string, now: Date): string | undefined {
    return this.#usable(now).findLast(({ signer }) => sameAddress(signer.address, address))?.wallet;
  }

  /** Whether anybody authorised the key, usable or not. */
  knows(address: string): boolean {
    return [...this.#authorisations.values()].some(({ signer }) => sameAddress(signer.address, address));
  }

  #find(wallet: string, address: string, now: Date): SessionSigner | undefined {
    const signer = this.#authorisations.get(keyOf(wallet, address))?.signer;
    return signer !== undefined && isUsable(signer, now) ? signer : undefined;
  }

  #usable(now: Date): Authorisation[] {
    return [...this.#authorisations.values()].filter(({ signer }) => isUsable(signer, now));
  }
}

function isUsable({ usableFrom, validUntil }: SessionSigner, now: Date): boolean {
  return (usableFrom === undefined || usableFrom <= now) && validUntil > now;
}

function keyOf(wallet: string, address: string): string {
  return `${wallet.toLowerCase()} ${address.toLowerCase()}`;
}
