import { type NewOrder } from '../matching-engine.js';
import { type Account } from './account.js';
import { type Exchange } from './exchange.js';
import { fillFee } from './fees/fee.js';
import { afterTrade, type Holding, reserve } from './ledger.js';
import { type Market } from './market.js';
import { type OrderRecord } from './order.js';
import { type Subaccount } from './subaccount.js';

/** Whose money an order in a market would use. */
export interface Purse {
  account: Account;
  subaccount: Subaccount;
  market: Market;
}

/**
 * Whether the available cash of the market's shard carries an order: its trades, their fees and its rest. An order of
 * the same id that rests already makes way for it.
 */
export function isAffordable(
  exchange: Exchange,
  { account, subaccount, market }: Purse,
  order: OrderRecord,
  atBook: NewOrder,
): boolean {
  if (account.unlimited) return true;
  const resting = account.restingIn(subaccount.number, order.ticker);
  const others = resting.filter(({ id }) => id !== order.id);
  let holding: Holding = subaccount.holding(order.ticker);
  let cash = account.available(subaccount.number, market.shard) + reserve(holding.position, resting);
  let [left, carried] = [atBook.size, order.feeCarried];
  const rule = exchange.fees.of(market.seed.event);
  for (const { price, size } of market.book.preview(atBook)) {
    const after = afterTrade(holding, { side: order.side, price, size });
    const charged = fillFee(rule, { price, size, isTaker: true, revenue: after.cash }, carried, account.precision);
    holding = after.holding;
    carried = charged.carried;
    cash += after.cash - charged.fee;
    left -= size;
  }
  const { side, price, timeInForce } = atBook;
  const rest = timeInForce === 'GTC' && left > 0n ? [{ side, price, remaining: left }] : [];
  return cash >= reserve(holding.position, [...others, ...rest]);
}
