import { MODES } from '../../exchanges/unified.words.js';
import { amounts, decimal, flag, maybe, object, type ObjectField, whole, word } from './fields.js';

const LIMITS_LEFT = object({
  requests: whole('Calls before the limit of requests; null where limits are off.'),
  state: word(['active', 'halted', 'expired', 'removed'], 'Only an active bot may order.'),
  order_risk: decimal('The most that one order may risk; null is no limit.'),
  open_risk: amounts('What open orders may risk beyond what they do, by currency; null is no limit.'),
  daily_risk: amounts('What orders of this UTC day may still risk; null is no limit.'),
  total_risk: amounts('What orders may still risk in all; null is no limit.'),
  open_orders: whole('How many more orders may be open; null is no limit.'),
  orders_this_minute: whole('How many more orders may be sent this minute; null is no limit.'),
});

/** What every answer has beside what a tool says. */
const EVERY = {
  mode: word(MODES, '`live`: real money. `sandbox`: none.'),
  limits_left: maybe(LIMITS_LEFT),
  truncated: flag('Whether entries were left out for length.'),
};

/** The whole answer of a tool. */
export function answerOf(output: ObjectField): ObjectField {
  return object({ ...output.parts, ...EVERY });
}

/** What the answer of an error has beside the error. */
export const BESIDE_ERRORS = object(EVERY);
