import { RETRY_SAVINGS, RETRY_SHARE } from './upstream.constants.js';

/** Retries are at most a tenth of the calls, beside a few saved up, so that they never feed an overload. */
export class RetryBudget {
  #saved = RETRY_SAVINGS;

  /** Every first attempt earns its share. */
  earn(): void {
    this.#saved = Math.min(RETRY_SAVINGS, this.#saved + RETRY_SHARE);
  }

  /** Whether one retry may be made; takes it from the savings. */
  spend(): boolean {
    if (this.#saved < 1) return false;
    this.#saved -= 1;
    return true;
  }
}
