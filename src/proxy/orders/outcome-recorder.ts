import { Injectable, Logger } from '@nestjs/common';
import { type ActivityEvent, ActivityService } from '../../activity/activity.service.js';
import type { AppError } from '../../platform/errors/app-error.js';
import { ALL_REFUSED, type Claim, type Doubt, EXISTS, IdempotencyRepository } from './idempotency.repository.js';
import { inProgress, isKept, keptRefusal } from './order-outcomes.js';

/**
 * Records what became of orders, or of transfers by their own repository, and returns what to answer. Where the record cannot be
 * written the answer is still true: the failure is logged.
 */
@Injectable()
export class OutcomeRecorder {
  readonly #logger = new Logger('OutcomeRecorder');

  constructor(
    private readonly repository: IdempotencyRepository,
    private readonly activity: ActivityService,
  ) {}

  /**
   * Stores what the exchange has as the answer of all repeats, and in the same statement its note, where there is one, also for a
   * call that has lost its claim. False where that fails, or the record has an answer already or is gone: then nothing is noted.
   */
  async recordMade(claim: Claim, answer: object, note: ActivityEvent | null): Promise<boolean> {
    try {
      if (note === null) return await this.repository.settle(claim, answer);
      return await this.activity.recordWith(this.repository.settling(claim, answer), note);
    } catch (error) {
      this.#logNotStored(error);
      return false;
    }
  }

  /**
   * The exchange has refused, and no sending made an order: what its owner cures is told, and the record waits for a repeat; any
   * other refusal is kept for the repeats, of which the first looks whether it is true, unless `isVerified` says that one did.
   * Returns `idempotency_in_progress` where another call has taken over, since that call alone may report it.
   */
  async recordRefused(claim: Claim, error: AppError, isVerified = false): Promise<AppError> {
    const isOurs = isKept(error)
      ? await this.#keep(claim, keptRefusal(error), isVerified)
      : await this.#mark(claim, { refusalHoldsAt: ALL_REFUSED });
    return isOurs ? error : inProgress();
  }

  /** Stores what the exchange has made in the place of a kept refusal, with its note; false where that fails. */
  async correct(claim: Claim, answer: object, note: ActivityEvent | null): Promise<boolean> {
    try {
      if (note === null) return await this.repository.correct(claim, answer);
      return await this.activity.recordWith(this.repository.correcting(claim, answer), note);
    } catch (error) {
      this.#logNotStored(error);
      return false;
    }
  }

  /** Takes a kept refusal back: the exchange shows the order, but not what became of it. */
  async reopen(claim: Claim, isAbsent: boolean): Promise<void> {
    try {
      await this.repository.reopen(claim, isAbsent);
    } catch (error) {
      this.#logNotStored(error);
    }
  }

  /** Frees the key: nothing was sent. A record that could not be deleted stays "sending" and soon counts as unknown. */
  async forget(claim: Claim): Promise<boolean> {
    try {
      return await this.repository.forget(claim);
    } catch (error) {
      this.#logger.error({ err: error, message: 'the record of an order that was not sent could not be removed' });
      return true;
    }
  }

  /** A record that could not be changed stays "sending" and soon counts as unknown (contract.md 5). */
  async recordUnknown(claim: Claim, answer: AppError, doubt: Doubt = {}): Promise<AppError> {
    await this.#mark(claim, doubt);
    return answer;
  }

  /** The exchange shows the order, but not what became of it: no refusal is final any more, and a repeat looks again. */
  async recordShown(claim: Claim, isAbsent: boolean): Promise<void> {
    await this.#mark(claim, { refusalHoldsAt: EXISTS, isAbsent });
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
