import { z } from 'zod';
import { parseDecimal } from '../../exchanges/decimal.js';
import type { TransferTerms } from '../../exchanges/exchange.js';
import type { TransferDto } from '../../exchanges/unified.trading.dto.js';
import { AppError } from '../../platform/errors/app-error.js';
import { hasCode, type Origin } from '../orders/order-outcomes.js';

/** A transfer, its origin, and the id that it was sent under. */
export interface TransferPlacement {
  readonly transfer: TransferDto;
  readonly origin: Exclude<Origin, 'duplicate'>;
  readonly clientTransferId: string;
}

const KEPT_TRANSFER = z.object({
  transfer: z.custom<TransferDto>((value) => typeof value === 'object' && value !== null),
});

/** The kept answer of a transfer; null where it is a refusal. */
export function transferOf(kept: unknown): TransferDto | null {
  const answer = KEPT_TRANSFER.safeParse(kept);
  return answer.success ? answer.data.transfer : null;
}

/** Amounts of transfers are in dollars at every exchange (contract.md 9). */
const CURRENCY = 'USD';

/** What is answered of a transfer that exists, while it is not known which one of the history it is (contract.md 9). */
export function unnamedTransfer(exchange: string, { from_shard, to_shard, amount }: TransferTerms): TransferDto {
  const known = { from_shard, to_shard, amount: parseDecimal(amount) ?? amount, currency: CURRENCY };
  return { exchange, id: null, ...known, status: 'pending', created_at: null };
}

export function isDuplicateTransfer(error: unknown): error is AppError {
  return error instanceof AppError && error.details?.reason === 'duplicate_transfer';
}

/** Whether it is not known what this sending has made: by the exchange's answer, or as no answer was read. */
export function isUnknownTransfer(error: unknown): boolean {
  return !(error instanceof AppError) || hasCode(error, 'transfer_outcome_unknown');
}

/** Why it is not known whether a transfer exists. */
export interface UnknownTransfer {
  readonly message: string;
  readonly clientTransferId: string;
  readonly reason?: string;
  readonly cause?: unknown;
}

/** `transfer_outcome_unknown` under a key, with the exchange's status and code of the last try, but not its words. */
export function transferUnknown({ message, clientTransferId, reason, cause }: UnknownTransfer): AppError {
  const said = cause instanceof AppError ? cause.details?.exchange : undefined;
  const exchange = said && { id: said.id, status: said.status, code: said.code };
  const details = { ...(reason && { reason }), client_transfer_id: clientTransferId, ...(exchange && { exchange }) };
  const retryAfterSeconds = cause instanceof AppError ? cause.retryAfterSeconds : undefined;
  const wait = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
  return new AppError('transfer_outcome_unknown', message, { retryable: true, cause, details, ...wait });
}

/** The error of a sending that ended without proof, whatever was thrown; it may be repeated only with a key (contract.md 9). */
export function asUnknownTransfer(error: unknown, clientTransferId: string, retryable: boolean): AppError {
  const { message, details, retryAfterSeconds } =
    error instanceof AppError
      ? error
      : {
          message: 'It is not known whether the exchange took the transfer. Look at the list.',
          details: {},
          retryAfterSeconds: undefined,
        };
  return new AppError('transfer_outcome_unknown', message, {
    retryable,
    cause: error,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    details: { ...details, client_transfer_id: clientTransferId },
  });
}
