import type { AppError } from '../platform/errors/app-error.js';
import type { Page, Paging } from './paging.contract.js';
import type { CandlestickDto, EventDto, MarketDto, OrderBookDto, TradeDto } from './unified.market-data.dto.js';
import type { Interval, MarketSort, MarketStatus } from './unified.words.js';

/** Filters of `GET /{exchange}/markets`; what the exchange cannot do throws `not_supported` (unified-schema.md 9). */
export interface MarketFilters {
  readonly status?: MarketStatus | undefined;
  readonly search?: string | undefined;
  readonly event_id?: string | undefined;
  readonly series_id?: string | undefined;
  readonly category?: string | undefined;
  readonly ids?: readonly string[] | undefined;
  readonly sort?: { readonly by: MarketSort; readonly descending: boolean } | undefined;
}

/** Filters of `GET /{exchange}/events`. */
export interface EventFilters {
  readonly status?: MarketStatus | undefined;
  readonly search?: string | undefined;
  readonly category?: string | undefined;
  readonly series_id?: string | undefined;
}

/** `outcome` as the client names it: `0`, `1`, `yes`, `no`, an outcome id or a label (unified-schema.md 1). */
export interface OrderBookQuery {
  readonly market_id: string;
  readonly outcome: string;
  readonly depth?: number | undefined;
}

/** The books of one outcome of several markets, which are named once each. */
export interface OrderBooksQuery extends Omit<OrderBookQuery, 'market_id'> {
  readonly market_ids: readonly string[];
}

/** `start` is inclusive, `end` exclusive, so that windows that follow one another hold each trade once. */
export interface TradeFilters {
  readonly market_id: string;
  readonly start?: Date | undefined;
  readonly end?: Date | undefined;
}

/** `outcome` as in `OrderBookQuery`; `start` is inclusive, `end` exclusive; at most 5,000 intervals lie between them. */
export interface CandlestickQuery {
  readonly market_id: string;
  readonly outcome: string;
  readonly interval: Interval;
  readonly start: Date;
  readonly end: Date;
}

/** An answer with its age: `at` is the exchange's own time of the data where it states one, else when it was received. */
export interface Aged<T> {
  readonly value: T;
  readonly at: Date;
  readonly source: 'exchange' | 'received';
}

/** An event of a page as it came: what it holds is read when it is asked for, so that a long page can be read in parts. */
export interface ListedEvent {
  /** Null where even that cannot be read. */
  readonly id: string | null;
  /** Returns the event with its markets, null where it cannot be understood. */
  readonly read: () => EventDto | null;
}

/**
 * Public market data; needs no credentials and never uses any (contract.md 5). Throws AppError only: beside what each method says,
 * the codes of `READ_ERRORS`. A list throws `not_supported` for a filter that the exchange lacks, and may throw `bad_request`
 * for a cursor that no page of it had.
 */
export interface MarketData {
  /** Lists markets sorted as asked, else in the exchange's own order (unified-schema.md 2 and 9). */
  listMarkets(filters: MarketFilters, paging: Paging): Promise<Aged<Page<MarketDto>>>;
  /** Returns the market of an id that fits `idPatterns.market`, open or settled. Throws `not_found`. */
  getMarket(marketId: string): Promise<Aged<MarketDto>>;
  /** Lists events in the exchange's own order (unified-schema.md 3 and 9). */
  listEvents(filters: EventFilters, paging: Paging): Promise<Aged<Page<EventDto>>>;
  /**
   * Reads a page of the open events with their markets, by one call that is never made again, past all caches; combinations of markets
   * are left out. Throws where the answer is larger than 1 MiB, of one event than 4 MiB.
   */
  listOpenEvents(paging: Paging): Promise<Page<ListedEvent>>;
  /** Whether `listMarkets` and `listEvents` find words by the exchange's own search. */
  readonly hasSearch: boolean;
  /** What the volumes of all its markets and events count. */
  readonly volumeUnit: MarketDto['volume_unit'];
  /** Returns an event with all of its markets, settled ones too. Throws `not_found`. */
  getEvent(eventId: string): Promise<Aged<EventDto>>;
  /**
   * Returns the book of one outcome, both sides best first, at most `depth` levels each (unified-schema.md 4). Throws `not_found`, and
   * `bad_request` on an outcome that the market does not have.
   */
  getOrderBook(query: OrderBookQuery): Promise<Aged<OrderBookDto>>;
  /**
   * Returns what `getOrderBook` would return of each of up to 50 markets, or the error that it would throw, in the order asked, by one
   * call of the exchange's own for several books. Throws where that call fails.
   */
  getOrderBooks(query: OrderBooksQuery): Promise<readonly (Aged<OrderBookDto> | AppError)[]>;
  /** Lists the public trades of a market, newest first (unified-schema.md 5). Throws `not_found`. */
  listTrades(filters: TradeFilters, paging: Paging): Promise<Aged<Page<TradeDto>>>;
  /**
   * Returns all candles of one outcome that start at or after `start` and before `end`, oldest first, each once; intervals in
   * which nothing happened may be left out (unified-schema.md 6). Throws `not_found`, and `bad_request` on an unknown outcome.
   */
  listCandlesticks(query: CandlestickQuery): Promise<Aged<readonly CandlestickDto[]>>;
}
