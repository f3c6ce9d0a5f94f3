/** What sets an account wallet apart (polymarket.md 3.2, 9.4, 13). */
export interface Standing {
  /** Whether ExchangeV3 may move the wallet's money and shares; without it V2 orders are refused. */
  exchangeV3: boolean;
  /** May sell but not buy. */
  closedOnly: boolean;
  banned: boolean;
  /** Takes orders of signature type 3 alone, as new accounts of the real exchange. */
  depositWalletOnly: boolean;
}

const ORDINARY: Standing = { exchangeV3: true, closedOnly: false, banned: false, depositWalletOnly: false };

/** The standing of each account wallet; an unknown one may do everything. */
export class Standings {
  readonly #wallets = new Map<string, Standing>();

  of(wallet: string): Standing {
    return this.#wallets.get(wallet.toLowerCase()) ?? ORDINARY;
  }

  /** Changes what is named and keeps the rest. */
  set(wallet: string, change: Partial<Standing>): Standing {
    const standing = { ...this.of(wallet), ...change };
    this.#wallets.set(wallet.toLowerCase(), standing);
    return standing;
  }
}
