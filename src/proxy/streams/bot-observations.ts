import { Logger } from '@nestjs/common';
import { isEnd } from '../../exchanges/ended-order.js';
import { isPositive } from '../../exchanges/decimal.js';
import type { FillDto, OrderDto } from '../../exchanges/unified.trading.dto.js';
import { AppError } from '../../platform/errors/app-error.js';

/** Orders that wait for their proof at most; others are proved by the next round. */
const MOST_DUE = 1_000;

/** Proves what became of an order; null where only a fill of it was heard (`OrderProofs.observe`). */
export type Observe = (orderId: string, heard: OrderDto | null) => Promise<void>;

/** Has orders of bots proved of which something was heard: one after the other, and each once for all that was heard meanwhile. */
export class BotObservations {
  readonly #logger = new Logger('BotObservations');
  readonly #due = new Map<string, OrderDto | null>();
  #isWorking = false;

  constructor(private readonly observe: Observe) {}

  /** Of an order that rests and has not filled there is nothing to prove. */
  noteOrder(order: OrderDto): void {
    if (isEnd(order.status) || isPositive(order.filled_size)) this.#note(order.id, order);
  }

  noteFill({ order_id: orderId }: FillDto): void {
    this.#note(orderId, this.#due.get(orderId) ?? null);
  }

  #note(orderId: string, heard: OrderDto | null): void {
    if (this.#due.size >= MOST_DUE && !this.#due.has(orderId)) return;
    this.#due.set(orderId, heard);
    if (!this.#isWorking) void this.#work();
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    for (let [next] = this.#due; next !== undefined; [next] = this.#due) {
      const [orderId, heard] = next;
      this.#due.delete(orderId);
      try {
        await this.observe(orderId, heard);
      } catch (error) {
        if (!(error instanceof AppError)) {
          this.#logger.error({ err: error, message: 'an order of a bot could not be proved, and is later' });
        }
      }
    }
    this.#isWorking = false;
  }
}
