import type { FeedTrade, StaleReason } from '../exchanges/feeds.contract.js';
import type { TradeDto } from '../exchanges/unified.market-data.dto.js';
import type { BookState, StatusMessage } from './book-messages.js';
import { ToldTrades } from './told-trades.js';

/** A feed that says nothing of trades for so long is told as `silent`. */
const FIRST_MS = 5_000;
/** What may be missed is at most so old: nothing that is wrong is called live for longer (feeds.md 1). */
const BACK_MS = 60_000;
/** Trades that are told apart, a market. */
const MOST_NAMES = 8_192;
/** Trades that wait until those before them are read. */
const MOST_HELD = 2_000;
/** How often those before are asked for, and how long after a failure. */
const MOST_READS = 3;
const AGAIN_MS = 1_000;

/** What readers of the trades of a market are told. */
export type TradeMessage = { readonly type: 'trade'; readonly trade: FeedTrade } | StatusMessage;

/** One who reads the trades of a market. All are told the same objects. */
export interface TradeReader {
  tell(message: TradeMessage): void;
}

/** What trades hang on. */
export interface TradeParts {
  /** How the books of the market stand; null while that is not known. */
  readonly books: () => StatusMessage | null;
  /** Whether every trade is said from now on. */
  readonly isFollowed: () => boolean;
  /** Reads the trades since then, Unix milliseconds, in any order. */
  readonly read: (sinceMs: number) => Promise<readonly TradeDto[]>;
  /** By the exchange's clock, Unix milliseconds. */
  readonly now: () => number;
}

/**
 * The trades of one market, each told once, with those who read them. What may have been missed is read over HTTP before the market is
 * called live again; what comes meanwhile waits for that.
 */
export class WatchedTrades {
  readonly #readers = new Set<TradeReader>();
  readonly #told = new ToldTrades(MOST_NAMES);
  readonly #begunMs: number;
  #liveMs = Infinity;
  #status: StatusMessage | null = null;
  #missed: StaleReason | null = null;
  #held: FeedTrade[] = [];
  #isReading = false;
  #reads = 0;
  #readAtMs = 0;

  constructor(private readonly parts: TradeParts) {
    this.#begunMs = parts.now();
  }

  get isIdle(): boolean {
    return this.#readers.size === 0;
  }

  get state(): BookState {
    return this.#status?.state ?? 'waiting';
  }

  join(reader: TradeReader): () => void {
    this.#readers.add(reader);
    if (this.#status !== null) reader.tell(this.#status);
    return () => {
      this.#readers.delete(reader);
    };
  }

  /** The feed said a trade. */
  take(trade: FeedTrade): void {
    if (this.#liveMs === Infinity || this.state === 'closed' || !this.#told.hear(trade)) return;
    if (this.state === 'live') this.#tellTrade(trade);
    else this.#hold(trade);
  }

  /** The feed may have lost trades. */
  miss(reason: StaleReason): void {
    if (this.#liveMs === Infinity || this.state === 'closed') return;
    this.#missed = reason;
    this.advance();
  }

  /** Does what follows from how things stand now: to be called several times a second. */
  advance(): void {
    const [now, books] = [this.parts.now(), this.parts.books()];
    if (this.state === 'closed') return;
    if (books?.state === 'closed') this.#close(books);
    else if (books?.state === 'stale') this.#lose(books.reason ?? 'silent');
    else if (books === null || !this.parts.isFollowed()) this.#wait(now);
    else this.#goOn(now);
  }

  /** All is heard. */
  #goOn(now: number): void {
    if (this.#liveMs === Infinity) this.#begin(now);
    else if (this.#missed !== null) this.#lose(this.#missed);
    if (this.state === 'stale') this.#repair(now);
  }

  #begin(now: number): void {
    this.#liveMs = now;
    this.#become('live', null);
  }

  /** Nothing of the market was heard yet, or its line begins anew. */
  #wait(now: number): void {
    if (this.state === 'live') this.#lose('exchange_disconnected');
    else if (this.#status === null && now - this.#begunMs >= FIRST_MS) this.#become('stale', 'silent');
  }

  #close(books: StatusMessage): void {
    this.#release([]);
    this.#become('closed', books.reason);
  }

  #lose(reason: StaleReason): void {
    this.#missed = reason;
    if (this.#status?.state === 'stale' && this.#status.reason === reason) return;
    this.#become('stale', reason);
  }

  /** All is heard again: what was missed is told first. */
  #repair(now: number): void {
    if (this.#isReading || now < this.#readAtMs) return;
    this.#isReading = true;
    this.#missed = null;
    const since = Math.max(this.#liveMs, (this.#status?.sinceMs ?? now) - BACK_MS);
    void this.parts.read(since).then(
      (trades) => {
        // Those before the first were nobody's to be told: of a list in whole seconds that second counts as before.
        this.#repaired(trades.filter(({ timestamp }) => Date.parse(timestamp) >= since));
      },
      () => {
        this.#repaired(null);
      },
    );
  }

  /** Where more was lost meanwhile, all is read once more; where it cannot be read, that is not waited for any longer. */
  #repaired(trades: readonly TradeDto[] | null): void {
    this.#isReading = false;
    if (this.state !== 'stale') return;
    this.#reads += 1;
    this.#readAtMs = this.parts.now() + AGAIN_MS;
    if (trades === null && this.#reads < MOST_READS) return;
    if (this.#missed !== null || this.parts.books()?.state !== 'live' || !this.parts.isFollowed()) return;
    this.#reads = 0;
    this.#readAtMs = 0;
    this.#release(trades ?? []);
    this.#become('live', null);
  }

  #hold(trade: FeedTrade): void {
    this.#held.push(trade);
    if (this.#held.length > MOST_HELD) this.#held.shift();
  }

  /** Tells what was read with what waited, in the order of their time. */
  #release(read: readonly TradeDto[]): void {
    const waiting: FeedTrade[] = this.#told.read(read).reverse();
    waiting.push(...this.#held);
    this.#held = [];
    for (const trade of waiting.sort(byTime)) this.#tellTrade(trade);
  }

  #tellTrade(trade: FeedTrade): void {
    const message = { type: 'trade', trade } as const;
    for (const reader of this.#readers) reader.tell(message);
  }

  #become(state: 'live' | 'stale' | 'closed', reason: StaleReason | null): void {
    const sinceMs = this.#status?.state === state ? this.#status.sinceMs : this.parts.now();
    this.#status = { type: 'status', state, reason, sinceMs };
    for (const reader of this.#readers) reader.tell(this.#status);
  }
}

function byTime(one: FeedTrade, other: FeedTrade): number {
  if (one.timestamp === other.timestamp) return 0;
  return one.timestamp < other.timestamp ? -1 : 1;
}
