import { unixSeconds } from '../../times.js';
import { type Routes } from '../../wire/router.js';
import { type Exchange } from '../exchange.js';
import { type OrderRecord, tokenOf, type Trade } from '../order.js';
import { refusal } from '../refusals.js';
import { isAddress, sameAddress } from '../signing/address.js';
import { signed, type SignedCall } from './auth.js';
import { clobPage } from './pages.js';
import { tradeView } from './trade.view.js';

const BAD_QUERY = 'Invalid trade params payload';

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
