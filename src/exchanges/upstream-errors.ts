import type { Secret } from '../platform/secrets/secret.js';
import {
  AppError,
  type ErrorDetails,
  type ErrorOptions,
  type ExchangeErrorDetails,
} from '../platform/errors/app-error.js';
import { ERROR_CODES, type ErrorCode, type ErrorReason } from '../platform/errors/error-codes.js';
import { UpstreamError, type UpstreamFailure, type UpstreamResponse } from '../platform/upstream/upstream-client.js';
import type { OrderReference } from './orders.contract.js';
import { scrub, scrubCode } from './upstream-text.js';
import { type Meaning, meaningOf, type Verdict } from './verdicts.js';

/** An error body of the exchange, read: `text` is its own words. */
export interface ExchangeFault {
  readonly code: string | null;
  readonly text: string | null;
  readonly retryAfterSeconds?: number;
  /** Whether any gateway may write such a body: it does not prove that the exchange refused the call, except with 429. */
  readonly isTerse?: boolean;
}

/**
 * What sort of call failed. `public` carries no credentials, `signed` reads with them, `cancel` takes an order out: all of
 * these may be repeated safely.
 */
export type CallKind = 'public' | 'signed' | 'cancel';

/** Every sort of call that a table of errors knows; `order` and `transfer` may have happened although they failed. */
type RuledKind = CallKind | 'order' | 'transfer';

/** One line of an adapter's table: all conditions that it names must hold; the first line that fits decides. */
export interface ErrorRule {
  readonly status?: number;
  readonly code?: string;
  /** Searched for in the code and the words. */
  readonly text?: RegExp;
  /** Left out: for every sort of call. */
  readonly on?: readonly RuledKind[];
  readonly verdict: Verdict;
}

/** How one exchange speaks of errors. */
export interface ErrorDialect {
  /** The exchange's id, in `details.exchange.id`. */
  readonly id: string;
  /** Its name in messages. */
  readonly name: string;
  /** Null where the body is not this exchange's own error body: then no status proves anything about an order. */
  readonly readFault: (body: unknown) => ExchangeFault | null;
  readonly rules: readonly ErrorRule[];
  /** Codes and words by which the exchange reports trouble of its own: they prove no refusal of an order, whatever the status. */
  readonly ownTrouble?: RegExp;
}

/** Lines that hold for every exchange, after its own (R-15, S-51, contract.md 3). */
const COMMON_RULES: readonly ErrorRule[] = [
  { status: 401, on: ['signed', 'cancel', 'order', 'transfer'], verdict: 'credentials_rejected' },
  { status: 401, verdict: 'bad_answer' },
  { status: 403, verdict: 'permission_denied' },
  { status: 404, verdict: 'not_found' },
  { status: 425, verdict: 'unavailable' },
  { status: 429, verdict: 'rate_limited' },
  { status: 503, verdict: 'unavailable' },
];

/**
 * What a 409 means, unless it says that nothing could be filled at once: something of this id is there, or on its way, and is to be
 * looked up (contract.md 5).
 */
const DUPLICATES: Partial<Record<RuledKind, Verdict>> = { order: 'duplicate_order', transfer: 'duplicate_transfer' };

const FAILURES: Readonly<Record<UpstreamFailure, Verdict>> = {
  unreachable: 'bad_answer',
  interrupted: 'bad_answer',
  unreadable: 'bad_answer',
  too_large: 'bad_answer',
  redirect: 'bad_answer',
  aborted: 'bad_answer',
  timeout: 'bad_answer',
  busy: 'unavailable',
  paused: 'unavailable',
};

/** A call that gave no usable answer, or an answer whose status is not 2xx. */
export type UpstreamProblem = UpstreamError | Pick<UpstreamResponse, 'status' | 'body' | 'retryAfterSeconds'>;

interface Facts {
  readonly status: number | null;
  readonly fault: ExchangeFault;
  readonly own: boolean;
  readonly retryAfterSeconds: number | null;
}

/** What is said of something that was sent once, where no answer proves that it was refused. */
interface Doubt {
  readonly code: ErrorCode;
  readonly details: ErrorDetails;
  readonly retryable?: boolean;
}

const NO_FAULT: ExchangeFault = { code: null, text: null };

/**
 * Turns what goes wrong at an exchange into the errors of the API (contract.md 3 and 5, unified-schema.md 11). `hidden` are the
 * credentials of the call: no message of the exchange that repeats them gets through (S-39, S-45).
 */
export class UpstreamErrors {
  constructor(
    private readonly dialect: ErrorDialect,
    private readonly hidden: readonly Secret[] = [],
  ) {}

