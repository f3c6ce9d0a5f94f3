import type { Secret } from '../platform/secrets/secret.js';

/** Stored credentials, opened for one request: every field is a Secret (CONTRIBUTING.md 4, S-39). */
export type Opened<C extends object> = {
  readonly [Field in keyof C]: undefined extends C[Field] ? Secret | undefined : Secret;
};

/** What an exchange says of an API key; null where it does not say (contract.md 4). */
export interface KeyFacts {
  readonly scopes: readonly string[] | null;
  /** The one subaccount that the key may use; null for a key that may use all, or where its number is not known. */
  readonly subaccount: string | null;
  readonly isBound: boolean | null;
  /** Until when the location of the account counts as attested; ISO 8601. */
  readonly attestationExpiresAt: string | null;
}

/** What an exchange said of credentials when they were stored or verified last; holds no secret. */
export interface CredentialFacts {
  /** Null where the exchange has no such keys, or did not say. */
  readonly key: KeyFacts | null;
  /** Addresses of contracts that the account has yet to approve before orders work; null where that was not to be read. */
  readonly missingAllowances: readonly string[] | null;
}
