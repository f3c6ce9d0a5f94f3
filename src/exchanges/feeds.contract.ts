import type { Decimal } from './decimal.js';
import type { RecordedOrder } from './orders.contract.js';
import type { LevelDto, MarketDto, TradeDto } from './unified.market-data.dto.js';
import type { FillDto, OrderDto } from './unified.trading.dto.js';

export type BookSide = 'bids' | 'asks';

/** A book as the exchange keeps it: some keep one a market, others one an outcome. */
export interface BookRef {
  /** Names the book in the exchange's feed, and no other one of this exchange. */
  readonly key: string;
  readonly marketId: string;
  /** The outcome whose prices it holds; the book of the other one is its mirror. */
  readonly index: 0 | 1;
  /** What that outcome is called. */
  readonly label: string;
}

/** One level that changed. */
export interface LevelChange {
  readonly side: BookSide;
  readonly price: Decimal;
  readonly size: Decimal;
}

/** What a frame says of a book beside its levels; what is left out is as before. */
export interface BookFacts {
  /** The exchange's own time of the change, Unix milliseconds. */
  readonly timeMs?: number;
  readonly hash?: string | null;
  readonly tickSize?: Decimal | null;
  /** Of the outcome of the book. */
  readonly lastPrice?: Decimal | null;
}

/** The best prices that the exchange says a book has after a change; null for an empty side. */
export interface BestPrices {
  readonly bid: Decimal | null;
  readonly ask: Decimal | null;
}

/** Why a book cannot be trusted for now, or no more (feeds.md 1). */
export const STALE_REASONS = [
  'exchange_disconnected',
  'sequence_gap',
  'mismatch',
  'silent',
  'tick_size_changed',
  'market_closed',
  'market_resolved',
] as const;
export type StaleReason = (typeof STALE_REASONS)[number];

/** What a frame of an exchange means for one book. */
export type BookInput =
  /** The whole book, which replaces what was known of it. */
  | {
      readonly type: 'whole';
      readonly key: string;
      readonly bids: readonly LevelDto[];
      readonly asks: readonly LevelDto[];
      readonly facts: BookFacts;
    }
  /** Levels by their new size; 0 removes one. */
  | {
      readonly type: 'sizes';
      readonly key: string;
      readonly changes: readonly LevelChange[];
      readonly facts: BookFacts;
      readonly best?: BestPrices;
    }
  /** Levels by the amount that they grew or, below 0, shrank. */
  | {
      readonly type: 'steps';
      readonly key: string;
      readonly changes: readonly LevelChange[];
      readonly facts: BookFacts;
    }
  /** Something of the book is lost: only a whole one makes it right again. */
  | { readonly type: 'lost'; readonly key: string; readonly reason: StaleReason };

/** A public trade as `GET /{exchange}/trades` shows it; a feed may not say its id. */
export type FeedTrade = Omit<TradeDto, 'id'> & { readonly id: string | null };

/** What an exchange says of a market beside its book and trades; what is left out is as before. */
export interface Ticker {
  /** The exchange's own time, Unix milliseconds. */
  readonly timeMs?: number;
  /** Of outcome 0. */
  readonly lastPrice?: Decimal;
  readonly volume?: Decimal;
  readonly openInterest?: Decimal;
}

/** What a frame of an exchange means for the market of a book that is followed. */
export type MarketInput =
  | { readonly type: 'trade'; readonly key: string; readonly trade: FeedTrade }
  /** Trades before this moment may be lost. */
  | { readonly type: 'missed'; readonly key: string; readonly reason: StaleReason }
  | { readonly type: 'ticker'; readonly key: string; readonly ticker: Ticker };

export type FeedInput = BookInput | MarketInput;

/** How the feed of a line ended, or must end: `slow` where less must hang on the next one, `over` where nothing is left to say. */
export type LineEnd = 'lost' | 'slow' | 'over' | 'refused';

/** What a frame leads to. */
export interface Heard {
  readonly inputs: readonly FeedInput[];
  /** Whether its number shows that nothing of the books was lost before it. */
  readonly isProof?: boolean;
  /** Frames to send. */
  readonly frames?: readonly string[];
  /** The line is of no more use. */
  readonly end?: LineEnd;
}

/**
 * What is said on one connection, from its opening on: pure, without a clock and without the connection. It knows the sequence rule of
 * its exchange, and hears of no book that was not subscribed. Frames that cannot be read throw nothing: what they may have said is
 * `lost`.
 */
