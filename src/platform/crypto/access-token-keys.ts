import { createSecretKey, type KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Settings } from '../config/settings.js';
import { deriveKey } from './digests.js';

const KEY_ID_BYTES = 9;

/** A key that signs access tokens, and the name that tokens call it by. */
export interface AccessTokenKey {
  readonly id: string;
  /** A KeyObject, since a text costs 50 times as much at every use. */
  readonly key: KeyObject;
}

/** The local key set of access tokens: the first of `JWT_SECRET` signs, all verify (contract.md 2, S-16). */
@Injectable()
export class AccessTokenKeys {
  readonly #keys: ReadonlyMap<string, AccessTokenKey>;
  readonly current: AccessTokenKey;

  constructor(settings: Settings) {
    const keys = settings.jwtSecrets.map((secret) => {
      const id = deriveKey(secret.reveal(), 'access-token-key-id').subarray(0, KEY_ID_BYTES).toString('base64url');
      return { id, key: createSecretKey(Buffer.from(secret.reveal(), 'utf8')) };
    });
    const [first] = keys;
    if (first === undefined) throw new Error('There is no key to sign access tokens with.');
    this.current = first;
    this.#keys = new Map(keys.map((key) => [key.id, key]));
  }

  find(id: string): AccessTokenKey | null {
    return this.#keys.get(id) ?? null;
  }
}
