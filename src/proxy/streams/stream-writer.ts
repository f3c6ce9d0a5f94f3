import type { ServerResponse } from 'node:http';
import { AppError } from '../../platform/errors/app-error.js';
import type { Debt, StreamSink } from './channel.contract.js';

/** More than this of what was written is not taken by the socket yet: the reader is behind. */
const BEHIND_BYTES = 64 * 1024;
/** More than this waits for the socket: the reader is too slow. */
const MOST_QUEUED_BYTES = 256 * 1024;
/** A socket that takes nothing for so long is destroyed. */
const STALLED_MS = 30_000;
/** How long a reader whose time is over may take what it was written before its socket is reset. */
const LAST_WORDS_MS = 100;
/** How long any other reader has for that. */
const FAREWELL_MS = 5_000;
const RECONNECT_MS = 2_000;

/** Header lines of a stream (contract.md 5.14). */
const HEAD = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Accel-Buffering': 'no',
} as const;

/** What a writer asks of who owns it. */
export interface StreamOwner {
  /** Whether bytes may be handed to the socket now (S-60). */
  readonly mayWrite: boolean;
  /** The `id` of a message behind which a client may go on; null where nothing resumes. */
  readonly id: string | null;
  wrote(bytes: number): void;
  /** Messages were put together since the reader was slow. */
  conflated(): void;
  /** Ends the stream with this error as its last message. */
  end(error: AppError): void;
}

/** Ends a stream whose reader takes too little of what cannot be put together. */
export function slowConsumer(): AppError {
  const message = 'This reader takes its messages too slowly. Read faster, or ask for fewer markets.';
  return new AppError('slow_consumer', message);
}

/** Sets the header lines of a stream, and sends them. */
export function writeHead(response: ServerResponse): void {
  response.writeHead(200, HEAD);
  response.flushHeaders();
}

/**
 * Writes server-sent events to one socket (contract.md 5.14). It hands the socket little more than that takes, so that what is unsent
 * can be thrown away when the caller may read no more, and one slow reader holds a bounded number of bytes.
 */
export class StreamWriter implements StreamSink {
  readonly #queue: string[] = [];
  #queuedBytes = 0;
  readonly #debts = new Set<Debt>();
  #hasEnded = false;
  #takenBytes = -1;
  #takenAtMs = performance.now();

  constructor(
    private readonly response: ServerResponse,
    private readonly owner: StreamOwner,
  ) {
    response.on('drain', () => {
      this.pump();
    });
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  get isBehind(): boolean {
    return this.#queue.length > 0 || this.#debts.size > 0 || this.#isBlocked;
  }

  /** Whether the socket has not taken all that it was handed. */
  get hasUnsent(): boolean {
    return this.response.writableLength > 0;
  }

  start(): void {
    writeHead(this.response);
    this.#write(`retry: ${RECONNECT_MS}\n\n`);
  }

  tell(message: string): void {
    this.#event(`data: ${message}\n\n`);
  }

  tellResumable(message: string): void {
    this.#event(this.#withId(message));
  }

  owe(debt: Debt): void {
    if (this.#hasEnded) return;
    this.#debts.add(debt);
    if (!this.#isBlocked) this.pump();
  }

  end(error: AppError): void {
    this.owner.end(error);
  }

  /** Writes what waits, as much as the socket takes: to be called when something may have changed. */
  pump(): void {
    while (!this.#hasEnded && !this.#isBlocked) {
      const next = this.#queue.shift();
      if (next === undefined) break;
      this.#queuedBytes -= Buffer.byteLength(next);
      this.#write(next);
    }
    while (!this.#hasEnded && this.#queue.length === 0 && !this.#isBlocked) {
      const [debt] = this.#debts;
      if (debt === undefined) return;
      this.#debts.delete(debt);
      if (debt.hasMore === undefined) this.owner.conflated();
      this.#writeOwed(debt);
      if (debt.hasMore === true) this.#debts.add(debt);
    }
  }

  /** Destroys a socket that takes nothing for too long: to be called every second or so. */
  tick(): void {
    const { socket } = this.response;
    if (socket === null || this.#hasEnded) return;
    const now = performance.now();
    const taken = socket.bytesWritten - socket.writableLength;
    if (taken !== this.#takenBytes || this.response.writableLength === 0) {
      this.#takenBytes = taken;
      this.#takenAtMs = now;
    } else if (now - this.#takenAtMs >= STALLED_MS) this.cut();
  }

  /** Ends with this message behind what was written; `retryMs` says when the client should come again. */
  finish(message: string, retryMs: number | null): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#forget();
    const retry = retryMs === null ? '' : `retry: ${retryMs}\n`;
    this.response.end(`${retry}data: ${message}\n\n`);
    this.#resetAfter(FAREWELL_MS, () => this.response.writableFinished);
  }

  /**
   * Ends a reader who may read no more: what is unsent is thrown away, the message follows where the socket takes it at once, and the
   * socket is reset: an ordinary end would still deliver what lies in the buffers of the kernel (S-60).
   */
  revoke(message: string): void {
    if (this.#hasEnded) return;
    if (this.response.writableLength > 0) {
      this.cut();
      return;
    }
    this.#hasEnded = true;
    this.#forget();
    this.response.end(`data: ${message}\n\n`);
    this.#resetAfter(LAST_WORDS_MS, () => false);
  }

  /** Ends without a word. */
  cut(): void {
    this.#hasEnded = true;
    this.#forget();
    this.#reset();
  }

  get #isBlocked(): boolean {
    return !this.owner.mayWrite || this.response.writableLength > BEHIND_BYTES;
  }

  #event(text: string): void {
    if (this.#hasEnded) return;
    if (!this.isBehind) {
      this.#write(text);
      return;
    }
    this.#queuedBytes += Buffer.byteLength(text);
    this.#queue.push(text);
    if (this.#queuedBytes > MOST_QUEUED_BYTES) this.owner.end(slowConsumer());
  }

  #writeOwed(debt: Debt): void {
    const messages = debt.take();
    for (const [at, message] of messages.entries()) {
      const isLast = at === messages.length - 1;
      this.#write(isLast && debt.isResumable === true ? this.#withId(message) : `data: ${message}\n\n`);
    }
  }

  #withId(message: string): string {
    const { id } = this.owner;
    return id === null ? `data: ${message}\n\n` : `id: ${id}\ndata: ${message}\n\n`;
  }

  #write(text: string): void {
    this.owner.wrote(Buffer.byteLength(text));
    this.response.write(text);
  }

  #resetAfter(ms: number, isTaken: () => boolean): void {
    setTimeout(() => {
      if (!isTaken()) this.#reset();
    }, ms).unref();
  }

  #reset(): void {
    this.response.socket?.resetAndDestroy();
    this.response.destroy();
  }

  #forget(): void {
    this.#queue.length = 0;
    this.#queuedBytes = 0;
    this.#debts.clear();
  }
}
