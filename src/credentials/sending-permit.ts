import { unauthorized } from '../access/bearer.js';
import { exchangeNotAllowed } from '../access/bot-exchange.guard.js';
import { type ApiKeyPrincipal, botIdOf } from '../access/principal.js';
import { AppError, type ErrorDetails } from '../platform/errors/app-error.js';
import type { CredentialSets } from './credential-sets.repository.js';

/** Who sends, and the versions of what signs, as the parameters of the function `sending_refusal`. */
export type SendingLook = readonly [
  userId: string,
  keyPrefix: string,
  exchange: string,
  stored: string | null,
  active: string | null,
  botId: string | null,
];

/**
 * Whether an order or a transfer may still be sent: the API key lives, the user is enabled, and the credentials that sign are the stored
 * ones. The statement that begins the sending must check this (S-30).
 */
export interface SendingPermit {
  /** The parameters of `sending_refusal`. That function sees every revocation and removal that was answered. */
  readonly look: SendingLook;
  /** The error of a refusal; nothing was sent then. `halt` is what is known of the halt of a bot. */
  refusedBy(refusal: string, halt: BotHalt | null): AppError;
}

/** Why a bot is halted, and since when. */
export type BotHalt = Pick<ErrorDetails, 'reason' | 'since'>;

/** Returns the permit of a caller who sends with the credentials of these sets. */
export function sendingPermit(
  caller: ApiKeyPrincipal,
  exchange: string,
  { stored, active }: CredentialSets,
): SendingPermit {
  const versions = [stored?.rowVersion ?? null, active?.rowVersion ?? null] as const;
  return { look: [caller.userId, caller.keyPrefix, exchange, ...versions, botIdOf(caller)], refusedBy };
}

/** The errors of what `sending_refusal` says, but of credentials that were changed. */
const REFUSALS: Readonly<Partial<Record<string, (halt: BotHalt | null) => AppError>>> = {
  key_revoked: () => unauthorized('key_revoked'),
  key_expired: () => unauthorized('key_expired'),
  user_gone: () => unauthorized('invalid'),
  scope_refused: () =>
    new AppError('forbidden', 'This API key lacks the trade scope.', { details: { required_scope: 'trade' } }),
  exchange_not_allowed: () => exchangeNotAllowed(),
  market_not_allowed: () =>
    new AppError('forbidden', 'This bot may not trade this market. Its owner decides which it may.', {
      details: { reason: 'market_not_allowed' },
    }),
  bot_halted: (halt) =>
    new AppError('bot_halted', 'This bot is halted: it may read and cancel, but send no order. Its owner resumes it.', {
      ...(halt !== null && { details: halt }),
    }),
};

function refusedBy(refusal: string, halt: BotHalt | null): AppError {
  const known = REFUSALS[refusal];
  if (known !== undefined) return known(halt);
  const message = 'The exchange credentials were changed before the call was sent. Nothing was sent: repeat the call.';
  return new AppError('service_unavailable', message, {
    details: { reason: 'credentials_changed' },
    retryAfterSeconds: 1,
  });
}
