import type { AnySignal } from './stop-signal.js';
import type { Priority } from './priority.js';
import type { UpstreamClock } from './upstream-clock.js';

/** Header lines beside the fixed ones; a name that is also fixed replaces it. */
export type UpstreamHeaders = Readonly<Record<string, string>>;

/** One call to an exchange or provider. */
export interface UpstreamRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Below the base address, beginning with `/`, every segment percent-encoded (`pathOf`). */
  readonly path: string;
  readonly query?: readonly (readonly [name: string, value: string])[];
  /**
   * Beside the fixed ones (`accept`, `accept-encoding`, `user-agent`, `content-type` with a body); nothing else is ever
   * sent (S-49). A function is called anew just before each attempt, so that a repeated read is signed with a fresh time.
   */
  readonly headers?: UpstreamHeaders | (() => UpstreamHeaders | Promise<UpstreamHeaders>);
  /** The very text to send, since it may be signed. */
  readonly body?: string;
  /** Calls for orders leave before reads, and cancels before both. */
  readonly priority?: Priority;
  /** Ends a read early; of another method only what has not been sent yet. */
  readonly signal?: AnySignal;
  /** An unsigned read, the same for everyone: merged while in flight, cached, paused after a 429. Only for GET. */
  readonly shared?: boolean;
  /** A read is made once, whatever becomes of it. */
  readonly once?: boolean;
  /** The most bytes of an answer, after decompression; the client's own bound where left out. */
  readonly maxBodyBytes?: number;
  /** Skips the cache of shared reads. */
  readonly fresh?: boolean;
  /**
   * Awaited when the call has its place and its headers, just before the first byte; what it throws is thrown, and nothing is
   * sent then. Not for shared reads.
   */
  readonly beforeSend?: () => Promise<void>;
  /**
   * In place of headers, body and `beforeSend`, for what depends on who else leaves with the call: awaited when the call has its place; what
   * it throws is thrown, and nothing is sent then. Not for reads.
   */
  readonly make?: () => Promise<{ readonly headers: UpstreamHeaders; readonly body: string }>;
}

/** What came back, whatever its status; redirects, unreadable 2xx bodies and too large ones throw instead. */
export interface UpstreamResponse {
  readonly status: number;
  /**
   * Parsed JSON; undefined where empty, or not JSON on a status that is not 2xx. Not to be changed: a shared read returns
   * the same object to several callers.
   */
  readonly body: unknown;
  /** At most `MAX_PAUSE_SECONDS`. */
  readonly retryAfterSeconds: number | null;
  readonly receivedAt: Date;
  /** The announcement of the other server that it will withdraw this route; left out where there is none. */
  readonly withdrawal?: Withdrawal;
}

/** The other server's own text, at most 100 characters: of `Deprecation` (RFC 9745) and `Sunset` (RFC 8594). */
export interface Withdrawal {
  readonly deprecation: string | null;
  readonly sunset: string | null;
}

export type UpstreamFailure =
  /** No connection; nothing was sent. */
  | 'unreachable'
  /** Too many calls wait already; nothing was sent. */
  | 'busy'
  /** The breaker is open or the exchange asked for a pause; nothing was sent. */
  | 'paused'
  /** The caller went away. */
  | 'aborted'
  | 'timeout'
  /** The connection broke. */
  | 'interrupted'
  /** A 2xx that is not JSON, or a body that does not match its length or encoding. */
  | 'unreadable'
  | 'too_large'
  | 'redirect';

/**
 * A call without a usable answer. `sent` is false only where it is certain that no byte of the request left. Holds nothing
 * of the request and no text of the answer, so that it may be logged.
 */
export class UpstreamError extends Error {
  override readonly name = 'UpstreamError';

  constructor(
    readonly failure: UpstreamFailure,
    readonly sent: boolean,
    readonly options: { readonly retryAfterSeconds?: number; readonly status?: number; readonly cause?: unknown } = {},
  ) {
    super(`upstream call failed: ${failure}`, { cause: options.cause });
  }
}

export interface UpstreamClient {
  readonly clock: UpstreamClock;
  request(request: UpstreamRequest): Promise<UpstreamResponse>;
  close(): Promise<void>;
}
