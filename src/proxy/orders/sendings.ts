import { Injectable } from '@nestjs/common';
import type { SendingPermit } from '../../credentials/credentials.service.js';
import type { BeforeSend } from '../../exchanges/exchange.js';
import { Settings } from '../../platform/config/settings.js';
import { AppError } from '../../platform/errors/app-error.js';
import { UpstreamError } from '../../platform/upstream/upstream-client.js';
import type { Claim, IdempotencyRepository } from './idempotency.repository.js';
import { inProgress } from './order-outcomes.js';

/**
 * How long beyond `UPSTREAM_TIMEOUT` an order may arrive, or an exchange's lists may lag, after it was sent. A margin of
 * our own: no exchange documents one, and a shorter one makes refusals of orders that live.
 */
export const REFUSAL_WAIT_SLACK_MS = 30_000;
/** A call without a sign of life for this long beyond `UPSTREAM_TIMEOUT` was cut off (contract.md 5). */
export const CUT_OFF_SLACK_MS = 5_000;
/** Nothing is sent where more time, in ms, has passed since its record began to say that it is. */
const MAX_SEND_DELAY_MS = 5_000;

/** What is sent under a key. */
export interface KeyedSending {
  readonly records: IdempotencyRepository;
  readonly claim: Claim;
  /** A digest of the exchange account that signs. */
  readonly account: Buffer;
  /** As what it is sent; kept in the record. */
  readonly reference: object;
  /** The error of a process that was frozen before it could send: other calls may take the order for lost by now. */
  readonly heldUp: () => AppError;
}

/** One sending of an order or a transfer, which begins where `before` is called, and ends with the answer. */
export class Sending {
  #hasBegun = false;

  constructor(private readonly begin: () => Promise<void>) {}

  readonly before: BeforeSend = async () => {
    await this.begin();
    this.#hasBegun = true;
  };

  /** Whether a byte of it may have left, where it ended with this error. */
  mayHaveLeft(error: unknown): boolean {
    const cause = error instanceof AppError ? error.cause : error;
    return this.#hasBegun && !(cause instanceof UpstreamError && !cause.sent);
  }
}

/**
 * Begins sendings where they begin: between the wait for a place and the first byte, in one statement that keeps what is sent, and
 * looks whether the caller still may (R-13, S-30).
 */
@Injectable()
export class Sendings {
  readonly #upstreamMs: number;

  constructor(settings: Settings) {
    this.#upstreamMs = settings.upstreamTimeoutMs;
  }

  /** How long a call may be busy without a sign of life, in ms. */
  get busyMs(): number {
    return this.#upstreamMs + CUT_OFF_SLACK_MS;
  }

  /** Without a record: only looks. */
  once(records: IdempotencyRepository, permit: SendingPermit): Sending {
    return new Sending(async () => {
      const refusal = await records.look(permit.look);
      if (refusal !== null) throw permit.refusedBy(refusal);
    });
  }

  /** Under a key. `before` throws `idempotency_in_progress` where another call has taken over. */
  keyed({ records, claim, account, reference, heldUp }: KeyedSending, permit: SendingPermit): Sending {
    const times = { busyMs: this.busyMs, refusalWaitMs: this.#upstreamMs + REFUSAL_WAIT_SLACK_MS };
    return new Sending(async () => {
      const [wall, running] = [Date.now(), performance.now()];
      const sending = { account, ...times };
      const { refusal, hasBegun } = await records.startSending(claim, reference, sending, permit.look);
      if (refusal !== null) throw permit.refusedBy(refusal);
      if (!hasBegun) throw inProgress();
      if (Math.max(Date.now() - wall, performance.now() - running) >= MAX_SEND_DELAY_MS) throw heldUp();
    });
  }
}
