import type { StaleReason } from '../exchanges/feeds.contract.js';
import type { FillDto, OrderDto } from '../exchanges/unified.trading.dto.js';

/** How what is told of an account stands (feeds.md 6). */
export interface AccountStatus {
  readonly type: 'status';
  /** `waiting` before the first time that all is sure. */
  readonly state: 'waiting' | 'live' | 'stale';
  readonly reason: StaleReason | null;
  readonly sinceMs: number;
  readonly source: 'stream' | 'polling';
}

/** What readers of an account are told: what changes from the moment on at which they joined. */
export type AccountMessage =
  | { readonly type: 'order'; readonly order: OrderDto }
  /** All open orders, before each `live`: what ended during a loss is not among them. */
  | { readonly type: 'orders'; readonly orders: readonly OrderDto[] }
  /** An execution, once in each of its states. */
  | { readonly type: 'fill'; readonly fill: FillDto }
  /** Executions from one time to another are not told, as they are too many; Unix milliseconds. */
  | { readonly type: 'gap'; readonly fromMs: number; readonly toMs: number }
  | AccountStatus
  /** Nothing more comes. */
  | { readonly type: 'failed'; readonly error: unknown };

/** Somebody who reads what becomes of the orders of an account. */
export interface AccountReader {
  tell(message: AccountMessage): void;
}
