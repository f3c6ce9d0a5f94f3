import { currentCallContext } from './call-context.js';
import { Pool } from 'undici';
import { Breaker, type BreakerState, type Proof } from './breaker.js';
import { Bulkhead } from './bulkhead.js';
import { CallLimit } from './call-limit.js';
import {
  CONNECT_TIMEOUT_MS,
  FAIR_SHARE,
  HEADERS_TIMEOUT_MS,
  KEEP_ALIVE_MAX_MS,
  KEEP_ALIVE_MS,
  LEAST_SHARE,
  MAX_BODY_BYTES,
  MAX_IN_FLIGHT,
  MAX_WAITING,
  RETRY_JITTER_MS,
  USER_AGENT,
} from './http.constants.js';
import { requestTarget } from './path.js';
import type { Pause } from './pause.js';
import { headerOf, readBody } from './response-body.js';
import { retryAfterSeconds } from './retry-after.js';
import { RetryBudget } from './retry-budget.js';
import { SharedReads, type SizedResponse } from './shared-reads.js';
import { Attempt, type AttemptRequest, type RawAnswer } from './upstream-attempt.js';
import {
  type UpstreamClient,
  UpstreamError,
  type UpstreamHeaders,
  type UpstreamRequest,
  type UpstreamResponse,
} from './upstream-client.js';
import { UpstreamClock } from './upstream-clock.js';

export interface UpstreamClientOptions {
  /** For logs and metrics. */
  readonly name: string;
  /** Absolute, without a trailing slash, query and user: `https://host/path`. */
  readonly baseUrl: string;
  /** One call, whole: queue, pauses, retry and body included. */
  readonly timeoutMs: number;
  /** How long answers of shared reads are kept; 0 is off. */
  readonly cacheTtlMs?: number;
  /** After decompression; 5 MiB where left out. */
  readonly maxBodyBytes?: number;
  readonly clock?: UpstreamClock;
  /** What the hosts of one exchange have in common; of its own where left out. */
  readonly limits?: { readonly bulkhead: Bulkhead; readonly pause: Pause };
}

/** What `/metrics` may show of one client: no secrets, no user ids. */
export interface UpstreamStatus {
  readonly name: string;
  readonly inFlight: number;
  readonly waiting: number;
  readonly breaker: BreakerState;
  /** Attempts so far by how they ended: an UpstreamFailure, or `2xx`, `4xx`, `5xx`. */
  readonly outcomes: Readonly<Record<string, number>>;
  readonly clockSkewMs: number | null;
}

/** How an attempt ended. */
type Outcome = { readonly sized: SizedResponse } | { readonly error: unknown };

const CONNECTION_FAILURES: ReadonlySet<string> = new Set(['unreachable', 'timeout', 'interrupted']);
const RETRIED_STATUSES: ReadonlySet<number> = new Set([502, 503, 504]);

/**
 * What an ended attempt proves of the other server: 5xx, broken connections and time-outs speak against it, but a time-out
 * only where it `hadTime`, for a wait in our own queue is not its fault.
 */
function proofOf(outcome: Outcome, hadTime: boolean): Proof {
  if ('sized' in outcome) return outcome.sized.response.status >= 500 ? 'failing' : 'alive';
  if (!(outcome.error instanceof UpstreamError)) return 'nothing';
  const { failure } = outcome.error;
  if (failure === 'aborted' || (failure === 'timeout' && !hadTime)) return 'nothing';
  return CONNECTION_FAILURES.has(failure) ? 'failing' : 'alive';
}

function labelOf(outcome: Outcome): string {
  if ('sized' in outcome) return `${Math.floor(outcome.sized.response.status / 100)}xx`;
  return outcome.error instanceof UpstreamError ? outcome.error.failure : 'internal';
}

/** Connect failures, 502, 503 and 504 of a read; not where the other server asks to come back later. */
function isWorthRetrying(outcome: Outcome): boolean {
  if ('error' in outcome) return outcome.error instanceof UpstreamError && outcome.error.failure === 'unreachable';
  const { status, retryAfterSeconds: wait } = outcome.sized.response;
  return RETRIED_STATUSES.has(status) && (wait ?? 0) === 0;
}

function unwrap(outcome: Outcome): SizedResponse {
  if ('error' in outcome) throw outcome.error;
  return outcome.sized;
}

