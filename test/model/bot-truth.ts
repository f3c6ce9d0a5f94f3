import { type HeldOrder, restOf, type SentOrder } from './bot-exchange.js';
import { isLong, times, unitRisk, units } from './bot-terms.js';

/** Contracts that can lose so much each. */
interface Part {
  readonly risk: bigint;
  readonly size: bigint;
}

/** What is so of the orders of one bot on one market, by the exchange alone; all in units of 10^-18. */
export interface MarketTruth {
  readonly market: string;
  readonly currency: string;
  /** By confirmed trades, long in outcome 0. */
  readonly held: bigint;
  readonly pendingLong: bigint;
  readonly pendingShort: bigint;
  /** What could still be executed, in contracts. */
  readonly openLong: bigint;
  readonly openShort: bigint;
  /** What that can lose, beyond what only takes back what is confirmed. */
  readonly openRisk: bigint;
  readonly openOrders: number;
  /** The least that was risked by what has filled, in whatever order that was. */
  readonly leastExecuted: bigint;
  /** The same, exactly: null where fills of both directions make the order matter. */
  readonly executed: bigint | null;
}

function total(parts: readonly Part[]): bigint {
  return parts.reduce((all, { size }) => all + size, 0n);
}

/** What this many of the contracts lose, the dearest first, or the cheapest. */
function lossOf(parts: readonly Part[], contracts: bigint, first: 'dearest' | 'cheapest'): bigint {
  const sorted = parts.toSorted((one, other) =>
    Number(first === 'dearest' ? other.risk - one.risk : one.risk - other.risk),
  );
  let [left, loss] = [contracts, 0n];
  for (const { risk, size } of sorted) {
    const taken = left < size ? left : size;
    if (taken <= 0n) break;
    loss += times(risk, taken);
    left -= taken;
  }
  return loss;
}

function atLeastNone(value: bigint): bigint {
  return value > 0n ? value : 0n;
}

function partsOf(orders: readonly SentOrder[], long: boolean, sizeOf: (order: SentOrder) => bigint): Part[] {
  return orders
    .filter(({ terms }) => isLong(terms) === long)
    .map((order) => ({ risk: unitRisk(order.terms), size: sizeOf(order) }))
    .filter(({ size }) => size > 0n);
}

/** By the orders of one bot on one market: those that the exchange has, and those that are on their way to it. */
export function truthOf(held: readonly HeldOrder[], flying: readonly SentOrder[]): MarketTruth {
  const [{ terms } = { terms: null }] = [...held, ...flying];
  if (terms === null) throw new RangeError('no orders');
  const traded = (order: SentOrder, wanted: readonly string[]): bigint =>
    ((order as Partial<HeldOrder>).trades ?? [])
      .filter(({ status }) => wanted.includes(status))
      .reduce((all, { size }) => all + size, 0n);
  const contracts = (long: boolean, ...wanted: string[]): bigint =>
    total(partsOf(held, long, (order) => traded(order, wanted)));
  const open = (long: boolean): Part[] => [
    ...partsOf(held, long, (order) => restOf(order as HeldOrder)),
    ...partsOf(flying, long, (order) => units(order.terms.size)),
  ];
  const position = contracts(true, 'confirmed') - contracts(false, 'confirmed');
  const [pendingLong, pendingShort] = [contracts(true, 'pending'), contracts(false, 'pending')];
  const covers = { long: atLeastNone(-position - pendingLong), short: atLeastNone(position - pendingShort) };
  const riskOf = (parts: readonly Part[], cover: bigint): bigint =>
    lossOf(parts, atLeastNone(total(parts) - cover), 'dearest');
  const fills = [true, false].flatMap((long) => partsOf(held, long, (one) => traded(one, ['confirmed', 'pending'])));
  const [longs, shorts] = [contracts(true, 'confirmed', 'pending'), contracts(false, 'confirmed', 'pending')];
  const isOneWay = longs === 0n || shorts === 0n;
  const all = isOneWay ? fills.reduce((sum, { risk, size }) => sum + times(risk, size), 0n) : null;
  return {
    market: terms.market,
    currency: terms.currency,
    held: position,
    pendingLong,
    pendingShort,
    openLong: total(open(true)),
    openShort: total(open(false)),
    openRisk: riskOf(open(true), covers.long) + riskOf(open(false), covers.short),
    openOrders: open(true).length + open(false).length,
    leastExecuted: lossOf(fills, longs > shorts ? longs : shorts, 'cheapest'),
    executed: all,
  };
}
