import { type Market, type OutcomeIndex } from './market.js';
import { type Side } from './signing/typed-data.js';

export const ORDER_TYPES = ['GTC', 'GTD', 'FOK', 'FAK'] as const;
export type OrderType = (typeof ORDER_TYPES)[number];

/** An order that passed every check. Price and size are millionths, of the token named by `outcome`. */
export interface CheckedOrder {
  id: string;
  /** The wallet that the API key belongs to. */
  account: string;
  /** The API key. */
  owner: string;
  /** The account wallet, in the spelling of the order. */
  maker: string;
  market: Market;
  outcome: OutcomeIndex;
  side: Side;
  price: bigint;
  size: bigint;
  /** Of a BUY that aims at spending (FOK, FAK): millionths of a pUSD; it may get more shares than `size`. */
  budget?: bigint;
  orderType: OrderType;
  postOnly: boolean;
  /** Unix seconds, 0 for none. */
  expiration: number;
}

/** An order the exchange took on. */
export interface OrderRecord extends CheckedOrder {
  status: 'LIVE' | 'MATCHED' | 'CANCELED' | 'INVALID';
  matched: bigint;
  createdAt: Date;
  closedAt?: Date;
  /** Set while a marketable order is held back: when it will be matched. */
  heldUntil?: Date;
  tradeIds: string[];
}

/** A resting order's share of a trade, in terms of that order. */
export interface MakerPart {
  order: OrderRecord;
  size: bigint;
  price: bigint;
}

/** A taker's fills at one price. */
export interface Trade {
  id: string;
  taker: OrderRecord;
  /** Of the taker's token. */
  price: bigint;
  size: bigint;
  /** What the taker paid beside, in millionths of a pUSD; makers pay nothing. */
  fee: bigint;
  makers: MakerPart[];
  at: Date;
  transactionHash: string;
  /** The chain does not take it: in the end what moved goes back. */
  fails: boolean;
}

export function tokenOf(order: CheckedOrder): string {
  return order.market.tokenIds[order.outcome];
}

/** What is left to fill; none where a market BUY got more than it signed for. */
export function remaining(order: OrderRecord): bigint {
  return order.matched > order.size ? 0n : order.size - order.matched;
}
