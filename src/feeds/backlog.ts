import type { LevelChange } from '../exchanges/feeds.contract.js';
import type { BookDetails, StatusMessage, WholeBook } from './book-messages.js';
import type { ReaderMessage } from './watched-book.js';

/** What a reader of a book is sent: as it is told, or what became of it while it could not be sent. */
export type SentMessage =
  | Exclude<ReaderMessage, { type: 'snapshot' }>
  | { readonly type: 'snapshot'; readonly reason: 'initial' | 'resync' | 'conflated'; readonly book: WholeBook };

interface Changes {
  readonly previous: number;
  sequence: number;
  details: BookDetails;
  readonly levels: Map<string, LevelChange>;
}

/**
 * What one slow reader of one book is still owed. It never grows beyond the book: changes become one, more changes than the book has
 * levels become the whole book, and what is no longer so is forgotten.
 */
export class Backlog {
  #whole: 'initial' | 'resync' | 'conflated' | null = null;
  #changes: Changes | null = null;
  #status: StatusMessage | null = null;

  /** `current` returns the book as it stands now; null while it cannot be shown. */
  constructor(private readonly current: () => WholeBook | null) {}

  get isEmpty(): boolean {
    return this.#whole === null && this.#changes === null && this.#status === null;
  }

  /** Keeps a message for later. */
  add(message: ReaderMessage): void {
    if (message.type === 'status') this.#addStatus(message);
    else if (message.type === 'snapshot') this.#owe(this.#whole ?? message.reason);
    else if (this.#whole === null) this.#addChanges(message);
  }

  /** Returns what is owed now, in the order in which it is sent, and owes nothing more but what cannot be shown yet. */
  take(): SentMessage[] {
    const messages = [...this.#takeBook(), ...(this.#status === null ? [] : [this.#status])];
    this.#status = null;
    return messages;
  }

  /** A stale book has no changes: a whole one follows when it is right again. */
  #addStatus(status: StatusMessage): void {
    this.#status = status;
    if (status.state === 'live') return;
    this.#changes = null;
    if (this.#whole !== 'initial') this.#whole = null;
  }

  #addChanges({ previous, sequence, changes, details }: ReaderMessage & { type: 'update' }): void {
    this.#changes ??= { previous, sequence, details, levels: new Map() };
    this.#changes.sequence = sequence;
    this.#changes.details = details;
    for (const change of changes) this.#changes.levels.set(`${change.side} ${change.price}`, change);
    const book = this.#changes.levels.size > FEWEST_LEVELS ? this.current() : null;
    if (book !== null && this.#changes.levels.size > book.bids.length + book.asks.length) this.#owe('conflated');
  }

  #owe(reason: 'initial' | 'resync' | 'conflated'): void {
    this.#whole = reason;
    this.#changes = null;
  }

  #takeBook(): SentMessage[] {
    const reason = this.#whole;
    if (reason !== null) {
      const book = this.current();
      if (book === null) return [];
      this.#whole = null;
      return [{ type: 'snapshot', reason, book }];
    }
    if (this.#changes === null) return [];
    const { previous, sequence, details, levels } = this.#changes;
    this.#changes = null;
    return [{ type: 'update', previous, sequence, details, changes: [...levels.values()] }];
  }
}

/** So few changes are kept whatever the book is like: to look at it costs more. */
const FEWEST_LEVELS = 100;