export interface FeedLine {
  /** Returns the frames that subscribe to more books; each begins with a whole one. */
  subscribe(books: readonly BookRef[]): readonly string[];
  /** Returns the frames after which trades and tickers of the markets of subscribed books are said too; none where they are anyway. */
  follow(keys: readonly string[]): readonly string[];
  /** Whether every trade of the market of a book is said from now on. */
  follows(key: string): boolean;
  /** Returns the frames after which nothing more comes of some books and their markets. */
  unsubscribe(keys: readonly string[]): readonly string[];
  /** Returns the frames that ask for whole books of the subscribed ones anew. */
  renew(keys: readonly string[]): readonly string[];
  /** Returns what a frame of the exchange means. */
  hear(frame: string): Heard;
  /** Says what it means that the exchange closed the connection, by the code and reason of RFC 6455 7.1. */
  closed(code: number, reason: string): LineEnd;
}

/** The feed of an exchange over WebSockets. */
export interface BookStream {
  readonly url: string;
  /** A line without any frame for so long is dead. */
  readonly silentMs: number;
  /** How many books hang on one line at most. */
  readonly booksPerLine: number;
  /** Whether frames are numbered, so that the next one shows a loss: a book that nothing contradicts is right then. */
  readonly isNumbered: boolean;
  /** The text that keeps a line alive; null where the exchange does so itself. */
  readonly ping: { readonly text: string; readonly everyMs: number } | null;
  /** Makes the header lines of a handshake, signed for this moment. Throws `AppError`. */
  headers(): Promise<Readonly<Record<string, string>>>;
  /** Begins the talk on a new connection. */
  line(): FeedLine;
}

/** A book as it was read over HTTP. */
export interface ReadBook {
  readonly key: string;
  readonly bids: readonly LevelDto[];
  readonly asks: readonly LevelDto[];
  readonly facts: BookFacts;
}

/** How an exchange says at once what changes in its public data. */
export interface Feeds {
  /** Null where there is no feed that may be used here: its books are polled by `readBooks`. */
  readonly stream: BookStream | null;
  /** The book that holds the prices of an outcome, or those of its mirror. */
  bookOf(market: MarketDto, index: 0 | 1): BookRef;
  /** Finds the outcome that a client names as in `GET /{exchange}/orderbooks`; throws `bad_request` where there is none. */
  indexOf(market: MarketDto, outcome: string): 0 | 1;
  /** How many books one call reads. */
  readonly booksPerRead: number;
  /** Reads books anew, those that the exchange has not left out; throws as public reads do. */
  readBooks(keys: readonly string[]): Promise<readonly ReadBook[]>;
}

/** What a frame of a private stream says of the account's own orders; what must be looked up for it comes by `read`. */
export type PrivateEvent =
  /** An order as it is now: by the frame, or where that lacks something by HTTP. Null where the exchange has no such order. */
  | { readonly type: 'order'; readonly read: (recorded: RecordedBy) => Promise<OrderDto | null> }
  /** Executions, each under the id and in the state that `Trading.listFills` gives it. */
  | { readonly type: 'fills'; readonly read: () => Promise<readonly FillDto[]> };

/** What is known of an order by the record of its placement, by the exchange's id of it. */
export type RecordedBy = (orderId: string) => RecordedOrder;

/** What a frame of a private stream leads to. */
export interface PrivateHeard {
  readonly events: readonly PrivateEvent[];
  /** From this frame on the exchange says all: what it did before may be missing. */
  readonly isReady?: boolean;
  /** Something was said that cannot be read. */
  readonly isLost?: boolean;
  /** The line is of no more use. */
  readonly end?: LineEnd;
}

/** What is said on one private connection, from its opening on: pure, but for what events read. Nothing of others passes. */
export interface PrivateLine {
  /** Returns the frames that begin it. */
  begin(): readonly string[];
  /** Returns what a frame of the exchange means; throws nothing. */
  hear(frame: string): PrivateHeard;
  /** As `FeedLine.closed`. */
  closed(code: number, reason: string): LineEnd;
}

/**
 * How an exchange says at once what becomes of the orders of one API key. It holds opened credentials, and is made anew for each
 * connection.
 */
export interface PrivateStream {
  /** Tells the keys of one account apart, where it has several. */
  readonly name: string;
  readonly url: string;
  /** A line without any frame for so long is dead. */
  readonly silentMs: number;
  /** The text that keeps a line alive; null where the exchange does so itself. */
  readonly ping: { readonly text: string; readonly everyMs: number } | null;
  /** Whether it is known to say all for this kind of key; else the open orders are read beside it. */
  readonly isProved: boolean;
  /** Makes the header lines of a handshake. Throws as signed reads do, `credentials_rejected` too. */
  headers(): Promise<Readonly<Record<string, string>>>;
  /** Begins the talk on a new connection. */
  line(): PrivateLine;
}
