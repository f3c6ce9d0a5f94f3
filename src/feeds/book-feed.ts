import { AppError } from '../platform/errors/app-error.js';
import type {
  BookInput,
  BookRef,
  BookStream,
  FeedInput,
  LineEnd,
  MarketInput,
  StaleReason,
} from '../exchanges/feeds.contract.js';
import { type ConnectionOwner, type ConnectionParts, FeedConnection } from './feed-connection.js';
import type { Standing } from './feed-parts.js';
import { type BookReader, type BookReading, WatchedBook } from './watched-book.js';

/** Books of one exchange that are watched at once: two for each of 2,000 markets. */
const MOST_BOOKS = 4_000;
/** How long a book stays subscribed that nobody reads any more. */
const LINGER_MS = 30_000;
/** The time in which a whole book must come that was asked for. */
const ANSWER_MS = 5_000;
const LONGEST_PAUSE_MS = 60_000;
/** A book that was just asked for is not asked for again at once. */
const LEAST_PAUSE_MS = 1_000;
/** HTTP may say of a market for some minutes that it is open which the feed called resolved. */
const PATIENT_ATTEMPTS = 10;
/** A line carries no fewer, however slow it was. */
const FEWEST_BOOKS = 10;
/** The way to the exchange may have been slow, which passes; exchanges refuse too many lines: so long behind a slow end they are full again. */
const CAUTIOUS_MS = 3_600_000;

/** Reads how markets stand. */
type ReadStandings = (marketIds: readonly string[]) => Promise<ReadonlyMap<string, Standing>>;

/** What a feed is made of. */
export interface FeedParts extends Omit<ConnectionParts, 'stream'> {
  /** Null where books are polled. */
  readonly stream: BookStream | null;
  /** Changes of a book within so many milliseconds are one message. */
  readonly flushMs: number;
  readonly readStandings: ReadStandings;
  /** Is called whenever a book is called stale. */
  readonly noteStale?: (reason: StaleReason) => void;
  /** Hears of the markets of books that are followed. */
  readonly heard: (input: MarketInput) => void;
}

/**
 * The feed of one exchange: which books are watched, and on which connections they hang. A book that is lost is asked for again, first on
 * its own connection, then, while HTTP says that the market is open, on another one.
 */
export class BookFeed implements ConnectionOwner {
  readonly #books = new Map<string, WatchedBook>();
  readonly #connections = new Set<FeedConnection>();
  readonly #places = new Map<string, FeedConnection>();
  readonly #flushes = new Map<string, { readonly dueMs: number; readonly cancel: () => void }>();
  readonly #asked = new Set<string>();
  /** Books whose markets are followed too. */
  readonly #followed = new Set<string>();
  /** How many books a line carries since one was too slow. */
  #cut = { books: Infinity, untilMs: 0 };

  constructor(private readonly parts: FeedParts) {}

  get books(): Iterable<WatchedBook> {
    return this.#books.values();
  }

