// Made by `node scripts/sdk-methods.mjs` from the OpenAPI document. Do not change it by hand.
import { ids, type Asked, type Caller, type Filters, type Own, type Rest } from './caller.js';
import type { BookEvent, FillEvent, OrderEvent, QuoteEvent, TradeEvent } from './stream-events.js';

export const exchangeMethods = (caller: Caller) => ({
  markets: {
    /** List markets. */
    list: caller.list('listMarkets', (query?: Filters<'listMarkets'>) => ({ query })),
    /** One market. */
    get: caller.method('getMarket', (market_id: string) => ({ ids: [market_id] })),
    /** Quotes as they change. */
    stream: (market_ids: readonly string[]) => caller.stream<QuoteEvent>('streamMarkets', market_ids),
  },
  events: {
    /** List events. */
    list: caller.list('listEvents', (query?: Filters<'listEvents'>) => ({ query })),
    /** One event. */
    get: caller.method('getEvent', (event_id: string) => ({ ids: [event_id] })),
  },
  orderbooks: {
    /** The order book of one outcome. */
    get: caller.method('getOrderbook', (market_id: string, query?: Rest<'getOrderbook'>) => ({
      query: { ...query, market_id: ids([market_id]) },
    })),
    /** The order books of up to 50 markets. */
    getBatch: caller.method('getOrderbooks', (market_ids: readonly string[], query?: Rest<'getOrderbooks'>) => ({
      query: { ...query, market_id: ids(market_ids) },
    })),
    /** Order books as they change. */
    stream: (market_ids: readonly string[], query?: Rest<'streamOrderbooks'>) =>
      caller.stream<BookEvent>('streamOrderbooks', market_ids, query),
  },
  trades: {
    /** Public trades of a market. */
    list: caller.list('listTrades', (market_id: string, query?: Rest<'listTrades'>) => ({
      query: { ...query, market_id: ids([market_id]) },
    })),
    /** Public trades as they happen. */
    stream: (market_ids: readonly string[]) => caller.stream<TradeEvent>('streamTrades', market_ids),
  },
  candlesticks: {
    /** Candlesticks of one outcome. */
    list: caller.list('listCandlesticks', (market_id: string, query?: Rest<'listCandlesticks'>) => ({
      query: { ...query, market_id: ids([market_id]) },
    })),
  },
  orders: {
    /** Create an order. */
    create: caller.make('createOrder', (body: Asked<'createOrder'>) => ({ body })),
    /** What an order would come to. */
    preview: caller.method('previewOrder', (body: Asked<'previewOrder'>) => ({ body })),
    /** One of your orders. */
    get: caller.method('getOrder', (order_id: string) => ({ ids: [order_id] })),
    /** List your orders. */
    list: caller.list('listOrders', (query?: Filters<'listOrders'>) => ({ query })),
    /** Cancel an order. */
    cancel: caller.method('cancelOrder', (order_id: string) => ({ ids: [order_id] })),
    /** Cancel your open orders. */
    cancelAll: caller.method('cancelOrders', (query?: Filters<'cancelOrders'>) => ({ query })),
    /** Cancel up to 100 of your orders. */
    cancelBatch: caller.method('cancelNamedOrders', (order_ids: readonly string[]) => ({ body: { order_ids } })),
    /** Change an order. */
    amend: caller.method('amendOrder', (order_id: string, body: Asked<'amendOrder'>) => ({ ids: [order_id], body })),
    /** What became of a key. */
    byKey: caller.method('getOrderByKey', (idempotency_key: string) => ({ ids: [idempotency_key] })),
    /** Abandon a key. */
    abandon: caller.method('abandonOrderKey', (idempotency_key: string) => ({ ids: [idempotency_key] })),
    /** Your orders as they change. */
    stream: ({ market_ids, ...query }: Own<'streamOrders'> = {}) =>
      caller.stream<OrderEvent>('streamOrders', market_ids, query),
  },
  fills: {
    /** Your fills. */
    list: caller.list('listFills', (query?: Filters<'listFills'>) => ({ query })),
    /** Your fills as they happen. */
    stream: ({ market_ids, ...query }: Own<'streamFills'> = {}) =>
      caller.stream<FillEvent>('streamFills', market_ids, query),
    /** Your fills as a CSV file. */
    csv: caller.method('getFillsCsv', (query?: Filters<'getFillsCsv'>) => ({ query })),
  },
  positions: {
    /** Your positions. */
    list: caller.list('listPositions', (query?: Filters<'listPositions'>) => ({ query })),
  },
  settlements: {
    /** What became of your positions. */
    list: caller.list('listSettlements', (query?: Filters<'listSettlements'>) => ({ query })),
    /** What became of your positions, as a CSV file. */
    csv: caller.method('getSettlementsCsv', (query?: Filters<'getSettlementsCsv'>) => ({ query })),
  },
  balance: {
    /** Your balance. */
    get: caller.method('getBalance', () => ({})),
  },
  transfers: {
    /** Move money between shards. */
    create: caller.make('createTransfer', (body: Asked<'createTransfer'>) => ({ body })),
    /** List your transfers. */
    list: caller.list('listTransfers', (query?: Filters<'listTransfers'>) => ({ query })),
    /** One of your transfers. */
    get: caller.method('getTransfer', (transfer_id: string) => ({ ids: [transfer_id] })),
  },
});

