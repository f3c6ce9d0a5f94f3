import { type BookSide } from '../matching-engine.js';
import { magnitude, product, smaller } from '../units.js';
import { closable, type Commitment, emptyHolding, type Holding } from './ledger.js';
import { type OrderRecord, type FillRecord } from './order.js';

/** A holding that was paid out. */
export interface SettlementRecord {
  ticker: string;
  eventTicker: string;
  result: 'yes' | 'no';
  /** As it was at settlement. */
  holding: Holding;
  at: number;
}

/** One member of the exchange: cash, holdings, and everything that ever happened on the account. */
export class Account {
  /** Cash with what resting orders hold back. */
  cash: bigint;
  readonly orders = new Map<string, OrderRecord>();
  readonly clientOrderIds = new Set<string>();
  /** Oldest first. */
  readonly fills: FillRecord[] = [];
  readonly settlements: SettlementRecord[] = [];
  readonly holdings = new Map<string, Holding>();
  updatedAt: number;

  constructor(
    readonly userId: string,
    options: { cash: bigint; now: number; unlimited?: boolean },
  ) {
    this.cash = options.cash;
    this.updatedAt = options.now;
    this.unlimited = options.unlimited ?? false;
  }

  /** The market maker's credit has no end. */
  readonly unlimited: boolean;

  holding(ticker: string): Holding {
    return this.holdings.get(ticker) ?? emptyHolding();
  }

  /** Resting orders of one market, or of all. */
  resting(ticker?: string): OrderRecord[] {
    return [...this.orders.values()].filter(
      (order) => order.status === 'resting' && (ticker === undefined || order.ticker === ticker),
    );
  }

  commitments(ticker: string): Commitment[] {
    return this.resting(ticker);
  }

  /** Contracts that a reduce-only order on this side may at most trade. */
  reducible(ticker: string, side: BookSide): bigint {
    return closable(this.holding(ticker).position, side);
  }

  /** Pays a holding out at the settlement of its market; nothing where there is none. */
  settle(settlement: { ticker: string; eventTicker: string; result: 'yes' | 'no'; at: number }): void {
    const holding = this.holdings.get(settlement.ticker);
    if (holding === undefined) return;
    this.holdings.delete(settlement.ticker);
    this.cash += payout(holding.position, settlement.result);
    this.updatedAt = settlement.at;
    this.settlements.push({ ...settlement, holding });
  }

  /** The worth of all holdings at YES prices, to millionths. */
  portfolioValue(yesPrice: (ticker: string) => bigint, one: bigint): bigint {
    let value = 0n;
    for (const [ticker, { position }] of this.holdings) {
      const price = smaller(yesPrice(ticker), one);
      value += product(position > 0n ? price : one - price, magnitude(position));
    }
    return value;
  }
}

/** One dollar for each contract of the outcome that came true. */
export function payout(position: bigint, result: 'yes' | 'no'): bigint {
  const won = result === 'yes' ? position : -position;
  return won > 0n ? won : 0n;
}
