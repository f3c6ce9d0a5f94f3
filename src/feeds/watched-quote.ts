import { complement, type Decimal } from '../exchanges/decimal.js';
import type { StaleReason, Ticker } from '../exchanges/feeds.contract.js';
import type { MarketDto, OutcomeDto } from '../exchanges/unified.market-data.dto.js';
import type { BookState, BookTop, StatusMessage } from './book-messages.js';

/** What a ticker said of volumes holds for so long where HTTP says something else: it may be late there. */
const SAID_MS = 60_000;
/** How long a quote waits for HTTP to say how its market ended. */
const LAST_FACTS_MS = 5_000;

/** What changes of a market, as in the unified market (unified-schema.md 2). */
export interface Quote extends Pick<
  MarketDto,
  'status' | 'tradable' | 'outcomes' | 'volume' | 'volume_24h' | 'open_interest' | 'result'
> {
  readonly market_id: string;
  readonly timestamp: string;
  readonly timestamp_source: 'exchange' | 'received';
}

/** What readers of the quotes of a market are told. */
export type QuoteMessage = { readonly type: 'quote'; readonly quote: Quote } | StatusMessage;

/** One who reads the quotes of a market. All are told the same objects. */
export interface QuoteReader {
  tell(message: QuoteMessage): void;
}

/** When something was so, by whose clock. */
export interface QuoteTime {
  /** Unix milliseconds. */
  readonly timeMs: number;
  readonly timeSource: 'exchange' | 'received';
}

/** What a quote hangs on. */
export interface QuoteParts {
  /** How the books of the market stand; null while that is not known. */
  readonly books: () => StatusMessage | null;
  /** The best of the book of each outcome; null while it cannot be shown. */
  readonly tops: () => readonly [BookTop | null, BookTop | null];
  readonly now: () => number;
}

interface Reading {
  readonly reader: QuoteReader;
  hasQuote: boolean;
}

/** The quote of one market, whole at each change, with those who read it. A stale book makes a stale quote. */
export class WatchedQuote {
  readonly #readings = new Set<Reading>();
  #status: StatusMessage | null = null;
  #message: { readonly type: 'quote'; readonly quote: Quote } | null = null;
  /** The quote but for its time. */
  #text = '';
  #lastPrices: readonly [Decimal | null, Decimal | null];
  /** The last prices that the books named. */
  readonly #named: (Decimal | null)[] = [null, null];
  #said: Pick<Ticker, 'volume' | 'openInterest'> = {};
  #saidMs = -Infinity;
  #closedMs: number | null = null;
  /** Whether HTTP should say anew how the market stands. */
  needsFacts = true;

  constructor(
    private market: MarketDto,
    private readonly parts: QuoteParts,
  ) {
    const [zero, one] = market.outcomes;
    this.#lastPrices = [zero.last_price, one.last_price];
  }

  get isIdle(): boolean {
    return this.#readings.size === 0;
  }

  get state(): BookState {
    return this.#status?.state ?? 'waiting';
  }

  join(reader: QuoteReader): () => void {
    const reading = { reader, hasQuote: false };
    this.#readings.add(reading);
    if (this.state === 'live') this.#tellQuote();
    if (this.#status !== null) reader.tell(this.#status);
    return () => {
      this.#readings.delete(reading);
    };
  }

  /** The feed said something of the market; what is not a number of ours stays as it was. */
  say({ timeMs, lastPrice, volume, openInterest }: Ticker): void {
    if (lastPrice !== undefined) this.#lastPrices = [lastPrice, complement(lastPrice)];
    this.#said = {
      ...this.#said,
      ...(volume !== undefined && { volume }),
      ...(openInterest !== undefined && { openInterest }),
    };
    this.#saidMs = this.parts.now();
    this.advance(timeMs === undefined ? undefined : { timeMs, timeSource: 'exchange' });
  }

  /** HTTP said how the market stands. */
  learn(market: MarketDto, time: QuoteTime): void {
    this.market = market;
    this.needsFacts = false;
    const [zero] = market.outcomes;
    if (this.#lastPrices[0] === null || this.#isPolled)
      this.#lastPrices = [zero.last_price, market.outcomes[1].last_price];
    this.advance(time);
  }

  /** Does what follows from how things stand now; `time` is that of what changed, where that is no book. */
  advance(time?: QuoteTime): void {
    if (this.state === 'closed') return;
    const books = this.parts.books();
    if (books === null) return;
    if (books.state === 'live') this.#show(time);
    else if (books.state === 'stale') this.#lose(books.reason);
    else this.#close(books.reason, time);
  }

  /** Neither a book nor a ticker ever named a price. */
  get #isPolled(): boolean {
    return this.#saidMs === -Infinity && this.#named.every((price) => price === null);
  }

