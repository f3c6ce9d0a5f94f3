import { Injectable } from '@nestjs/common';
import type { ApiKeyPrincipal } from '../../access/principal.js';
import type { Exchange } from '../../exchanges/exchange.js';
import { MOST_ORDERS_OF_BATCH } from '../../exchanges/order-batch.js';
import { AppError, badField } from '../../platform/errors/app-error.js';
import { badParameters } from '../../platform/http/validation.js';
import { PartErrors } from '../../platform/http/part-errors.js';
import { LONGEST_BATCH_KEY } from './idempotency.decorator.js';
import { Together } from './order.subject.js';
import type { BatchResultsDto } from './orders.dto.js';
import { OrdersService } from './orders.service.js';

/** Several orders by one call (contract.md 5.15): each is placed as if it were alone, and leaves with the others. */
@Injectable()
export class OrderBatches {
  readonly #errors = new PartErrors('OrderBatches');

  constructor(private readonly orders: OrdersService) {}

  /**
   * Creates 1 to 15 orders; each has its own outcome, an unknown one too. Under a key the order at `index` has the key `<key>#<index>`. Throws `bad_request`
   * where the body is no list of so many objects, or the key is longer than 252 characters.
   */
  async create(caller: ApiKeyPrincipal, exchange: Exchange, body: unknown, key?: string): Promise<BatchResultsDto> {
    const bodies = ordersIn(body);
    if (key !== undefined && key.length > LONGEST_BATCH_KEY)
      throw badField('Idempotency-Key', `must be at most ${LONGEST_BATCH_KEY} characters for a batch`);
    const together = new Together(bodies.length);
    const results = bodies.map(async (order, index): Promise<BatchResultsDto['results'][number]> => {
      const among = { together, seat: together.batch.seat(index) };
      const call = { among, key: key && `${key}#${index}` };
      try {
        return { index, order: await this.orders.create(caller, exchange, order, call) };
      } catch (error) {
        return { index, error: this.#errors.told(error) };
      } finally {
        together.batch.leave();
      }
    });
    return { results: await Promise.all(results) };
  }
}

/** The orders of a body; what is in each is looked at with it. */
function ordersIn(body: unknown): readonly unknown[] {
  if (!isObject(body)) throw new AppError('bad_request', 'Send a JSON object as the body.');
  const { orders, ...others } = body;
  const unknown = Object.keys(others);
  if (unknown.length > 0) throw badParameters(unknown, 'is not known here');
  if (!Array.isArray(orders) || orders.length === 0 || orders.length > MOST_ORDERS_OF_BATCH)
    throw badField('orders', `must be a list of 1 to ${MOST_ORDERS_OF_BATCH} orders`);
  if (!orders.every(isObject)) throw badField('orders', 'must be a list of objects');
  return orders;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
