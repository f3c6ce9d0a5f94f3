import { isAvatarUrl, isDisplayName } from '../../platform/http/display-text.js';
import { canonicalEmail } from '../../platform/http/email-address.js';
import { type Appearance, nameOf } from '../../users/users.service.js';
import type { ProviderAccount } from './oauth-provider.js';

/** What a provider said of somebody, before it is looked at. */
export interface ClaimedAccount {
  readonly subject: string;
  readonly email: unknown;
  /** Only `true` itself counts (S-15). */
  readonly isEmailVerified: unknown;
  readonly name: unknown;
  readonly avatarUrl: unknown;
}

/** Keeps of a provider's words what is fit to store (S-8, S-47). */
export function toProviderAccount(claimed: ClaimedAccount): ProviderAccount {
  const email = typeof claimed.email === 'string' ? canonicalEmail(claimed.email) : null;
  return {
    subject: claimed.subject,
    verifiedEmail: claimed.isEmailVerified === true ? email : null,
    name: isDisplayName(claimed.name) ? claimed.name : null,
    avatarUrl: isAvatarUrl(claimed.avatarUrl) ? claimed.avatarUrl : null,
  };
}

/** How somebody appears here who came through a provider. */
export function appearanceOf({ name, avatarUrl }: ProviderAccount, email: string): Appearance {
  return { name: name ?? nameOf(email), avatarUrl };
}
