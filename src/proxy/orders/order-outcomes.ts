import { z } from 'zod';
import type { FoundOrder, OrderReference, PreparedOrder } from '../../exchanges/exchange.js';
import type { OrderDto } from '../../exchanges/unified.trading.dto.js';
import { AppError, type ErrorDetails } from '../../platform/errors/app-error.js';
import { ERROR_CODES, type ErrorCode } from '../../platform/errors/error-codes.js';

export type Origin = 'made' | 'found' | 'duplicate' | 'replayed';

/**
 * An order and its origin: `made` now; `found` at the exchange, where an earlier call with the key had sent it; a `duplicate`
 * of an order that the exchange had already; or `replayed` from the record.
 */
export interface Placement {
  readonly order: OrderDto;
  readonly origin: Origin;
}

/** Refusals that the exchange itself proved are kept; after all others the key may be used again (contract.md 5). */
const KEPT_REFUSALS: ReadonlySet<ErrorCode> = new Set(['exchange_rejected', 'not_found']);

/** What its owner cures in minutes is answered and not kept: no key shall answer it after it is cured (contract.md 9). */
const CURABLE: ReadonlySet<string> = new Set(['allowance_missing', 'attestation_expired', 'insufficient_funds']);

const IN_PROGRESS_RETRY_SECONDS = 1;

const KEPT_ORDER = z.object({ order: z.custom<OrderDto>((value) => typeof value === 'object' && value !== null) });

const KEPT_REFUSAL = z.object({
  refusal: z.object({
    code: z.custom<ErrorCode>((value) => typeof value === 'string' && value in ERROR_CODES),
    message: z.string(),
    details: z.custom<ErrorDetails>((value) => typeof value === 'object').optional(),
  }),
});

/** Whether the exchange says that it does not take this very order. */
export function isRefusal(error: AppError): boolean {
  return KEPT_REFUSALS.has(error.code);
}

/** Whether a refusal, once it is final, is the answer to every repeat of the call. */
export function isKept(error: AppError): boolean {
  return isRefusal(error) && !CURABLE.has(error.details?.reason ?? '');
}

/** Another call works on what is under this key. */
export function inProgress(): AppError {
  const message = 'The first call with this Idempotency-Key still runs. Repeat it shortly.';
  return new AppError('idempotency_in_progress', message, { retryAfterSeconds: IN_PROGRESS_RETRY_SECONDS });
}

/** The key belongs to another body. */
export function keyReused(): AppError {
  return new AppError('idempotency_key_reused', 'This Idempotency-Key was used for another request. Use a new one.');
}

export function hasCode(error: unknown, code: ErrorCode): error is AppError {
  return error instanceof AppError && error.code === code;
}

export function isDuplicate(error: unknown): error is AppError {
  return error instanceof AppError && error.details?.reason === 'duplicate_order';
}

/**
 * Whether what was found is the order by itself: nobody else can have used a name of ours, so that a difference is the owner's
 * later change.
 */
export function isTheOrder({ isAsAsked }: FoundOrder, { reference }: PreparedOrder): boolean {
  return isAsAsked || reference.isOurs;
}

/** Whether what the exchange shows of an order is neither its life nor its end: it may be told, but not kept as the answer. */
export function isEndUnknown({ status, status_reason: reason }: OrderDto): boolean {
  return status === 'pending' && reason === 'unknown_status';
}

/** Whether an order is over without a fill: for whoever sent it that is as good as a refusal. */
export function cameToNothing({ status, filled_size: filled }: OrderDto): boolean {
  return (status === 'cancelled' || status === 'rejected' || status === 'expired') && filled === '0';
}

/** A final refusal as it is kept; `throwRefusal` throws it again. */
export function keptRefusal({ code, message, details }: AppError): object {
  return { refusal: { code, message, details } };
}

/** The kept answer of an order; null where it is a refusal. */
export function answerOf(kept: unknown): Placement | null {
  const answer = KEPT_ORDER.safeParse(kept);
  return answer.success ? { order: answer.data.order, origin: 'replayed' } : null;
}

/** Throws the kept refusal again, marked as a replay. */
export function throwRefusal(kept: unknown): never {
  const { code, message, details } = KEPT_REFUSAL.parse(kept).refusal;
  throw new AppError(code, message, { headers: { 'Idempotency-Replayed': 'true' }, ...(details && { details }) });
}

/** A client order id that the client named belongs to another order: this one cannot be made under it. */
export function takenByAnother(exchange: string): AppError {
  const message = 'The exchange has another order under this client order id. Send this one under another.';
  const details = { reason: 'duplicate_order', exchange: { id: exchange, status: null, code: null } };
  return new AppError('exchange_rejected', message, { details });
}

/** The error of a sending that ended without proof, whatever was thrown (contract.md 3, R-13). */
export function asUnknown(error: unknown, reference: OrderReference['details'], retryable = true): AppError {
  if (!(error instanceof AppError)) {
    const message = 'It is not known whether the exchange took the order. Look it up, or repeat the call with its key.';
    return outcomeUnknown({ message, reference, retryable, cause: error });
  }
  const { code, message, details, retryAfterSeconds } = error;
  const wait = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
  return new AppError(code, message, { retryable, cause: error, ...(details && { details }), ...wait });
}

/** Clients see the name of an order, not what else its record keeps. */
function nameIn({ client_order_id, order_id }: OrderReference['details']): OrderReference['details'] {
  return client_order_id === undefined ? { order_id } : { client_order_id };
}

/** Why it is not known whether an order exists. */
export interface UnknownOutcome {
  readonly message: string;
  readonly reference: OrderReference['details'];
  readonly reason?: string;
  readonly cause?: unknown;
  /** Whether the same call may be repeated: always under an `Idempotency-Key` (contract.md 3). */
  readonly retryable?: boolean;
}

/** `order_outcome_unknown`, with the exchange's status and code of the last try, but not its words (contract.md 3, R-13). */
export function outcomeUnknown({ message, reference, reason, cause, retryable = true }: UnknownOutcome): AppError {
  const answer = cause instanceof AppError ? cause.details?.exchange : undefined;
  const exchange = answer && { id: answer.id, status: answer.status, code: answer.code };
  const details = { ...(reason && { reason }), ...nameIn(reference), ...(exchange && { exchange }) };
  const retryAfterSeconds = cause instanceof AppError ? cause.retryAfterSeconds : undefined;
  const wait = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
  return new AppError('order_outcome_unknown', message, { retryable, cause, details, ...wait });
}
