import { encode } from './decimal.js';
import { errorOf, isObject } from './answers.js';
import { ConnectionFailed, InvalidArgument, OrderOutcomeUnknown, TimedOut, TradingProxyError } from './errors.js';
import type { Seen, Settings } from './settings.js';

/** Of one call, last of its arguments. */
export interface CallOptions {
  /** Milliseconds of one whole attempt, its answer included. */
  readonly timeout?: number | undefined;
  readonly retries?: number | undefined;
  /** What was sent may have left all the same: then OrderOutcomeUnknown. */
  readonly signal?: AbortSignal | undefined;
}

export interface ResponseInfo {
  readonly status: number;
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly request_id: string | null;
}

export type Query = Readonly<Record<string, unknown>>;

export interface Call {
  readonly method: string;
  readonly path: string;
  readonly query?: Query | undefined;
  readonly body?: unknown;
  readonly options: CallOptions;
  readonly key?: string | undefined;
  /** Whether the client sends it again: `unlessOrders` only where it has sent no order since. A `change` is not, and may have left as what has a key. */
  readonly repeat: 'always' | 'never' | 'unlessOrders' | 'change';
  /** The member without which a success is not the service's; none where it is empty. */
  readonly proof?: string;
  /** What else tells it. */
  readonly isWhole?: (body: Readonly<Record<string, unknown>>) => boolean;
  /** It was sent before, as one of a batch, and nobody knows what became of it. */
  readonly wasLost?: boolean;
  /** What the caller gets of a success. */
  readonly finish: (value: unknown, key: string | undefined, response: ResponseInfo) => unknown;
}

const LONGEST_WAIT_S = 60;
/** A timer of more fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
const NEVER = new AbortController().signal;

/** An attempt that failed; `left` where it may have arrived. */
class Failed {
  constructor(
    readonly error: unknown,
    readonly left: boolean,
    readonly response: ResponseInfo | null = null,
  ) {}
}

/** The answer is the kept one of an earlier attempt. */
const isKept = ({ response }: Failed): boolean => 'idempotency-replayed' in (response?.headers ?? {});

/** Sends calls, again where that is right. */
export class Transport {
  /** How many orders and changes were sent so far. */
  #orders = 0;

  constructor(readonly settings: Settings) {}

  /** Throws InvalidArgument, TradingProxyError, or the reason of the caller's signal. */
  async send(call: Call): Promise<unknown> {
    return this.#run(call, call.body === undefined ? null : JSON.stringify(encode(call.body)), call.wasLost === true);
  }

  async #run(call: Call, body: string | null, wasLost: boolean): Promise<unknown> {
    const retries = whole(call.options.retries ?? this.settings.retries, 'retries');
    const orders = this.#orders;
    for (let attempt = 0, isLost = wasLost; ; attempt++) {
      const outcome = await this.#attempt(call, body, attempt).catch((error: unknown) => new Failed(error, false));
      if (!(outcome instanceof Failed)) return outcome.value;
      isLost = !isKept(outcome) && (isLost || mayExist(call, outcome));
      const end = (cause: unknown): Error => (isLost ? this.#unknown(call, body, cause) : (cause as Error));
      const wait = attempt < retries ? waitOf(call, outcome, attempt) : null;
      if (wait === null) throw end(outcome.error);
      await sleep(wait * 1000, call.options.signal).catch((reason: unknown) => Promise.reject(end(reason)));
      if (call.repeat === 'unlessOrders' && orders !== this.#orders) throw outcome.error;
    }
  }

  #unknown(call: Call, body: string | null, cause: unknown): OrderOutcomeUnknown {
    const again = () => this.#run({ ...call, options: { ...call.options, signal: undefined } }, body, true);
    const what = call.key === undefined ? `${call.method} ${call.path}` : `idempotency key ${call.key}`;
    const message = `Its outcome is not known (${what}): retry() until it is, and never send it anew under another key.`;
    const retry_after = cause instanceof TradingProxyError ? cause.retry_after : null;
    const made = new OrderOutcomeUnknown('order_outcome_unknown', message, { retryable: true, retry_after, cause });
    return OrderOutcomeUnknown.of(cause instanceof OrderOutcomeUnknown ? cause : made, call.key ?? null, again);
  }

