/** A key that may trade for a deposit wallet (polymarket-2026.md 4.1). */
export interface SessionSigner {
  address: string;
  validUntil: Date;
  scopes: readonly SessionScope[];
}

export type SessionScope = 'CLOB' | 'COMBOSRFQ' | 'ALL';

/** Which session keys the owners of deposit wallets have authorised. */
export class SessionSigners {
  readonly #wallets = new Map<string, Map<string, SessionSigner>>();

  /** A second authorisation of the same key replaces the first. */
  authorise(wallet: string, signer: SessionSigner): void {
    const signers = this.#wallets.get(wallet.toLowerCase()) ?? new Map<string, SessionSigner>();
    this.#wallets.set(wallet.toLowerCase(), signers.set(signer.address.toLowerCase(), signer));
  }

  revoke(wallet: string, address: string): void {
    this.#wallets.get(wallet.toLowerCase())?.delete(address.toLowerCase());
  }

  /** True for a key that is authorised to trade and has not run out. */
  mayTrade(wallet: string, address: string, now: Date): boolean {
    const signer = this.#wallets.get(wallet.toLowerCase())?.get(address.toLowerCase());
    return signer !== undefined && signer.validUntil > now && signer.scopes.some((one) => one !== 'COMBOSRFQ');
  }

  /** The wallet that a key was last authorised for; undefined where it is no session key. */
  walletOf(address: string): string | undefined {
    const wallets = [...this.#wallets].filter(([, signers]) => signers.has(address.toLowerCase()));
    return wallets.at(-1)?.[0];
  }
}