  /** Whether every connection is open. */
  get isConnected(): boolean {
    return [...this.#connections].every(({ isOpen }) => isOpen);
  }

  /** When the connection that is silent longest was last heard, Unix milliseconds; null where one never was, or none is needed. */
  get lastFrameMs(): number | null {
    const heard = Array.from(this.#connections, ({ heardMs }) => heardMs);
    return heard.length === 0 || heard.includes(0) ? null : Math.min(...heard);
  }

  /**
   * Reads a book for somebody until the reading is stopped; `standing` is how its market was found. Throws `service_unavailable` where
   * too many books are watched already.
   */
  watch(ref: BookRef, index: 0 | 1, reader: BookReader, standing: Standing = 'open'): BookReading {
    const known = this.#books.get(ref.key);
    if (known === undefined && this.#books.size >= MOST_BOOKS) this.#forgetIdle();
    if (known === undefined && this.#books.size >= MOST_BOOKS) {
      throw new AppError('service_unavailable', 'This instance watches as many markets as it can. Try again later.');
    }
    const book = known ?? this.#begin(ref, standing);
    return book.join(reader, index, this.parts.clock.now);
  }

  /** Whether the feed holds a book, so that nobody has to look its market up. */
  has(key: string): boolean {
    return this.#books.has(key);
  }

  /** Has trades and tickers said of the market of a watched book, as long as that is watched. */
  follow(key: string): void {
    if (!this.#books.has(key)) return;
    this.#followed.add(key);
    this.#places.get(key)?.follow(key);
  }

  /** Whether every trade of the market of a book is said from now on. */
  follows(key: string): boolean {
    return this.#places.get(key)?.follows(key) === true;
  }

  take(input: FeedInput): void {
    const book = this.#books.get(input.key);
    if (book === undefined) return;
    if (isOfMarket(input)) this.parts.heard(input);
    else this.#takeBook(book, input);
  }

  #takeBook(book: WatchedBook, input: BookInput): void {
    const now = this.parts.clock.now();
    const before = book.engine.state;
    book.take(input, now);
    this.#settle(book, now, input.type === 'lost' || before !== 'stale');
  }

  subscribed(connection: FeedConnection): void {
    const now = this.parts.clock.now();
    for (const book of this.#booksOf(connection)) book.expect(now, ANSWER_MS, LEAST_PAUSE_MS);
  }

  ended(connection: FeedConnection, end: LineEnd | 'silent'): void {
    const now = this.parts.clock.now();
    const half = Math.max(FEWEST_BOOKS, Math.floor(connection.books.size / 2));
    if (end === 'slow') this.#cut = { books: half, untilMs: now + CAUTIOUS_MS };
    for (const book of this.#booksOf(connection)) {
      book.lose(REASONS[end], now);
      book.recoverAtMs = end === 'over' ? now : Infinity;
    }
    if (end === 'over') this.#retire(connection);
    else if (end === 'slow') this.#moveRest(connection);
  }

  /** Does what time brings: to be called several times a second. */
  tick(): void {
    const now = this.parts.clock.now();
    for (const connection of this.#connections) connection.tick(now);
    const doubtful: WatchedBook[] = [];
    for (const book of this.#books.values()) {
      if (book.idleSinceMs !== null && now - book.idleSinceMs >= LINGER_MS) this.#forget(book);
      else if (now >= book.recoverAtMs && this.#recover(book, now)) doubtful.push(book);
    }
    void this.#ask(doubtful);
  }

  /** A book is wrong by what was learned elsewhere. */
  lose(book: WatchedBook, reason: 'mismatch' | 'silent'): void {
    const now = this.parts.clock.now();
    book.lose(reason, now);
    this.#settle(book, now, true);
  }

  stop(): void {
    for (const connection of this.#connections) connection.stop();
    for (const { cancel } of this.#flushes.values()) cancel();
    this.#connections.clear();
    this.#flushes.clear();
    this.#books.clear();
  }

  get #booksPerLine(): number {
    const { books, untilMs } = this.#cut;
    const most = this.parts.stream?.booksPerLine ?? Infinity;
    return this.parts.clock.now() < untilMs ? Math.min(most, books) : most;
  }

  #begin(ref: BookRef, standing: Standing): WatchedBook {
    const proved = (): number => this.#places.get(ref.key)?.provedMs ?? 0;
    const book = new WatchedBook(ref, this.parts.flushMs, proved, this.parts.noteStale);
    this.#books.set(ref.key, book);
    if (standing === 'market_closed' || standing === 'market_resolved') book.close(standing, this.parts.clock.now());
    else if (this.parts.stream === null) book.expect(this.parts.clock.now(), ANSWER_MS, LEAST_PAUSE_MS);
    else this.#place(book, null);
    return book;
  }

  *#booksOf({ books }: FeedConnection): Iterable<WatchedBook> {
    for (const key of books.keys()) {
      const book = this.#books.get(key);
      if (book !== undefined) yield book;
    }
  }

  /** Lets a book hang on a connection with room, other than `not`. */
  #place(book: WatchedBook, not: FeedConnection | null): void {
    const roomy = [...this.#connections].find((one) => one !== not && one.books.size < this.#booksPerLine);
    const connection = roomy ?? this.#connect();
    this.#places.set(book.key, connection);
    connection.add([book.ref]);
    if (this.#followed.has(book.key)) connection.follow(book.key);
    if (connection.isOpen) book.expect(this.parts.clock.now(), ANSWER_MS, LEAST_PAUSE_MS);
    if (roomy === undefined) connection.start();
  }

  #connect(): FeedConnection {
    const { stream, connect, clock, random } = this.parts;
    if (stream === null) throw new TypeError('A polled feed has no connections.');
    const connection = new FeedConnection({ stream, connect, clock, random }, this);
    this.#connections.add(connection);
    return connection;
  }

  /** What a line can carry no more hangs on others from now on. */
  #moveRest(connection: FeedConnection): void {
    for (const book of [...this.#booksOf(connection)].slice(this.#booksPerLine)) this.#move(book, connection);
  }

  #move(book: WatchedBook, from: FeedConnection): void {
    from.remove([book.key]);
    this.#place(book, from);
    if (from.books.size === 0) this.#retire(from);
  }

  /** Nothing hangs on it any more, or the exchange has nothing more to say there. */
  #retire(connection: FeedConnection): void {
    connection.stop();
    this.#connections.delete(connection);
    for (const key of connection.books.keys()) this.#places.delete(key);
  }

  /** Nobody waits for a place that a book holds which nobody reads. */
  #forgetIdle(): void {
    for (const book of [...this.#books.values()]) if (book.idleSinceMs !== null) this.#forget(book);
  }

  #forget(book: WatchedBook): void {
    this.#leave(book);
    this.#flushes.get(book.key)?.cancel();
    this.#flushes.delete(book.key);
    this.#books.delete(book.key);
    this.#followed.delete(book.key);
  }

  #leave({ key }: WatchedBook): void {
    const connection = this.#places.get(key);
    if (connection === undefined) return;
    this.#places.delete(key);
    connection.remove([key]);
    if (connection.books.size === 0) this.#retire(connection);
  }

  /** After a message: what is due later is put down, and a book that was just lost is asked for. */
  #settle(book: WatchedBook, now: number, mayBeLost: boolean): void {
    this.#planFlush(book);
    const { state } = book.engine;
    if (state === 'live') book.recovered();
    else if (state === 'stale' && mayBeLost) book.recoverSoon(now);
    if (now >= book.recoverAtMs && this.#recover(book, now)) void this.#ask([book]);
  }

  #planFlush(book: WatchedBook): void {
    const { dueMs } = book.engine;
    const planned = this.#flushes.get(book.key);
    if (dueMs !== null && planned?.dueMs === dueMs) return;
    planned?.cancel();
    this.#flushes.delete(book.key);
    if (dueMs === null) return;
    const { clock } = this.parts;
    const cancel = clock.after(Math.max(0, dueMs - clock.now()), () => {
      this.#flushes.delete(book.key);
      const [now, before] = [clock.now(), book.engine.state];
      book.advance(now);
      this.#settle(book, now, before !== 'stale');
    });
    this.#flushes.set(book.key, { dueMs, cancel });
  }

  /** One try to have the whole book; returns whether HTTP should say how its market stands. */
  #recover(book: WatchedBook, now: number): boolean {
    const { attempts } = book;
    const isOver = book.engine.status?.reason === 'market_resolved';
    book.expect(now, Math.min(LONGEST_PAUSE_MS, ANSWER_MS * 2 ** Math.max(0, attempts - 2)), LEAST_PAUSE_MS);
    book.attempts = attempts + 1;
    if (book.engine.state === 'waiting') book.lose('silent', now);
    const connection = this.#places.get(book.key);
    if (isOver || connection === undefined) return true;
    if (attempts === 2) this.#move(book, connection);
    else connection.renew(book.key);
    return attempts > 0;
  }

  async #ask(books: readonly WatchedBook[]): Promise<void> {
    const asked = books.filter(({ key }) => !this.#asked.has(key));
    if (asked.length === 0) return;
    for (const { key } of asked) this.#asked.add(key);
    const ids = [...new Set(asked.map(({ ref }) => ref.marketId))];
    const standings = await this.parts.readStandings(ids).catch(() => new Map<string, Standing>());
    for (const book of asked) this.#learn(book, standings.get(book.ref.marketId) ?? 'unknown');
  }

  #learn(book: WatchedBook, standing: Standing): void {
    this.#asked.delete(book.key);
    if (this.#books.get(book.key) !== book || standing === 'unknown') return;
    if (standing === 'open') {
      this.#tryAgain(book);
      return;
    }
    book.close(standing, this.parts.clock.now());
    book.recoverAtMs = Infinity;
    this.#leave(book);
  }

  /** The exchange said its last word of a book whose market stays open over HTTP: it is followed anew. */
  #tryAgain(book: WatchedBook): void {
    const isOver = book.engine.status?.reason === 'market_resolved';
    if (!isOver || book.attempts < PATIENT_ATTEMPTS || this.parts.stream === null) return;
    const from = this.#places.get(book.key);
    book.lose('silent', this.parts.clock.now());
    if (from === undefined) this.#place(book, null);
    else this.#move(book, from);
  }
}

function isOfMarket(input: FeedInput): input is MarketInput {
  return input.type === 'trade' || input.type === 'missed' || input.type === 'ticker';
}

const REASONS = {
  lost: 'exchange_disconnected',
  refused: 'exchange_disconnected',
  slow: 'exchange_disconnected',
  silent: 'silent',
  over: 'market_resolved',
} as const;
