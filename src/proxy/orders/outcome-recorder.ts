import { Injectable, Logger } from '@nestjs/common';
import { type ActivityEvent, ActivityService } from '../../activity/activity.service.js';
import type { AppError } from '../../platform/errors/app-error.js';
import { type Claim, IdempotencyRepository } from './idempotency.repository.js';
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
   * It is certain that there is no order: a refusal is kept for the repeats, and after all else the key is free again.
   * Returns `idempotency_in_progress` where another call has taken over, since that call alone may report it.
   */
  async recordNoOrder(claim: Claim, error: AppError): Promise<AppError> {
    const isOurs = isKept(error) ? await this.keep(claim, keptRefusal(error)) : await this.forget(claim);
    return isOurs ? error : inProgress();
  }

  /** Frees the key. A record that could not be deleted stays "sending" and soon counts as unknown. */
  async forget(claim: Claim): Promise<boolean> {
    try {
      return await this.repository.forget(claim);
    } catch (error) {
      this.#logger.error({ err: error, message: 'the record of an order that was not made could not be removed' });
      return true;
    }
  }

  /** A record that could not be changed stays "sending" and soon counts as unknown (contract.md 5). */
  async recordUnknown(claim: Claim, answer: AppError, refusalHoldsAt?: string | null): Promise<AppError> {
    try {
      await this.repository.markUnknown(claim, refusalHoldsAt);
    } catch (error) {
      this.#logger.error({ err: error, message: 'an order of unknown fate could not be marked; it counts so soon' });
    }
    return answer;
  }

  /** Stores the answer of all repeats; false where the record belongs to another call now. */
  async keep(claim: Claim, answer: object): Promise<boolean> {
    try {
      return await this.repository.finish(claim, answer);
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
