import type { FillDto, Side } from '../../unified.trading.dto.js';
import type { MarketFacts } from '../market-data/directory/market-directory.js';
import { sameAddress } from '../polymarket.credentials.dto.js';
import { POLYMARKET } from '../polymarket.ids.js';
import { wideId } from '../position-ids.js';
import type { WireMakerOrder, WireUserTrade } from './account.wire.js';
import { tradedOutcome } from './order.mapper.js';
import type { Wallet } from './wallet.js';

/** One execution of one of the user's own orders; its outcome is not looked up yet. */
export interface OwnFill {
  readonly id: string;
  /** The API key whose order it was; null where the exchange does not say. */
  readonly owner: string | null;
  readonly orderId: string;
  readonly marketId: string;
  readonly asset_id: string;
  /** The label of the outcome; null where the exchange leaves it out. */
  readonly outcome: string | null;
  readonly side: Side;
  readonly price: string;
  readonly size: string;
  readonly role: FillDto['role'];
  readonly trade: WireUserTrade;
}

const STATUSES = new Map<string, FillDto['status']>([
  ['CONFIRMED', 'confirmed'],
  ['FAILED', 'failed'],
]);

/** `MATCHED`, `MINED` and `RETRYING` are on their way to the chain. */
export function fillStatus({ status }: WireUserTrade): FillDto['status'] {
  return STATUSES.get(status) ?? 'pending';
}

function isOwn({ owner, maker_address: maker }: WireMakerOrder, wallet: Wallet): boolean {
  return (
    owner === wallet.apiCredentials.apiKey.reveal() || (maker !== null && sameAddress(maker, wallet.account.reveal()))
  );
}

/** Where the exchange leaves the side out: opposite to the taker's in the same token, else the same (a mint or merge). */
function sideOf(maker: WireMakerOrder, trade: WireUserTrade): Side {
  const opposite = trade.side === 'BUY' ? 'SELL' : 'BUY';
  const side = maker.side ?? (maker.asset_id === trade.asset_id ? opposite : trade.side);
  return side === 'BUY' ? 'buy' : 'sell';
}

/**
 * Returns the user's part in a trade. Its top level is the taker's: where the user was the maker, the own executions are the own
 * entries of `maker_orders`, in another token and to another side maybe (polymarket.md 9.1).
 */
export function ownFillsOf(trade: WireUserTrade, wallet: Wallet): OwnFill[] {
  const asTaker: OwnFill = {
    id: trade.id,
    owner: trade.owner,
    orderId: trade.taker_order_id,
    marketId: trade.market,
    asset_id: trade.asset_id,
    outcome: trade.outcome,
    side: trade.side === 'BUY' ? 'buy' : 'sell',
    price: trade.price,
    size: trade.size,
    role: 'taker',
    trade,
  };
  const asMaker = trade.maker_orders
    .filter((maker) => isOwn(maker, wallet))
    .map((maker): OwnFill => ({
      id: `${trade.id}:${maker.order_id}`,
      owner: maker.owner,
      orderId: maker.order_id,
      marketId: trade.market,
      asset_id: maker.asset_id,
      outcome: maker.outcome,
      side: sideOf(maker, trade),
      price: maker.price,
      size: maker.matched_amount,
      role: 'maker',
      trade,
    }));
  return trade.trader_side === 'TAKER' ? [asTaker, ...asMaker] : asMaker;
}

/** A fill (unified-schema.md 8); null where its token is none of the market's. */
export function toFill(fill: OwnFill, market: MarketFacts | undefined): FillDto | null {
  const outcome = tradedOutcome(fill, market);
  if (outcome === null) return null;
  return {
    exchange: POLYMARKET,
    id: fill.id,
    order_id: fill.orderId,
    market_id: market?.marketId ?? wideId(fill.marketId),
    outcome,
    side: fill.side,
    price: fill.price,
    size: fill.size,
    fee: null,
    role: fill.role,
    status: fillStatus(fill.trade),
    timestamp: fill.trade.match_time.toISOString(),
    transaction_hash: fill.trade.transaction_hash,
  };
}
