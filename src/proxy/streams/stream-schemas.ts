import { EXCHANGE_IDS } from '../../exchanges/exchange.registry.js';
import { STALE_REASONS } from '../../exchanges/feeds.contract.js';
import type { Schema } from '../../platform/openapi/document.js';
import { type ChannelName, CHANNELS } from './channel.contract.js';

/** The members of an object, each with its schema. */
type Members = Readonly<Record<string, object>>;

interface Reference {
  readonly $ref: string;
}

const TIME = { type: 'string', format: 'date-time', example: '2026-11-20T15:00:00.164Z' };
const MAYBE_TIME = { ...TIME, type: ['string', 'null'] };
const MARKET_ID = { type: 'string', example: 'KXHIGHNY-26NOV20-B55.5' };
const ALL_MARKETS = { type: ['string', 'null'], example: null, description: 'Null: of all markets.' };
const SOURCE = { type: 'string', enum: ['stream', 'polling'] };
const SEQUENCE = { type: 'integer', example: 118, description: 'The version of the book at this instance.' };
const PREVIOUS = {
  type: ['integer', 'null'],
  example: null,
  description: 'Must be the last `sequence` that was seen, else connect anew; null of a snapshot, which replaces all.',
};
const COUNT = { type: 'integer', minimum: 0, example: 1 };

function ref(name: string): Reference {
  return { $ref: `#/components/schemas/${name}` };
}

function wordsOf(...words: readonly string[]): object {
  return { type: 'string', enum: words };
}

function object(properties: Members, optional: readonly string[] = []): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', properties, required };
}

/** A message of one channel, of a market where it is not said otherwise. */
function message(type: string, channel: ChannelName, members: Members, market_id: object = MARKET_ID): Schema {
  const exchange = { type: 'string', enum: EXCHANGE_IDS };
  return object({ type: wordsOf(type), channel: wordsOf(channel), exchange, market_id, ...members });
}

function picked({ properties = {} }: Schema, ...names: readonly string[]): Members {
  return Object.fromEntries(names.map((name) => [name, properties[name] ?? {}]));
}

const STATUS = object(
  {
    type: wordsOf('status'),
    channel: wordsOf(...CHANNELS),
    exchange: { type: 'string', enum: EXCHANGE_IDS },
    market_id: { ...ALL_MARKETS, description: 'Null of own orders and fills: of all markets.' },
    state: { ...wordsOf('live', 'stale', 'closed'), description: 'Do not trade on what is `stale`.' },
    reason: { type: ['string', 'null'], enum: [...STALE_REASONS, 'gap', null], example: null },
    since: TIME,
    source: SOURCE,
    interval_ms: { type: 'integer', example: 1000, description: 'How often it is read, where it is polled and live.' },
    from: { ...TIME, description: 'Of a `gap`: fills from here to `to` are not told.' },
    to: TIME,
  },
  ['interval_ms', 'from', 'to'],
);

const HEARTBEAT = object({
  type: wordsOf('heartbeat'),
  timestamp: TIME,
  exchange_connected: { type: 'boolean', description: 'Whether every line to the exchanges stands.' },
  last_frame_at: { ...MAYBE_TIME, description: 'When the line that is silent longest last said something.' },
  live: COUNT,
  stale: COUNT,
});

/** Names of the messages that a channel has beside those of every stream, the first one first. */
const OF_CHANNEL: Readonly<Record<ChannelName, readonly string[]>> = {
  orderbooks: ['StreamSnapshot', 'StreamUpdate'],
  markets: ['StreamQuote'],
  trades: ['StreamTrade'],
  orders: ['StreamOpenOrders', 'StreamOrder'],
  fills: ['StreamFill'],
};

/** One message of a stream of these channels. */
export function messageOf(channels: readonly ChannelName[]): { oneOf: Reference[] } {
  const own = channels.flatMap((channel) => OF_CHANNEL[channel]);
  return { oneOf: [...own, 'StreamStatus', 'StreamHeartbeat', 'StreamError'].map(ref) };
}

/** The schemas of the messages of streams, of those of the answers over HTTP whose data they hold (contract.md 5.14). */
export function streamSchemas(schemas: Readonly<Record<string, Schema>>): Record<string, Schema> {
  const { MarketDto = {}, OrderBookAnswerDto = {}, TradeDto = {} } = schemas;
  const time = picked(OrderBookAnswerDto, 'timestamp', 'timestamp_source');
  const levels = {
    type: 'array',
    items: ref('LevelDto'),
    description: 'Changed levels by their new size; 0 removes one.',
  };
  const quoted = ['status', 'tradable', 'outcomes', 'volume', 'volume_24h', 'open_interest', 'result'];
  const id = { type: ['string', 'null'], example: null, description: 'Null where the exchange names none.' };
  return {
    BookChanges: object({ bids: levels, asks: levels, ...time, ...picked(OrderBookAnswerDto, 'hash', 'last_price') }),
    MarketQuote: object({ market_id: MARKET_ID, ...picked(MarketDto, ...quoted), ...time }),
    StreamedTrade: { ...TradeDto, properties: { ...TradeDto.properties, id } },
    StreamSnapshot: message('snapshot', 'orderbooks', {
      sequence: SEQUENCE,
      previous_sequence: PREVIOUS,
      reason: wordsOf('initial', 'resync', 'conflated'),
      source: SOURCE,
      verified_at: { ...TIME, description: 'When the book was last proved right.' },
      data: ref('OrderBookAnswerDto'),
    }),
    StreamUpdate: message('update', 'orderbooks', {
      sequence: { ...SEQUENCE, example: 119 },
      previous_sequence: { ...PREVIOUS, type: 'integer', example: 118 },
      data: ref('BookChanges'),
    }),
    StreamQuote: message('quote', 'markets', { data: ref('MarketQuote') }),
    StreamTrade: message('trade', 'trades', { data: ref('StreamedTrade') }),
    StreamOpenOrders: message(
      'snapshot',
      'orders',
      { reason: wordsOf('initial', 'resync'), data: { type: 'array', items: ref('ReadOrderDto') } },
      { ...ALL_MARKETS, type: 'null' },
    ),
    StreamOrder: message('order', 'orders', { data: ref('ReadOrderDto') }),
    StreamFill: message('fill', 'fills', { data: ref('ReadFillDto') }),
    StreamStatus: STATUS,
    StreamHeartbeat: HEARTBEAT,
    StreamError: object({ type: wordsOf('error'), error: ref('ErrorMemberDto') }),
  };
}
