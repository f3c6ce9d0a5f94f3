import { randomUUID } from 'node:crypto';
import { type BookSide, type TimeInForce } from '../matching-engine.js';

/** What an order says of itself for ever. Prices in YES terms, millionths throughout, times in ms. */
interface OrderTerms {
  ticker: string;
  /** 0 for the primary account. */
  subaccount: number;
  clientOrderId: string;
  side: BookSide;
  price: bigint;
  selfTradePrevention: 'taker_at_cross' | 'maker';
  cancelOnPause: boolean;
  expiresAt: number | null;
}

/** A well-formed `CreateOrderV2Request` (kalshi.md 5.1); whether it can be placed is for the exchange to say. */
export interface OrderRequest extends OrderTerms {
  /** The shard that the sender names; -1 or undefined where the exchange is to find it by the ticker. */
  exchangeIndex: number | undefined;
  size: bigint;
  timeInForce: TimeInForce;
  postOnly: boolean;
  reduceOnly: boolean;
}

/** An order for ever: also what has left the book. */
export interface OrderRecord extends OrderTerms {
  id: string;
  /** Of its market. */
  shard: number;
  initial: bigint;
  filled: bigint;
  remaining: bigint;
  status: 'resting' | 'canceled' | 'executed';
  takerCost: bigint;
  makerCost: bigint;
  takerFees: bigint;
  makerFees: bigint;
  /** What its fills have overpaid by rounding and not got back. */
  feeCarried: bigint;
  createdAt: number;
  updatedAt: number;
}

/** One side of a trade. */
export interface FillRecord {
  id: string;
  orderId: string;
  ticker: string;
  subaccount: number;
  shard: number;
  side: BookSide;
  price: bigint;
  size: bigint;
  isTaker: boolean;
  fee: bigint;
  at: number;
}

/** A resting order of which nothing is filled yet, in a market of `shard`. */
export function newOrder(terms: OrderTerms, shard: number, size: bigint, now: number): OrderRecord {
  const { ticker, subaccount, clientOrderId, side, price, selfTradePrevention, cancelOnPause, expiresAt } = terms;
  return {
    ...{ ticker, subaccount, clientOrderId, side, price, selfTradePrevention, cancelOnPause, expiresAt },
    id: randomUUID(),
    shard,
    initial: size,
    filled: 0n,
    remaining: size,
    status: 'resting',
    takerCost: 0n,
    makerCost: 0n,
    takerFees: 0n,
    makerFees: 0n,
    feeCarried: 0n,
    createdAt: now,
    updatedAt: now,
  };
}

/** Takes an order out of trading; nothing of it remains (kalshi.md 6). */
export function finish(order: OrderRecord, status: 'canceled' | 'executed', now: number): void {
  order.status = status;
  order.remaining = 0n;
  order.updatedAt = now;
}
