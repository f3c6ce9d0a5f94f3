import { Injectable } from '@nestjs/common';
import type { SendingPermit } from '../../credentials/credentials.service.js';
import type { BeforeSend } from '../../exchanges/orders.contract.js';
import { Settings } from '../../platform/config/settings.js';
import { AppError } from '../../platform/errors/app-error.js';
import { UpstreamError } from '../../platform/upstream/upstream-client.js';
import type { Ledger } from './ledger.repository.js';
import { inProgress } from './outcomes.js';
import type { AskedTerms, Claim } from './placement.js';
import type { Unkeyed, UnkeyedPlacements } from './unkeyed.repository.js';

/**
 * How long beyond `UPSTREAM_TIMEOUT` an order may arrive, or an exchange's lists may lag, after it was sent. A margin of
 * our own: no exchange documents one, and a shorter one makes refusals of orders that live.
 */
const REFUSAL_WAIT_SLACK_MS = 30_000;
/** A call without a sign of life for this long beyond `UPSTREAM_TIMEOUT` was cut off (contract.md 5). */
const CUT_OFF_SLACK_MS = 5_000;
/** Nothing is sent where more time, in ms, has passed since its record began to say that it is. */
const MAX_SEND_DELAY_MS = 5_000;

/** What is sent under a key. */
export interface KeyedSending {
  readonly records: Ledger;
  readonly claim: Claim;
  /** A digest of the exchange account that signs. */
  readonly account: Buffer;
  /** As what it is sent; kept in the record. */
  readonly reference: object;
  readonly asked: AskedTerms;
  /** The error of a process that was frozen before it could send: other calls may take the order for lost by now. */
  readonly heldUp: () => AppError;
}

/** What is sent without one. */
export interface UnkeyedSending extends Pick<KeyedSending, 'account' | 'reference' | 'asked'> {
  readonly records: UnkeyedPlacements;
  readonly row: Unkeyed;
}

/** Returns a function that says whether too much time has passed. It reads two clocks, since one stops while a machine sleeps. */
function delayed(): () => boolean {
  const [wall, running] = [Date.now(), performance.now()];
  return () => Math.max(Date.now() - wall, performance.now() - running) >= MAX_SEND_DELAY_MS;
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

  /** Without a key: its row is written now. `before` throws `service_unavailable` where the process was frozen: nothing was sent. */
  once({ records, row, reference, ...sending }: UnkeyedSending, permit: SendingPermit): Sending {
    return new Sending(async () => {
      const isLate = delayed();
      const refusal = await records.startSending(row, reference, { ...sending, ...this.#times }, permit.look);
      if (refusal !== null) throw permit.refusedBy(refusal);
      if (isLate())
        throw new AppError('service_unavailable', 'The service was held up before it could send. Nothing was sent.');
    });
  }

  /** Under a key. `before` throws `idempotency_in_progress` where another call has taken over. */
  keyed({ records, claim, account, reference, asked, heldUp }: KeyedSending, permit: SendingPermit): Sending {
    return new Sending(async () => {
      const isLate = delayed();
      const sending = { account, asked, ...this.#times };
      const { refusal, hasBegun } = await records.startSending(claim, reference, sending, permit.look);
      if (refusal !== null) throw permit.refusedBy(refusal);
      if (!hasBegun) throw inProgress();
      if (isLate()) throw heldUp();
    });
  }

  get #times(): { readonly busyMs: number; readonly refusalWaitMs: number } {
    return { busyMs: this.busyMs, refusalWaitMs: this.#upstreamMs + REFUSAL_WAIT_SLACK_MS };
  }
}
