import type { BookRef, BookStream, FeedInput, FeedLine, LineEnd } from '../exchanges/feeds.contract.js';
import { LineConnection, type LineParts, type LineTalk, type LineTarget } from './line-connection.js';

/** What becomes of a connection, and of the books that hang on it. */
export interface ConnectionOwner {
  /** The line has just been subscribed to all books of the connection. */
  subscribed(connection: FeedConnection): void;
  take(input: FeedInput): void;
  /** The line has ended; `silent` where nothing was heard of it for too long. */
  ended(connection: FeedConnection, end: LineEnd | 'silent'): void;
}

/** What a connection is made of. */
export interface ConnectionParts extends LineParts {
  readonly stream: BookStream;
}

/** One connection to an exchange for books, made again whenever it ends, until it is stopped. */
export class FeedConnection implements LineTalk {
  readonly books = new Map<string, BookRef>();
  readonly #wanted = new Set<string>();
  /** Books whose markets are followed too. */
  readonly #followed = new Set<string>();
  readonly #connection: LineConnection;
  #line: FeedLine | null = null;
  #provedMs = 0;

  constructor(
    private readonly parts: ConnectionParts,
    private readonly owner: ConnectionOwner,
  ) {
    this.#connection = new LineConnection(parts, this);
  }

  get isOpen(): boolean {
    return this.#connection.isOpen;
  }

  /** When anything was last heard, Unix milliseconds; 0 before. */
  get heardMs(): number {
    return this.#connection.heardMs;
  }

  /** When the number of a frame last showed that nothing was lost before it; Unix milliseconds, 0 where none ever did. */
  get provedMs(): number {
    return this.#provedMs;
  }

  /** Begins the first attempt. */
  start(): void {
    this.#connection.start();
  }

  add(books: readonly BookRef[]): void {
    for (const book of books) this.books.set(book.key, book);
    if (this.#line !== null) this.#connection.send(this.#line.subscribe(books));
  }

  /** Has trades and tickers said of the market of a book that hangs here. */
  follow(key: string): void {
    if (this.#followed.has(key)) return;
    this.#followed.add(key);
    if (this.#line !== null) this.#connection.send(this.#line.follow([key]));
  }

  /** Whether every trade of the market of a book is said from now on. */
  follows(key: string): boolean {
    return this.#followed.has(key) && this.#line?.follows(key) === true;
  }

  remove(keys: readonly string[]): void {
    for (const key of keys) {
      this.books.delete(key);
      this.#followed.delete(key);
    }
    if (this.#line !== null) this.#connection.send(this.#line.unsubscribe(keys));
  }

  /** Asks for a whole book anew, with the others of this moment. */
  renew(key: string): void {
    this.#wanted.add(key);
  }

  /** Ends a line that is silent, and keeps one that is not alive. */
  tick(now: number): void {
    if (this.#connection.tick(now)) this.#sendWanted();
  }

  stop(): void {
    this.#forget();
    this.#connection.stop();
  }

  async prepare(): Promise<LineTarget> {
    const { url, silentMs, ping } = this.parts.stream;
    return { url, silentMs, ping, headers: await this.parts.stream.headers() };
  }

  opened(): readonly string[] {
    this.#line = this.parts.stream.line();
    const frames = [...this.#line.subscribe([...this.books.values()]), ...this.#line.follow([...this.#followed])];
    this.owner.subscribed(this);
    return frames;
  }

  hear(text: string): LineEnd | undefined {
    if (this.#line === null) return undefined;
    const { inputs, isProof = false, frames = [], end } = this.#line.hear(text);
    if (isProof) this.#provedMs = this.parts.clock.now();
    for (const input of inputs) {
      if (this.books.has(input.key)) this.owner.take(input);
    }
    this.#connection.send(frames);
    if (end === undefined) this.#sendWanted();
    return end;
  }

  closed(code: number, reason: string): LineEnd {
    return this.#line?.closed(code, reason) ?? 'lost';
  }

  ended(end: LineEnd | 'silent'): void {
    this.#forget();
    this.owner.ended(this, end);
  }

  #forget(): void {
    this.#line = null;
    this.#wanted.clear();
  }

  #sendWanted(): void {
    const keys = [...this.#wanted].filter((key) => this.books.has(key));
    this.#wanted.clear();
    if (keys.length > 0 && this.#line !== null) this.#connection.send(this.#line.renew(keys));
  }
}
