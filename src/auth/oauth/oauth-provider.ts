import { AppError } from '../../platform/errors/app-error.js';
import { isAvatarUrl, isDisplayName } from '../../platform/http/display-text.js';
import { canonicalEmail } from '../../platform/http/email-address.js';
import { ProviderCallError } from '../../platform/upstream/provider-http.js';

/** What a client posts after its user came back from a provider (specification.md 4.6); all checked before any call. */
export interface OAuthCode {
  readonly code: string;
  readonly codeVerifier: string;
  readonly redirectUri: string;
}

/** A person's account at a provider, as far as it is used here. */
export interface ProviderAccount {
  /** The provider's own, lasting id: the only key of an identity (S-11). */
  readonly subject: string;
  /** Canonical, and vouched for by the provider; null where it does not vouch for any. */
  readonly verifiedEmail: string | null;
  readonly name: string | null;
  readonly avatarUrl: string | null;
}

/** What a provider claims about a person, unchecked. */
export interface ClaimedAccount {
  readonly subject: string;
  readonly email: unknown;
  /** Only `true` itself counts (S-15). */
  readonly isEmailVerified: unknown;
  readonly name: unknown;
  readonly avatarUrl: unknown;
}

/** What a client needs to send its user to a provider; it adds state, redirect address and PKCE challenge. */
export interface ProviderInvitation {
  readonly authorizationUrl: string;
  readonly clientId: string;
  readonly scope: string;
}

/** A sign-in provider that is switched on. */
export interface OAuthProvider {
  readonly id: string;
  invite(): Promise<ProviderInvitation>;
  /** Throws `oauth_failed`, `oauth_provider_error`, `oauth_provider_timeout`. */
  identify(code: OAuthCode): Promise<ProviderAccount>;
}

/** Checks a provider's claims, and drops what is not fit to store (S-8, S-47). */
export function toProviderAccount(claimed: ClaimedAccount): ProviderAccount {
  const email = typeof claimed.email === 'string' ? canonicalEmail(claimed.email) : null;
  return {
    subject: claimed.subject,
    verifiedEmail: claimed.isEmailVerified === true ? email : null,
    name: isDisplayName(claimed.name) ? claimed.name : null,
    avatarUrl: isAvatarUrl(claimed.avatarUrl) ? claimed.avatarUrl : null,
  };
}

/** 400 `oauth_failed`: the provider does not accept the code, the verifier or the redirect address. */
export function codeRejected(cause?: unknown): AppError {
  return new AppError('oauth_failed', 'The provider does not accept this code. Start the sign-in again.', {
    details: { reason: 'code_rejected' },
    cause,
  });
}

/** 502 or 504: the provider is broken or slow; nothing of its answer is passed on (S-15). */
export function providerFault(cause: unknown): AppError {
  if (isTimeout(cause)) {
    return new AppError('oauth_provider_timeout', 'The provider did not answer in time. Try again.', { cause });
  }
  return new AppError('oauth_provider_error', 'The provider did not answer as it should. Try again later.', { cause });
}

function isTimeout(error: unknown, depth = 0): boolean {
  if (!(error instanceof Error) || depth > 5) return false;
  return (error instanceof ProviderCallError && error.failure === 'timeout') || isTimeout(error.cause, depth + 1);
}
