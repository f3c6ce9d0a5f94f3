import type { Debt, StreamSink } from './channel.contract.js';
import { slowConsumer } from './stream-writer.js';

/** Messages that are owed and written at once. */
const PAGE = 20;
/** More bytes than these behind what is owed: the reader is too slow. */
const MOST_BEHIND_BYTES = 256 * 1024;

interface Owed {
  readonly text: () => string;
  /** What it counts behind what is owed at a start. */
  readonly bytes: number;
  readonly written: () => void;
}

/** The messages of one line in their order: at once, or behind what is owed page by page as the reader takes it, which is no queue. */
export class OrderedTexts implements Debt {
  #owed: Owed[] = [];
  #behindBytes = 0;

  /** `isResumable`: whether a client may go on behind each of them. */
  constructor(
    private readonly sink: StreamSink,
    readonly isResumable: boolean,
  ) {}

  get hasMore(): boolean {
    return this.#owed.length > 0;
  }

  /** `written` is called as the message is written, or queued to be. */
  tell(text: string, written: () => void = nothing): void {
    if (this.#owed.length === 0) {
      written();
      if (this.isResumable) this.sink.tellResumable(text);
      else this.sink.tell(text);
      return;
    }
    const bytes = Buffer.byteLength(text);
    this.#owed.push({ text: () => text, bytes, written });
    this.#behindBytes += bytes;
    if (this.#behindBytes > MOST_BEHIND_BYTES) this.sink.end(slowConsumer());
  }

  /** Owes a message, however long: its text is made as it is written, so that who reads slowly holds none. */
  owe(text: () => string, written: () => void = nothing): void {
    this.#owed.push({ text, bytes: 0, written });
    this.sink.owe(this);
  }

  /** Owes nothing any more: what comes replaces all. */
  forget(): void {
    this.#owed = [];
    this.#behindBytes = 0;
  }

  take(): readonly string[] {
    const page = this.#owed.splice(0, PAGE);
    for (const { bytes, written } of page) {
      this.#behindBytes -= bytes;
      written();
    }
    return page.map(({ text }) => text());
  }
}

function nothing(): void {
  // Nobody wants to know.
}
