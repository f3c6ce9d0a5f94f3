import type { Decimal } from './decimal.js';
import type { MarketDto } from './unified.market-data.dto.js';
import type { FillDto, Side } from './unified.trading.dto.js';

/** A part of an order that trades at one price, of the outcome that the order names. */
export interface Execution {
  readonly price: Decimal;
  readonly size: Decimal;
  readonly role: FillDto['role'];
}

/** What an order pays, and by which rule that is. */
export interface FeeEstimate {
  /** In the currency of the market; null where it cannot be known. */
  readonly amount: Decimal | null;
  /** The rule, and where the exchange says it; null where it could not be read. */
  readonly source: string | null;
}

/** What an exchange charges, by the formula that it publishes. */
export interface Fees {
  /**
   * Returns what one order pays for its executions, in the order in which they happen. Each is taken for one trade: the exchange rounds
   * each trade, so that a price at which several orders rest may cost a last digit more or less. What cannot be read is null.
   */
  estimate(market: MarketDto, side: Side, executions: readonly Execution[]): Promise<FeeEstimate>;
}
