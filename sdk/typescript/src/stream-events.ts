import type { Fill, Market, Order, OrderBook, Trade } from './generated.js';

interface Of<Channel, Type, MarketId = string> {
  readonly type: Type;
  readonly channel: Channel;
  readonly exchange: string;
  readonly market_id: MarketId;
}

/** The state of a market, of orders and fills of all. Do not trade on a stale one. `reason` is the service's, or `disconnected`, `silent`, `sequence_gap`. */
interface Status<Channel, MarketId = string> extends Of<Channel, 'stale' | 'live' | 'closed', MarketId> {
  readonly reason?: string | null;
  readonly since?: string;
}

interface Carrying<Channel, Type, Data, MarketId = string> extends Of<Channel, Type, MarketId> {
  readonly data: Data;
}

interface Versioned extends Of<'orderbooks', 'snapshot' | 'update'> {
  readonly sequence: number;
  readonly reason?: string;
}

/** `book`: as it was then, whole; it never changes afterwards. Null while it may not be trusted. */
export type BookEvent = { readonly book: Readonly<OrderBook> | null } & (Versioned | Status<'orderbooks'>);

type Quoted = 'status' | 'tradable' | 'outcomes' | 'volume' | 'volume_24h' | 'open_interest' | 'result';
/** Best prices and state of a market, whole at each change. */
export type Quote = Pick<Market, Quoted> & Record<'market_id' | 'timestamp' | 'timestamp_source', string>;
export type QuoteEvent = Carrying<'markets', 'quote', Quote> | Status<'markets'>;

/** `id` is null where the exchange names none. */
export type StreamedTrade = Omit<Trade, 'id'> & { readonly id: string | null };
export type TradeEvent = Carrying<'trades', 'trade', StreamedTrade> | Status<'trades'>;

type OpenOrders = Carrying<'orders', 'snapshot', readonly Order[], null> & { readonly reason: string };
export type OrderEvent = OpenOrders | Carrying<'orders', 'order', Order> | Status<'orders', null>;

/** Some fills from `from` to `to` were not told: read them by `fills.list({ start, end })`. */
export type Gap = Of<'fills', 'gap', null> & Record<'from' | 'to', string>;
export type FillEvent = Carrying<'fills', 'fill', Fill> | Gap | Status<'fills', null>;

export type StreamEvent = BookEvent | QuoteEvent | TradeEvent | OrderEvent | FillEvent;
