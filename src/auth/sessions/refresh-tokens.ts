import { Injectable } from '@nestjs/common';
import { CryptoService } from '../../platform/crypto/crypto.service.js';
import { sha256 } from '../../platform/crypto/digests.js';
import { randomToken } from '../../platform/secrets/random.js';
import { Sealed } from '../../platform/crypto/sealed.js';
import { Secret } from '../../platform/secrets/secret.js';

const BYTES = 32;

function contextOf(parentHash: Buffer): readonly string[] {
  return ['refresh-token-successor', parentHash.toString('hex')];
}

/** Refresh tokens: 256 random bits, stored as SHA-256; sealed only while racing calls may ask again (S-21, S-22). */
@Injectable()
export class RefreshTokens {
  constructor(private readonly crypto: CryptoService) {}

  create(): Secret {
    return new Secret(randomToken(BYTES));
  }

  hash(token: Secret): Buffer {
    return sha256(token.reveal());
  }

  /** Seals a successor so that it opens only with the hash of its parent. */
  seal(token: Secret, parentHash: Buffer): string {
    return this.crypto.seal(token, contextOf(parentHash)).toText();
  }

  open(sealed: string, parentHash: Buffer): Secret {
    return this.crypto.open(Sealed.fromText(sealed), contextOf(parentHash));
  }
}