  /** For everything that may be repeated: reads, look-ups and cancels, of which the error says where one may have been taken. */
  ofCall(problem: UpstreamProblem, kind: CallKind): AppError {
    const facts = this.#facts(problem);
    const error = this.#ofCall(problem, facts, kind);
    const mayBeTaken = problem instanceof UpstreamError ? problem.sent : !this.#provesRefusal(facts);
    return kind === 'cancel' && mayBeTaken && isWithoutAnswer(error) ? this.#lostCancel(error) : error;
  }

  #ofCall(problem: UpstreamProblem, facts: Facts, kind: CallKind): AppError {
    if (problem instanceof UpstreamError && problem.failure === 'timeout') {
      return new AppError('exchange_timeout', `${this.dialect.name} did not answer in time. Try again.`, {
        details: { exchange: this.#shown(facts) },
        retryAfterSeconds: waitOf(facts),
        cause: problem,
      });
    }
    return this.#error(this.#verdict(problem, facts, kind), facts, problem);
  }

  /**
   * For sending an order: a refusal only where the answer proves it (a 4xx in the exchange's own words, but no word of its own
   * trouble), a duplicate for a 409, an ordinary error where nothing was sent, else `order_outcome_unknown` with the reference to
   * find the order by.
   */
  ofOrder(problem: UpstreamProblem, reference: OrderReference): AppError {
    const { details, isSafeToResend: retryable } = reference;
    return this.#ofSending(problem, 'order', { code: 'order_outcome_unknown', details, retryable });
  }

  /**
   * What an answer to several orders says of each. A refusal of all of them does not say for which order's sake: then no order is told that it is refused
   * for good.
   */
  ofEach<Item>(
    response: UpstreamResponse,
    items: readonly Item[],
    partOf: (body: unknown) => (item: Item) => Pick<UpstreamResponse, 'status' | 'body'> | null,
  ): (item: Item) => UpstreamResponse {
    const facts = this.#facts(response);
    if (items.length > 1 && this.#provesRefusal(facts) && !OF_ALL.has(response.status)) throw this.#ofBatch(facts);
    if (response.status < 200 || response.status >= 300) return () => response;
    const parts = partOf(response.body);
    return (item) => {
      const part = parts(item);
      if (part === null) throw new UpstreamError('unreadable', true, { status: response.status });
      return { ...response, ...part };
    };
  }

  #ofBatch(facts: Facts): AppError {
    const message = `${this.dialect.name} refused the batch as a whole and not for which of its orders. Send them one by one.`;
    return new AppError('exchange_error', message, { details: { exchange: this.#shown(facts) }, retryAfterSeconds: 1 });
  }

  /** As `ofOrder`, for moving money: what may have happened is `transfer_outcome_unknown`, which names the transfer. */
  ofTransfer(problem: UpstreamProblem, clientTransferId: string): AppError {
    const details = { client_transfer_id: clientTransferId };
    return this.#ofSending(problem, 'transfer', { code: 'transfer_outcome_unknown', details });
  }

  #ofSending(problem: UpstreamProblem, kind: 'order' | 'transfer', { code, details, ...options }: Doubt): AppError {
    const facts = this.#facts(problem);
    if (problem instanceof UpstreamError ? !problem.sent : this.#provesRefusal(facts)) {
      return this.#error(this.#verdict(problem, facts, kind), facts, problem);
    }
    return new AppError(code, `It is not known whether ${this.dialect.name} took the ${kind}.`, {
      ...options,
      details: { ...details, exchange: this.#shown(facts) },
      retryAfterSeconds: waitOf(facts),
      ...(problem instanceof UpstreamError ? { cause: problem } : {}),
    });
  }

  /** For a refusal that the exchange states in an answer of another status, such as a 200 that holds an error text. */
  ofRefusal(verdict: Verdict, status: number | null, fault: ExchangeFault): AppError {
    return this.#error(verdict, { status, fault, own: true, retryAfterSeconds: null });
  }

  /** The same refusal with the meaning that a look at the account gave it; `details` come to those that it has. */
  ofMeaning(
    refusal: AppError,
    { code, message, reason }: Meaning,
    { details, ...options }: Pick<ErrorOptions, 'details' | 'retryAfterSeconds'> = {},
  ): AppError {
    return new AppError(code, `${this.dialect.name} ${message}`, {
      ...options,
      details: { ...refusal.details, ...(reason && { reason }), ...details },
      cause: refusal,
    });
  }

  #facts(problem: UpstreamProblem): Facts {
    if (problem instanceof UpstreamError) {
      const { status = null, retryAfterSeconds = null } = problem.options;
      return { status, fault: NO_FAULT, own: false, retryAfterSeconds };
    }
    const fault = this.dialect.readFault(problem.body);
    return {
      status: problem.status,
      fault: fault ?? NO_FAULT,
      own: fault !== null,
      retryAfterSeconds: problem.retryAfterSeconds ?? fault?.retryAfterSeconds ?? null,
    };
  }

  /**
   * Only the exchange's own error body proves a refusal: a gateway on the way knows nothing of the order, and a 503 may come from a
   * front whose engine has taken it.
   */
  #provesRefusal({ status, own, fault }: Facts): boolean {
    if (status === null || !own || status < 400 || status >= 500 || UNFINISHED.has(status)) return false;
    if (status === 409) return true;
    if (fault.isTerse === true && status !== 429) return false;
    return this.dialect.ownTrouble?.test(wordsOf(fault)) !== true;
  }

  #verdict(problem: UpstreamProblem, facts: Facts, kind: RuledKind): Verdict {
    if (problem instanceof UpstreamError) return FAILURES[problem.failure];
    // A gateway's 404 does not say that an order is gone.
    if (problem.status === 404 && kind === 'cancel' && !facts.own) return 'bad_answer';
    const rule = [...this.dialect.rules, ...COMMON_RULES].find((candidate) => fits(candidate, facts, kind));
    const ruled = problem.status === 409 ? verdictOfConflict(rule?.verdict, kind) : rule?.verdict;
    return ruled ?? unruledVerdict(problem.status, kind);
  }

