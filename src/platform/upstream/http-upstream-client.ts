import { type CallContext, currentCallContext } from './call-context.js';
import { Pool } from 'undici';
import type { AnswerLife } from './answer-life.js';
import type { BreakerState } from './breaker.js';
import { type BreakerKind, Breakers } from './breakers.js';
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
} from './upstream.constants.js';
import { type AttemptResult, isWorthRetrying, labelOf, outcomeOf, unwrap, wasNotMade } from './attempt-result.js';
import { requestTarget } from './path.js';
import { allHeaders, withTrace } from './header-lines.js';
import { Pace } from './pace.js';
import { decode, headerOf, isEncoded, parseBody, withdrawalIn } from './response-body.js';
import { boundedWait, retryAfterSeconds, secondsUntil } from './retry-after.js';
import { RetryBudget } from './retry-budget.js';
import { SharedReads, type SizedResponse } from './shared-reads.js';
import { type Call, toCall } from './upstream-call.js';
import { Attempt, type AttemptRequest, type RawAnswer } from './upstream-attempt.js';
import {
  type UpstreamClient,
  type UpstreamHeaders,
  type UpstreamRequest,
  type UpstreamResponse,
} from './upstream-client.js';
import { UpstreamClock } from './upstream-clock.js';

export interface UpstreamClientOptions {
  /** For logs and metrics. */
  readonly name: string;
  /** Whose server it is, for metrics; the name where left out. */
  readonly exchange?: string;
  /** Is called with how long each request that went out took, in seconds, to its answer or to its end without one. */
  readonly onSent?: (seconds: number) => void;
  /** Absolute, without a trailing slash, query and user: `https://host/path`. */
  readonly baseUrl: string;
  /** One call, whole: queue, pauses, retry and body included. */
  readonly timeoutMs: number;
  /** How long answers of shared reads are kept; 0 is off. */
  readonly cacheTtlMs?: number;
  /** After decompression; 5 MiB where left out. */
  readonly maxBodyBytes?: number;
  readonly clock?: UpstreamClock;
  /** Parses the other server's own error body; null where the body is another, such as a gateway's page. */
  readonly readFault?: (body: unknown) => Fault | null;
  /** Name of the header that says beside a 429 when calls are counted anew, in Unix seconds. */
  readonly resetHeader?: string;
  /** The most attempts a second, of all callers together; no bound where left out. */
  readonly callsPerSecond?: number;
  /** Whether calls carry the trace of the request that they are made for. */
  readonly isTraced?: boolean;
  /** The places that the hosts of one exchange have in common; its own where left out. */
  readonly bulkhead?: Bulkhead;
}

/** What the client reads of an error body. */
export interface Fault {
  readonly retryAfterSeconds?: number;
}

/** What `/metrics` may show of one client: no secrets, no user ids. */
export interface UpstreamStatus {
  readonly name: string;
  readonly exchange: string;
  readonly inFlight: number;
  readonly waiting: number;
  readonly breakers: Readonly<Record<BreakerKind, BreakerState>>;
  /** Attempts so far by how they ended: an UpstreamFailure, or `2xx`, `4xx`, `5xx`. */
  readonly outcomes: Readonly<Record<string, number>>;
  readonly clockSkewMs: number | null;
}

const NO_CONTEXT: CallContext = { fresh: false };

/**
 * The HTTP client of all calls to exchanges: time and size limits, bulkhead, breaker, one retry for reads, and the clock of
 * the other server (R-10 to, S-49, S-50).
 */
