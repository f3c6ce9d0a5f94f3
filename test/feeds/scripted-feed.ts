import type { BookRef, Feeds, ReadBook } from '../../src/exchanges/feeds.contract.js';
import { BookFeed } from '../../src/feeds/book-feed.js';
import type { Standing } from '../../src/feeds/feed-parts.js';
import type { BookReader, ReaderMessage } from '../../src/feeds/watched-book.js';
import type { Connect, WireEvents } from '../../src/platform/upstream/web-socket.js';
import { ScriptedClock } from './scripted-clock.js';
import { POLYMARKET_SPEECH } from './speeches.js';

/** A connection that a test speaks on. */
export interface ScriptedLine {
  readonly events: WireEvents;
  /** What the feed sent. */
  readonly sent: string[];
  hasEnded: boolean;
}

/** One who notes what is told, in short: `snapshot initial 1`, `update 1>2`, `stale silent`. */
export class Listener implements BookReader {
  readonly told: string[] = [];
  readonly messages: ReaderMessage[] = [];

  tell(message: ReaderMessage): void {
    this.messages.push(message);
    if (message.type === 'snapshot') this.told.push(`snapshot ${message.reason} ${message.book.sequence}`);
    else if (message.type === 'update') this.told.push(`update ${message.previous}>${message.sequence}`);
    else this.told.push(message.reason === null ? message.state : `${message.state} ${message.reason}`);
  }
}

export function ref(key: string, index: 0 | 1 = 0): BookRef {
  return { key, marketId: key, index, label: 'Yes' };
}

/** A whole book as Polymarket's market channel says it. */
function bookFrame(asset_id: string, timestamp: number, size = '10'): string {
  const bids = [{ price: '0.4', size }];
  const asks = [{ price: '0.6', size: '5' }];
  return JSON.stringify({ event_type: 'book', asset_id, timestamp: String(timestamp), hash: 'h', bids, asks });
}

/** A feed whose connections, time and HTTP answers are those of a test. */
export class ScriptedFeed {
  readonly clock = new ScriptedClock();
  readonly lines: ScriptedLine[] = [];
  readonly standings = new Map<string, Standing>();
  /** How many whole books one call of HTTP reads, and what it reads. */
  read: (keys: readonly string[]) => Promise<readonly ReadBook[]> = () => Promise.resolve([]);
  readonly feed: BookFeed;

  constructor(private readonly how: { readonly booksPerLine?: number; readonly isPolled?: boolean } = {}) {
    const connect: Connect = (_url, _headers, events) => {
      const line: ScriptedLine = { events, sent: [], hasEnded: false };
      this.lines.push(line);
      return {
        send: (frame) => line.sent.push(frame),
        end: () => (line.hasEnded = true),
      };
    };
    this.feed = new BookFeed({
      stream: this.feeds.stream,
      connect,
      clock: this.clock,
      random: () => 0,
      flushMs: 0,
      readStandings: () => Promise.resolve(this.standings),
      heard: () => undefined,
    });
    this.clock.every(250, () => {
      this.feed.tick();
    });
  }

  get feeds(): Feeds {
    const { booksPerLine = POLYMARKET_SPEECH.stream.booksPerLine, isPolled = false } = this.how;
    const connection = { url: 'wss://exchange.test', headers: () => Promise.resolve({}) };
    return {
      stream: isPolled ? null : { ...POLYMARKET_SPEECH.stream, ...connection, booksPerLine },
      booksPerRead: 2,
      bookOf: ({ id }) => ref(id),
      indexOf: (_market, outcome) => (outcome === '1' ? 1 : 0),
      readBooks: (keys) => this.read(keys),
    };
  }

  /** The line that was begun as the one after so many others, open. */
  async opened(at: number): Promise<ScriptedLine> {
    await this.clock.run(0);
    for (let turn = 0; turn < 8; turn += 1) await Promise.resolve();
    const line = this.lines[at];
    if (line === undefined) throw new Error(`only ${this.lines.length} lines were begun`);
    line.events.opened();
    return line;
  }

  say(line: ScriptedLine, key: string, size?: string): void {
    line.events.frame(bookFrame(key, this.clock.now(), size));
  }
}
