import { AppError } from '../../platform/errors/app-error.js';
import type { LineHealth, OpenLine, StreamSink } from './channel.contract.js';
import { OrderedTexts } from './ordered-texts.js';
import type { OwnAccount } from './own-accounts.js';
import type { OwnMessage, OwnReader } from './own-events.js';

/** What one channel makes of what becomes of an account. */
export interface OwnTeller {
  readonly isResumable: boolean;
  /** As `OpenLine.position`. */
  readonly position: unknown;
  /** Tells what comes before all else. */
  begin?(texts: OrderedTexts): void;
  tell(message: OwnMessage, texts: OrderedTexts): void;
}

/** Messages that wait for a line to begin. */
const MOST_EARLY = 1_000;

/** Own orders or fills for one reader, who gets all of them, from the opening on. */
export class OwnLine implements OpenLine, OwnReader {
  /** What was told before the line began: seconds at most. */
  #early: OwnMessage[] = [];
  #sink: StreamSink | undefined;
  #texts: OrderedTexts | undefined;
  readonly #leave: () => void;

  constructor(
    private readonly account: OwnAccount,
    private readonly teller: OwnTeller,
  ) {
    this.#leave = account.events.begin(this);
  }

  get credentialsVersion(): string {
    return this.account.version;
  }

  get position(): unknown {
    return this.teller.position;
  }

  get health(): LineHealth {
    const { status, heardMs } = this.account.feed;
    const isLive = status.state === 'live';
    return { isConnected: isLive, lastFrameMs: heardMs, live: isLive ? 1 : 0, stale: isLive ? 0 : 1 };
  }

  begin(sink: StreamSink): void {
    this.#sink = sink;
    this.#texts = new OrderedTexts(sink, this.teller.isResumable);
    this.teller.begin?.(this.#texts);
    for (const message of this.#early.splice(0)) this.tell(message);
  }

  tell(message: OwnMessage): void {
    if (this.#texts === undefined) this.#keep(message);
    else if (message.type === 'failed') this.#sink?.end(errorOf(message.error));
    else this.teller.tell(message, this.#texts);
  }

  #keep(message: OwnMessage): void {
    const isFull = this.#early.length >= MOST_EARLY;
    if (isFull) this.#early = [{ type: 'failed', error: tooMuch() }];
    else if (this.#early[0]?.type !== 'failed') this.#early.push(message);
  }

  close(): void {
    this.#leave();
    this.account.release();
  }
}

function tooMuch(): AppError {
  return new AppError('service_unavailable', 'Too much happened while the stream was opened. Open it again.');
}

function errorOf(error: unknown): AppError {
  if (error instanceof AppError) return error;
  return new AppError('internal_error', 'The stream cannot go on. Open it again.', { cause: error });
}
