/** What a ciphertext is bound to: it opens only where every word is the same again (S-36). */
export type SealContext = readonly string[];

/**
 * A sealed value: key id and envelope. The envelope is version (1 byte), IV (12), ciphertext, tag (16); the key id stands
 * beside it (contract.md 6).
 */
export class Sealed {
  constructor(
    readonly keyId: string,
    readonly envelope: Buffer,
  ) {}

  /** As text for a column: `keyId.base64url`. */
  toText(): string {
    return `${this.keyId}.${this.envelope.toString('base64url')}`;
  }

  static fromText(text: string): Sealed {
    const [keyId = '', envelope = ''] = text.split('.', 2);
    return new Sealed(keyId, Buffer.from(envelope, 'base64url'));
  }
}
