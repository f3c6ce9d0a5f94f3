import type { BookDetails, StatusMessage, WholeBook } from '../../feeds/book-messages.js';
import type { SentMessage } from '../../feeds/backlog.js';
import type { MarketDto } from '../../exchanges/unified.market-data.dto.js';

/** Whose messages these are: the book of one outcome of a market. */
export interface BookLabel {
  readonly market: MarketDto;
  readonly index: 0 | 1;
  readonly source: 'stream' | 'polling';
  /** How often a polled book is read, in milliseconds; null for one of a stream. */
  readonly intervalMs: () => number | null;
}

/** Many readers are told the very same message: its text is made once. */
const TEXTS = new WeakMap<object, string>();

/**
 * Returns the JSON text of what a reader of a book is told (contract.md 5.14). `noteTime` hears the exchange's own time of a change, Unix
 * milliseconds, at its first reader.
 */
export function bookText(message: SentMessage, label: BookLabel, noteTime?: (timeMs: number) => void): string {
  const known = TEXTS.get(message);
  if (known !== undefined) return known;
  const text = JSON.stringify(toMessage(message, label));
  TEXTS.set(message, text);
  if (message.type === 'update' && message.details.timeSource === 'exchange') noteTime?.(message.details.timeMs);
  return text;
}

function toMessage(message: SentMessage, label: BookLabel): object {
  const { exchange, id: market_id } = label.market;
  const about = { type: message.type, channel: 'orderbooks', exchange, market_id };
  if (message.type === 'status') return { ...about, ...statusOf(message, label) };
  if (message.type === 'snapshot') return { ...about, ...snapshotOf(message.reason, message.book, label) };
  const { sequence, previous: previous_sequence, changes, details } = message;
  const levels = (wanted: 'bids' | 'asks'): object[] =>
    changes.filter(({ side }) => side === wanted).map(({ price, size }) => ({ price, size }));
  const { hash, lastPrice: last_price } = details;
  const data = { bids: levels('bids'), asks: levels('asks'), ...timeOf(details), hash, last_price };
  return { ...about, sequence, previous_sequence, data };
}

/** How a book stands; of a polled one also how often it is read. */
export function statusOf(
  { state, reason, sinceMs }: StatusMessage,
  { source, intervalMs }: Pick<BookLabel, 'source' | 'intervalMs'>,
): object {
  const interval_ms = state === 'live' ? intervalMs() : null;
  return {
    state,
    reason,
    since: new Date(sinceMs).toISOString(),
    source,
    ...(interval_ms !== null && { interval_ms }),
  };
}

function snapshotOf(reason: string, book: WholeBook, { market, index, source }: BookLabel): object {
  const { sequence, bids, asks, details, verifiedMs } = book;
  const { exchange, id: market_id, min_order_size, outcomes } = market;
  const { id, label } = outcomes[index];
  const { hash, tickSize: tick_size, lastPrice: last_price } = details;
  return {
    sequence,
    previous_sequence: null,
    reason,
    source,
    verified_at: new Date(verifiedMs).toISOString(),
    data: {
      exchange,
      market_id,
      outcome: { id, index, label },
      bids,
      asks,
      hash,
      tick_size,
      min_order_size,
      last_price,
      ...timeOf(details),
    },
  };
}

function timeOf({ timeMs, timeSource: timestamp_source }: BookDetails): object {
  return { timestamp: new Date(timeMs).toISOString(), timestamp_source };
}
