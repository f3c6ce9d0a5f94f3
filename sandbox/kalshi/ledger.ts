import { type BookSide } from '../matching-engine.js';
import { magnitude, ONE, product, smaller } from '../units.js';

/** One account's holding in one market. Money in millionths of a dollar, contracts in millionths. */
export interface Holding {
  /** Above 0: YES contracts, below 0: NO contracts. */
  position: bigint;
  /** What the contracts held now have cost. */
  exposure: bigint;
  /** Dollars spent on all trades. */
  totalTraded: bigint;
  tradedContracts: bigint;
  realizedPnl: bigint;
  fees: bigint;
  updatedAt: number;
}

/** What a bid (YES) or an ask (NO) pays for one contract at a YES price. */
export function ownPrice(side: BookSide, price: bigint): bigint {
  return side === 'bid' ? price : ONE - price;
}

export function emptyHolding(): Holding {
  return { position: 0n, exposure: 0n, totalTraded: 0n, tradedContracts: 0n, realizedPnl: 0n, fees: 0n, updatedAt: 0 };
}

/** Contracts of the opposite outcome that a trade on this side would net away. */
export function closable(position: bigint, side: BookSide): bigint {
  const opposite = side === 'bid' ? -position : position;
  return opposite > 0n ? opposite : 0n;
}

/**
 * A holding after one trade, and what the trade adds to the cash (fees apart). A contract that meets one of the
 * opposite outcome is redeemed with it for one dollar, so netting n contracts at own price c brings n × (1 - c).
 */
export function afterTrade(
  holding: Holding,
  trade: { side: BookSide; price: bigint; size: bigint },
): { holding: Holding; cash: bigint } {
  const cost = ownPrice(trade.side, trade.price);
  const closed = smaller(closable(holding.position, trade.side), trade.size);
  const opened = trade.size - closed;
  const held = magnitude(holding.position);
  const released = closed === 0n ? 0n : (holding.exposure * closed) / held;
  const proceeds = product(ONE - cost, closed);
  return {
    holding: {
      ...holding,
      position: holding.position + (trade.side === 'bid' ? trade.size : -trade.size),
      exposure: holding.exposure - released + product(cost, opened),
      totalTraded: holding.totalTraded + product(cost, trade.size),
      tradedContracts: holding.tradedContracts + trade.size,
      realizedPnl: holding.realizedPnl + proceeds - released,
    },
    cash: proceeds - product(cost, opened),
  };
}

/** A resting order as the reserve sees it. */
export interface Commitment {
  side: BookSide;
  price: bigint;
  remaining: bigint;
}

/**
 * Cash that resting orders of one market hold back: each contract's own price, except for those that would net away
 * a holding. The orders that trade first are the ones that net.
 */
export function reserve(position: bigint, commitments: readonly Commitment[]): bigint {
  return reserveOf('bid', position, commitments) + reserveOf('ask', position, commitments);
}

function reserveOf(side: BookSide, position: bigint, commitments: readonly Commitment[]): bigint {
  let netting = closable(position, side);
  let held = 0n;
  const own = commitments.filter((order) => order.side === side);
  own.sort((a, b) => (ownPrice(side, a.price) > ownPrice(side, b.price) ? -1 : 1));
  for (const order of own) {
    const netted = smaller(netting, order.remaining);
    netting -= netted;
    held += product(ownPrice(side, order.price), order.remaining - netted);
  }
  return held;
}

/** `amount / size` per contract, rounded half up to millionths. */
export function perContract(amount: bigint, size: bigint): bigint {
  return (amount * ONE * 2n + size) / (size * 2n);
}
