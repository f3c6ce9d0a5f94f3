import { Injectable, Logger } from '@nestjs/common';
import type { AppError } from '../../platform/errors/app-error.js';
import { type Claim, IdempotencyRepository } from './idempotency.repository.js';
import { inProgress, isKept, keptRefusal, type Placement } from './order-outcomes.js';

/**
 * Records what became of orders, and returns what the caller is told then. A record that cannot be written changes nothing
 * of what is true: that is logged.
 */
@Injectable()
export class OutcomeRecorder {
  readonly #logger = new Logger('OutcomeRecorder');

  constructor(private readonly repository: IdempotencyRepository) {}

  /** An answer that could not be stored is still true: a repeat looks the order up and finds the same. */
  async keepOrder(claim: Claim, placement: Placement): Promise<Placement> {
    await this.#keep(claim, { order: placement.order });
    return placement;
  }

  /**
   * It is certain that there is no order: a refusal is kept for the repeats, and after all else the key is free again. Where
   * another call has taken over, it alone may say so.
   */
  async conclude(claim: Claim, error: AppError): Promise<AppError> {
    const isOurs = isKept(error) ? await this.#keep(claim, keptRefusal(error)) : await this.forget(claim);
    return isOurs ? error : inProgress();
  }

  /** A record that could not be forgotten stays "sending" and counts as unknown soon. */
  async forget(claim: Claim): Promise<boolean> {
    try {
      return await this.repository.forget(claim);
    } catch (error) {
      this.#logger.error({ err: error, message: 'the record of an order that was not made could not be removed' });
      return true;
    }
  }

  /** A record that could not be marked stays "sending" and counts as unknown soon (DESIGN 5). */
  async markUnknown(claim: Claim, told: AppError, refusalHoldsAt?: string | null): Promise<AppError> {
    try {
      await this.repository.markUnknown(claim, refusalHoldsAt);
    } catch (error) {
      this.#logger.error({ err: error, message: 'an order of unknown fate could not be marked; it counts so soon' });
    }
    return told;
  }

  async #keep(claim: Claim, answer: object): Promise<boolean> {
    try {
      return await this.repository.finish(claim, answer);
    } catch (error) {
      this.#logger.error({
        err: error,
        message: 'the answer of an order could not be stored; a repeat will look it up',
      });
      return true;
    }
  }
}
