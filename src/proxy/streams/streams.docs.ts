import { ApiOkResponse } from '@nestjs/swagger';
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
};

const ABOUT =
  'Server-sent events: each `data:` is one JSON message with a `type`; contract.md 5.14 and streams.md say what each asks of its reader. ' +
  '`status` says `live`, `stale` (do not trade on it) or `closed`; a `heartbeat` comes every 15 s; an `error` is the last message.';

/** Documents the answer of a stream (contract.md 5.14). */
export function ApiStream(channel: ChannelName): MethodDecorator {
  const schema = { type: 'string', description: ABOUT };
  const example = `retry: 2000\n\ndata: ${JSON.stringify(FIRST[channel])}\n\n`;
  return ApiOkResponse({ description: ABOUT, content: { 'text/event-stream': { schema, example } } });
}
