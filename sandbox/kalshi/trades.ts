import { type Fill, type PlaceResult } from '../matching-engine.js';
import { product } from '../units.js';
import { type Account } from './account.js';
import { type ChangeReason, type KalshiEvent } from './events.js';
import { type Exchange } from './exchange.js';
import { fillFee } from './fees/fee.js';
import { afterTrade, ownPrice } from './ledger.js';
import { type Market, type TradeRecord } from './market.js';
import { type FillRecord, finish, type OrderRecord } from './order.js';

/** What became of an order at the book. `spent` and `fees` of its fills there, in millionths of a dollar, the former in YES terms. */
export interface Placement {
  order: OrderRecord;
  filled: bigint;
  resting: bigint;
  spent: bigint;
  fees: bigint;
}

/** Whose order trades, where and when. */
export interface Scene {
  account: Account;
  market: Market;
  now: number;
}

/**
 * Enters what the book did with an order: trades, what self-trade prevention took out, and what is left of the order.
 * `asked` is told as the reason where nothing was traded.
 */
export function settleTrades(
  exchange: Exchange,
  scene: Scene,
  order: OrderRecord,
  { result, asked }: { result: PlaceResult; asked?: ChangeReason },
): Placement {
  const { account, market, now } = scene;
  let [spent, fees] = [0n, 0n];
  for (const fill of result.fills) {
    fees += trade(exchange, scene, order, fill);
    spent += product(fill.price, fill.size);
  }
  for (const maker of result.cancelledMakers) {
    const own = account.orders.get(maker.id);
    if (own === undefined) continue;
    finish(own, 'canceled', now);
    exchange.tape.note({ kind: 'order', account, order: own, reason: 'SelfTradeCancel' });
  }
  if (result.resting === 0n) finish(order, order.remaining === 0n ? 'executed' : 'canceled', now);
  market.recordQuote(now);
  const reason = result.selfTradePrevented ? 'SelfTradeCancel' : result.filled > 0n ? 'Trade' : asked;
  exchange.tape.note({ kind: 'order', account, order, reason });
  return { order, filled: result.filled, resting: result.resting, spent, fees };
}

/** Enters one trade for both sides and returns the taker's fee. */
function trade(exchange: Exchange, { account: taker, market, now }: Scene, order: OrderRecord, fill: Fill): bigint {
  const maker = exchange.accounts.get(fill.makerOwner);
  const makerOrder = maker?.orders.get(fill.makerId);
  if (maker === undefined || makerOrder === undefined) throw new Error('The book holds an order of nobody.');
  const before = longContracts([taker, maker], market.ticker);
  const record = market.recordTrade({ at: now, price: fill.price, size: fill.size, side: order.side });
  exchange.tape.note({ kind: 'trade', market, trade: record });
  const taken = book(exchange, { account: taker, order, isTaker: true }, market, record);
  exchange.tape.note(taken.event);
  exchange.tape.note(book(exchange, { account: maker, order: makerOrder, isTaker: false }, market, record).event);
  exchange.tape.note({ kind: 'order', account: maker, order: makerOrder, reason: 'Trade' });
  market.openInterest += longContracts([taker, maker], market.ticker) - before;
  record.openInterest = market.openInterest;
  return taken.fill.fee;
}

interface Party {
  account: Account;
  order: OrderRecord;
  isTaker: boolean;
}

/** Enters one side of a trade: order, fill, holding and cash. */
function book(
  exchange: Exchange,
  { account, order, isTaker }: Party,
  market: Market,
  { id, price, size, at }: TradeRecord,
): { fill: FillRecord; event: KalshiEvent } {
  const { ticker, subaccount: number, shard, side } = order;
  const subaccount = account.openSubaccount(number, at);
  const after = afterTrade(subaccount.holding(ticker), { side, price, size });
  const charged = { price, size, isTaker, revenue: after.cash };
  const rule = exchange.fees.of(market.seed.event);
  const { fee, carried } = fillFee(rule, charged, order.feeCarried, account.precision);
  order.feeCarried = carried;
  subaccount.holdings.set(ticker, { ...after.holding, fees: after.holding.fees + fee, updatedAt: at });
  subaccount.pay(shard, after.cash - fee, at);
  const fill = { id, orderId: order.id, ticker, subaccount: number, shard, side, price, size, isTaker, fee, at };
  account.fills.push(fill);
  enter(order, fill);
  return { fill, event: { kind: 'fill', account, order, fill, position: after.holding.position } };
}

/** Adds a fill to its order. */
function enter(order: OrderRecord, { side, price, size, isTaker, fee, at }: FillRecord): void {
  const cost = product(ownPrice(side, price), size);
  order.filled += size;
  order.remaining -= size;
  order.updatedAt = at;
  if (isTaker) {
    order.takerCost += cost;
    order.takerFees += fee;
  } else {
    order.makerCost += cost;
    order.makerFees += fee;
  }
  if (order.remaining === 0n) order.status = 'executed';
}

/** Long positions in a market of all subaccounts of the accounts, each account once. */
function longContracts(accounts: readonly Account[], ticker: string): bigint {
  return [...new Set(accounts)]
    .flatMap((account) => account.subaccounts())
    .map((subaccount) => subaccount.holding(ticker).position)
    .reduce((sum, position) => (position > 0n ? sum + position : sum), 0n);
}
