import { type LevelChange } from '../matching-engine.js';
import { type Account } from './account.js';
import { type Market, type TradeRecord } from './market.js';
import { type FillRecord, type OrderRecord } from './order.js';

/** Why an order changed; absent where its owner cancelled it. */
export type ChangeReason =
  'Amend' | 'Decrease' | 'Trade' | 'SelfTradeCancel' | 'ExpiryCancel' | 'CloseCancel' | 'HaltCancel';

/** `msg` of a change in a market's life, but for the ticker; times in seconds. */
type LifecycleChange = Readonly<Record<string, unknown>> & { readonly event_type: string };

/** What happens in the exchange and what its streams tell of. */
export type KalshiEvent =
  | { readonly kind: 'level'; readonly market: Market; readonly change: LevelChange }
  | { readonly kind: 'trade'; readonly market: Market; readonly trade: TradeRecord }
  | {
      readonly kind: 'fill';
      readonly account: Account;
      readonly order: OrderRecord;
      readonly fill: FillRecord;
      /** Contracts of its subaccount after it, below 0 for NO. */
      readonly position: bigint;
    }
  | {
      readonly kind: 'order';
      readonly account: Account;
      readonly order: OrderRecord;
      readonly reason?: ChangeReason | undefined;
    }
  | { readonly kind: 'lifecycle'; readonly market: Market; readonly change: LifecycleChange };