export const accountMethods = (caller: Caller) => ({
  bots: {
    /** Make a bot. */
    create: caller.method('createBot', (body: Asked<'createBot'>) => ({ body })),
    /** List your bots. */
    list: caller.method('listBots', () => ({})),
    /** One of your bots. */
    get: caller.method('getBot', (bot_id: string) => ({ ids: [bot_id] })),
    /** Change what a bot may do. */
    change: caller.method('changeBot', (bot_id: string, body: Asked<'changeBot'>) => ({ ids: [bot_id], body })),
    /** Remove a bot. */
    remove: caller.method('removeBot', (bot_id: string) => ({ ids: [bot_id] })),
    /** Give a bot a new key. */
    rotate: caller.method('rotateBotKey', (bot_id: string, body: Asked<'rotateBotKey'>) => ({ ids: [bot_id], body })),
    /** Halt a bot. */
    halt: caller.method('haltBot', (bot_id: string) => ({ ids: [bot_id] })),
    /** Halt all your bots. */
    haltAll: caller.method('haltBots', () => ({})),
    /** Let a halted bot go on. */
    resume: caller.method('resumeBot', (bot_id: string) => ({ ids: [bot_id] })),
  },
  apiKeys: {
    /** List your API key. */
    list: caller.method('listApiKeys', () => ({})),
    /** Create your API key. */
    create: caller.method('createApiKey', (body?: Asked<'createApiKey'>) => ({ body })),
    /** Revoke your API key. */
    revoke: caller.method('revokeApiKey', (key_prefix: string) => ({ ids: [key_prefix] })),
  },
  orders: {
    /** What you asked for. */
    list: caller.list('listAccountOrders', (query?: Filters<'listAccountOrders'>) => ({ query })),
  },
  activity: {
    /** Your activity. */
    list: caller.list('listActivity', (query?: Filters<'listActivity'>) => ({ query })),
  },
  equity: {
    /** What you had over time. */
    get: caller.method('getEquity', (query?: Filters<'getEquity'>) => ({ query })),
    /** Record it each hour. */
    set: caller.method('setHourlyEquity', (body: Asked<'setHourlyEquity'>) => ({ body })),
  },
});

export const clientMethods = (caller: Caller) => ({
  markets: {
    /** Find markets of all exchanges. */
    search: caller.list('findMarkets', (query?: Filters<'findMarkets'>) => ({ query })),
  },
  events: {
    /** Find events of all exchanges. */
    search: caller.list('findEvents', (query?: Filters<'findEvents'>) => ({ query })),
  },
  portfolio: {
    /** What you have at all exchanges. */
    get: caller.method('getPortfolio', () => ({})),
  },
  me: {
    /** Who am I. */
    get: caller.method('getMe', () => ({})),
  },
  bot: {
    /** The bot of this key. */
    get: caller.method('getOwnBot', () => ({})),
    /** Halt this bot. */
    halt: caller.method('haltOwnBot', () => ({})),
    /** Take the switch off. */
    stopHeartbeat: caller.method('stopHeartbeat', () => ({})),
  },
  bots: {
    /** Halt all bots by the main key. */
    halt: caller.method('haltBotsByKey', () => ({})),
  },
});