  async #attempt(call: Call, body: string | null, attempt: number) {
    const { method, path, key, options } = call;
    const { signal = NEVER, timeout = this.settings.timeout } = options;
    const own = { 'content-type': body === null ? null : 'application/json', 'idempotency-key': key };
    const headers = await this.headers('application/json, text/csv', own);
    signal.throwIfAborted();
    if (/^(?:PATCH .*|POST .*\/orders(?:\/batch)?)$/.test(`${method} ${path}`)) this.#orders++;
    const ending = new AbortController();
    const stop = ending.abort.bind(ending);
    const watch = setTimeout(stop, whole(timeout, 'timeout', LONGEST_TIMER_MS));
    signal.addEventListener('abort', stop);
    show(this.settings.onRequest, { method, path, attempt });
    const begun = performance.now();
    const outcome = await this.#answer(call, { method, headers, body, signal: ending.signal });
    clearTimeout(watch);
    signal.removeEventListener('abort', stop);
    const { status = null, request_id = null } = outcome.response ?? {};
    const ms = performance.now() - begun;
    show(this.settings.onResponse, { method, path, attempt, status, request_id, ms });
    return outcome;
  }

  async #answer(call: Call, init: RequestInit) {
    try {
      const response = await this.fetch(call, init);
      return read(call, response, await response.text());
    } catch (cause) {
      const { signal } = call.options;
      return signal?.aborted === true ? new Failed(signal.reason, true) : broken(call, cause, init.signal);
    }
  }

  /** One request; redirects are not followed. */
  fetch({ path, query = {} }: Pick<Call, 'path' | 'query'>, init: RequestInit): Promise<Response> {
    const pairs = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
    const each = pairs.flatMap(([name, value]) => [value].flat().map((one) => [name, String(one)]));
    const url = `${this.settings.baseUrl}${path}${each.length === 0 ? '' : `?${String(new URLSearchParams(each))}`}`;
    const send = this.settings.fetch ?? globalThis.fetch;
    return send(url, { ...init, redirect: 'manual', cache: 'no-store', credentials: 'omit' });
  }

  /** Those that have a value, with the credential. */
  async headers(accept: string, own: Readonly<Record<string, string | null | undefined>>): Promise<Headers> {
    const text = await this.settings.credential();
    if (!/^[!-~]+$/.test(text)) throw new InvalidArgument('The API key or token is empty, or no header can hold it.');
    const headers = new Headers({ accept, authorization: `Bearer ${text}` });
    for (const [name, value] of Object.entries(own)) if (typeof value === 'string') headers.set(name, value);
    return headers;
  }
}

/** A hook that fails hides no order: it is for logs alone. */
function show(hook: ((seen: Seen) => void) | undefined, seen: Seen): void {
  try {
    hook?.(seen);
  } catch {
    return;
  }
}

/** Something that it makes or changes may be there although no answer says so. */
function mayExist({ key, repeat }: Call, { error, left }: Failed): boolean {
  const isSaid = error instanceof OrderOutcomeUnknown && repeat !== 'never';
  return left && (key !== undefined || repeat === 'change' || isSaid);
}

const isRepeated = ({ repeat }: Call): boolean => repeat === 'always' || repeat === 'unlessOrders';

/** Seconds to the next attempt; null where there is none. */
function waitOf(call: Call, failed: Failed, attempt: number): number | null {
  const { error } = failed;
  if (isKept(failed) || !isRepeated(call) || !(error instanceof TradingProxyError) || !error.retryable) return null;
  const asked = error.retry_after ?? 0;
  const wait = asked > 0 ? asked : backoff(attempt, 0.2, 30);
  return wait > LONGEST_WAIT_S ? null : wait;
}

