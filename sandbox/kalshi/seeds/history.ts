import { randomUUID } from 'node:crypto';
import { DAY } from '../../times.js';
import { product, toUnits } from '../../units.js';
import { type Account } from '../account.js';
import { type Exchange } from '../exchange.js';
import { fillFee } from '../fees/fee.js';
import { afterTrade, emptyHolding } from '../ledger.js';
import { finish, newOrder, type OrderRecord } from '../order.js';

/**
 * What the sandbox's own account did before it started: one settled position, one so old that it is archived, and a
 * cancelled order that is archived though its market is open.
 */
export function seedHistory(exchange: Exchange, account: Account): void {
  boughtAndSettled(exchange, account, { ticker: 'KXFEDDECISION-PAST-H0', price: '0.62', size: '10', daysAgo: 130 });
  cancelledLongAgo(exchange, account, 'KXFEDDECISION-NEXT-H0');
  boughtAndSettled(exchange, account, { ticker: 'KXHIGHNY-YESTERDAY-B52.5', price: '0.47', size: '20', daysAgo: 2 });
}

/** An order that rested for a day in a market which still trades: it is older than the orders' cutoff, its market is not. */
function cancelledLongAgo(exchange: Exchange, account: Account, ticker: string): void {
  const at = exchange.startedAt - 30 * DAY;
  const { shard } = exchange.placeOf(ticker);
  const order = pastBid(ticker, { price: toUnits('0.21'), size: toUnits('12'), shard, at });
  finish(order, 'canceled', at + DAY);
  remember(account, order);
}

function pastBid(ticker: string, at: { price: bigint; size: bigint; shard: number; at: number }): OrderRecord {
  const terms = { ticker, subaccount: 0, clientOrderId: randomUUID(), side: 'bid', price: at.price } as const;
  const rest = { selfTradePrevention: 'taker_at_cross', expiresAt: null, cancelOnPause: false } as const;
  return newOrder({ ...terms, ...rest }, at.shard, at.size, at.at);
}

function remember(account: Account, order: OrderRecord): void {
  account.orders.set(order.id, order);
  account.clientOrderIds.add(order.clientOrderId);
}

interface Purchase {
  ticker: string;
  price: string;
  size: string;
  daysAgo: number;
}

/** A bid that filled at once and was paid out when its market settled. The cash it moved is long gone. */
function boughtAndSettled(exchange: Exchange, account: Account, purchase: Purchase): void {
  const { ticker } = purchase;
  const market = exchange.markets.get(ticker);
  const outcome = market?.outcome;
  if (market === undefined || outcome?.settledAt === undefined) return;
  const at = exchange.startedAt - purchase.daysAgo * DAY;
  const price = toUnits(purchase.price);
  const size = toUnits(purchase.size);
  const { holding, cash: revenue } = afterTrade(emptyHolding(), { side: 'bid', price, size });
  const charged = { price, size, isTaker: true, revenue };
  const { fee } = fillFee(exchange.fees.of(market.seed.event), charged, 0n, account.precision);
  const place = exchange.placeOf(ticker);
  const order: OrderRecord = {
    ...pastBid(ticker, { price, size, shard: place.shard, at }),
    filled: size,
    remaining: 0n,
    status: 'executed',
    takerCost: product(price, size),
    takerFees: fee,
  };
  remember(account, order);
  const { id: orderId, subaccount, shard } = order;
  const id = randomUUID();
  account.fills.push({ id, orderId, ticker, subaccount, shard, side: 'bid', price, size, isTaker: true, fee, at });
  account.settlements.push({
    ticker,
    ...place,
    subaccount,
    result: outcome.result,
    holding: { ...holding, fees: fee, updatedAt: at },
    at: outcome.settledAt,
  });
}
