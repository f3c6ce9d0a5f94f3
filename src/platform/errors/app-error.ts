import { ERROR_CODES, type ErrorCode } from './error-codes.js';

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
  readonly reason?: string;
  readonly reasons?: readonly string[];
  readonly required_scope?: string;
  readonly exchange?: ExchangeErrorDetails;
  readonly client_order_id?: string;
  readonly order_id?: string;
  readonly client_transfer_id?: string;
  /** The contract that needs an approval (contract.md 9, `allowance_missing`). */
  readonly spender?: string;
  /** Where the money lies that an order lacks (contract.md 9, `insufficient_funds`). */
  readonly shard?: ShardFunds;
  /** Of a cancel-all that could not see all orders: ids of those that it cancelled, and what it knows of the others (contract.md 5). */
  readonly cancelled?: readonly string[];
  readonly not_cancelled?: readonly { readonly id: string; readonly reason: string }[];
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
}

/** The one error class of the service; the status comes from the table, the body from the ErrorFilter (CONTRIBUTING.md 7). */
export class AppError extends Error {
  override readonly name: string = 'AppError';
  readonly details: ErrorDetails | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly retryable: boolean;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    readonly code: ErrorCode,
    message: string,
    options: ErrorOptions = {},
  ) {
    super(message, { cause: options.cause });
    this.details = options.details;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.headers = options.headers ?? {};
    this.retryable = options.retryable ?? ERROR_CODES[code].retryable;
    this.status = options.status ?? ERROR_CODES[code].status;
  }
}

/** A 400 that names one field of the request and what is expected there. */
export function badField(field: string, message: string): AppError {
  return new AppError('bad_request', `The request is not valid: ${field} ${message}.`, {
    details: { fields: [{ field, message }] },
  });
}
