import { ERROR_CODES, type ErrorCode, type ErrorReason } from './error-codes.js';

/** One faulty field of a request: its path (`order.price`) and what is expected there. */
export interface FieldError {
  readonly field: string;
  readonly message: string;
}

/** What an exchange said; `message` only on `exchange_rejected`, scrubbed and cut (S-45). */
export interface ExchangeErrorDetails {
  readonly id: string;
  readonly status: number | null;
  readonly code: string | null;
  readonly message?: string;
}

/** The shard that a market needs money on, and the shards that have some: dollars as decimal strings. */
export interface ShardFunds {
  readonly needed: string;
  readonly available: readonly { readonly shard: string; readonly available: string }[];
}

/** The `details` member of an error body (contract.md 3). */
export interface ErrorDetails {
  readonly fields?: readonly FieldError[];
  /** Why, where a code has more than one way out: errors.md has all of them. */
  readonly reason?: ErrorReason;
  readonly reasons?: readonly string[];
  readonly required_scope?: string;
  /** Of `bot_halted`: since when. */
  readonly since?: string;
  /** Of `limit_exceeded`: the limit of the bot, what it allows, what is used of it, what was asked, and when it starts anew. */
  readonly limit?: string;
  readonly allowed?: string | number;
  readonly used?: string | number;
  readonly asked?: string | number | null;
  readonly resets_at?: string | null;
  readonly exchange?: ExchangeErrorDetails;
  readonly client_order_id?: string;
  readonly order_id?: string;
  readonly client_transfer_id?: string;
  /**
   * Of an order of unknown fate under an abandoned key: from when on it is certain that there is none; null where no time says
   * so.
   */
  readonly refusal_holds_at?: string | null;
  /** The contract that needs an approval (contract.md 5.6, `allowance_missing`). */
  readonly spender?: string;
  /** Where the money lies that an order lacks (contract.md 5.7, `insufficient_funds`). */
  readonly shard?: ShardFunds;
  /**
   * Of a cancel-all that could not see all orders: the ids that it cancelled, and below what it knows of the others (contract.md
   * 5).
   */
  readonly cancelled?: readonly string[];
  readonly not_cancelled?: readonly { readonly id: string; readonly reason: string }[];
  /** Of a cancel without a usable answer: it may have been taken all the same (contract.md 5). */
  readonly may_have_been_cancelled?: true;
}

/** What an error may carry beside its code and message. */
export interface ErrorOptions {
  readonly details?: ErrorDetails;
  readonly cause?: unknown;
  /** Seconds for the `Retry-After` header. */
  readonly retryAfterSeconds?: number;
  /** Overrides the table, for codes whose answer depends on the call (contract.md 3, `order_outcome_unknown`). */
  readonly retryable?: boolean;
  /** Overrides the table, for the one code that has two: `oauth_failed` (contract.md 3). */
  readonly status?: number;
  /** Further headers of the answer. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Set for an error that a crowd can cause: the log counts these errors, and has no line for each (S-4). */
  readonly isCounted?: boolean;
}

/** The one error class of the service; the status comes from the table, the body from the ErrorFilter (CONTRIBUTING.md 7). */
export class AppError extends Error {
  override readonly name: string = 'AppError';
  readonly details: ErrorDetails | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly retryable: boolean;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly isCounted: boolean;

  constructor(
    readonly code: ErrorCode,
    message: string,
    options: ErrorOptions = {},
  ) {
    super(message, { cause: options.cause });
    this.details = options.details;
    this.headers = options.headers ?? {};
    this.isCounted = options.isCounted ?? false;
    this.retryable = options.retryable ?? ERROR_CODES[code].retryable;
    // A retryable error may be retried after one second where no time is given (contract.md 3).
    this.retryAfterSeconds = options.retryAfterSeconds ?? (this.retryable ? 1 : undefined);
    this.status = options.status ?? ERROR_CODES[code].status;
  }

  /** The same error in other words, with further details and, where it had none, a time to wait in seconds. */
  retold(message: string, details: ErrorDetails = {}, retryAfterSeconds?: number): AppError {
    const wait = this.retryAfterSeconds ?? retryAfterSeconds;
    const { code, retryable, status, headers } = this;
    return new AppError(code, message, {
      details: { ...this.details, ...details },
      retryable,
      status,
      headers,
      ...(wait !== undefined && { retryAfterSeconds: wait }),
      cause: this,
    });
  }
}

/** A 400 that names one field of the request and what is expected there. */
export function badField(field: string, message: string): AppError {
  return new AppError('bad_request', `The request is not valid: ${field} ${message}.`, {
    details: { fields: [{ field, message }] },
  });
}

/** The message of the 404 of a path that no route has. */
export const NO_SUCH_PATH = 'There is nothing at this address. All paths are listed at /docs.';
