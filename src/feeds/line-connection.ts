import type { LineEnd } from '../exchanges/feeds.contract.js';
import type { Connect, Wire, WireEvents } from '../platform/upstream/web-socket.js';
import type { FeedClock } from './feed-parts.js';

const FIRST_WAIT_MS = 500;
/** What hangs on a line is right again within 5 s of when the exchange lets us connect (feeds.md 1). */
const LONGEST_WAIT_MS = 4_000;
/** After the exchange said no, or wants fewer connections. */
const REFUSED_WAIT_MS = 30_000;
/** A line that stood so long has not failed at once. */
const STEADY_MS = 60_000;
/** Ended by ourselves for a frame that is too big: less must hang on the next line. */
const TOO_BIG = 1009;

/** Where an attempt goes, and how its line is kept alive. */
export interface LineTarget {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** A line without any frame for so long is dead. */
  readonly silentMs: number;
  /** The text that keeps a line alive; null where the exchange does so itself. */
  readonly ping: { readonly text: string; readonly everyMs: number } | null;
}

/** Why a line ended, where more is known: the HTTP status of a refused handshake, or what kept an attempt from beginning. */
export interface LineFailure {
  readonly status: number | null;
  readonly error: unknown;
}

/** What is said on a connection. */
export interface LineTalk {
  /** Makes an attempt ready: where it throws, the line ends as `lost`. */
  prepare(): Promise<LineTarget>;
  /** The connection stands: returns the frames that begin the talk. */
  opened(): readonly string[];
  /** Hears a frame; returns how the line ends by it, where it does. */
  hear(text: string): LineEnd | undefined;
  /** Says what it means that the exchange closed the connection, by the code and reason of RFC 6455 7.1. */
  closed(code: number, reason: string): LineEnd;
  /** The line has ended, and the next attempt is planned; `silent` where nothing was heard of it for too long. */
  ended(end: LineEnd | 'silent', failure: LineFailure): void;
}

/** What a connection is made of. */
export interface LineParts {
  readonly connect: Connect;
  readonly clock: FeedClock;
  /** From 0 up to 1, without 1. */
  readonly random: () => number;
}

const NO_FAILURE: LineFailure = { status: null, error: null };

/** One connection to an exchange, made again whenever it ends, until it is stopped. */
export class LineConnection {
  #state: 'waiting' | 'connecting' | 'open' | 'stopped' = 'waiting';
  #wire: Wire | null = null;
  #target: LineTarget | null = null;
  /** Rises with every attempt: what an earlier one still says is not heard. */
  #attempt = 0;
  #failures = 0;
  #openedMs = 0;
  #heardMs = 0;
  #pingedMs = 0;
  #cancelWait: () => void = () => undefined;

  constructor(
    private readonly parts: LineParts,
    private readonly talk: LineTalk,
  ) {}

  get isOpen(): boolean {
    return this.#state === 'open';
  }

  /** When anything was last heard, Unix milliseconds; 0 before. */
  get heardMs(): number {
    return this.#heardMs;
  }

  /** Begins the first attempt. */
  start(): void {
    void this.#open();
  }

  send(frames: readonly string[]): void {
    for (const frame of frames) this.#wire?.send(frame);
  }

  /** Ends a line that is silent, and keeps one that is not alive; returns whether the line stands. */
  tick(now: number): boolean {
    if (this.#state !== 'open' || this.#target === null) return false;
    const { silentMs, ping } = this.#target;
    if (now - this.#heardMs >= silentMs) {
      this.#end('silent');
      return false;
    }
    if (ping !== null && now - this.#pingedMs >= ping.everyMs) {
      this.#pingedMs = now;
      this.send([ping.text]);
    }
    return true;
  }

  stop(): void {
    this.#drop();
    this.#state = 'stopped';
  }

  async #open(): Promise<void> {
    const attempt = (this.#attempt += 1);
    this.#state = 'connecting';
    const prepared = await this.talk.prepare().then(
      (target) => ({ target, error: null }),
      (error: unknown) => ({ target: null, error }),
    );
    if (attempt !== this.#attempt) return;
    this.#target = prepared.target;
    if (prepared.target === null) this.#end('lost', { status: null, error: prepared.error });
    else this.#wire = this.parts.connect(prepared.target.url, prepared.target.headers, this.#eventsOf(attempt));
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
          if (this.#state === 'open') this.#end(code === TOO_BIG ? 'slow' : this.talk.closed(code, reason));
          else this.#end(refusal(code), { status: code, error: null });
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
    this.send(this.talk.opened());
  }

  #hear(text: string): void {
    if (this.#state !== 'open') return;
    this.#heardMs = this.parts.clock.now();
    const end = this.talk.hear(text);
    if (end !== undefined) this.#end(end);
  }

  /** The wait doubles from one failure to the next, and begins anew behind a line that stood for a minute. */
  #end(end: LineEnd | 'silent', failure = NO_FAILURE): void {
    const now = this.parts.clock.now();
    if (this.#state === 'open' && now - this.#openedMs >= STEADY_MS) this.#failures = 0;
    this.#drop();
    const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** this.#failures);
    this.#failures += 1;
    const waitMs = end === 'refused' ? REFUSED_WAIT_MS : longest * (0.5 + this.parts.random() / 2);
    this.#cancelWait = this.parts.clock.after(waitMs, () => void this.#open());
    this.talk.ended(end, failure);
  }

  #drop(): void {
    this.#attempt += 1;
    this.#cancelWait();
    this.#wire?.end();
    this.#wire = null;
    this.#state = 'waiting';
  }
}

/** What it means that a handshake failed: by the HTTP status, where there was an answer. */
function refusal(code: number): LineEnd {
  return code >= 400 && code < 500 ? 'refused' : 'lost';
}
