import { Injectable, Logger } from '@nestjs/common';
import { type ActivityEvent, ActivityService } from '../../activity/activity.service.js';
import type { AppError } from '../../platform/errors/app-error.js';
import { Ledger } from './ledger.repository.js';
import { inProgress, isKept, keptRefusal } from './outcomes.js';
import { ALL_REFUSED, type Claim, type Doubt, EXISTS } from './placement.js';
import type { Unkeyed, UnkeyedPlacements } from './unkeyed.repository.js';

/**
 * Records what became of orders, or of transfers by their own repository, and returns what to answer. Where the record cannot be
 * written the answer is still true: the failure is logged.
 */
@Injectable()
export class OutcomeRecorder {
  readonly #logger = new Logger('OutcomeRecorder');

  constructor(
    private readonly repository: Ledger,
    private readonly activity: ActivityService,
  ) {}

  /**
   * Stores what the exchange has as the answer of all repeats, in the place of a kept refusal where it `wasRefused`, and in the same
   * statement its note, where there is one, also for a call that has lost its claim. False where that fails, or the record has another
   * answer already or is gone: then nothing is noted.
   */
  async recordMade(claim: Claim, answer: object, note: ActivityEvent | null, wasRefused: boolean): Promise<boolean> {
    const { repository, activity } = this;
    try {
      const prepared = note && activity.prepare(note);
      return await (wasRefused
        ? repository.correct(claim, answer, prepared)
        : repository.settle(claim, answer, prepared));
    } catch (error) {
      this.#logNotStored(error);
      return false;
    }
  }

  /**
   * Records that the exchange has refused and no sending made an order. A refusal that the owner can cure is not kept: the record waits
   * for a repeat. Any other refusal is kept for repeats. The first repeat verifies a kept refusal at the exchange, unless `isVerified`.
   * Returns `idempotency_in_progress` where another call has taken over, since that call alone may report the refusal.
   */
  async recordRefused(claim: Claim, error: AppError, isVerified = false): Promise<AppError> {
    const isOurs = isKept(error)
      ? await this.#keep(claim, keptRefusal(error), isVerified)
      : await this.#mark(claim, { refusalHoldsAt: ALL_REFUSED, answer: error });
    return isOurs ? error : inProgress();
  }

  /** Records the cause why nothing was sent for a call without a key; returns the cause. */
  async recordUnsent(records: UnkeyedPlacements, row: Unkeyed, cause: unknown): Promise<unknown> {
    try {
      await records.refuse(row, cause);
    } catch (error) {
      this.#logNotStored(error);
    }
    return cause;
  }

  /** Frees the key: nothing was sent, for this error. A record that could not be changed stays "begun" and soon counts as cut off. */
  async forget(claim: Claim, cause: unknown): Promise<boolean> {
    try {
      return await this.repository.forget(claim, cause);
    } catch (error) {
      this.#logger.error({ err: error, message: 'the key of an order that was not sent could not be freed' });
      return true;
    }
  }

  /** A record that could not be changed stays "sending" and soon counts as unknown (contract.md 5). */
  async recordUnknown(claim: Claim, answer: AppError, doubt: Doubt = {}): Promise<AppError> {
    await this.#mark(claim, { ...doubt, answer });
    return answer;
  }

  /** The exchange shows it, but not what became of it: no refusal is final any more, a kept one is taken back, and a repeat looks again. */
  async recordShown(claim: Claim, isAbsent: boolean, wasRefused: boolean): Promise<void> {
    try {
      if (wasRefused) await this.repository.reopen(claim, isAbsent);
      else await this.#mark(claim, { refusalHoldsAt: EXISTS, isAbsent });
    } catch (error) {
      this.#logNotStored(error);
    }
  }

  /** False where the record belongs to another call now. */
  async #mark(claim: Claim, doubt: Doubt): Promise<boolean> {
    try {
      return await this.repository.markUnknown(claim, doubt);
    } catch (error) {
      this.#logger.error({ err: error, message: 'an order of unknown fate could not be marked; it counts so soon' });
      return true;
    }
  }

  async #keep(claim: Claim, answer: object, isVerified: boolean): Promise<boolean> {
    try {
      return await this.repository.finish(claim, answer, isVerified);
    } catch (error) {
      this.#logNotStored(error);
      return true;
    }
  }

  #logNotStored(error: unknown): void {
    const message = 'the answer of an order could not be stored; repeats will look it up';
    this.#logger.error({ err: error, message });
  }
}
