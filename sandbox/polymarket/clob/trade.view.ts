import { unixSeconds } from '../../times.js';
import { toDecimal } from '../format.js';
import { type MakerPart, type OrderRecord, tokenOf, type Trade } from '../order.js';
import { SETTLED_MS } from '../trade-failures.js';

/** After a match the trade goes to the chain: it is mined, or tried again, that long after the match. */
const MINED_MS = 500;

/** The top level is always about the taker, also in a trade where the reader was the maker. */
export function tradeView(trade: Trade, reader: string, now: Date) {
  const { taker, at } = trade;
  const { status, updatedAt } = progress(trade, now);
  return {
    id: trade.id,
    taker_order_id: taker.id,
    market: taker.market.conditionId,
    asset_id: tokenOf(taker),
    side: taker.side,
    size: toDecimal(trade.size),
    fee_rate_bps: '0',
    price: toDecimal(trade.price),
    status,
    match_time: String(unixSeconds(at)),
    match_time_nano: `${at.getTime()}000000`,
    last_update: String(unixSeconds(updatedAt)),
    outcome: outcomeOf(taker),
    bucket_index: 0,
    owner: taker.owner,
    maker_address: taker.maker,
    ...(status === 'MATCHED' ? {} : { transaction_hash: trade.transactionHash }),
    err_msg: null,
    maker_orders: trade.makers.map(makerView),
    trader_side: taker.account === reader ? 'TAKER' : 'MAKER',
  };
}

function makerView({ order, size, price }: MakerPart) {
  return {
    order_id: order.id,
    owner: order.owner,
    maker_address: order.maker,
    matched_amount: toDecimal(size),
    price: toDecimal(price),
    fee_rate_bps: '0',
    asset_id: tokenOf(order),
    outcome: outcomeOf(order),
    side: order.side,
  };
}

/** How far a trade has come, and since when. */
export function progress(
  trade: Trade,
  now: Date,
): { status: 'MATCHED' | 'MINED' | 'RETRYING' | 'CONFIRMED' | 'FAILED'; isFinal: boolean; updatedAt: Date } {
  const later = (ms: number): Date => new Date(trade.at.getTime() + ms);
  const [under, final] = trade.fails ? (['RETRYING', 'FAILED'] as const) : (['MINED', 'CONFIRMED'] as const);
  if (now >= later(SETTLED_MS)) return { status: final, isFinal: true, updatedAt: later(SETTLED_MS) };
  if (now >= later(MINED_MS)) return { status: under, isFinal: false, updatedAt: later(MINED_MS) };
  return { status: 'MATCHED', isFinal: false, updatedAt: trade.at };
}

function outcomeOf(order: OrderRecord): string {
  return order.market.seed.outcomes[order.outcome];
}
