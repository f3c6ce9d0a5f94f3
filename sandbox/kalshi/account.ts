import { PRECISION } from './fees/fee.js';
import { type Holding, reserve } from './ledger.js';
import { type FillRecord, type OrderRecord } from './order.js';
import { Subaccount } from './subaccount.js';

/** How a market ended, for those who held it. */
export interface MarketEnd {
  ticker: string;
  eventTicker: string;
  shard: number;
  result: 'yes' | 'no';
  at: number;
}

/** A holding that was paid out. */
export interface SettlementRecord extends MarketEnd {
  subaccount: number;
  /** As it was at settlement. */
  holding: Holding;
}

/** What an account starts with. Times are ms. */
interface AccountStart {
  now: number;
  /** Millionths of a dollar by shard, of the primary account. */
  cash?: Readonly<Record<number, bigint>>;
  /** The market maker's credit has no end. */
  unlimited?: boolean;
  /** Its balance is in whole cents; a direct member's in hundredths of one. */
  isCleared?: boolean;
  attestedUntil?: number | null;
}

/** One member of the exchange: subaccounts with cash and holdings, and everything that ever happened on the account. */
export class Account {
  readonly orders = new Map<string, OrderRecord>();
  readonly clientOrderIds = new Set<string>();
  /** Oldest first. */
  readonly fills: FillRecord[] = [];
  readonly settlements: SettlementRecord[] = [];
  readonly unlimited: boolean;
  /** To what each change of its balance is aligned, in millionths of a dollar. */
  readonly precision: bigint;
  /** When the location attestation lapses, ms; null where there never was one (kalshi.md 2.2). */
  attestedUntil: number | null;
  readonly #subaccounts = new Map<number, Subaccount>();

  constructor(
    readonly userId: string,
    { now, cash = {}, unlimited = false, isCleared = false, attestedUntil = null }: AccountStart,
  ) {
    this.unlimited = unlimited;
    this.precision = isCleared ? PRECISION.cleared : PRECISION.direct;
    this.attestedUntil = attestedUntil;
    const primary = this.openSubaccount(0, now);
    for (const [shard, amount] of Object.entries(cash)) primary.pay(Number(shard), amount, now);
  }

  /** All of them, by number. */
  subaccounts(): Subaccount[] {
    return [...this.#subaccounts.values()].sort((a, b) => a.number - b.number);
  }

  subaccount(number: number): Subaccount | undefined {
    return this.#subaccounts.get(number);
  }

  openSubaccount(number: number, now: number): Subaccount {
    const subaccount = this.#subaccounts.get(number) ?? new Subaccount(number, now);
    this.#subaccounts.set(number, subaccount);
    return subaccount;
  }

  resting(): OrderRecord[] {
    return [...this.orders.values()].filter((order) => order.status === 'resting');
  }

  /** Forgets fills and what rests no more. */
  forget(): void {
    for (const order of this.orders.values()) if (order.status !== 'resting') this.orders.delete(order.id);
    this.fills.length = 0;
  }

  /** Resting orders of one subaccount in one market. */
  restingIn(subaccount: number, ticker: string): OrderRecord[] {
    return this.resting().filter((order) => order.subaccount === subaccount && order.ticker === ticker);
  }

  /** Cash of one subaccount that resting orders hold back on one shard. */
  held(subaccount: number, shard: number): bigint {
    const own = this.resting().filter((order) => order.subaccount === subaccount && order.shard === shard);
    const tickers = new Set(own.map((order) => order.ticker));
    let held = 0n;
    for (const ticker of tickers) {
      const position = this.subaccount(subaccount)?.holding(ticker).position ?? 0n;
      held += reserve(position, this.restingIn(subaccount, ticker));
    }
    return held;
  }

  /** Cash of one subaccount on one shard that orders do not hold back. */
  available(subaccount: number, shard: number): bigint {
    return (this.subaccount(subaccount)?.cashOn(shard) ?? 0n) - this.held(subaccount, shard);
  }

  /** Pays every holding of a market out; nothing where there is none. */
  settle(end: MarketEnd): void {
    for (const subaccount of this.subaccounts()) {
      const holding = subaccount.holdings.get(end.ticker);
      if (holding === undefined) continue;
      subaccount.holdings.delete(end.ticker);
      subaccount.pay(end.shard, payout(holding.position, end.result), end.at);
      this.settlements.push({ ...end, subaccount: subaccount.number, holding });
    }
  }
}

/** One dollar for each contract of the outcome that came true. */
export function payout(position: bigint, result: 'yes' | 'no'): bigint {
  const won = result === 'yes' ? position : -position;
  return won > 0n ? won : 0n;
}
