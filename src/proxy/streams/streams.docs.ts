import { applyDecorators } from '@nestjs/common';
import { ApiHeader, ApiOkResponse } from '@nestjs/swagger';
import { EXCHANGE_IDS } from '../../exchanges/exchange.registry.js';
import type { ChannelName } from './channel.contract.js';

const BOOK = {
  type: 'snapshot',
  channel: 'orderbooks',
  exchange: EXCHANGE_IDS[0],
  market_id: 'KXHIGHNY-26NOV20-B55.5',
  sequence: 118,
  previous_sequence: null,
  reason: 'initial',
  source: 'stream',
  verified_at: '2026-11-20T15:00:00.164Z',
  data: { bids: [{ price: '0.42', size: '246' }], asks: [{ price: '0.44', size: '17' }] },
};

const FIRST: Readonly<Record<ChannelName, object>> = {
  orderbooks: BOOK,
  markets: {
    type: 'quote',
    channel: 'markets',
    exchange: EXCHANGE_IDS[0],
    market_id: BOOK.market_id,
    data: { status: 'open' },
  },
  trades: {
    type: 'trade',
    channel: 'trades',
    exchange: EXCHANGE_IDS[0],
    market_id: BOOK.market_id,
    data: { price: '0.43', size: '10' },
  },
  orders: {
    type: 'snapshot',
    channel: 'orders',
    exchange: EXCHANGE_IDS[0],
    market_id: null,
    reason: 'initial',
    data: [],
  },
  fills: {
    type: 'fill',
    channel: 'fills',
    exchange: EXCHANGE_IDS[0],
    market_id: BOOK.market_id,
    data: { price: '0.43', size: '10' },
  },
};

const ABOUT =
  'Server-sent events: each `data:` is one JSON message with a `type`; contract.md 5.14 and streams.md say what each asks of its reader. ' +
  '`status` says `live`, `stale` (do not trade on it) or `closed`; a `heartbeat` comes every 15 s; an `error` is the last message.';

/** Of these a client may go on behind the last message. */
const LAST_EVENT_ID = ApiHeader({
  name: 'Last-Event-ID',
  required: false,
  description: 'The `id` of the last message that had one: fills go on behind it.',
});

/** Documents the answer of a stream, which begins like that of a channel (contract.md 5.14). */
export function ApiStream(channel: ChannelName, { isResumable = false } = {}): MethodDecorator {
  const schema = { type: 'string', description: ABOUT };
  const example = `retry: 2000\n\ndata: ${JSON.stringify(FIRST[channel])}\n\n`;
  const answer = ApiOkResponse({ description: ABOUT, content: { 'text/event-stream': { schema, example } } });
  return isResumable ? applyDecorators(LAST_EVENT_ID, answer) : answer;
}
