import { sha256 } from '../../../platform/crypto/digests.js';
import { multiply } from '../../decimal.js';
import type { FeedTrade } from '../../feeds.contract.js';
import type { OutcomeRefDto, TradeDto } from '../../unified.market-data.dto.js';
import { POLYMARKET } from '../polymarket.ids.js';
import type { MarketFacts } from './directory/market-directory.js';
import type { WireTrade } from './order-book.wire.js';

const ID_LENGTH = 32;

/** The exchange numbers no trades: a digest of what distinguishes them, which shows no wallet (unified-schema.md 5). */
function tradeId({
  transaction_hash: hash,
  token_id: token,
  proxy_wallet: wallet,
  side,
  size,
  price,
}: WireTrade): string {
  const facts = [hash ?? '', token, wallet.toLowerCase(), side, size, price].join('|');
  return sha256(facts).toString('hex').slice(0, ID_LENGTH);
}

/** What both sources of public trades say of one: the list of trades, and the feed. */
type SaidTrade = Pick<WireTrade, 'side' | 'price' | 'size' | 'timestamp' | 'transaction_hash'>;

/** A public trade, seen from its taker (unified-schema.md 5); null where its token is none of the market's, as of combinations. */
export function toTrade(trade: WireTrade, market: MarketFacts): TradeDto | null {
  const outcome = market.outcomes.find(({ id }) => id === trade.token_id);
  if (outcome === undefined) return null;
  return { ...tradeOf(trade, market.marketId, outcome), id: tradeId(trade) };
}

/** The same as the feed says it, which names no wallet; the list of trades shows its time in whole seconds. */
export function toFeedTrade(trade: SaidTrade, marketId: string, outcome: OutcomeRefDto): FeedTrade {
  const seconds = Math.floor(trade.timestamp.getTime() / 1_000);
  return tradeOf({ ...trade, timestamp: new Date(seconds * 1_000) }, marketId, outcome);
}

function tradeOf(trade: SaidTrade, marketId: string, outcome: OutcomeRefDto): FeedTrade {
  const side = trade.side === 'BUY' ? 'buy' : 'sell';
  return {
    exchange: POLYMARKET,
    id: null,
    market_id: marketId,
    outcome,
    side,
    price: trade.price,
    size: trade.size,
    notional: multiply(trade.price, trade.size),
    timestamp: trade.timestamp.toISOString(),
    taker_side: side,
    is_block_trade: null,
    transaction_hash: trade.transaction_hash,
  };
}
