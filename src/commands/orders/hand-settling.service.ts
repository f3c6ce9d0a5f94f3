import { Injectable } from '@nestjs/common';
import { ActivityService } from '../../activity/activity.service.js';
import { compare, subtract } from '../../exchanges/decimal.js';
import { Transactions } from '../../platform/database/transactions.js';
import { plain } from '../doctor/failure.js';
import { HandSettling, type ReservedOrder } from './hand-settling.repository.js';

/** What the operator says of an order: how much of it has filled in all, in contracts or shares; null for what is known. */
export interface Settlement {
  readonly id: string;
  readonly filled: string | null;
  /** Whether it is to be done; else only told. */
  readonly isMeant: boolean;
}

function nameOf({ id, exchange, orderId, clientOrderId }: ReservedOrder): string {
  return [id, exchange, orderId ?? '-', clientOrderId ?? '-'].map((text) => plain(text)).join('\t');
}

/** Settles orders of bots by hand, where nothing proves what became of them (`npm run orders -- settle`, contract.md 8.1). */
@Injectable()
export class HandSettlingService {
  constructor(
    private readonly orders: HandSettling,
    private readonly transactions: Transactions,
    private readonly activity: ActivityService,
  ) {}

  /** Returns what was done, or would be. Throws an Error that says why an order is not settled; then nothing was changed. */
  async settle({ id, filled, isMeant }: Settlement): Promise<string[]> {
    const found = await this.orders.find(id);
    const [first, second] = found;
    if (first === undefined)
      throw new Error('Nothing is reserved for an order of a bot with this id. Nothing was changed.');
    if (second !== undefined) {
      throw new Error(
        ['Several orders have this id. Nothing was changed. Name one by its first word:', ...found.map(nameOf)].join(
          '\n',
        ),
      );
    }
    if (!isMeant) return told(first, checked(first, filled));
    return this.transactions.run(async () => {
      const order = await this.orders.hold(first.id);
      if (order === null)
        throw new Error('The exchange has proved meanwhile what became of the order. Nothing was changed.');
      const total = checked(order, filled);
      await this.orders.settle(order.id, total);
      await this.#record(order, total);
      return [`${nameOf(order)}\tsettled\tfilled=${total}`, 'Its owner is told.'];
    });
  }

  async #record(
    { userId, botId, exchange, orderId, clientOrderId, marketId }: ReservedOrder,
    filled: string,
  ): Promise<void> {
    const details = { order_id: orderId, client_order_id: clientOrderId, market_id: marketId, filled_size: filled };
    await this.activity.record({ type: 'order_settled', userId, botId, exchange, details });
  }
}

/** What has filled of an order that may be settled now. Throws an Error that says why it may not. */
function checked(
  { isBusy, maySettle, settleableAt, most, filled: known }: ReservedOrder,
  given: string | null,
): string {
  const filled = given ?? known;
  if (!maySettle) {
    const at = settleableAt.toISOString();
    throw new Error(
      `The service itself still looks what became of the order. It may be settled from ${at} on. Nothing was changed.`,
    );
  }
  if (isBusy)
    throw new Error('The service looks at the order right now. Repeat this in some seconds. Nothing was changed.');
  if (compare(filled, known) < 0)
    throw new Error(`The exchange has shown that ${known} of it filled. Nothing was changed.`);
  if (compare(filled, most) > 0) throw new Error(`It cannot have filled more than ${most}. Nothing was changed.`);
  return filled;
}

function told(order: ReservedOrder, filled: string): string[] {
  const { id, botId, userId, state, most } = order;
  return [
    nameOf(order),
    `of bot ${botId} of ${userId}, ${state}: of ${most}, ${filled} would count as filled, and the other ${subtract(most, filled)} as over.`,
    'Look first at the exchange, in the account of its owner: an order that lives there lives on, and no limit knows of it.',
    `Nothing is changed yet. To settle it: npm run orders -- settle ${id} --filled ${filled} --yes`,
  ];
}
