import { byId, ids, nothing, segment, type Asked, type Caller, type Filters } from './caller.js';
import { errorOf, isObject } from './answers.js';
import { encode } from './decimal.js';
import { OrderOutcomeUnknown, type TradingProxyError } from './errors.js';
import type { Queued } from './event-queue.js';
import type { CreatedOrder, Me, Queries } from './generated.js';
import { Stream } from './stream.js';
import type { BookEvent, FillEvent, OrderEvent, QuoteEvent, TradeEvent } from './stream-events.js';

export type ExchangeId = Me['exchanges'][number]['id'];
export type NewOrder = Asked<'createOrder'>;
type Rest<Of extends keyof Queries> = Omit<Filters<Of>, 'market_id'>;

/** Of own orders and fills; all where they are left out. */
export interface PrivateFilters {
  readonly market_ids?: readonly string[] | undefined;
}

export interface FillFilters extends PrivateFilters {
  readonly order_id?: string | undefined;
}

/** Of each order of a batch, in their order: the order, or why there is none. */
export interface BatchResult {
  readonly index: number;
  readonly order?: CreatedOrder;
  readonly error?: TradingProxyError;
}
export type BatchResults = Readonly<Record<'results', readonly BatchResult[]>>;

function ordersOf(caller: Caller) {
  return {
    /** Sent once, however often it is repeated. Throws OrderOutcomeUnknown where it may have left without an answer. */
    create: caller.make('createOrder', (body: NewOrder) => ({ body, proof: 'id' })),
    /** 1 to 15 orders, each with its own outcome, under the keys `<key>#<index>`. */
    createBatch: caller.make<'createOrders', [orders: readonly NewOrder[]], BatchResults>(
      'createOrders',
      batchOf(caller),
    ),
    get: caller.method('getOrder', byId),
    list: caller.pages('listOrders'),
    cancel: caller.method('cancelOrder', (id: string) => ({ ids: [id], proof: 'id' })),
    /** All open orders, or those of a market. Repeated only where this client has sent no order since. */
    cancelAll: caller.query('cancelOrders', { repeat: 'unlessOrders', proof: 'cancelled' }),
    cancelBatch: caller.method('cancelNamedOrders', (order_ids: readonly string[]) => ({
      body: { order_ids },
      proof: 'cancelled',
    })),
    /** Sent once: a lost answer is OrderOutcomeUnknown. */
    amend: caller.method('amendOrder', amendOf),
    preview: caller.body('previewOrder'),
    /** What became of a key; sends nothing. */
    byKey: caller.method('getOrderByKey', byId),
    /** Gives a key up: nothing is sent under it any more, and what it made is cancelled. */
    abandon: caller.method('abandonOrderKey', (key: string) => ({ ids: [key], proof: 'state' })),
  };
}

/** One exchange: `client.kalshi`, `client.polymarket`, `client.exchange(id)`. */
export type Exchange = ReturnType<typeof exchangeOf>;

export function exchangeOf(id: ExchangeId, caller: Caller) {
  const own = segment(id);
  function stream<Event extends Pick<Queued, 'type'>>(channel: string, marketIds?: readonly string[], more?: object) {
    const query = { ...more, market_id: marketIds && ids(marketIds) };
    const lines = channel === 'orders' || channel === 'fills' ? null : new Set(marketIds).size;
    return new Stream<Event>(caller.transport, { path: `/${own}/${channel}/stream`, query, lines });
  }
  return {
    id,
    markets: {
      list: caller.pages('listMarkets'),
      get: caller.method('getMarket', byId),
      /** Quotes: best prices, volumes and state, whole at each change. */
      stream: (marketIds: readonly string[]) => stream<QuoteEvent>('markets', marketIds),
    },
    events: { list: caller.pages('listEvents'), get: caller.method('getEvent', byId) },
    orderbooks: {
      get: caller.method('getOrderbook', ofMarket<'getOrderbook'>),
      /** As many as were asked for, in their order: each a book, or `{ market_id, error }`. */
      getBatch: caller.method('getOrderbooks', ofMarkets<'getOrderbooks'>),
      /** Each event has the whole `book`, null while it may not be trusted. */
      stream: (marketIds: readonly string[], filters?: Rest<'streamOrderbooks'>) =>
        stream<BookEvent>('orderbooks', marketIds, filters),
    },
    trades: {
      list: caller.list('listTrades', ofMarket<'listTrades'>),
      stream: (marketIds: readonly string[]) => stream<TradeEvent>('trades', marketIds),
    },
    candlesticks: { list: caller.list('listCandlesticks', ofMarket<'listCandlesticks'>) },
    /** The stream begins with a snapshot of the open orders. */
    orders: {
      ...ordersOf(caller),
      stream: ({ market_ids }: PrivateFilters = {}) => stream<OrderEvent>('orders', market_ids),
    },
    fills: {
      list: caller.pages('listFills'),
      /** Each at least once over reconnects; `gap` says for which time some were not told. */
      stream: ({ market_ids, order_id }: FillFilters = {}) => stream<FillEvent>('fills', market_ids, { order_id }),
      csv: caller.query('getFillsCsv', { isCsv: true }),
    },
    positions: { list: caller.pages('listPositions') },
    settlements: { list: caller.pages('listSettlements'), csv: caller.query('getSettlementsCsv', { isCsv: true }) },
    balance: { get: caller.method('getBalance', nothing) },
    transfers: {
      /** Between shards; sent once, as an order is. */
      create: caller.make('createTransfer', (body: Asked<'createTransfer'>) => ({ body, proof: 'amount' })),
      list: caller.pages('listTransfers'),
      get: caller.method('getTransfer', byId),
    },
  };
}

function ofMarket<Of extends keyof Queries>(marketId: string, filters?: Rest<Of>) {
  return ofMarkets([marketId], filters);
}

function ofMarkets<Of extends keyof Queries>(marketIds: readonly string[], filters?: Rest<Of>) {
  return { query: { ...filters, market_id: ids(marketIds) } };
}

/** Of each order that was sent an order with its id, or an error with its code; each has the key `<key>#<index>`, and is repeated alone. */
function batchOf(caller: Caller) {
  const alone = caller.make('createOrder', (body?: NewOrder) => ({ body, proof: 'id', wasLost: true }));
  return (given: readonly NewOrder[]) => {
    const orders = given.map((order) => encode(order) as NewOrder);
    const proof = ({ results }: Readonly<Record<string, unknown>>): boolean =>
      Array.isArray(results) && results.length === orders.length && results.every(isResult);
    const finish = (value: unknown, key = ''): BatchResults => {
      const results = (value as BatchResults).results.map((result) => {
        const error = errorOf(result.error);
        const own = { idempotencyKey: `${key}#${result.index}` };
        const again = () => alone(orders[result.index], own);
        if (error instanceof OrderOutcomeUnknown) OrderOutcomeUnknown.of(error, own.idempotencyKey, again);
        return error === null ? result : { ...result, error };
      });
      return { ...(value as BatchResults), results };
    };
    return { body: { orders }, proof, finish };
  };
}

const isResult = (value: unknown): boolean =>
  isObject(value) && (errorOf(value.error) !== null || (isObject(value.order) && Boolean(value.order.id)));

function amendOf(orderId: string, body: Asked<'amendOrder'>) {
  return { ids: [orderId], body, proof: 'id', repeat: 'change' as const };
}
