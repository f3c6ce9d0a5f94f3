import { randomUUID } from 'node:crypto';
import { DAY } from '../../times.js';
import { product, toUnits } from '../../units.js';
import { type Account } from '../account.js';
import { type Exchange } from '../exchange.js';
import { afterTrade, takerFee } from '../ledger.js';
import { newOrder, type OrderRecord } from '../order.js';

/** What the sandbox's own account did before it started: one settled position, and one so old that it is archived. */
export function seedHistory(exchange: Exchange, account: Account): void {
  boughtAndSettled(exchange, account, { ticker: 'KXFEDDECISION-PAST-H0', price: '0.62', size: '10', daysAgo: 130 });
  boughtAndSettled(exchange, account, { ticker: 'KXHIGHNY-YESTERDAY-B52.5', price: '0.47', size: '20', daysAgo: 2 });
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
  const outcome = exchange.markets.get(ticker)?.outcome;
  if (outcome?.settledAt === undefined) return;
  const at = exchange.startedAt - purchase.daysAgo * DAY;
  const price = toUnits(purchase.price);
  const size = toUnits(purchase.size);
  const fee = takerFee(price, size);
  const terms = { ticker, clientOrderId: '', side: 'bid', price, expiresAt: null, cancelOnPause: false } as const;
  const order: OrderRecord = {
    ...newOrder({ ...terms, selfTradePrevention: 'taker_at_cross' }, size, at),
    clientOrderId: randomUUID(),
    filled: size,
    remaining: 0n,
    status: 'executed',
    takerCost: product(price, size),
    takerFees: fee,
  };
  account.orders.set(order.id, order);
  account.clientOrderIds.add(order.clientOrderId);
  account.fills.push({ id: randomUUID(), orderId: order.id, ticker, side: 'bid', price, size, isTaker: true, fee, at });
  const { holding } = afterTrade(account.holding(ticker), { side: 'bid', price, size });
  account.settlements.push({
    ticker,
    eventTicker: exchange.eventOf(ticker),
    result: outcome.result,
    holding: { ...holding, fees: fee, updatedAt: at },
    at: outcome.settledAt,
  });
}
