import type { Decimal } from '../exchanges/decimal.js';
import type { LevelChange, StaleReason } from '../exchanges/feeds.contract.js';
import type { LevelDto } from '../exchanges/unified.market-data.dto.js';

/** What is known of a book beside its levels. */
export interface BookDetails {
  /** Of the newest change, Unix milliseconds, by the clock that `timeSource` names. */
  readonly timeMs: number;
  readonly timeSource: 'exchange' | 'received';
  readonly hash: string | null;
  readonly tickSize: Decimal | null;
  readonly lastPrice: Decimal | null;
}

/** A whole book as it stands. */
export interface WholeBook {
  readonly sequence: number;
  /** Both sides best first. */
  readonly bids: readonly LevelDto[];
  readonly asks: readonly LevelDto[];
  readonly details: BookDetails;
  /** When it was last proved right, Unix milliseconds. */
  readonly verifiedMs: number;
}

/** The best level of each side; null for an empty one. */
export interface BookTop {
  readonly bid: LevelDto | null;
  readonly ask: LevelDto | null;
  readonly details: BookDetails;
}

/** `waiting` until the exchange said anything of a book for the first time. */
export type BookState = 'waiting' | 'live' | 'stale' | 'closed';

/** What the engine of a book says. Levels are in the prices of the book's own outcome. */
export type BookMessage =
  /** Replaces all that was said before. */
  | { readonly type: 'snapshot'; readonly book: WholeBook }
  /** Changes of the book that had the version `previous`, by the new sizes. */
  | {
      readonly type: 'update';
      readonly sequence: number;
      readonly previous: number;
      readonly changes: readonly LevelChange[];
      readonly details: BookDetails;
    }
  | StatusMessage;

/** Whether a book can be trusted. */
export interface StatusMessage {
  readonly type: 'status';
  readonly state: Exclude<BookState, 'waiting'>;
  readonly reason: StaleReason | null;
  /** Unix milliseconds. */
  readonly sinceMs: number;
}