export class HttpUpstreamClient implements UpstreamClient {
  readonly clock: UpstreamClock;
  readonly #pool: Pool;
  readonly #basePath: string;
  readonly #bulkhead: Bulkhead;
  readonly #breakers: Breakers;
  readonly #pace: Pace | undefined;
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
    this.#breakers = new Breakers(options.name);
    this.#bulkhead = options.bulkhead ?? new Bulkhead(MAX_IN_FLIGHT, MAX_WAITING);
    this.#pace = options.callsPerSecond === undefined ? undefined : new Pace(options.callsPerSecond);
    this.#shared = new SharedReads(options.cacheTtlMs ?? 0);
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
      exchange: this.options.exchange ?? this.options.name,
      inFlight: this.#inFlight,
      waiting: this.#waiting,
      breakers: this.#breakers.states,
      outcomes: Object.fromEntries(this.#outcomes),
      clockSkewMs: this.clock.skewMs,
    };
  }

  /** One call; every wait in it ends within `timeoutMs`. Throws UpstreamError, or TypeError for a call that is no HTTP. */
  async request(request: UpstreamRequest): Promise<UpstreamResponse> {
    const context = currentCallContext() ?? NO_CONTEXT;
    const call = toCall(request, requestTarget(this.#basePath, request.path, request.query), context);
    if (call.shared) return this.#readShared(call, request.fresh ?? context.fresh, context.life);
    context.life?.endNow();
    return (await this.#call(call)).response;
  }

  async #readShared(call: Call, fresh: boolean, life: AnswerLife | undefined): Promise<UpstreamResponse> {
    const { target, callers, signal, priority } = call;
    try {
      const { response, end } = await this.#shared.read(target, { fresh, signal, callers, priority }, (ending, all) =>
        this.#call({ ...call, callers: all, signal: ending }),
      );
      life?.endBy(end);
      return response;
    } catch (error) {
      life?.endNow();
      throw error;
    }
  }

  /** Ends running reads, waits for other calls (each ends within its time), then closes all connections. */
  async close(): Promise<void> {
    for (const read of this.#reads) read.end('aborted');
    this.#shared.clear();
    this.#closed ??= this.#pool.close();
    await this.#closed;
  }

  async #call(call: Call): Promise<SizedResponse> {
    const limit = new CallLimit(this.options.timeoutMs, call.signal);
    if (call.method === 'GET') this.#reads.add(limit);
    try {
      this.#retries.earn();
      const first = await this.#attempt(call, limit);
      const pauseMs = Math.random() * RETRY_JITTER_MS;
      const mayRetry =
        call.method === 'GET' && !call.once && isWorthRetrying(first, call) && pauseMs < limit.remainingMs;
      if (!mayRetry || !this.#retries.spend()) return unwrap(first);
      await limit.sleep(pauseMs);
      const second = await this.#attempt(call, limit);
      return unwrap(wasNotMade(second) ? first : second);
    } finally {
      limit.dispose();
      this.#reads.delete(limit);
    }
  }

  /**
   * Never throws: its result is counted, recorded by the breaker and perhaps tried again. What has hardly any time left
   * after the queue is not sent.
   */
  async #attempt(call: Call, limit: CallLimit): Promise<AttemptResult> {
    let result: AttemptResult;
    try {
      limit.throwIfOver();
      this.#breakers.check(call);
      await this.#pace?.enter({ callers: call.callers, limit });
      const leave = await this.#enter(call, limit);
      try {
        if (limit.remainingMs < this.options.timeoutMs * LEAST_SHARE) throw limit.error(false);
        result = await this.#sendRecorded(call, limit);
      } finally {
        this.#inFlight--;
        leave();
      }
    } catch (error) {
      result = { error };
    }
    const label = labelOf(result);
    this.#outcomes.set(label, (this.#outcomes.get(label) ?? 0) + 1);
    return result;
  }

  /** Waits for a place among the calls in flight; returns the function that frees it. */
  async #enter({ priority, callers }: Call, limit: CallLimit): Promise<() => void> {
    this.#waiting++;
    try {
      const leave = await this.#bulkhead.enter({ priority, callers, limit });
      this.#inFlight++;
      return leave;
    } finally {
      this.#waiting--;
    }
  }

  async #sendRecorded(call: Call, limit: CallLimit): Promise<AttemptResult> {
    const { headers: own, body } = await made(call, limit);
    const lines = allHeaders(own, body);
    const headers = this.options.isTraced === true ? withTrace(lines) : lines;
    if (call.beforeSend !== undefined) await limit.within(call.beforeSend(), false);
    const record = this.#breakers.enter(call);
    const hadTime = limit.remainingMs >= Math.min(HEADERS_TIMEOUT_MS, this.options.timeoutMs * FAIR_SHARE);
    const sentAt = performance.now();
    let result: AttemptResult;
    try {
      result = { sized: await this.#send({ ...call, body }, headers, limit) };
    } catch (error) {
      result = { error };
    }
    this.options.onSent?.((performance.now() - sentAt) / 1_000);
    const isRefusal = 'sized' in result && this.#faultIn(result.sized.response) !== null;
    record(outcomeOf(result, { hadTime, isRefusal }));
    return result;
  }

  async #send(
    { method, body, target, ...call }: Call,
    headers: UpstreamHeaders,
    limit: CallLimit,
  ): Promise<SizedResponse> {
    const limits = { ...this.#limits, maxBodyBytes: call.maxBodyBytes ?? this.#limits.maxBodyBytes };
    const answer = await Attempt.make(this.#pool, { method, target, headers, body, ...limits }, limit);
    const receivedAt = this.clock.hostNow();
    const date = this.#observeDate(answer, receivedAt);
    const { status } = answer;
    const bytes = isEncoded(answer) ? await limit.within(decode(answer, limits.maxBodyBytes), true) : answer.bytes;
    const parsed = parseBody(answer, bytes);
    const inBody = this.#faultIn({ status, body: parsed })?.retryAfterSeconds;
    const wait =
      retryAfterSeconds(headerOf(answer.headers, 'retry-after'), date, receivedAt) ??
      (inBody === undefined ? this.#untilReset(answer, date, receivedAt) : boundedWait(inBody));
    const withdrawal = withdrawalIn(answer);
    const response = { status, body: parsed, retryAfterSeconds: wait, receivedAt, ...(withdrawal && { withdrawal }) };
    return { response, size: bytes.length };
  }

  #faultIn({ status, body }: Pick<UpstreamResponse, 'status' | 'body'>): Fault | null {
    return status < 400 ? null : (this.options.readFault?.(body) ?? null);
  }

  /**
   * Reads the reset header of a 429 alone: beside a success it names the usual end of the count, for which nobody has to wait.
   */
  #untilReset({ status, headers }: RawAnswer, date: string | null, receivedAt: Date): number | null {
    const { resetHeader } = this.options;
    if (status !== 429 || resetHeader === undefined) return null;
    return secondsUntil(headerOf(headers, resetHeader), date, receivedAt);
  }

  /** An answer from a cache on the way (`Age`) has an old `Date`, from which the clock learns nothing. */
  #observeDate({ headers, sentAt, answeredAt }: RawAnswer, receivedAt: Date): string | null {
    const date = headerOf(headers, 'date');
    const hostTimeAt = (moment: number): Date => new Date(receivedAt.getTime() - (performance.now() - moment));
    if (/^0*$/.test(headerOf(headers, 'age') ?? '')) {
      this.clock.observe(date, hostTimeAt(sentAt), hostTimeAt(answeredAt));
    }
    return date;
  }
}

/** The header lines and the body of a call that has its place. */
async function made(
  { headers, body, make }: Call,
  limit: CallLimit,
): Promise<{ readonly headers: UpstreamHeaders | undefined; readonly body: string | undefined }> {
  if (make !== undefined) return limit.within(make(), false);
  return {
    headers: typeof headers === 'function' ? await limit.within(Promise.resolve(headers()), false) : headers,
    body,
  };
}
