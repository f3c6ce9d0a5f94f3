import { count, dollars } from '../format.js';
import { perContract } from '../ledger.js';
import { type Placement } from '../trades.js';

/** What an answer says of whose order it is; a client id only where the order has one. */
export function idsOf(order: { id: string; clientOrderId: string }) {
  return { order_id: order.id, ...(order.clientOrderId === '' ? {} : { client_order_id: order.clientOrderId }) };
}

export function countsOf({ filled, resting }: Pick<Placement, 'filled' | 'resting'>) {
  return { fill_count: count(filled), remaining_count: count(resting) };
}

/** Of the fills of this call, per contract; nothing where there are none. */
export function averagesOf({ filled, spent, fees }: Pick<Placement, 'filled' | 'spent' | 'fees'>) {
  if (filled === 0n) return {};
  return {
    average_fill_price: dollars(perContract(spent, filled)),
    average_fee_paid: dollars(perContract(fees, filled)),
  };
}
