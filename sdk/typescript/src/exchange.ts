import { errorOf, isObject } from './answers.js';
import type { Asked, Caller } from './caller.js';
import { encode } from './decimal.js';
import { OrderOutcomeUnknown, type TradingProxyError } from './errors.js';
import type { CreatedOrder, Me } from './generated.js';
import { exchangeMethods } from './methods.js';

export type ExchangeId = Me['exchanges'][number]['id'];
export type NewOrder = Asked<'createOrder'>;

/** Of each order of a batch, in their order: the order, or why there is none. */
export interface BatchResult {
  readonly index: number;
  readonly order?: CreatedOrder;
  readonly error?: TradingProxyError;
}
export type BatchResults = Readonly<Record<'results', readonly BatchResult[]>>;

/** One exchange: `client.kalshi`, `client.polymarket`, `client.exchange(id)`. */
export type Exchange = ReturnType<typeof exchangeOf>;

export function exchangeOf(id: ExchangeId, caller: Caller) {
  const methods = exchangeMethods(caller);
  return {
    id,
    ...methods,
    orders: {
      ...methods.orders,
      /** 1 to 15 orders, each with its own outcome, under the keys `<key>#<index>`. */
      createBatch: caller.make<'createOrders', [orders: readonly NewOrder[]], BatchResults>(
        'createOrders',
        batchOf(caller),
      ),
    },
  };
}

/** Of each order that was sent an order with its id, or an error with its code; each has the key `<key>#<index>`, and is repeated alone. */
function batchOf(caller: Caller) {
  const alone = caller.make('createOrder', (body?: NewOrder) => ({ body, wasLost: true }));
  return (given: readonly NewOrder[]) => {
    const orders = given.map((order) => encode(order) as NewOrder);
    const isWhole = ({ results }: Readonly<Record<string, unknown>>): boolean =>
      Array.isArray(results) && results.length === orders.length && results.every(isResult);
    const finish = (value: unknown, key = ''): BatchResults => {
      const results = (value as BatchResults).results.map((result) => {
        const error = errorOf(result.error);
        const own = { idempotencyKey: `${key}#${result.index}` };
        const again = () => alone(orders[result.index], own);
        if (error instanceof OrderOutcomeUnknown) OrderOutcomeUnknown.of(error, own.idempotencyKey, again);
        return error === null ? result : { ...result, error };
      });
      return { ...(value as BatchResults), results };
    };
    return { body: { orders }, isWhole, finish };
  };
}

const isResult = (value: unknown): boolean =>
  isObject(value) && (errorOf(value.error) !== null || (isObject(value.order) && Boolean(value.order.id)));