/** Refused by the breaker or the queue, or out of time, before a byte left: it says nothing that is new. */
function wasNotMade(outcome: Outcome): boolean {
  if (!('error' in outcome) || !(outcome.error instanceof UpstreamError)) return false;
  const { failure, sent } = outcome.error;
  return !sent && (failure === 'paused' || failure === 'busy' || failure === 'timeout');
}

/** All header lines that we choose, written from scratch (S-49); undici adds `host`, `connection`, `content-length`. */
async function headersOf(request: UpstreamRequest): Promise<UpstreamHeaders> {
  const own = typeof request.headers === 'function' ? await request.headers() : (request.headers ?? {});
  const replaced = new Set(Object.keys(own).map((name) => name.toLowerCase()));
  const fixed = Object.entries({
    accept: 'application/json',
    'accept-encoding': 'gzip, deflate, br',
    'user-agent': USER_AGENT,
    ...(request.body !== undefined && { 'content-type': 'application/json' }),
  });
  return { ...Object.fromEntries(fixed.filter(([name]) => !replaced.has(name))), ...own };
}

/** A read as the request being answered wants it; what the call itself says goes first, and either may end it. */
function inContext(request: UpstreamRequest): UpstreamRequest {
  const context = currentCallContext();
  if (context === undefined || request.method !== 'GET') return request;
  const signals = [request.signal, context.signal].filter((signal) => signal !== undefined);
  if (signals.length === 0) return { fresh: context.fresh, ...request };
  return { fresh: context.fresh, ...request, signal: AbortSignal.any(signals) };
}

/** The one HTTP client: time and size limits, bulkhead, breaker, one retry for reads. */
export class HttpUpstreamClient implements UpstreamClient {
  readonly clock: UpstreamClock;
  readonly #pool: Pool;
  readonly #basePath: string;
  readonly #bulkhead: Bulkhead;
  readonly #breaker: Breaker;
  readonly #retries = new RetryBudget();
  readonly #shared: SharedReads;
  readonly #reads = new Set<CallLimit>();
  #closed: Promise<void> | null = null;
  #inFlight = 0;
  #waiting = 0;
  readonly #outcomes = new Map<string, number>();
  readonly #limits: Pick<AttemptRequest, 'connectTimeoutMs' | 'headersTimeoutMs' | 'maxBodyBytes'>;