/** Status, and `Retry-After` in seconds. */
export function factsOf({ status, headers }: Response) {
  const text = headers.get('retry-after') ?? '';
  return { status, retry_after: /^\d+$/.test(text) ? Number(text) : null };
}

function read(call: Call, answer: Response, text: string) {
  const { status, headers } = answer;
  const response = { status, headers: Object.fromEntries(headers), request_id: headers.get('x-request-id') };
  const value = answer.ok ? valueOf(call, headers, text) : null;
  if (value !== null) return { value: call.finish(value, call.key, response), response };
  const error = answer.ok ? null : errorOf(parsed(text)?.error, factsOf(answer));
  const left = error instanceof OrderOutcomeUnknown;
  // Without a key a second one would be another order.
  if (left && call.repeat === 'never') Object.assign(error, { retryable: false });
  if (error !== null) return new Failed(error, left, response);
  return new Failed(foreign(answer, isRepeated(call)), true);
}

/** What a success says; null where it is not the service's. */
function valueOf({ path, proof = '', isWhole }: Call, headers: Headers, text: string) {
  if (path.endsWith('.csv')) return /^text\/csv\b/.test(String(headers.get('content-type'))) ? text : null;
  const body = parsed(text);
  const isFit = body !== null && (proof === '' || isSaid(body[proof])) && isWhole?.(body) !== false;
  return isFit ? body : null;
}

const isSaid = (value: unknown): boolean => Boolean(value) && /^(?:string|object)$/.test(typeof value);

/** Something between answered; a redirect is neither followed nor repeated. */
export function foreign({ status, ok }: Response, isRepeated: boolean): ConnectionFailed {
  const message = `What answered with ${status} was not the service, or its answer is broken. Redirects are not followed.`;
  return new ConnectionFailed('connection_failed', message, { retryable: isRepeated && (ok || status >= 400) });
}

/** The object of a JSON text, else null. */
export function parsed(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** What was not sent may be sent again, whatever it is. */
function broken(call: Call, cause: unknown, signal: RequestInit['signal']): Failed {
  const inner = cause instanceof Error ? cause.cause : null;
  const isLate = signal?.aborted === true;
  const left = isLate || !isUnsent(inner);
  const retryable = isRepeated(call) || !left;
  if (isLate) return new Failed(new TimedOut('timed_out', 'No answer within the time-out.', { retryable }), left);
  const code = isObject(inner) ? String(inner.code) : 'broken';
  const message = `The connection failed (${code}): the service was not reached, or its answer broke off.`;
  return new Failed(new ConnectionFailed('connection_failed', message, { retryable, cause }), left);
}

/** No connection was made; of several addresses, to none. A `read` may fail by the same codes after all was sent. */
function isUnsent(cause: unknown): boolean {
  if (cause instanceof AggregateError) return cause.errors.length > 0 && cause.errors.every(isUnsent);
  if (!isObject(cause)) return false;
  return /^(?:connect|getaddrinfo)$/.test(String(cause.syscall)) || cause.code === 'UND_ERR_CONNECT_TIMEOUT';
}

function whole(value: number, name: string, most = Number.MAX_SAFE_INTEGER): number {
  if (Number.isSafeInteger(value) && value >= 0 && value <= most) return value;
  throw new InvalidArgument(`${name} is a whole number, 0 to ${most}.`);
}

/** Doubled with each attempt, half of it by chance. */
export function backoff(attempt: number, least: number, most: number): number {
  return Math.min(most, least * 2 ** Math.min(attempt, 20)) * (0.5 + Math.random() / 2);
}

/** Rejects with the signal's reason. */
export function sleep(ms: number, signal = NEVER): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      if (signal.aborted) reject(signal.reason as Error);
      else resolve();
    };
    const timer = setTimeout(end, signal.aborted ? 0 : Math.min(ms, LONGEST_TIMER_MS));
    signal.addEventListener('abort', end);
  });
}
