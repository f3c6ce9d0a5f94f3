import type { ExchangeFeed } from '../../feeds/exchange-feed.js';
import type { QuoteMessage } from '../../feeds/watched-quote.js';
import type { TradeMessage } from '../../feeds/watched-trades.js';
import type { MarketDto } from '../../exchanges/unified.market-data.dto.js';
import { statusOf } from './book-messages.js';
import type { ChannelName } from './channel.contract.js';

/** Whose messages these are. */
export interface FeedLabel {
  readonly channel: ChannelName;
  readonly market: MarketDto;
  readonly feed: ExchangeFeed;
}

/** Many readers are told the very same message: its text is made once. */
const TEXTS = new WeakMap<object, string>();

/**
 * Returns the JSON text of what a reader of trades or quotes is told (contract.md 5.14). `noteTime` hears the exchange's own time of a trade,
 * Unix milliseconds, at its first reader.
 */
export function feedText(
  message: TradeMessage | QuoteMessage,
  label: FeedLabel,
  noteTime?: (timeMs: number) => void,
): string {
  const known = TEXTS.get(message);
  if (known !== undefined) return known;
  const { exchange, id: market_id } = label.market;
  const about = { type: message.type, channel: label.channel, exchange, market_id };
  const text = JSON.stringify({ ...about, ...contentOf(message, label) });
  TEXTS.set(message, text);
  if (message.type === 'trade') noteTime?.(Date.parse(message.trade.timestamp));
  return text;
}

function contentOf(message: TradeMessage | QuoteMessage, { feed }: FeedLabel): object {
  if (message.type === 'trade') return { data: message.trade };
  if (message.type === 'quote') return { data: message.quote };
  return statusOf(message, { source: feed.source, intervalMs: () => feed.intervalMs });
}