  constructor(private readonly options: UpstreamClientOptions) {
    const base = new URL(options.baseUrl);
    this.#limits = {
      connectTimeoutMs: Math.min(CONNECT_TIMEOUT_MS, options.timeoutMs),
      headersTimeoutMs: Math.min(HEADERS_TIMEOUT_MS, options.timeoutMs),
      maxBodyBytes: options.maxBodyBytes ?? MAX_BODY_BYTES,
    };
    this.#basePath = base.pathname.replace(/(?<!\/)\/+$/, '');
    this.clock = options.clock ?? new UpstreamClock(undefined, options.name);
    this.#breaker = new Breaker(options.name);
    this.#bulkhead = options.limits?.bulkhead ?? new Bulkhead(MAX_IN_FLIGHT, MAX_WAITING);
    this.#shared = new SharedReads(options.cacheTtlMs ?? 0, options.limits?.pause);
    this.#pool = new Pool(base.origin, {
      connections: MAX_IN_FLIGHT,
      pipelining: 1,
      allowH2: false,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MAX_MS,
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: { timeout: this.#limits.connectTimeoutMs, rejectUnauthorized: true },
    });
  }

  get status(): UpstreamStatus {
    return {
      name: this.options.name,
      inFlight: this.#inFlight,
      waiting: this.#waiting,
      breaker: this.#breaker.state,
      outcomes: Object.fromEntries(this.#outcomes),
      clockSkewMs: this.clock.skewMs,
    };
  }

  /** One call; every wait in it ends within `timeoutMs`. Throws UpstreamError, or TypeError for a call that is no HTTP. */
  async request(asked: UpstreamRequest): Promise<UpstreamResponse> {
    const request = inContext(asked);
    const target = requestTarget(this.#basePath, request.path, request.query);
    if (request.shared === true && request.method === 'GET') {
      return this.#shared.read(target, { fresh: request.fresh === true, caller: request.signal }, async (signal) =>
        this.#call({ ...request, signal }, target),
      );
    }
    return (await this.#call(request, target)).response;
  }

  /** Ends running reads, waits for other calls (each ends within its time), then closes all connections. */
  async close(): Promise<void> {
    for (const read of this.#reads) read.end('aborted');
    this.#shared.clear();
    this.#closed ??= this.#pool.close();
    await this.#closed;
  }

  async #call(request: UpstreamRequest, target: string): Promise<SizedResponse> {
    const limit = new CallLimit(this.options.timeoutMs, request.signal);
    if (request.method === 'GET') this.#reads.add(limit);
    try {
      this.#retries.earn();
      const first = await this.#attempt(request, target, limit);
      const pauseMs = Math.random() * RETRY_JITTER_MS;
      const mayRetry = request.method === 'GET' && isWorthRetrying(first) && pauseMs < limit.remainingMs;
      if (!mayRetry || !this.#retries.spend()) return unwrap(first);
      await limit.sleep(pauseMs);
      const second = await this.#attempt(request, target, limit);
      return unwrap(wasNotMade(second) ? first : second);
    } finally {
      limit.dispose();
      this.#reads.delete(limit);
    }
  }

  /**
   * Never throws: how it ended is counted, judged by the breaker and perhaps tried again. What has hardly any time left
   * after the queue is not sent.
   */
  async #attempt(request: UpstreamRequest, target: string, limit: CallLimit): Promise<Outcome> {
    let outcome: Outcome;
    try {
      limit.throwIfOver();
      this.#breaker.check();
      await this.#enter(request, limit);
      try {
        if (limit.remainingMs < this.options.timeoutMs * LEAST_SHARE) throw limit.error(false);
        outcome = await this.#judged(request, target, limit);
      } finally {
        this.#inFlight--;
        this.#bulkhead.leave();
      }
    } catch (error) {
      outcome = { error };
    }
    const label = labelOf(outcome);
    this.#outcomes.set(label, (this.#outcomes.get(label) ?? 0) + 1);
    return outcome;
  }

  /** Waits for a place among the calls in flight. */
  async #enter({ priority = 'read' }: UpstreamRequest, limit: CallLimit): Promise<void> {
    this.#waiting++;
    try {
      await this.#bulkhead.enter(priority, limit);
    } finally {
      this.#waiting--;
    }
    this.#inFlight++;
  }

  async #judged(request: UpstreamRequest, target: string, limit: CallLimit): Promise<Outcome> {
    const headers = await limit.within(headersOf(request), false);
    const tell = this.#breaker.enter();
    const hadTime = limit.remainingMs >= Math.min(HEADERS_TIMEOUT_MS, this.options.timeoutMs * FAIR_SHARE);
    let outcome: Outcome;
    try {
      outcome = { sized: await this.#send({ ...request, headers }, target, limit) };
    } catch (error) {
      outcome = { error };
    }
    tell(proofOf(outcome, hadTime));
    return outcome;
  }

  async #send(
    { method, body, headers }: UpstreamRequest & { readonly headers: UpstreamHeaders },
    target: string,
    limit: CallLimit,
  ): Promise<SizedResponse> {
    const request: AttemptRequest = { method, target, headers, body, ...this.#limits };
    const answer = await Attempt.make(this.#pool, request, limit);
    const receivedAt = this.clock.hostNow();
    const date = this.#observeDate(answer, receivedAt);
    const { body: parsed, size } = await limit.within(readBody(answer, this.#limits.maxBodyBytes), true);
    const wait = retryAfterSeconds(headerOf(answer.headers, 'retry-after'), date, receivedAt);
    return { response: { status: answer.status, body: parsed, retryAfterSeconds: wait, receivedAt }, size };
  }

  /** An answer out of a cache on the way (`Age`) has an old `Date`, which says nothing of the clock. */
  #observeDate({ headers, sentAt, answeredAt }: RawAnswer, receivedAt: Date): string | null {
    const date = headerOf(headers, 'date');
    const hostTimeAt = (moment: number): Date => new Date(receivedAt.getTime() - (performance.now() - moment));
    if (/^0*$/.test(headerOf(headers, 'age') ?? '')) {
      this.clock.observe(date, hostTimeAt(sentAt), hostTimeAt(answeredAt));
    }
    return date;
  }
}
