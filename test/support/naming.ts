import type { OrderNaming } from '../../src/exchanges/orders.contract.js';

/** The naming of an order that was not sent before. */
export function naming(clientOrderId = 'c-1', change: Partial<OrderNaming> = {}): OrderNaming {
  return { clientOrderId, createdAt: new Date(), sentAs: null, ...change };
}
