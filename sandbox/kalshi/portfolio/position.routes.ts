import { type Routes } from '../../wire/router.js';
import { payout, type SettlementRecord } from '../account.js';
import { signed, type SignedCall, subaccountOf } from '../auth.js';
import { type Exchange } from '../exchange.js';
import { READ } from '../keys/scopes.js';
import { paged } from '../pages.js';
import { KalshiQuery, ofShard, ofSubaccount, ofTicker } from '../query.js';
import { PORTFOLIO_PAGE } from './portfolio.routes.js';
import { type PlacedHolding, toEventPositionsJson, toPositionJson } from './portfolio.view.js';

const STATUSES = ['unsettled', 'settled', 'all'] as const;

/** Positions, live ones and, once their whole event has been handed over, archived ones (kalshi.md 7.2, 8). */
export function positionRoutes(exchange: Exchange): Routes {
  return signed(exchange.keys, READ, {
    'GET /portfolio/positions': (call) => listPositions(exchange, call),
    'GET /historical/positions': (call) => listArchived(exchange, call),
  });
}

/**
 * Positions of one subaccount: unsettled ones, those sold off again too, unless `settlement_status` and `count_filter` ask
 * for others. Where settled ones are asked for, a page holds whole events. A cursor is good for one status.
 */
function listPositions(exchange: Exchange, call: SignedCall): unknown {
  const query = new KalshiQuery('GetPositions', call.request.query);
  const status = query.oneOf('settlement_status', STATUSES) ?? 'unsettled';
  const subaccount = subaccountOf(call, query.subaccount(), 0);
  const open = status === 'settled' ? [] : unsettled(exchange, call, subaccount);
  const ended = status === 'unsettled' ? [] : settled(exchange, call, subaccount);
  const positions = [...open, ...ended.filter(({ eventTicker }) => !exchange.isArchivedEvent(eventTicker))]
    .filter(ofShard(query))
    .filter(positionFilter(query));
  if (status === 'unsettled')
    return toPage(paged(positions, query, { ...PORTFOLIO_PAGE, id: ({ ticker }) => `${status} ${ticker}` }));
  const events = [...new Set(positions.map(({ eventTicker }) => eventTicker))];
  const { page, cursor } = paged(events, query, { ...PORTFOLIO_PAGE, id: (event) => `${status} ${event}` });
  return toPage({ page: positions.filter(({ eventTicker }) => page.includes(eventTicker)), cursor });
}

function listArchived(exchange: Exchange, call: SignedCall): unknown {
  const query = new KalshiQuery('GetHistoricalPositions', call.request.query);
  const positions = settled(exchange, call, subaccountOf(call, query.subaccount(), 0))
    .filter(({ eventTicker }) => exchange.isArchivedEvent(eventTicker))
    .filter(positionFilter(query));
  return toPage(paged(positions, query, { ...PORTFOLIO_PAGE, id: ({ ticker }) => ticker }));
}

function unsettled(exchange: Exchange, { account }: SignedCall, subaccount: number): PlacedHolding[] {
  const holdings = account.subaccount(subaccount)?.holdings ?? [];
  return [...holdings].map(([ticker, holding]) => ({ ticker, ...exchange.placeOf(ticker), holding }));
}

function settled(exchange: Exchange, { account }: SignedCall, subaccount: number): PlacedHolding[] {
  return account.settlements
    .filter(ofSubaccount(subaccount))
    .map((settlement) => ({ ...settlement, holding: { ...settlement.holding, realizedPnl: finalPnl(settlement) } }));
}

function finalPnl({ holding, result }: SettlementRecord): bigint {
  return holding.realizedPnl + payout(holding.position, result) - holding.exposure;
}

function positionFilter(query: KalshiQuery): (position: PlacedHolding) => boolean {
  const filters = query.list('count_filter') ?? [];
  if (filters.some((name) => name !== 'position' && name !== 'total_traded'))
    throw query.conflict("count_filter takes 'position' and 'total_traded'");
  const event = query.text('event_ticker');
  const isOfTicker = ofTicker(query);
  return (position) =>
    isOfTicker(position) &&
    (event === undefined || position.eventTicker === event) &&
    (!filters.includes('position') || position.holding.position !== 0n) &&
    (!filters.includes('total_traded') || position.holding.totalTraded !== 0n);
}

/** `GetPositionsResponse`. */
function toPage({ page, cursor }: { page: PlacedHolding[]; cursor: string }) {
  return { cursor, market_positions: page.map(toPositionJson), event_positions: toEventPositionsJson(page) };
}
