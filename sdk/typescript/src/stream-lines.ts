import type { Queued } from './event-queue.js';
import type { Level, OrderBook } from './generated.js';

/** A message as it comes, before anything of it is known. */
export type Message = Readonly<Record<string, unknown>> & { readonly type: string };

type Sides = Pick<OrderBook, 'bids' | 'asks'>;

/** What is known of one market of a channel; of own orders and fills, of all of them. */
interface Line {
  readonly head: Omit<Queued, 'type'>;
  state: 'new' | 'live' | 'stale' | 'closed';
  sequence: unknown;
  book: Readonly<OrderBook> | null;
}

/** How many ids of trades, orders and fills are kept to tell what was told already. */
const REMEMBERED = 10_000;

/** Thrown where an update does not follow the last one: connect anew. */
class SequenceGap extends Error {}

/** The levels with the changes in place, best first; a size of zero removes one. The price as a number tells two texts of one price. */
function changed(levels: readonly Level[], changes: readonly Level[], best: 1 | -1): Level[] {
  const all = new Map([...levels, ...changes].map((level) => [Number(level.price), level]));
  const held = [...all].filter(([, { size }]) => !/^[0.]+$/.test(size));
  return held.sort(([one], [other]) => best * (one - other)).map(([, level]) => level);
}

/** The next version of a book. */
function bookWith(book: Sides | null, { bids, asks, ...head }: Sides): Readonly<OrderBook> {
  const sides = { bids: changed(book?.bids ?? [], bids, -1), asks: changed(book?.asks ?? [], asks, 1) };
  return Object.freeze({ ...book, ...head, ...sides } as OrderBook);
}

/** Turns messages into events: holds the books, folds what comes twice, says what is stale. No clock, no network. */
export class StreamLines {
  readonly #lines = new Map<string, Line>();
  readonly #told = new Map<string, string>();

  /** `expected` lines may be closed, then all is; null where one of them never is. */
  constructor(
    readonly expected: number | null,
    readonly tell: (event: Queued) => void,
  ) {}

  get isOver(): boolean {
    return [...this.#lines.values()].filter(({ state }) => state === 'closed').length === this.expected;
  }

  /** A new connection: what is not closed begins anew. */
  begin(): void {
    for (const line of this.#lines.values())
      if (line.state !== 'closed') Object.assign(line, { state: 'new', book: null });
  }

  /** The connection is lost: says so of each line that was not stale. */
  lose(reason: string): void {
    for (const line of this.#lines.values())
      if (line.state === 'new' || line.state === 'live') this.#become(line, 'stale', { reason });
  }

  take(message: Message): void {
    const line = this.#lineOf(message);
    if (line === null || line.state === 'closed') return;
    if (message.type === 'status') this.#status(line, message);
    else if (line.head.channel === 'orderbooks') this.#book(line, message);
    else if (/^(?:quote|trade|order|fill|snapshot)$/.test(message.type) && this.#isNews(message))
      this.tell(message as Message & Queued);
  }

  #lineOf({ channel, exchange, market_id = null }: Message): Line | null {
    if (typeof channel !== 'string' || typeof exchange !== 'string') return null;
    const isPrivate = channel === 'orders' || channel === 'fills';
    const head = { channel, exchange, market_id: isPrivate ? null : (market_id as string | null) };
    const key = JSON.stringify(head);
    const line = this.#lines.get(key) ?? { head, state: 'new', sequence: null, book: null };
    this.#lines.set(key, line);
    return line;
  }

  #status(line: Line, message: Message): void {
    const { state, reason } = message;
    if (reason === 'gap') this.tell({ ...message, ...line.head, type: 'gap' });
    if (state === 'stale' || state === 'live' || state === 'closed') this.#become(line, state, message);
  }

  #become(line: Line, state: 'stale' | 'live' | 'closed', message: Readonly<Record<string, unknown>>): void {
    line.state = state;
    this.#tell(line, { ...message, type: state });
  }

  #tell(line: Line, message: Message): void {
    const isTrusted = line.state === 'new' || line.state === 'live';
    const shown = line.head.channel === 'orderbooks' ? { book: isTrusted ? line.book : null, data: undefined } : {};
    this.tell({ ...message, ...line.head, ...shown });
  }

  #book(line: Line, message: Message): void {
    const { type, data, sequence, previous_sequence } = message;
    if (type !== 'snapshot' && type !== 'update') return;
    if (type === 'update' && (line.book === null || previous_sequence !== line.sequence)) {
      this.#become(line, 'stale', { reason: 'sequence_gap' });
      throw new SequenceGap();
    }
    line.book = bookWith(type === 'snapshot' ? null : line.book, data as Sides);
    line.sequence = sequence;
    this.#tell(line, message);
  }

  /** Of a trade its id, of a fill its id and status, of an order all of it says whether it was told. */
  #isNews({ type, exchange, data }: Message): boolean {
    if (type === 'quote') return true;
    const items = (type === 'snapshot' ? data : [data]) as { readonly id: string | null; readonly status?: string }[];
    const news = items.filter((item) => {
      const key = JSON.stringify([type === 'snapshot' ? 'order' : type, exchange, item.id]);
      const version = { trade: '', fill: String(item.status) }[type] ?? JSON.stringify(item);
      const isNew = item.id === null || this.#told.get(key) !== version;
      this.#told.delete(key);
      this.#told.set(key, version);
      const [oldest = ''] = this.#told.keys();
      if (this.#told.size > REMEMBERED) this.#told.delete(oldest);
      return isNew;
    });
    return type === 'snapshot' || news.length > 0;
  }
}
