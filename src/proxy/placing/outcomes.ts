import { z } from 'zod';
import { AppError, type ErrorDetails } from '../../platform/errors/app-error.js';
import { ERROR_CODES, type ErrorCode, type ErrorReason } from '../../platform/errors/error-codes.js';

/** What is placed. */
export type Kind = 'order' | 'transfer';

export type Origin = 'made' | 'found' | 'duplicate' | 'replayed';

/** What clients see in `details` of an unknown outcome: the name that it was sent under. */
export type Name = Pick<ErrorDetails, 'client_order_id' | 'order_id' | 'client_transfer_id'>;

/**
 * What was placed and its origin: `made` now; `found` at the exchange, where an earlier call with the key had sent it; a `duplicate`
 * of what the exchange had already; or `replayed` from the record.
 */
export interface Placement<Placed> {
  readonly placed: Placed;
  readonly origin: Origin;
}

/** Refusals that the exchange, or our own record, has proved are kept; after all others the key may be used again (contract.md 5, R-28). */
const KEPT_REFUSALS: ReadonlySet<ErrorCode> = new Set(['exchange_rejected', 'not_found', 'order_of_another_bot']);

/** Refusals that the owner can cure in minutes. They are not kept: no key shall answer a refusal that is cured (contract.md 5.3). */
const CURABLE: ReadonlySet<string> = new Set(['allowance_missing', 'attestation_expired', 'insufficient_funds']);

const IN_PROGRESS_RETRY_SECONDS = 1;

const KEPT_REFUSAL = z.object({
  refusal: z.object({
    code: z.custom<ErrorCode>((value) => typeof value === 'string' && value in ERROR_CODES),
    message: z.string(),
    details: z.custom<ErrorDetails>((value) => typeof value === 'object').optional(),
  }),
});

/** Whether the exchange says that it does not take this very order; a `bad_request` is its refusal where it names the exchange. */
export function isRefusal({ code, details }: AppError): boolean {
  return KEPT_REFUSALS.has(code) || (code === 'bad_request' && details?.exchange !== undefined);
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

/** The key was given up: nothing is sent under it. */
export function keyAbandoned(): AppError {
  const message = 'This Idempotency-Key was abandoned, so nothing is sent under it. Use a new one for a new order.';
  return new AppError('idempotency_key_abandoned', message);
}

export function hasCode(error: unknown, code: ErrorCode): error is AppError {
  return error instanceof AppError && error.code === code;
}

/** The exchange says that it has what was sent, or another of its name. */
export function isDuplicate(error: unknown): error is AppError {
  if (!(error instanceof AppError)) return false;
  return error.details?.reason === 'duplicate_order' || error.details?.reason === 'duplicate_transfer';
}

/** It is not known whether the exchange made what was sent. */
export function isUnknown(error: unknown): error is AppError {
  return hasCode(error, 'order_outcome_unknown') || hasCode(error, 'transfer_outcome_unknown');
}

/** A final refusal as it is kept; `throwRefusal` throws it again. */
export function keptRefusal({ code, message, details }: AppError): object {
  return { refusal: { code, message, details } };
}

/** The kept refusal; null where the answer is none. */
export function refusalIn(kept: unknown): z.output<typeof KEPT_REFUSAL>['refusal'] | null {
  return KEPT_REFUSAL.safeParse(kept).data?.refusal ?? null;
}

/** Throws the kept refusal again, marked as a replay. */
export function throwRefusal(kept: unknown): never {
  const { code, message, details } = KEPT_REFUSAL.parse(kept).refusal;
  throw new AppError(code, message, { headers: { 'Idempotency-Replayed': 'true' }, ...(details && { details }) });
}

/** The name that the client gave belongs to another: this one cannot be made under it. */
export function takenByAnother(kind: Kind, exchange: string): AppError {
  const message = `The exchange has another ${kind} under this client ${kind} id. Send this one under another.`;
  const details = { reason: `duplicate_${kind}`, exchange: { id: exchange, status: null, code: null } } as const;
  return new AppError('exchange_rejected', message, { details });
}

/** The order that the exchange has is one that another bot of the user, or the main key, has sent (contract.md 5.11). */
export function orderOfAnother(): AppError {
  const message = 'Another bot of yours, or your main key, has sent this very order. Send one of your own.';
  return new AppError('order_of_another_bot', message);
}

/** Why it is not known whether something exists. */
export interface UnknownOutcome {
  readonly message: string;
  readonly name: Name;
  readonly reason?: ErrorReason;
  readonly cause?: unknown;
  /** Whether the same call may be repeated: always under an `Idempotency-Key` (contract.md 3). */
  readonly retryable?: boolean;
}

/** `…_outcome_unknown`, with the exchange's status and code of the last try, but not its words (contract.md 3, R-13). */
export function outcomeUnknown(
  kind: Kind,
  { message, name, reason, cause, retryable = true }: UnknownOutcome,
): AppError {
  const said = cause instanceof AppError ? cause.details?.exchange : undefined;
  const exchange = said && { id: said.id, status: said.status, code: said.code };
  const details = { ...(reason && { reason }), ...name, ...(exchange && { exchange }) };
  return new AppError(`${kind}_outcome_unknown`, message, { retryable, cause, details, ...waitOf(cause) });
}

/** The error of a sending that ended without proof, whatever was thrown (contract.md 3, R-13). */
export function asUnknown(kind: Kind, error: unknown, name: Name, retryable = true): AppError {
  if (!(error instanceof AppError)) {
    const message = `It is not known whether the exchange took the ${kind}.`;
    return outcomeUnknown(kind, { message, name, retryable, cause: error });
  }
  const details = { ...error.details, ...name };
  return new AppError(`${kind}_outcome_unknown`, error.message, { retryable, cause: error, details, ...waitOf(error) });
}

function waitOf(cause: unknown): { readonly retryAfterSeconds?: number } {
  const retryAfterSeconds = cause instanceof AppError ? cause.retryAfterSeconds : undefined;
  return retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
}

/** In how many seconds a call may be repeated whose outcome is not known, where nobody named a time. */
const REPEAT_SECONDS = 1;

/**
 * Says what to do about an unknown outcome, by how it was asked for (contract.md 5): a key that was not sent is never advised, as a new
 * one would make another. `list` is where it shows.
 */
export function withWayOut(error: AppError, list: string, hasKey: boolean): AppError {
  // That error has its own way out: other credentials.
  if (error.details?.reason === 'credentials_changed') return error.retold(error.message, {}, REPEAT_SECONDS);
  return error.retold(`${error.message} ${wayOutOf(error, list, hasKey)}`, {}, REPEAT_SECONDS);
}

function wayOutOf({ details = {}, retryable }: AppError, list: string, hasKey: boolean): string {
  if (hasKey) return 'Repeat the call with the same Idempotency-Key and body: it is looked up, and never made twice.';
  if (retryable) return 'Send the same signed order again: the exchange takes it once.';
  const { client_order_id: clientOrderId, order_id: orderId } = details;
  const named = clientOrderId === undefined ? (orderId ?? '') : `?client_order_id=${clientOrderId}`;
  const separator = orderId === undefined ? '' : '/';
  return `Look for it (GET ${list}${separator}${named}) for 30 seconds at least before you send another.`;
}
