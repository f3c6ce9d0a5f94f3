import type { ServerResponse } from 'node:http';
import type { AppError } from '../../platform/errors/app-error.js';
import type { OpenLine, StreamSink } from './channel.contract.js';
import type { StreamCaller, Verdict } from './stream-grants.js';
import { type StreamOwner, StreamWriter } from './stream-writer.js';

const HEARTBEAT_MS = 15_000;
/** How long a stream waits for the database before it ends. */
const HELD_BACK_MS = 8_000;

/** What a stream is made of. */
export interface StreamParts {
  readonly caller: StreamCaller;
  readonly lines: readonly OpenLine[];
  /** Makes the `id` behind which a client may go on, of where the lines are. */
  readonly id: () => string | null;
  /** Makes the text of the last message. */
  readonly errorText: (error: AppError) => string;
  readonly noteBytes: (bytes: number) => void;
  readonly noteConflation: () => void;
  /** Is called once: with the error that ended it, or null where the reader left. */
  readonly closed: (error: AppError | null) => void;
}

/** One open stream: its lines, the reading that lets it go on, and the writer to its reader. */
export class StreamConnection implements StreamOwner {
  readonly caller: StreamCaller;
  readonly #writer: StreamWriter;
  #until: number;
  #heldSince: number | null = null;
  #beatAt = performance.now() + HEARTBEAT_MS;
  #isClosed = false;

  constructor(
    response: ServerResponse,
    private readonly parts: StreamParts,
    verdict: Verdict,
  ) {
    this.caller = parts.caller;
    this.#until = verdict.until;
    this.#writer = new StreamWriter(response, this);
    response.once('close', () => {
      this.#close(null);
    });
  }

  get mayWrite(): boolean {
    return performance.now() < this.#until;
  }

  get id(): string | null {
    return this.parts.id();
  }

  /** Sends the header lines, and lets the lines tell. */
  start(): void {
    this.#writer.start();
    const sink: StreamSink = this.#writer;
    for (const line of this.parts.lines) if (!this.#isClosed) line.begin(sink);
  }

  /** Goes by a newer reading of the database. */
  apply({ refusal, until }: Verdict): void {
    if (this.#isClosed) return;
    if (refusal !== null) {
      this.#writer.revoke(this.parts.errorText(refusal));
      this.#close(refusal);
      return;
    }
    this.#until = until;
    this.#writer.pump();
  }

  /**
   * Does what time brings, with the error for a database that is away for too long: to be called several times a second. What a socket has
   * not taken cannot be held back, so it is thrown away as soon as nothing may be written (S-60).
   */
  tick(unavailable: () => AppError): void {
    if (this.#isClosed) return;
    const now = performance.now();
    this.#heldSince = this.mayWrite ? null : (this.#heldSince ?? now);
    if (this.#heldSince !== null && (this.#writer.hasUnsent || now - this.#heldSince >= HELD_BACK_MS)) {
      const error = unavailable();
      this.#writer.revoke(this.parts.errorText(error));
      this.#close(error);
      return;
    }
    this.#writer.tick();
    if (now < this.#beatAt || this.#writer.isBehind) return;
    this.#beatAt = now + HEARTBEAT_MS;
    this.#writer.tellResumable(this.#heartbeat());
  }

  /** Ends with this error; `retryMs` says when the client should come again. */
  end(error: AppError, retryMs: number | null = null): void {
    if (this.#isClosed) return;
    const text = this.parts.errorText(error);
    if (this.mayWrite) this.#writer.finish(text, retryMs);
    else this.#writer.cut();
    this.#close(error);
  }

  wrote(bytes: number): void {
    this.parts.noteBytes(bytes);
  }

  conflated(): void {
    this.parts.noteConflation();
  }

  #heartbeat(): string {
    const healths = this.parts.lines.map(({ health }) => health);
    const heard = healths.map(({ lastFrameMs }) => lastFrameMs);
    const oldest = heard.some((time) => time === null) ? null : Math.min(...heard.map(Number));
    const sum = (of: 'live' | 'stale'): number => healths.reduce((total, health) => total + health[of], 0);
    return JSON.stringify({
      type: 'heartbeat',
      timestamp: new Date().toISOString(),
      exchange_connected: healths.every(({ isConnected }) => isConnected),
      last_frame_at: oldest === null ? null : new Date(oldest).toISOString(),
      live: sum('live'),
      stale: sum('stale'),
    });
  }

  #close(error: AppError | null): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (!this.#writer.hasEnded) this.#writer.cut();
    for (const line of this.parts.lines) line.close();
    this.parts.closed(error);
  }
}
