import type { Secret } from '../platform/secrets/secret.js';
import type { SettingTable } from '../platform/config/setting.js';
import type { CandlestickDto, EventDto, MarketDto, OrderBookDto, TradeDto } from './unified.market-data.dto.js';
import type { BalanceDto, CancelledOrderDto, FillDto, OrderDto, PositionDto } from './unified.trading.dto.js';
import type { OrderSearch } from './order-search.js';
import type { Interval, MarketSort, MarketStatus } from './unified.words.js';

/** Stored credentials, opened for one request: every field is a Secret (style.md 4, S-39). */
export type Opened<C extends object> = {
  readonly [Field in keyof C]: undefined extends C[Field] ? Secret | undefined : Secret;
};

/** Kinds of identifiers that clients send; each exchange has a pattern for each (S-48). */
export type IdKind = 'market' | 'event' | 'series' | 'order';

/** One page as an adapter gives it; `next` is the exchange's own cursor (or offset), null at the end. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly next: string | null;
}

/** How to go on: `cursor` is what `Page.next` was, null on the first page; `limit` is 1 to 100. */
export interface Paging {
  readonly limit: number;
  readonly cursor: string | null;
}

/** Filters of `GET /{exchange}/markets`; what the exchange cannot do throws `not_supported` (unified.md 9). */
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

/** `outcome` as the client names it: `0`, `1`, `yes`, `no`, an outcome id or a label (unified.md 1). */
export interface OrderBookQuery {
  readonly market_id: string;
  readonly outcome: string;
  readonly depth?: number | undefined;
}

/** `start` is inclusive, `end` exclusive, so that windows that follow one another hold each trade once. */
export interface TradeFilters {
  readonly market_id: string;
  readonly start?: Date | undefined;
  readonly end?: Date | undefined;
}

export interface CandlestickQuery {
  readonly market_id: string;
  readonly outcome: string;
  readonly interval: Interval;
  readonly start: Date;
  readonly end: Date;
}

/** An answer with its age: `at` is the exchange's own time of the data where it tells one, else when it was received. */
export interface Aged<T> {
  readonly value: T;
  readonly at: Date;
  readonly source: 'exchange' | 'received';
}

/** Public market data; needs no credentials and never uses any (DESIGN 5). Throws AppError only. */
export interface MarketData {
  listMarkets(filters: MarketFilters, paging: Paging): Promise<Aged<Page<MarketDto>>>;
  getMarket(marketId: string): Promise<Aged<MarketDto>>;
  listEvents(filters: EventFilters, paging: Paging): Promise<Aged<Page<EventDto>>>;
  getEvent(eventId: string): Promise<Aged<EventDto>>;
  getOrderBook(query: OrderBookQuery): Promise<Aged<OrderBookDto>>;
  listTrades(filters: TradeFilters, paging: Paging): Promise<Aged<Page<TradeDto>>>;
  listCandlesticks(query: CandlestickQuery): Promise<Aged<readonly CandlestickDto[]>>;
}

export interface OrderFilters {
  readonly status: 'open' | 'closed';
  readonly market_id?: string | undefined;
}

/** `start` is inclusive, `end` exclusive. */
export interface FillFilters {
  readonly market_id?: string | undefined;
  readonly order_id?: string | undefined;
  readonly start?: Date | undefined;
  readonly end?: Date | undefined;
}

export interface PositionFilters {
  readonly market_id?: string | undefined;
}

/** By what an order can be found again at its exchange: also what `order_outcome_unknown` names. */
export type OrderReference = { readonly client_order_id: string } | { readonly order_id: string };

/**
 * What a look-up shows under the reference of an order, as the exchange has it. `isAsAsked` is false where it is not what was
 * asked for: amended since, or, where the client named the reference itself, another order.
 */
export interface FoundOrder {
  readonly order: OrderDto;
  readonly isAsAsked: boolean;
}

/**
 * An order that is checked and ready, of which nothing has been sent yet. `place()` sends it exactly once: it throws
 * `exchange_error` where no byte of it left, `order_outcome_unknown` where its fate is unknown, else what the exchange
 * proved (a duplicate with reason `duplicate_order`). `find()` looks it up at the exchange and announces each upstream call to
 * `search`; null is nothing to be seen, which proves nothing by itself, since lists may lag.
 */
export interface PreparedOrder {
  readonly reference: OrderReference;
  place(): Promise<OrderDto>;
  find(search: OrderSearch): Promise<FoundOrder | null>;
}

/** Signed calls with one user's credentials. Throws AppError only; nothing is ever cached (DESIGN 5). */
export interface Trading {
  /** A digest of what names the account at the exchange: equal where two calls trade for the same account. */
  accountDigest(): Buffer;
  /** One cheap signed read; throws `credentials_rejected` where the exchange refuses the credentials. */
  verify(): Promise<void>;
  getBalance(): Promise<BalanceDto>;
  /** `request` is a validated instance of the exchange's `OrderRequest`. Looks up what is needed, sends no order. */
  prepareOrder(request: object, clientOrderId: string): Promise<PreparedOrder>;
  listOrders(filters: OrderFilters, paging: Paging): Promise<Page<OrderDto>>;
  getOrder(orderId: string): Promise<OrderDto>;
  cancelOrder(orderId: string): Promise<CancelledOrderDto>;
  cancelAllOrders(): Promise<{ cancelled: string[]; not_cancelled: { id: string; reason: string }[] }>;
  listFills(filters: FillFilters, paging: Paging): Promise<Page<FillDto>>;
  listPositions(filters: PositionFilters, paging: Paging): Promise<Page<PositionDto>>;
}

/** One exchange behind the proxy. What it cannot do throws `not_supported`; there are no capability flags. */
export interface Exchange<C extends object = object> {
  /** Path segment and key of stored credentials. */
  readonly id: string;
  /** Validates and documents `PUT /account/credentials/{id}`. */
  readonly Credentials: new () => C;
  /** Credential fields that `GET /account/credentials` may show. */
  readonly shownCredentialFields: readonly string[];
  /** Validates and documents the body of `POST /{id}/orders`. */
  readonly OrderRequest: new () => object;
  /** What an identifier of this exchange looks like, whole (S-48). */
  readonly idPatterns: Readonly<Record<IdKind, RegExp>>;
  readonly marketData: MarketData;
  /** Milliseconds that the exchange's clock is ahead of the host's; null before its first answer (DESIGN 5). */
  readonly clockSkewMs: number | null;
  /**
   * What can be said against a validated `OrderRequest`, or against filters of orders, without credentials: that goes before
   * their absence (DESIGN 3). Throws `bad_request` or `not_supported`.
   */
  checkOrder?(request: object): void;
  checkOrderFilters?(filters: OrderFilters): void;
  trading(credentials: Opened<C>): Trading;
}

/** What the list of exchanges holds: a class that Nest constructs, with what must be known before that. */
export interface ExchangeClass<Id extends string = string> {
  new (...dependencies: never[]): Exchange;
  readonly id: Id;
  readonly settings: SettingTable;
  readonly Credentials: new () => object;
  readonly OrderRequest: new () => object;
}
