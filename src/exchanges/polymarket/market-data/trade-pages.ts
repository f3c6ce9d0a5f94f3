import { received } from '../../checked-answer.js';
import type { Aged, TradeFilters } from '../../market-data.contract.js';
import type { Page, Paging } from '../../paging.contract.js';
import type { TradeDto } from '../../unified.market-data.dto.js';
import type { PolymarketClient, Query } from '../connection/client.js';
import { slicePages } from '../../sliced-pages.js';
import type { MarketFacts } from './directory/market-directory.js';
import { wireTrades, type WireTrade } from './order-book.wire.js';
import { toTrade } from './trade.mapper.js';

/** As many as the exchange gives in one page, to skip those that are too young. */
const LARGEST_PAGE = 1_000;
/** Trades show so late at most, in ms, with some slack for the clocks: a page of younger ones still grows. */
const SETTLING_MS = 10 * 60_000;
/** The most pages of one answer that are skipped; the client goes on from there by the cursor. */
const MOST_PAGES = 5;

/**
 * Returns public trades of a market, newest first; `start` is inclusive, `end` exclusive (unified-schema.md 5, polymarket.md 6.2).
 * The exchange filters no market's trades by time, so that is done here: an old span takes many pages, and an answer may
 * hold none of it yet. The first page fixes how long all are.
 */
export async function listTrades(
  client: PolymarketClient,
  market: MarketFacts,
  { start, end }: TradeFilters,
  paging: Paging,
): Promise<Aged<Page<TradeDto>>> {
  const filters: Query = [
    ['condition', market.marketId],
    ['taker_only', true],
    ['limit', isPast(end, client.clock.now()) ? LARGEST_PAGE : paging.limit],
  ];
  let at = new Date();
  const readPage = async (cursor: string | null): Promise<Page<TradeDto>> => {
    const query = [...filters, ['cursor', cursor]] as const;
    const answer = await client.readData({ path: '/v2/trades', query }, wireTrades);
    if (answer.at < at) at = answer.at;
    const { items, next } = answer.value;
    const wanted = items.filter(({ timestamp }) => isWithin(timestamp, start, end));
    const isOver = start !== undefined && isOlder(items.at(-1), start);
    return { items: wanted.flatMap((trade) => toTrade(trade, market) ?? []), next: isOver ? null : next };
  };
  const value = await skipEmpty(
    (from) => slicePages(readPage, { ...paging, cursor: from }, () => client.unusable()),
    paging,
  );
  return received({ value, at });
}

/** Returns the first page that is not empty, or the last one that may be read. */
async function skipEmpty<T>(read: (cursor: string | null) => Promise<Page<T>>, { cursor }: Paging): Promise<Page<T>> {
  let page = await read(cursor);
  for (let pages = 1; pages < MOST_PAGES && page.items.length === 0 && page.next !== null; pages += 1) {
    page = await read(page.next);
  }
  return page;
}

/** Whether a page that ends there changes no more, so that it may be cut anew for each answer. */
function isPast(end: Date | undefined, now: Date): boolean {
  return end !== undefined && end.getTime() < now.getTime() - SETTLING_MS;
}

function isWithin(time: Date, start: Date | undefined, end: Date | undefined): boolean {
  return (start === undefined || time >= start) && (end === undefined || time < end);
}

function isOlder(trade: WireTrade | undefined, start: Date): boolean {
  return trade !== undefined && trade.timestamp < start;
}
