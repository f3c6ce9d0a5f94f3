import type { Dispatcher, Pool } from 'undici';
import type { CallLimit } from './call-limit.js';
import { codeOf, withoutText } from './failure-cause.js';
import { UpstreamError, type UpstreamFailure } from './upstream-client.js';

/** One request as it goes on the wire, and what it may cost. */
export interface AttemptRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly connectTimeoutMs: number;
  readonly headersTimeoutMs: number;
  readonly maxBodyBytes: number;
}

/** An answer as received: header names in lower case, the body still encoded. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Buffer;
  /** When the request went out and when the header lines had come, by `performance.now()`. */
  readonly sentAt: number;
  readonly answeredAt: number;
}

/** Answers that contradict themselves or HTTP, rather than connections that broke (S-50, R-15). */
const UNREADABLE: ReadonlySet<string> = new Set([
  'HTTPParserError',
  'ResponseContentLengthMismatchError',
  'HeadersOverflowError',
]);
/** The other side closed the connection in good order. */
const CLOSED = 'UND_ERR_SOCKET';

/**
 * One request over the pool, once. undici calls `onRequestStart` in the very step in which it writes the request to the
 * connection, and never before; so as long as it has not been called, no byte of the request has left.
 */
export class Attempt implements Dispatcher.DispatchHandler {
  readonly #chunks: Buffer[] = [];
  readonly #forgetLimit: () => void;
  #timer: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | null = null;
  #size = 0;
  #status = 0;
  #headers: RawAnswer['headers'] = {};
  #sentAt = 0;
  #answeredAt = 0;
  #over = false;

  private constructor(
    private readonly request: AttemptRequest,
    private readonly limit: CallLimit,
    private readonly resolve: (answer: RawAnswer) => void,
    private readonly reject: (error: Error) => void,
  ) {
    this.#timer = setTimeout(() => {
      this.#fail('unreachable');
    }, request.connectTimeoutMs);
    this.#forgetLimit = limit.onEnd(() => {
      this.#end(limit.error(this.#sent));
    });
  }

  /** Throws UpstreamError, within the limit; `aborted` where the signal of the call ends it. */
  static make(pool: Pool, request: AttemptRequest, limit: CallLimit): Promise<RawAnswer> {
    limit.throwIfOver();
    const { method, target: path, headers, body = null } = request;
    return new Promise((resolve, reject) => {
      const attempt = new Attempt(request, limit, resolve, reject);
      pool.dispatch({ method, path, headers: { ...headers }, body, reset: false }, attempt);
    });
  }

  get #sent(): boolean {
    return this.#controller !== null;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#over) {
      controller.abort(new Error('given up'));
      return;
    }
    this.#controller = controller;
    this.#sentAt = performance.now();
    if (this.request.method !== 'GET') this.limit.keepWithoutCaller();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#fail('timeout');
    }, this.request.headersTimeoutMs);
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: RawAnswer['headers']): void {
    if (status < 200) return;
    clearTimeout(this.#timer);
    this.#answeredAt = performance.now();
    this.#status = status;
    this.#headers = headers;
    if (status >= 300 && status < 400) this.#fail('redirect');
    else if (Number(headers['content-length']) > this.request.maxBodyBytes) this.#fail('too_large');
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#size += chunk.length;
    if (this.#size > this.request.maxBodyBytes) this.#fail('too_large');
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    if (!this.#finish()) return;
    this.resolve({
      status: this.#status,
      headers: this.#headers,
      bytes: this.#bytes,
      sentAt: this.#sentAt,
      answeredAt: this.#answeredAt,
    });
  }

  /** Without a copy where it came in one piece. */
  get #bytes(): Buffer {
    const [first, ...others] = this.#chunks;
    return first !== undefined && others.length === 0 ? first : Buffer.concat(this.#chunks);
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    const code = codeOf(error);
    if (code === 'UND_ERR_INVALID_ARG') {
      this.#end(new TypeError('an upstream request cannot be written as HTTP', { cause: withoutText(error) }));
    } else if (!this.#sent) this.#fail('unreachable', error);
    else if (UNREADABLE.has(error.name) || (code === CLOSED && this.#status > 0)) this.#fail('unreadable', error);
    else this.#fail('interrupted', error);
  }

  #fail(failure: UpstreamFailure, cause?: Error): void {
    const status = this.#status > 0 ? { status: this.#status } : {};
    const options = { ...status, ...(cause && { cause: withoutText(cause) }) };
    this.#end(new UpstreamError(failure, this.#sent, options));
  }

  /** Ends with an error; the connection cannot be used for another request then. */
  #end(error: Error): void {
    if (!this.#finish()) return;
    this.reject(error);
    this.#controller?.abort(new Error('given up'));
  }

  /** Stops waiting; false where the attempt is over already. */
  #finish(): boolean {
    if (this.#over) return false;
    this.#over = true;
    clearTimeout(this.#timer);
    this.#forgetLimit();
    return true;
  }
}
