import { product } from '../units.js';
import { type Ledger } from './ledger.js';
import { tokenOf, type Trade } from './order.js';

/** So long after its match a trade is confirmed or has failed. */
export const SETTLED_MS = 2_000;

/** Trades that the chain does not take. */
export class TradeFailures {
  /** Whether it takes none of those made from now on. */
  isOn = false;
  readonly #failing = new Set<Trade>();

  constructor(private readonly ledger: Ledger) {}

  add(trade: Trade): void {
    this.#failing.add(trade);
  }

  advance(now: Date): void {
    for (const trade of this.#failing) if (now.getTime() >= trade.at.getTime() + SETTLED_MS) this.#takeBack(trade, now);
  }

  /** What a trade moved goes back, as far as its parties still have it; fees stay. Orders count it as matched all the same. */
  #takeBack(trade: Trade, at: Date): void {
    this.#failing.delete(trade);
    const parts = [...trade.makers, { order: trade.taker, size: trade.size, price: trade.price }];
    for (const { order, size, price } of parts) {
      const { maker: wallet } = order;
      const [tokenId, money] = [tokenOf(order), product(price, size)];
      const isBuy = order.side === 'BUY';
      const isThere = isBuy ? this.ledger.shares(wallet, tokenId) >= size : this.ledger.collateral(wallet) >= money;
      if (isThere) this.ledger.apply({ wallet, tokenId, side: isBuy ? 'SELL' : 'BUY', size, money, at });
    }
  }
}
