import { AppError } from '../../../platform/errors/app-error.js';
import type { OpenedSessionKey } from '../../session-keys.contract.js';
import type { SignedPolymarketClient } from '../connection/client.js';
import { SESSION_KEY_EXPIRED } from '../polymarket.errors.js';
import type { OrderDomain } from './order-domains.js';
import type { HashedOrder } from './order-hash.js';
import { sessionSignature } from './session-signature.js';

/** For so long after it was activated parts of the exchange may not know a key (polymarket.md 11.1). */
const SETTLING_MS = 65_000;
const SETTLING_RETRY_SECONDS = 5;

/** Signs orders by a session key, and understands what the exchange says of the key (contract.md 5.6). */
export class SessionSigner {
  constructor(
    private readonly key: OpenedSessionKey,
    private readonly client: SignedPolymarketClient,
  ) {}

  /** Throws `credentials_rejected` (`session_key_expired`) where the key has ended, by the exchange's clock. */
  assertUnexpired(): void {
    const { validUntil } = this.key;
    if (validUntil === null || validUntil > this.client.now()) return;
    throw this.client.refused(SESSION_KEY_EXPIRED, null, { code: null, text: null });
  }

  /** Opens the key for this one signature. Throws `internal_error` where it does not open; nothing is sent then. */
  sign(order: HashedOrder, domain: OrderDomain): string {
    try {
      return sessionSignature(order, domain, this.key);
    } catch (error) {
      throw new AppError('internal_error', 'The session key could not be used. Store or make a new one.', {
        cause: error,
      });
    }
  }

  /** Returns the error to answer: where the key was refused, that it may not be known everywhere yet, or is noted as refused. */
  async explain(error: unknown): Promise<unknown> {
    if (!isKeyRefusal(error)) return error;
    if (Date.now() - this.key.activatedAt.getTime() < SETTLING_MS) {
      return this.client.keySettling(error, SETTLING_RETRY_SECONDS);
    }
    await this.key.noteRefused(true);
    return error;
  }

  /** The exchange has taken an order that the key signed. */
  async noteAccepted(): Promise<void> {
    if (this.key.isRefused) await this.key.noteRefused(false);
  }
}

function isKeyRefusal(error: unknown): error is AppError {
  return error instanceof AppError && error.details?.reason === SESSION_KEY_EXPIRED.reason;
}
