import { canonicalId, type Exchange, type IdKind } from '../../exchanges/exchange.js';
import { AppError, badField } from '../../platform/errors/app-error.js';

/** Checks an id in the path; throws `not_found` where it cannot be one of this exchange (contract.md 3, S-48). */
export function checkPathId(exchange: Exchange, kind: IdKind, id: string): string {
  if (exchange.idPatterns[kind].test(id)) return id;
  throw new AppError('not_found', `${exchange.id} has no ${kind} with this id.`);
}

/**
 * Checks an id in the query or body, and returns it in its canonical form, which cursors are bound to. Throws `bad_request`
 * where it cannot be one of this exchange (contract.md 3, S-48).
 */
export function checkFieldId<Id extends string | undefined>(
  exchange: Exchange,
  kind: IdKind,
  field: string,
  id: Id,
): Id | string {
  if (id === undefined) return id;
  if (!exchange.idPatterns[kind].test(id)) throw badField(field, `must be a valid ${kind} id of ${exchange.id}`);
  return canonicalId(exchange, kind, id);
}
