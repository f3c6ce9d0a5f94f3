import type { BookRef, BookStream, FeedInput, FeedLine, LineEnd } from '../exchanges/feeds.contract.js';
import type { Connect, Wire, WireEvents } from '../platform/upstream/web-socket.js';
import type { FeedClock } from './feed-parts.js';

const FIRST_WAIT_MS = 500;
/** A book is right again within 5 s of when the exchange lets us connect (feeds.md 1). */
const LONGEST_WAIT_MS = 4_000;
/** After the exchange said no, or wants fewer connections. */
const REFUSED_WAIT_MS = 30_000;
/** A line that stood so long has not failed at once. */
const STEADY_MS = 60_000;

/** What becomes of a connection, and of the books that hang on it. */
export interface ConnectionOwner {
  /** The line has just been subscribed to all books of the connection. */
  subscribed(connection: FeedConnection): void;
  take(input: FeedInput): void;
  /** The line has ended; `silent` where nothing was heard of it for too long. */
  ended(connection: FeedConnection, end: LineEnd | 'silent'): void;
}

/** What a connection is made of. */
export interface ConnectionParts {
  readonly stream: BookStream;
  readonly connect: Connect;
  readonly clock: FeedClock;
  /** From 0 up to 1, without 1. */
  readonly random: () => number;
}

/** One connection to an exchange, made again whenever it ends, until it is stopped. */
export class FeedConnection {
  readonly books = new Map<string, BookRef>();
  readonly #wanted = new Set<string>();
  /** Books whose markets are followed too. */
  readonly #followed = new Set<string>();
  #state: 'waiting' | 'connecting' | 'open' | 'stopped' = 'waiting';
  #wire: Wire | null = null;
  #line: FeedLine | null = null;
  /** Rises with every attempt: what an earlier one still says is not heard. */
  #attempt = 0;
  #failures = 0;
  #openedMs = 0;
  #heardMs = 0;
  #provedMs = 0;
  #pingedMs = 0;
  #cancelWait: () => void = () => undefined;

  constructor(
    private readonly parts: ConnectionParts,
    private readonly owner: ConnectionOwner,
  ) {}

  get isOpen(): boolean {
    return this.#state === 'open';
  }

  /** When anything was last heard, Unix milliseconds; 0 before. */
  get heardMs(): number {
    return this.#heardMs;
  }

  /** When a frame with content was last heard, which shows a loss before it where frames are numbered; Unix milliseconds. */
  get provedMs(): number {
    return this.#provedMs;
  }

  /** Begins the first attempt. */
  start(): void {
    void this.#open();
  }

  add(books: readonly BookRef[]): void {
    for (const book of books) this.books.set(book.key, book);
    if (this.#line !== null) this.#send(this.#line.subscribe(books));
  }

  /** Has trades and tickers said of the market of a book that hangs here. */
  follow(key: string): void {
    if (this.#followed.has(key)) return;
    this.#followed.add(key);
    if (this.#line !== null) this.#send(this.#line.follow([key]));
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
    if (this.#line !== null) this.#send(this.#line.unsubscribe(keys));
  }

  /** Asks for a whole book anew, with the others of this moment. */
  renew(key: string): void {
    this.#wanted.add(key);
  }

  /** Ends a line that is silent, and keeps one that is not alive. */
  tick(now: number): void {
    if (this.#state !== 'open') return;
    const { silentMs, ping } = this.parts.stream;
    if (now - this.#heardMs >= silentMs) {
      this.#end('silent');
      return;
    }
    this.#sendWanted();
    if (ping !== null && now - this.#pingedMs >= ping.everyMs) {
      this.#pingedMs = now;
      this.#send([ping.text]);
    }
  }

  stop(): void {
    this.#drop();
    this.#state = 'stopped';
  }

  async #open(): Promise<void> {
    const attempt = (this.#attempt += 1);
    const isCurrent = (): boolean => attempt === this.#attempt && this.#state === 'connecting';
    this.#state = 'connecting';
    const { stream, connect } = this.parts;
    const headers = await stream.headers().catch(() => null);
    if (!isCurrent()) return;
    if (headers === null) {
      this.#end('lost');
      return;
    }
    this.#wire = connect(stream.url, headers, this.#eventsOf(attempt));
  }

  /** What is heard of one attempt, as long as that is the newest. */
  #eventsOf(attempt: number): WireEvents {
    const heard = (work: () => void): void => {
      if (attempt === this.#attempt) work();
    };
    return {
      opened: () => {
        heard(() => {
          this.#opened();
        });
      },
      frame: (text) => {
        heard(() => {
          this.#hear(text);
        });
      },
      alive: () => {
        heard(() => {
          this.#heardMs = this.parts.clock.now();
        });
      },
      closed: (code, reason) => {
        heard(() => {
          this.#end(this.#line === null ? refusal(code) : this.#line.closed(code, reason));
        });
      },
    };
  }

  #opened(): void {
    const now = this.parts.clock.now();
    this.#state = 'open';
    this.#openedMs = now;
    this.#heardMs = now;
    this.#pingedMs = now;
    this.#line = this.parts.stream.line();
    this.#send(this.#line.subscribe([...this.books.values()]));
    this.#send(this.#line.follow([...this.#followed]));
    this.owner.subscribed(this);
  }

  #hear(text: string): void {
    if (this.#line === null) return;
    this.#heardMs = this.parts.clock.now();
    this.#provedMs = this.#heardMs;
    const { inputs, frames = [], end } = this.#line.hear(text);
    for (const input of inputs) {
      if (this.books.has(input.key)) this.owner.take(input);
    }
    this.#send(frames);
    if (end === undefined) this.#sendWanted();
    else this.#end(end);
  }

  #sendWanted(): void {
    const keys = [...this.#wanted].filter((key) => this.books.has(key));
    this.#wanted.clear();
    if (keys.length > 0 && this.#line !== null) this.#send(this.#line.renew(keys));
  }

  #send(frames: readonly string[]): void {
    for (const frame of frames) this.#wire?.send(frame);
  }

  /** The wait doubles from one failure to the next, and begins anew behind a line that stood for a minute. */
  #end(end: LineEnd | 'silent'): void {
    const now = this.parts.clock.now();
    if (this.#state === 'open' && now - this.#openedMs >= STEADY_MS) this.#failures = 0;
    this.#drop();
    const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** this.#failures);
    this.#failures += 1;
    const waitMs = end === 'refused' ? REFUSED_WAIT_MS : longest * (0.5 + this.parts.random() / 2);
    this.#cancelWait = this.parts.clock.after(waitMs, () => void this.#open());
    this.owner.ended(this, end);
  }

  #drop(): void {
    this.#attempt += 1;
    this.#cancelWait();
    this.#wire?.end();
    this.#wire = null;
    this.#line = null;
    this.#wanted.clear();
    this.#state = 'waiting';
  }
}

/** What it means that a handshake failed: by the HTTP status, where there was an answer. */
function refusal(code: number): LineEnd {
  return code >= 400 && code < 500 ? 'refused' : 'lost';
}
