import { product, smaller } from '../units.js';
import { type Side } from './signing/typed-data.js';

/** Shares of one token in a wallet. All amounts are millionths. */
export interface Holding {
  tokenId: string;
  size: bigint;
  /** What the shares that are left were bought for, without fees. */
  cost: bigint;
  /** Fees paid on the shares that are left. */
  fees: bigint;
  /** Shares ever bought. */
  bought: bigint;
  /** Money ever paid for shares, without fees. */
  spent: bigint;
  /** Without fees, whoever paid them. */
  realized: bigint;
  changedAt: Date;
}

/** One party's part of a fill: `money` is what the shares cost or brought, without a fee. */
export interface Movement {
  wallet: string;
  tokenId: string;
  side: Side;
  size: bigint;
  money: bigint;
  at: Date;
}

/** Shares of one token that were paid out on chain. */
export interface Redemption {
  wallet: string;
  tokenId: string;
  size: bigint;
  money: bigint;
  at: Date;
}

/** A fee for what a wallet has just traded. */
interface Charge extends Pick<Movement, 'wallet' | 'tokenId' | 'side'> {
  fee: bigint;
}

/** pUSD and shares of every wallet. Buying both outcomes mints, selling both merges: money in = money out. */
export class Ledger {
  readonly #money = new Map<string, bigint>();
  readonly #holdings = new Map<string, Map<string, Holding>>();
  readonly #paidFees = new Map<string, bigint>();
  /** Oldest first. */
  readonly redemptions: Redemption[] = [];
  /** What the exchange took: fees, and millionths lost or gained in rounding. */
  collected = 0n;

  collateral(wallet: string): bigint {
    return this.#money.get(wallet.toLowerCase()) ?? 0n;
  }

  /** Whether the wallet ever had anything to do with the exchange. */
  knows(wallet: string): boolean {
    return this.#money.has(wallet.toLowerCase()) || this.#holdingsOf(wallet).size > 0;
  }

  shares(wallet: string, tokenId: string): bigint {
    return this.#holdingsOf(wallet).get(tokenId)?.size ?? 0n;
  }

  /** Every wallet that ever held a token, in lower case. */
  wallets(): string[] {
    return [...this.#holdings.keys()];
  }

  /** Every token the wallet ever held. */
  list(wallet: string): Holding[] {
    return [...this.#holdingsOf(wallet).values()];
  }

  deposit(wallet: string, amount: bigint): void {
    this.#money.set(wallet.toLowerCase(), this.collateral(wallet) + amount);
  }

  /** Applies one party's part of a fill. Throws where the wallet does not hold what it sells or pays. */
  apply(movement: Movement): void {
    const { wallet, side, money } = movement;
    const balance = this.collateral(wallet) + (side === 'BUY' ? -money : money);
    if (balance < 0n) throw new Error('A wallet was overdrawn.');
    const holding = this.#holding(movement);
    if (side === 'BUY') buy(holding, movement);
    else sell(holding, movement);
    this.#money.set(wallet.toLowerCase(), balance);
  }

  /** Takes a fee in pUSD, which leaves the shares as they are; no more than there is. */
  charge({ wallet, tokenId, side, fee }: Charge): void {
    const balance = this.collateral(wallet);
    const paid = smaller(fee, balance);
    this.#money.set(wallet.toLowerCase(), balance - paid);
    this.#paidFees.set(wallet.toLowerCase(), this.paidFees(wallet) + paid);
    this.collected += paid;
    const holding = this.#holdingsOf(wallet).get(tokenId);
    if (holding === undefined) throw new Error('A wallet pays for what it did not trade.');
    if (side === 'BUY') holding.fees += paid;
  }

  /** All fees that a wallet ever paid, which the exchange tells nobody. */
  paidFees(wallet: string): bigint {
    return this.#paidFees.get(wallet.toLowerCase()) ?? 0n;
  }

  /** Pays out all shares of a token, each with so much; nothing where the wallet holds none. */
  redeem(wallet: string, tokenId: string, { perShare, at }: { perShare: bigint; at: Date }): void {
    const holding = this.#holdingsOf(wallet).get(tokenId);
    if (holding === undefined || holding.size === 0n) return;
    const { size } = holding;
    const money = product(perShare, size);
    sell(holding, { wallet, tokenId, side: 'SELL', size, money, at });
    this.deposit(wallet, money);
    this.redemptions.push({ wallet: wallet.toLowerCase(), tokenId, size, money, at });
  }

  #holding({ wallet, tokenId, at }: Movement): Holding {
    const held = this.#holdingsOf(wallet);
    const known = held.get(tokenId);
    if (known !== undefined) return known;
    const fresh = { tokenId, size: 0n, cost: 0n, fees: 0n, bought: 0n, spent: 0n, realized: 0n, changedAt: at };
    held.set(tokenId, fresh);
    return fresh;
  }

  #holdingsOf(wallet: string): Map<string, Holding> {
    const key = wallet.toLowerCase();
    const held = this.#holdings.get(key) ?? new Map<string, Holding>();
    this.#holdings.set(key, held);
    return held;
  }
}

function buy(holding: Holding, { size, money, at }: Movement): void {
  holding.size += size;
  holding.cost += money;
  holding.spent += money;
  holding.bought += size;
  holding.changedAt = at;
}

function sell(holding: Holding, { size, money, at }: Movement): void {
  if (holding.size < size) throw new Error('A wallet sold shares it does not hold.');
  const costOfSold = (holding.cost * size) / holding.size;
  holding.fees -= (holding.fees * size) / holding.size;
  holding.cost -= costOfSold;
  holding.size -= size;
  holding.realized += money - costOfSold;
  holding.changedAt = at;
}
