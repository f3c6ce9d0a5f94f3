import { add, type Decimal, isPositive } from '../../decimal.js';
import type { Page, Paging } from '../../paging.contract.js';
import type { FillFilters } from '../../trading.contract.js';
import { optionalReadLimit, readOptional } from '../../optional-read.js';
import type { FillDto, OrderDto } from '../../unified.trading.dto.js';
import { PAGE_ENTRIES } from '../../wire-list.js';
import type { KalshiArchive } from '../connection/archive.js';
import type { Query, SignedKalshiClient } from '../connection/client.js';
import { filtered, liveThenArchive, mapped, type ReadPart } from '../connection/pages.js';
import { type WireFill, wireFillPage } from './account.wire.js';
import { toFill } from './fill.mapper.js';

/** Clocks and whole seconds: an order is filled no sooner than so long before its stated creation. */
const EARLIER_MS = 2_000;

/** Reads executions of one account, live and archived (kalshi.md 7.1). */
export class KalshiFills {
  constructor(
    private readonly client: SignedKalshiClient,
    private readonly archive: KalshiArchive,
  ) {}

  /** Newest first. */
  async list(filters: FillFilters, paging: Paging): Promise<Page<FillDto>> {
    const mayBeArchived = () => this.archive.mayHoldTradesSince(filters.start);
    const [live, archived] = [this.#live(filters), this.#archived(filters)];
    return mapped(await liveThenArchive(paging, live, archived, mayBeArchived), toFill).value;
  }

  /**
   * Returns the orders with the ids of their trades, in one read of at most 2 s for all of them, and with their fees where those are
   * not stated exactly; orders of which not all trades show are as they were.
   */
  async joined(orders: readonly OrderDto[]): Promise<OrderDto[]> {
    const traded = orders.filter(({ filled_size: filled }) => isPositive(filled));
    const fills = traded.length === 0 ? [] : await this.#recent(traded);
    return orders.map((order) => {
      const own = fills.filter(({ order_id: id }) => id === order.id);
      const size = own.reduce((sum, { count_fp: count }) => add(sum, count), '0');
      if (!isPositive(order.filled_size) || size !== order.filled_size) return order;
      return { ...order, trade_ids: own.map(({ fill_id: id }) => id), fees: order.fees ?? feesOf(own) };
    });
  }

  /** What a page shows of those orders' fills, on their market where it is one. */
  async #recent(orders: readonly OrderDto[]): Promise<readonly WireFill[]> {
    const [only, ...others] = orders;
    const markets = new Set(orders.map(({ market_id: ticker }) => ticker));
    const created = orders.map(({ created_at: at }) => (at === null ? null : Date.parse(at)));
    const start = created.includes(null) ? undefined : new Date(Math.min(...(created as number[])) - EARLIER_MS);
    const filters = {
      market_id: markets.size === 1 ? only?.market_id : undefined,
      order_id: others.length === 0 ? only?.id : undefined,
      start,
    };
    const read = this.#live(filters, optionalReadLimit())(null, PAGE_ENTRIES);
    return (await readOptional(read, null))?.value.items ?? [];
  }

  #live(filters: FillFilters, signal?: AbortSignal): ReadPart<WireFill> {
    const { market_id: ticker, order_id, start, end } = filters;
    return this.#fills('/portfolio/fills', { ticker, order_id, ...wholeSeconds(start, end) }, filters, signal);
  }

  /** The archive knows no filter for orders. */
  #archived(filters: FillFilters): ReadPart<WireFill> {
    const { market_id: ticker, start, end } = filters;
    return this.#fills('/historical/fills', { ticker, ...wholeSeconds(start, end) }, filters);
  }

  /** `start` is inclusive, `end` exclusive; the exchange's whole seconds are both inclusive, so the edges are cut here. */
  #fills(path: string, query: Query, { order_id, start, end }: FillFilters, signal?: AbortSignal): ReadPart<WireFill> {
    const [from, before] = [start?.toISOString() ?? '', end?.toISOString() ?? '~'];
    const { account } = this.client;
    const isWanted = (fill: WireFill) =>
      from <= fill.at &&
      fill.at < before &&
      (order_id === undefined || fill.order_id === order_id) &&
      account.owns(fill);
    const listed: ReadPart<WireFill> = (cursor, limit) =>
      account.named((subaccount) =>
        this.client.read(path, { ...query, subaccount, limit, cursor }, wireFillPage, signal),
      );
    return filtered(listed, isWanted);
  }
}

function feesOf(fills: readonly WireFill[]): Decimal | null {
  return fills.reduce<Decimal | null>(
    (sum, { fee_cost: fee }) => (sum === null || fee === null ? null : add(sum, fee)),
    '0',
  );
}

/** The whole seconds that hold a span. */
export function wholeSeconds(
  start: Date | undefined,
  end: Date | undefined,
): { min_ts?: number | undefined; max_ts?: number | undefined } {
  return { min_ts: start && Math.floor(start.getTime() / 1_000), max_ts: end && Math.ceil(end.getTime() / 1_000) };
}