  #show(time: QuoteTime | undefined): void {
    const [zero, one] = this.parts.tops();
    if (zero === null || one === null) return;
    this.#nameLast(0, zero);
    this.#nameLast(1, one);
    this.#note([zero, one], time ?? newest(zero.details, one.details));
    if (this.state !== 'live') this.#become('live', null);
  }

  /** A book that names another last price than before was part of a trade since. */
  #nameLast(index: 0 | 1, { details: { lastPrice } }: BookTop): void {
    if (lastPrice === null || lastPrice === this.#named[index]) return;
    this.#named[index] = lastPrice;
    const other = complement(lastPrice);
    this.#lastPrices = index === 0 ? [lastPrice, other] : [other, lastPrice];
  }

  #lose(reason: StaleReason | null): void {
    if (this.state === 'stale' && this.#status?.reason === reason) return;
    if (reason === 'market_resolved') this.needsFacts = true;
    this.#become('stale', reason);
  }

  /** The last quote says how the market ended; a market that was over before is told as that alone. */
  #close(reason: StaleReason | null, time: QuoteTime | undefined): void {
    const now = this.parts.now();
    if (this.#status !== null) {
      this.needsFacts ||= this.#closedMs === null;
      this.#closedMs ??= now;
      const isOver = this.market.status === 'closed' || this.market.status === 'settled';
      if (!isOver && now - this.#closedMs < LAST_FACTS_MS) return;
      this.#note([NO_BOOK, NO_BOOK], time ?? { timeMs: now, timeSource: 'received' });
    }
    this.#become('closed', reason);
  }

  #note(tops: readonly [Pick<BookTop, 'bid' | 'ask'>, Pick<BookTop, 'bid' | 'ask'>], time: QuoteTime): void {
    const { id: market_id, status, tradable, volume_24h, result, volume, open_interest } = this.market;
    const said = this.parts.now() - this.#saidMs < SAID_MS ? this.#said : {};
    const facts = {
      market_id,
      status,
      tradable,
      outcomes: [this.#outcome(0, tops[0]), this.#outcome(1, tops[1])] satisfies MarketDto['outcomes'],
      volume: said.volume ?? volume,
      volume_24h,
      open_interest: said.openInterest ?? open_interest,
      result,
    };
    const text = JSON.stringify(facts);
    if (text !== this.#text) {
      this.#text = text;
      const timestamp = new Date(time.timeMs).toISOString();
      this.#message = { type: 'quote', quote: { ...facts, timestamp, timestamp_source: time.timeSource } };
      for (const reading of this.#readings) reading.hasQuote = false;
    }
    this.#tellQuote();
  }

  #outcome(index: 0 | 1, { bid, ask }: Pick<BookTop, 'bid' | 'ask'>): OutcomeDto {
    const { id, label } = this.market.outcomes[index];
    return {
      id,
      index,
      label,
      bid: bid?.price ?? null,
      ask: ask?.price ?? null,
      last_price: this.#lastPrices[index],
      bid_size: bid?.size ?? null,
      ask_size: ask?.size ?? null,
    };
  }

  /** Tells those who do not have it yet. */
  #tellQuote(): void {
    if (this.#message === null) return;
    for (const reading of this.#readings) {
      if (reading.hasQuote) continue;
      reading.hasQuote = true;
      reading.reader.tell(this.#message);
    }
  }

  #become(state: 'live' | 'stale' | 'closed', reason: StaleReason | null): void {
    const sinceMs = this.#status?.state === state ? this.#status.sinceMs : this.parts.now();
    this.#status = { type: 'status', state, reason, sinceMs };
    for (const { reader } of this.#readings) reader.tell(this.#status);
  }
}

const NO_BOOK = { bid: null, ask: null };

function newest(one: QuoteTime, other: QuoteTime): QuoteTime {
  return one.timeMs >= other.timeMs ? one : other;
}