  #error(verdict: Verdict, facts: Facts, problem?: UpstreamProblem): AppError {
    const { code, message, reason } = meaningOf(verdict);
    const told = code === 'exchange_rejected' && facts.fault.text !== null;
    const words = told ? { message: scrub(facts.fault.text, this.hidden) } : {};
    return new AppError(code, `${this.dialect.name} ${message}`, {
      details: { ...(reason && { reason }), exchange: { ...this.#shown(facts), ...words } },
      ...(problem instanceof UpstreamError ? { cause: problem } : {}),
      ...(ERROR_CODES[code].retryable ? { retryAfterSeconds: waitOf(facts) } : {}),
    });
  }

  /** The same error of a cancel that the exchange may have taken (contract.md 5). */
  #lostCancel({ code, details, cause, retryAfterSeconds }: AppError): AppError {
    const message =
      `It is not known whether ${this.dialect.name} took the cancel. Repeat the DELETE after Retry-After: that is safe, and ` +
      'tells how the order ended.';
    return new AppError(code, message, {
      details: { ...details, may_have_been_cancelled: true },
      cause,
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    });
  }

  #shown({ status, fault }: Facts): ExchangeErrorDetails {
    return { id: this.dialect.id, status, code: scrubCode(fault.code, this.hidden) };
  }
}

/** Whether an error says of a call only that it had no usable answer. */
function isWithoutAnswer({ code }: AppError): boolean {
  return code === 'exchange_error' || code === 'exchange_timeout' || code === 'exchange_unavailable';
}

/** The error of what the exchange cannot do; `message` says what that is and what to do instead. */
export function notSupported(message: string, reason?: ErrorReason): AppError {
  return new AppError('not_supported', message, reason === undefined ? {} : { details: { reason } });
}

/** Statuses that say something of the caller, and so of each order. */
const OF_ALL: ReadonlySet<number> = new Set([401, 403, 425, 429]);

/** Statuses of a request that was not read or answered in time: they prove nothing, whoever says so. */
const UNFINISHED: ReadonlySet<number> = new Set([408, 499]);

function fits(rule: ErrorRule, { status, fault }: Facts, kind: RuledKind): boolean {
  const { status: ruled = status, code = fault.code, text = /^/, on = [kind] } = rule;
  return ruled === status && code === fault.code && text.test(wordsOf(fault)) && on.includes(kind);
}

function wordsOf({ code, text }: ExchangeFault): string {
  return `${code ?? ''} ${text ?? ''}`;
}

function unruledVerdict(status: number, kind: RuledKind): Verdict {
  if (status < 400 || status >= 500) return 'bad_answer';
  return kind === 'order' ? 'invalid_order' : 'invalid_request';
}

function verdictOfConflict(ruled: Verdict | undefined, kind: RuledKind): Verdict | undefined {
  return ruled === 'not_filled' ? ruled : (DUPLICATES[kind] ?? ruled);
}

/** In how many seconds the exchange may be asked again: 1 where it names no time (contract.md 3). */
function waitOf({ retryAfterSeconds: seconds }: Facts): number {
  return Math.max(1, Math.ceil(seconds ?? 1));
}

/** Whether the exchange refuses the credentials themselves, whatever is asked with them: another key may do it. */
export function isKeyRefused(error: unknown): error is AppError {
  if (!(error instanceof AppError)) return false;
  const status = error.details?.exchange?.status;
  return error.code === 'credentials_rejected' || status === 401 || status === 403;
}

/** Whether the exchange, or a gateway on the way, knows no such thing. */
export function isNotFound(error: unknown): boolean {
  return error instanceof AppError && error.code === 'not_found';
}
