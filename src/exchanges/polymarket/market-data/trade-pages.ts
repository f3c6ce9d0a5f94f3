import { received } from '../../checked-answer.js';
import type { Aged, Page, Paging, TradeFilters } from '../../exchange.js';
import { secondsBefore, secondsFrom } from '../../time.js';
import type { TradeDto } from '../../unified.market-data.dto.js';
import type { PolymarketClient, Query } from '../connection/client.js';
import { parseOffset } from '../connection/pages.js';
import type { MarketFacts } from './directory/market-directory.js';
import { wireTrades } from './order-book.wire.js';
import { toTrade } from './trade.mapper.js';

/** The exchange refuses to page deeper than this; a narrower window starts anew. */
const DEEPEST_OFFSET = 10_000;

/** Where a page begins: `offset` trades below the newest one that is not younger than `until` (Unix seconds, inclusive). */
interface PageState {
  readonly offset: number;
  readonly until: number | null;
}

function pageStateOf(cursor: string | null, end: Date | undefined): PageState {
  if (cursor === null) return { offset: 0, until: end === undefined ? null : secondsBefore(end) };
  const [offset = '', until = ''] = cursor.split(':');
  return { offset: parseOffset(offset), until: until === '' ? null : Number(until) };
}

/**
 * The cursor of the page after `state`. The newest trade of the first page bounds all that follow, so that new trades shift
 * nothing; where offsets end, the oldest second seen is the next bound.
 */
function nextCursor(state: PageState, times: readonly number[], limit: number): string {
  const until = state.until ?? times[0] ?? 0;
  const deeper = state.offset + times.length;
  if (deeper + limit <= DEEPEST_OFFSET) return `${deeper}:${until}`;
  const oldest = times.at(-1) ?? until;
  const seen = times.filter((time) => time === oldest).length;
  return `${oldest === until ? deeper : seen}:${oldest}`;
}

/** Returns public trades of a market, newest first; `start` is inclusive, `end` exclusive (unified-schema.md 5, polymarket.md 6). */
export async function listTrades(
  client: PolymarketClient,
  market: MarketFacts,
  { start, end }: TradeFilters,
  { limit, cursor }: Paging,
): Promise<Aged<Page<TradeDto>>> {
  const state = pageStateOf(cursor, end);
  const query: Query = [
    ['market', market.marketId],
    ['limit', limit],
    ['offset', state.offset],
    ['start', start && secondsFrom(start)],
    ['end', state.until],
  ];
  const { value, at } = await client.read({ host: 'data', path: '/trades', query }, wireTrades);
  const items = value.flatMap((trade) => toTrade(trade, market) ?? []);
  const times = value.map(({ timestamp }) => timestamp.getTime() / 1_000);
  const next = value.length < limit ? null : nextCursor(state, times, limit);
  return received({ value: { items, next }, at });
}
