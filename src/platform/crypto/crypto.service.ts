import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Settings } from '../config/settings.js';
import { Tally } from '../metrics/tally.js';
import { type SealContext, Sealed } from './sealed.js';
import { Secret } from '../secrets/secret.js';

const ALGORITHM = 'aes-256-gcm';
const VERSION = 1;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const CHECK_BYTES = 32;
const SHORTEST_ENVELOPE = 1 + IV_BYTES + TAG_BYTES;

/** A sealed value that does not open: tampered with, moved, or sealed under a key that is gone (S-37). */
export class SealBrokenError extends Error {
  override readonly name = 'SealBrokenError';
}

/** Length-prefixed words, so that no two contexts make the same bytes. */
function associatedData(keyId: string, context: SealContext): Buffer {
  const words = [String(VERSION), keyId, ...context].map((word) => Buffer.from(word, 'utf8'));
  return Buffer.concat(
    words.flatMap((word) => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(word.length);
      return [length, word];
    }),
  );
}

/** Seals and opens secrets with AES-256-GCM and the key ring of `ENCRYPTION_KEYS` (S-36, S-38). */
@Injectable()
export class CryptoService {
  /** Values that did not open. */
  readonly failures = new Tally([]);
  /** What this process has sealed since the last `takeSealed`, by key id. */
  readonly #sealed = new Map<string, number>();
  readonly #keys: ReadonlyMap<string, KeyObject>;
  readonly #currentKeyId: string;

  constructor(settings: Settings) {
    this.#keys = new Map(
      settings.encryptionKeys.map(({ id, key }) => [id, createSecretKey(Buffer.from(key.reveal(), 'base64'))]),
    );
    this.#currentKeyId = settings.encryptionKeys[0]?.id ?? '';
  }

  /** Ids of all keys that can open, the sealing one first. */
  get keyIds(): readonly string[] {
    return [...this.#keys.keys()];
  }

  /** Id of the key that seals. */
  get sealingKeyId(): string {
    return this.#currentKeyId;
  }

  /** Distinguishes this key from another one under the same id; nothing leads back from it to the key (RFC 5869, S-38). */
  checkValue(keyId: string): Buffer {
    return Buffer.from(hkdfSync('sha256', this.#key(keyId), '', `trading-proxy/key-check/${keyId}`, CHECK_BYTES));
  }

  /** Seals under the first key of the ring with a fresh random IV, bound to `context`. */
  seal(secret: Secret, context: SealContext): Sealed {
    const keyId = this.#currentKeyId;
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.#key(keyId), iv, { authTagLength: TAG_BYTES });
    cipher.setAAD(associatedData(keyId, context));
    const plaintext = Buffer.from(secret.reveal(), 'utf8');
    const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()]);
    plaintext.fill(0);
    this.#sealed.set(keyId, (this.#sealed.get(keyId) ?? 0) + 1);
    return new Sealed(keyId, Buffer.concat([Buffer.of(VERSION), iv, ciphertext, cipher.getAuthTag()]));
  }

  /** How often each key sealed since this was called last; a key may seal 2^32 times (S-38). */
  takeSealed(): [keyId: string, times: number][] {
    const taken = [...this.#sealed];
    this.#sealed.clear();
    return taken;
  }

  /** Puts back what was taken and could not be kept. */
  putBackSealed(taken: readonly (readonly [keyId: string, times: number])[]): void {
    for (const [keyId, times] of taken) this.#sealed.set(keyId, (this.#sealed.get(keyId) ?? 0) + times);
  }

  /** Opens what was sealed under any key of the ring for the same context; throws SealBrokenError. */
  open(sealed: Sealed, context: SealContext): Secret {
    return this.openFor(sealed, context, (plaintext) => new Secret(plaintext.toString('utf8')));
  }

  /**
   * As `open`, but gives the bytes to `use` instead of a text, which could not be wiped; wipes them when `use` returns or throws
   * (S-39).
   */
  openFor<T>(sealed: Sealed, context: SealContext, use: (plaintext: Buffer) => T): T {
    const plaintext = this.#decrypt(sealed, context);
    try {
      return use(plaintext);
    } finally {
      plaintext.fill(0);
    }
  }

  #decrypt(sealed: Sealed, context: SealContext): Buffer {
    try {
      return this.#decryptOrThrow(sealed, context);
    } catch (error) {
      this.failures.count();
      throw error;
    }
  }

  #decryptOrThrow({ keyId, envelope }: Sealed, context: SealContext): Buffer {
    if (envelope.length < SHORTEST_ENVELOPE || envelope[0] !== VERSION) {
      throw new SealBrokenError('the sealed value is not in a known form');
    }
    const iv = envelope.subarray(1, 1 + IV_BYTES);
    const decipher = createDecipheriv(ALGORITHM, this.#key(keyId), iv, { authTagLength: TAG_BYTES });
    decipher.setAAD(associatedData(keyId, context));
    decipher.setAuthTag(envelope.subarray(-TAG_BYTES));
    // This mode gives all bytes at once, and none at the end: so there is one buffer to wipe.
    const plaintext = decipher.update(envelope.subarray(1 + IV_BYTES, -TAG_BYTES));
    try {
      decipher.final();
      return plaintext;
    } catch (cause) {
      plaintext.fill(0);
      throw new SealBrokenError('the sealed value does not open here', { cause });
    }
  }

  #key(keyId: string): KeyObject {
    const key = this.#keys.get(keyId);
    if (key === undefined) throw new SealBrokenError(`ENCRYPTION_KEYS holds no key with the id ${keyId}`);
    return key;
  }
}
