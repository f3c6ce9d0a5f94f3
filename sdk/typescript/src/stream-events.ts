import type { OrderBook, StreamFill, StreamOpenOrders, StreamOrder, StreamQuote, StreamTrade } from './generated.js';

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

interface Versioned extends Of<'orderbooks', 'snapshot' | 'update'> {
  readonly sequence: number;
  readonly reason?: string;
}

/** `book`: as it was then, whole; it never changes afterwards. Null while it may not be trusted. */
export type BookEvent = { readonly book: Readonly<OrderBook> | null } & (Versioned | Status<'orderbooks'>);

export type QuoteEvent = StreamQuote | Status<'markets'>;
export type TradeEvent = StreamTrade | Status<'trades'>;
export type OrderEvent = StreamOpenOrders | StreamOrder | Status<'orders', null>;

/** Some fills from `from` to `to` were not told: read them by `fills.list({ start, end })`. */
export type Gap = Of<'fills', 'gap', null> & Record<'from' | 'to', string>;
export type FillEvent = StreamFill | Gap | Status<'fills', null>;

export type StreamEvent = BookEvent | QuoteEvent | TradeEvent | OrderEvent | FillEvent;
