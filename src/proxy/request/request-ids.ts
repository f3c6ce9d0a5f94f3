import type { Exchange, IdKind } from '../../exchanges/exchange.js';
import { AppError, badField } from '../../platform/errors/app-error.js';

/** Checks an id in the path; throws `not_found` where it cannot be one of this exchange (contract.md 3, S-48). */
export function checkPathId(exchange: Exchange, kind: IdKind, id: string): string {
  if (exchange.idPatterns[kind].test(id)) return id;
  throw new AppError('not_found', `${exchange.id} has no ${kind} with this id.`);
}

/** Checks an id in the query or body; throws `bad_request` where it cannot be one of this exchange (contract.md 3, S-48). */
export function checkFieldId(exchange: Exchange, kind: IdKind, field: string, id: string | undefined): void {
  if (id === undefined || exchange.idPatterns[kind].test(id)) return;
  throw badField(field, `must be the id of a ${kind} of ${exchange.id}`);
}
