import type { BookRef, BookStream, FeedLine, Feeds, ReadBook } from '../../src/exchanges/feeds.contract.js';
import { digestOf } from '../../src/feeds/book.js';
import type { Connect, WireEvents } from '../../src/platform/upstream/web-socket.js';
import type { LevelDto } from '../../src/exchanges/unified.market-data.dto.js';
import type { SeededRandom } from '../../sandbox/random.js';
import type { ScriptedClock } from './scripted-clock.js';

const KEPT_MS = 60_000;
const LATENCY_MS = 50;

/** A book as it really is, with what it was lately. */
export class TrueBook {
  readonly bids = new Map<string, number>();
  readonly asks = new Map<string, number>();
  version = 0;
  changedMs = 0;
  readonly #history: { readonly atMs: number; readonly digest: string }[] = [];

  constructor(readonly ref: BookRef) {}

  get hash(): string {
    return `${this.ref.key}.${this.version}`;
  }

  get levels(): { readonly bids: LevelDto[]; readonly asks: LevelDto[] } {
    const side = (levels: Map<string, number>) =>
      Array.from(levels, ([price, size]) => ({ price, size: String(size) }));
    return { bids: side(this.bids), asks: side(this.asks) };
  }

  /** The best prices as the exchange states them. */
  get best(): { readonly bid: string; readonly ask: string } {
    return { bid: [...this.bids.keys()].sort().at(-1) ?? '0', ask: [...this.asks.keys()].sort()[0] ?? '1' };
  }

