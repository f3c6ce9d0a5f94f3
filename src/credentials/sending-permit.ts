import { unauthorized } from '../access/bearer.js';
import type { ApiKeyPrincipal } from '../access/principal.js';
import { AppError } from '../platform/errors/app-error.js';
import type { CredentialSets } from './credential-sets.repository.js';

/** Who sends, and the versions of what signs, as the parameters of the function `sending_refusal`. */
export type SendingLook = readonly [
  userId: string,
  keyPrefix: string,
  exchange: string,
  stored: string | null,
  active: string | null,
];

/**
 * Whether an order or a transfer may still be sent: the API key lives, the user is enabled, and the credentials that sign are the stored
 * ones. The statement that begins the sending must check this (S-30).
 */
export interface SendingPermit {
  /** The parameters of `sending_refusal`. That function sees every revocation and removal that was answered. */
  readonly look: SendingLook;
  /** The error of a refusal; nothing was sent then. */
  refusedBy(refusal: string): AppError;
}

/** Returns the permit of a caller who sends with the credentials of these sets. */
export function sendingPermit(
  { userId, keyPrefix }: ApiKeyPrincipal,
  exchange: string,
  { stored, active }: CredentialSets,
): SendingPermit {
  return { look: [userId, keyPrefix, exchange, stored?.rowVersion ?? null, active?.rowVersion ?? null], refusedBy };
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
