import { type LevelChange } from '../matching-engine.js';
import { type Market, type OutcomeIndex } from './market.js';
import { type OrderRecord, type Trade } from './order.js';

/** What happens in the exchange and what its streams tell of. */
export type PolymarketEvent =
  | { readonly kind: 'level'; readonly market: Market; readonly change: LevelChange }
  | { readonly kind: 'trade'; readonly trade: Trade }
  | {
      readonly kind: 'order';
      readonly order: OrderRecord;
      readonly type: 'PLACEMENT' | 'UPDATE' | 'CANCELLATION';
      /** As it was when the event happened; as it is where left out. */
      readonly status?: 'LIVE' | 'DELAYED';
    }
  /** A FOK order that found too little: it never was in the book. */
  | { readonly kind: 'killed'; readonly order: OrderRecord }
  | { readonly kind: 'tick'; readonly market: Market; readonly from: string }
  | { readonly kind: 'listed'; readonly market: Market }
  | { readonly kind: 'resolved'; readonly market: Market; readonly winner: OutcomeIndex };
