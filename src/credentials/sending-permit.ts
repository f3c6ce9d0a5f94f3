import { unauthorized } from '../access/bearer.js';
import type { ApiKeyPrincipal } from '../access/principal.js';
import type { StatementPart } from '../platform/database/statement-part.js';
import { AppError } from '../platform/errors/app-error.js';
import type { CredentialSets } from './credential-sets.repository.js';

/**
 * Whether an order or a transfer may still be sent: its API key lives, its user is enabled, and what it is signed with is what is
 * stored. To be looked at in the statement in which the sending begins.
 */
export interface SendingPermit {
  /** One row: `refusal`, null where it may be sent. No snapshot of it is older than a revocation or removal that was answered. */
  readonly look: StatementPart;
  /** The error of a refusal; nothing was sent then. */
  refusedBy(refusal: string): AppError;
}

/** For a caller who sends with what these sets hold. */
export function sendingPermit(
  { userId, keyPrefix }: ApiKeyPrincipal,
  exchange: string,
  { stored, active }: CredentialSets,
): SendingPermit {
  const values = [userId, keyPrefix, exchange, stored?.rowVersion ?? null, active?.rowVersion ?? null];
  return { look: { sql: 'SELECT sending_refusal($1, $2, $3, $4, $5) AS refusal', values }, refusedBy };
}

function refusedBy(refusal: string): AppError {
  if (refusal === 'key_revoked') return unauthorized('key_revoked');
  if (refusal === 'user_gone') return unauthorized('invalid');
  const message = 'The exchange credentials were changed before the call was sent. Nothing was sent: repeat the call.';
  return new AppError('service_unavailable', message, {
    details: { reason: 'credentials_changed' },
    retryAfterSeconds: 1,
  });
}
