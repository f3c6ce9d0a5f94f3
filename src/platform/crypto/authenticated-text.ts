import { createHmac, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Settings } from '../config/settings.js';
import { deriveKey } from './digests.js';

const MAC_BYTES = 16;

/** Texts that go out to clients and come back unchanged: JSON with an HMAC, as URL-safe base64 (unified-schema.md 9). */
@Injectable()
export class AuthenticatedText {
  readonly #keys: readonly Buffer[];

  constructor(settings: Settings) {
    this.#keys = settings.jwtSecrets.map((secret) => deriveKey(secret.reveal(), 'authenticated-text'));
  }

  encode(value: object): string {
    const payload = Buffer.from(JSON.stringify(value), 'utf8');
    return Buffer.concat([this.#mac(this.#keys[0], payload), payload]).toString('base64url');
  }

  /** The value that was encoded, or null where the text was made up or changed. */
  decode(text: string): unknown {
    const bytes = Buffer.from(text, 'base64url');
    if (bytes.toString('base64url') !== text || bytes.length <= MAC_BYTES) return null;
    const mac = bytes.subarray(0, MAC_BYTES);
    const payload = bytes.subarray(MAC_BYTES);
    const good = this.#keys.some((key) => timingSafeEqual(this.#mac(key, payload), mac));
    return good ? (JSON.parse(payload.toString('utf8')) as unknown) : null;
  }

  #mac(key: Buffer | undefined, payload: Buffer): Buffer {
    if (key === undefined) throw new Error('there is no key to authenticate texts with');
    return createHmac('sha256', key).update(payload).digest().subarray(0, MAC_BYTES);
  }
}
