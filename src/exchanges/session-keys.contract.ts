import type { Secret } from '../platform/secrets/secret.js';
import type { Opened } from './credentials.contract.js';

/**
 * A session key that is active or has been, for one request: a key pair that may trade for an account and move nothing out of
 * it (contract.md 5.9, polymarket.md 11).
 */
export interface OpenedSessionKey {
  /** Of the key itself. */
  readonly address: string;
  /** Of the account that it trades for. */
  readonly walletAddress: string;
  /** Null where nobody stated when it ends. */
  readonly validUntil: Date | null;
  readonly activatedAt: Date;
  /** Whether the exchange refused it last, long enough after its activation. */
  readonly isRefused: boolean;
  /** What the exchange issued to the key itself. */
  readonly apiCredentials: ApiCredentialFields;
  /** Opens the private half for one use and wipes it. Throws SealBrokenError. */
  withPrivateKey<T>(use: (privateKey: Uint8Array) => T): T;
  /** Keeps whether the exchange refuses the key; never throws. */
  noteRefused(isRefused: boolean): Promise<void>;
}

/** API credentials that an exchange has issued, by the names that they are stored under. */
export interface ApiCredentialFields {
  readonly api_key: Secret;
  readonly secret: Secret;
  readonly passphrase: Secret;
}

/** A new key pair; `privateKey` is `0x` and 64 hex digits. */
export interface SessionKeyPair {
  readonly address: string;
  readonly privateKey: Secret;
}

/** What the owner of an account needs to let a session key trade for it (contract.md 5.9). */
export interface SessionKeyAuthorization {
  readonly wallet_address: string;
  readonly session_address: string;
  readonly chain_id: number;
  readonly scopes: readonly string[];
  /** The command of this project that the owner runs. */
  readonly command: string;
}

/** A session key that waits to be taken into use. */
export interface PendingSessionKey extends SessionKeyPair {
  readonly walletAddress: string;
}

/** What the exchange says of a session key that it takes. */
export interface AcceptedSessionKey {
  readonly apiCredentials: ApiCredentialFields;
  /** Null where the exchange does not say. */
  readonly validUntil: Date | null;
}

/** Session keys of an exchange that has them (contract.md 5.9). */
export interface SessionKeys<Credentials extends object = object, OrderRequest extends object = object> {
  /** Whether an order is signed by a session key, and so cannot be made without one (contract.md 5.9). */
  isNeededFor(request: OrderRequest): boolean;
  /** Makes a key pair that nobody else knows. */
  generate(): SessionKeyPair;
  /** Returns the pair of a private half that fits its pattern. Throws `bad_request` on `session_key` where it is no key. */
  pairOf(privateKey: Secret): SessionKeyPair;
  /** Returns what the owner of the account has to do. */
  authorizationOf(walletAddress: string, address: string): SessionKeyAuthorization;
  /**
   * Lets the exchange issue the key's own API credentials, or tell those that it has, in the time of one call. Throws as signed calls
   * do, and `credentials_rejected` with reason `session_key_not_authorized` where it does not take the key.
   */
  deriveApiCredentials(key: SessionKeyPair): Promise<ApiCredentialFields>;
  /** Throws `bad_request` on `session_key` where the exchange says that the key is of the account's owner (S-58). */
  assertNoOwner(key: PendingSessionKey, apiCredentials: ApiCredentialFields): Promise<void>;
  /** Returns what is stored for an account whose API credentials are those of one of its session keys. */
  storedWith(key: PendingSessionKey, apiCredentials: ApiCredentialFields): Opened<Credentials>;
  /**
   * Derives the credentials and tries them by one signed read, again and again for as long as the exchange may not know a key
   * that its owner has just authorised. `stored` are the owner's own credentials, whose list of keys then decides; null where
   * there are none. Throws `credentials_rejected` with reason `session_key_not_authorized`.
   */
  awaitAccepted(key: PendingSessionKey, stored: Opened<Credentials> | null): Promise<AcceptedSessionKey>;
}