  note(now: number): void {
    this.version += 1;
    this.changedMs = now;
    const { bids, asks } = this.levels;
    this.#history.push({ atMs: now, digest: digestOf(bids, asks) });
    while ((this.#history[1]?.atMs ?? Infinity) < now - KEPT_MS) this.#history.shift();
  }

  /** Whether it was so at any time since. */
  wasLike(digest: string, sinceMs: number): boolean {
    const from = Math.max(
      0,
      this.#history.findLastIndex(({ atMs }) => atMs <= sinceMs),
    );
    return this.#history.slice(from).some((state) => state.digest === digest);
  }
}

/** One change of one level. */
export interface TrueChange {
  readonly book: TrueBook;
  readonly side: 'bids' | 'asks';
  readonly price: string;
  readonly step: number;
  readonly size: number;
}

/** One connection as the exchange sees it. */
export class ServerLine {
  /** How many of the next frames are lost, doubled, sent behind the one that follows, or cut. */
  readonly faults = { lose: 0, double: 0, swap: 0, cut: 0 };
  isSilent = false;
  #held: string | null = null;

  constructor(
    readonly events: WireEvents,
    private readonly clock: ScriptedClock,
    private readonly delivered: () => void,
  ) {}

  /** A frame with data, which a fault may hit. */
  data(frame: string): void {
    const { faults } = this;
    if (this.isSilent || takeOne(faults, 'lose')) return;
    if (this.#held === null && takeOne(faults, 'swap')) {
      this.#held = frame;
      return;
    }
    this.#deliver(takeOne(faults, 'cut') ? frame.slice(0, frame.length / 2) : frame);
    if (takeOne(faults, 'double')) this.#deliver(frame);
    if (this.#held !== null) this.#deliver(this.#held);
    this.#held = null;
  }

  /** Any other frame. */
  plain(frame: string): void {
    if (!this.isSilent) this.#deliver(frame);
  }

  ping(): void {
    if (!this.isSilent) this.events.alive();
  }

  #deliver(frame: string): void {
    this.clock.after(LATENCY_MS, () => {
      this.events.frame(frame);
      this.delivered();
    });
  }
}

function takeOne<Name extends string>(counts: Record<Name, number>, name: Name): boolean {
  if (counts[name] === 0) return false;
  counts[name] -= 1;
  return true;
}

/** How one exchange speaks. */
export interface Speech {
  readonly stream: Omit<BookStream, 'url' | 'headers' | 'line'> & { readonly line: () => FeedLine };
  /** Answers a frame of the client on a new connection; what it returns says a change there. */
  talk(line: ServerLine, books: ReadonlyMap<string, TrueBook>): Talk;
}

export interface Talk {
  /** Whether a book is subscribed. */
  has(key: string): boolean;
  hear(frame: string): void;
  change(change: TrueChange, now: number): void;
}

/** An exchange with a few books that change by chance, and connections that lose frames. */
export class ScriptedExchange {
  readonly books = new Map<string, TrueBook>();
  readonly lines = new Set<{ readonly server: ServerLine; readonly talk: Talk }>();
  /** Whether connections are refused. */
  isAway = false;
  /** Whether HTTP fails. */
  isDeaf = false;

  constructor(
    private readonly speech: Speech,
    private readonly clock: ScriptedClock,
    private readonly random: SeededRandom,
    private readonly delivered: (talk: Talk) => void,
  ) {}

  add(ref: BookRef): TrueBook {
    const book = new TrueBook(ref);
    for (let level = 1; level <= 5; level += 1) {
      book.bids.set(price(40 - level), 10 * level);
      book.asks.set(price(60 + level), 10 * level);
    }
    book.note(this.clock.now());
    this.books.set(ref.key, book);
    return book;
  }

  /** All faults end. */
  recover(): void {
    this.isAway = false;
    this.isDeaf = false;
    for (const { server } of this.lines) {
      server.isSilent = false;
      Object.assign(server.faults, { lose: 0, double: 0, swap: 0, cut: 0 });
    }
  }

  /** One order comes or goes. */
  trade(): void {
    const book = [...this.books.values()][this.random.whole(0, this.books.size - 1)];
    if (book === undefined) return;
    const side = this.random.whole(0, 1) === 0 ? 'bids' : 'asks';
    const at = price(side === 'bids' ? this.random.whole(30, 49) : this.random.whole(51, 70));
    const before = book[side].get(at) ?? 0;
    const size = this.random.whole(0, 2) === 0 ? 0 : this.random.whole(1, 500);
    if (size === before) return;
    if (size === 0) book[side].delete(at);
    else book[side].set(at, size);
    const now = this.clock.now();
    book.note(now);
    for (const { talk } of this.lines) talk.change({ book, side, price: at, step: size - before, size }, now);
  }

  readonly connect: Connect = (_url, _headers, events) => {
    const server = new ServerLine(events, this.clock, () => {
      if (this.lines.has(line)) this.delivered(line.talk);
    });
    const line = { server, talk: this.speech.talk(server, this.books) };
    let hasEnded = false;
    this.clock.after(LATENCY_MS, () => {
      if (hasEnded) return;
      if (this.isAway) {
        events.closed(1006, '');
        return;
      }
      this.lines.add(line);
      events.opened();
    });
    return {
      send: (frame) => {
        this.clock.after(LATENCY_MS, () => {
          if (this.lines.has(line)) line.talk.hear(frame);
        });
      },
      end: () => {
        hasEnded = true;
        this.lines.delete(line);
      },
    };
  };

  /** Every connection is cut. */
  cut(): void {
    for (const line of this.lines) {
      this.lines.delete(line);
      line.server.events.closed(1006, '');
    }
  }

  get feeds(): Feeds {
    const stream: BookStream = {
      ...this.speech.stream,
      url: 'wss://exchange.test',
      headers: () => Promise.resolve({}),
    };
    return {
      stream,
      booksPerRead: 3,
      bookOf: ({ id }) => ({ key: id, marketId: id, index: 0, label: 'Yes' }),
      indexOf: (_market, outcome) => (outcome === '1' ? 1 : 0),
      readBooks: (keys) => this.#read(keys),
    };
  }

  async #read(keys: readonly string[]): Promise<readonly ReadBook[]> {
    await this.clock.wait(LATENCY_MS);
    if (this.isDeaf) throw new Error('away');
    const read = keys.map((key) => {
      const book = this.books.get(key);
      return book === undefined ? [] : [{ key, ...book.levels, facts: { hash: book.hash } }];
    });
    await this.clock.wait(this.random.whole(1, 300));
    return read.flat();
  }
}

function price(cents: number): string {
  return (cents / 100).toFixed(2).replace(/0$/, '');
}
