import { badField } from '../../../platform/errors/app-error.js';
import type { KalshiOrderRequestDto } from './order.dto.js';

/** Checks what the fields of the body say together; throws `bad_request` on one of them (contract.md 5.7). */
export function checkTerms(request: KalshiOrderRequestDto): void {
  const { post_only: postOnly, reduce_only: reduceOnly, time_in_force: timeInForce } = request;
  if (postOnly === true && timeInForce !== 'gtc' && timeInForce !== 'gtd') {
    throw badField('post_only', 'goes only with gtc and gtd');
  }
  if (reduceOnly === true && timeInForce !== 'ioc') throw badField('reduce_only', 'goes only with ioc');
}
