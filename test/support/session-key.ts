import { hexToBytes } from '@noble/hashes/utils.js';
import type { ApiCredentialFields, OpenedSessionKey } from '../../src/exchanges/session-keys.contract.js';
import { Secret } from '../../src/platform/secrets/secret.js';

/** What a test says of a session key. */
interface KeyTerms {
  readonly address: string;
  readonly private_key: string;
  readonly key: string;
  readonly secret: string;
  readonly passphrase: string;
}

/** An active session key as the service opens it, which counts how often its private half is used. */
export class TestSessionKey implements OpenedSessionKey {
  readonly address: string;
  readonly apiCredentials: ApiCredentialFields;
  validUntil: Date | null = null;
  activatedAt = new Date(Date.now() - 3_600_000);
  isRefused = false;
  /** How often the private half was opened. */
  opened = 0;
  /** What was noted of the key, in order. */
  readonly noted: boolean[] = [];
  /** Thrown where the private half is to be opened. */
  broken: Error | null = null;
  readonly #privateKey: string;

  constructor(
    { address, private_key: privateKey, key, secret, passphrase }: KeyTerms,
    readonly walletAddress: string,
  ) {
    this.address = address;
    this.apiCredentials = {
      api_key: new Secret(key),
      secret: new Secret(secret),
      passphrase: new Secret(passphrase),
    };
    this.#privateKey = privateKey;
  }

  withPrivateKey<T>(use: (privateKey: Uint8Array) => T): T {
    this.opened += 1;
    if (this.broken !== null) throw this.broken;
    return use(hexToBytes(this.#privateKey.slice(2)));
  }

  noteRefused(isRefused: boolean): Promise<void> {
    this.noted.push(isRefused);
    return Promise.resolve();
  }
}
