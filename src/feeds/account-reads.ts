import { allItems, eachPage } from '../exchanges/page-walk.js';
import type { RecordedBy } from '../exchanges/feeds.contract.js';
import type { Trading } from '../exchanges/trading.contract.js';
import type { FillDto, OrderDto } from '../exchanges/unified.trading.dto.js';
import { isNotFound } from '../exchanges/upstream-errors.js';
import { AppError } from '../platform/errors/app-error.js';

const PAGE = 100;
/** Fills that are read behind one loss: of more there is a gap. */
const MOST_FILLS = 1_000;
/** Fills that may fail yet, and orders that ended meanwhile, which are each read by themselves. */
export const MOST_SINGLE = 50;
const SECOND_MS = 1_000;

/** Fills, newest first, and whether there are more that were not read. */
export interface ReadFills {
  readonly fills: readonly FillDto[];
  readonly hasMore: boolean;
}

function endless(): AppError {
  return new AppError('exchange_error', 'The exchange repeats the pages of a list.');
}

/** All open orders. Throws as `Trading.listOrders`. */
export function readOpenOrders(trading: Trading): Promise<OrderDto[]> {
  return allItems((cursor) => trading.listOrders({ status: 'open' }, { limit: PAGE, cursor }), endless);
}

/** The newest fills since a time, of one order or all. Throws as `Trading.listFills`. */
export async function readFills(trading: Trading, sinceMs: number, orderId?: string): Promise<ReadFills> {
  const filters = { start: new Date(sinceMs), order_id: orderId };
  const fills: FillDto[] = [];
  const pages = eachPage((cursor) => trading.listFills(filters, { limit: PAGE, cursor }), endless);
  for await (const { items } of pages) {
    fills.push(...items);
    if (fills.length >= MOST_FILLS) return { fills: fills.slice(0, MOST_FILLS), hasMore: true };
  }
  return { fills, hasMore: false };
}

/** The same fills as they are by now. Throws as `Trading.listFills`. */
export function readAgain(trading: Trading, pending: readonly FillDto[]): Promise<FillDto[]> {
  const ids = new Set(pending.map(({ id }) => id));
  const moments = pending.map(({ market_id, timestamp }) => ({ market_id, timeMs: Date.parse(timestamp) }));
  return readMoments(trading, moments, ({ id }) => ids.has(id));
}

/** When a fill was, Unix milliseconds, and on which market, where that is known. */
interface Moment {
  readonly timeMs: number;
  readonly market_id?: string;
}

/** Those that are wanted of the fills of some moments, by one read a second and market. Throws as `Trading.listFills`. */
export async function readMoments(
  trading: Trading,
  moments: readonly Moment[],
  isWanted: (fill: FillDto) => boolean,
): Promise<FillDto[]> {
  const found: FillDto[] = [];
  const read = new Set<string>();
  for (const { timeMs, market_id } of moments) {
    const second = Math.floor(timeMs / SECOND_MS) * SECOND_MS;
    const name = `${second} ${market_id ?? ''}`;
    if (read.has(name)) continue;
    read.add(name);
    const filters = { market_id, start: new Date(second), end: new Date(second + SECOND_MS) };
    const { items } = await trading.listFills(filters, { limit: PAGE, cursor: null });
    found.push(...items.filter(isWanted));
  }
  return found;
}

/** These orders one by one, without those that the exchange does not have any more. */
export async function readOrders(trading: Trading, ids: readonly string[], recorded: RecordedBy): Promise<OrderDto[]> {
  const orders: OrderDto[] = [];
  for (const id of ids.slice(-MOST_SINGLE)) {
    try {
      orders.push(await trading.getOrder(id, recorded(id)));
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
  return orders;
}
