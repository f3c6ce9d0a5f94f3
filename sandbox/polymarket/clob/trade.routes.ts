import { unixSeconds } from '../../times.js';
import { type Routes } from '../../wire/router.js';
import { type Exchange } from '../exchange.js';
import { toDecimal } from '../format.js';
import { type MakerPart, type OrderRecord, tokenOf, type Trade } from '../order.js';
import { refusal } from '../refusals.js';
import { isAddress, sameAddress } from '../signing/address.js';
import { signed, type SignedCall } from './auth.js';
import { clobPage } from './pages.js';

const BAD_QUERY = 'Invalid trade params payload';
/** After a match the trade goes to the chain: it is mined, then confirmed, that long after the match. */
const MINED_MS = 500;
const CONFIRMED_MS = 2_000;

/** The user's fills (polymarket.md 9.1). */
export function tradeRoutes(exchange: Exchange): Routes {
  return signed(exchange.accounts, { 'GET /data/trades': (call) => listTrades(exchange, call) });
}

function listTrades(exchange: Exchange, { account: { address }, request: { query } }: SignedCall): unknown {
  const fits = filterOf(query);
  const trades = exchange.trades
    .filter((trade) => ownOrders(trade, address).some((order) => fits(trade, order)))
    .reverse();
  const page = clobPage(trades, query.get('next_cursor'), exchange.pageSize, BAD_QUERY);
  return { ...page, data: page.data.map((trade) => tradeView(trade, address, exchange.clock())) };
}

/** The orders of an account that took part in a trade. */
function ownOrders(trade: Trade, account: string): OrderRecord[] {
  return [trade.taker, ...trade.makers.map((part) => part.order)].filter((order) => order.account === account);
}

/** `maker_address` is the account wallet of one's own order, whichever side of the trade it was on. */
function filterOf(query: URLSearchParams): (trade: Trade, own: OrderRecord) => boolean {
  const [id, market, asset] = [query.get('id'), query.get('market'), query.get('asset_id')];
  const wallet = query.get('maker_address');
  if (wallet !== null && !isAddress(wallet)) throw refusal(BAD_QUERY);
  const [before, after] = [seconds(query, 'before'), seconds(query, 'after')];
  return (trade, own) => {
    const at = unixSeconds(trade.at);
    const tests = [
      id === null || trade.id === id,
      wallet === null || sameAddress(own.maker, wallet),
      market === null || own.market.conditionId === market.toLowerCase(),
      asset === null || tokenOf(own) === asset,
      before === undefined || at < before,
      after === undefined || at > after,
    ];
    return tests.every(Boolean);
  };
}

function seconds(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null || text === '') return undefined;
  if (!/^\d{1,12}$/.test(text)) throw refusal(BAD_QUERY);
  return Number(text);
}

/** The top level is always about the taker, also in a trade where the reader was the maker. */
function tradeView(trade: Trade, reader: string, now: Date): unknown {
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

function makerView({ order, size, price }: MakerPart): unknown {
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

function progress(trade: Trade, now: Date): { status: string; updatedAt: Date } {
  const later = (ms: number): Date => new Date(trade.at.getTime() + ms);
  if (now >= later(CONFIRMED_MS)) return { status: 'CONFIRMED', updatedAt: later(CONFIRMED_MS) };
  if (now >= later(MINED_MS)) return { status: 'MINED', updatedAt: later(MINED_MS) };
  return { status: 'MATCHED', updatedAt: trade.at };
}

function outcomeOf(order: OrderRecord): string {
  return order.market.seed.outcomes[order.outcome];
}
