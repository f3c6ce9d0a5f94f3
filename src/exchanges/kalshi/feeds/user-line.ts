import type { z } from 'zod';
import { jsonOf, readAs } from '../../frames.js';
import type { LineEnd, PrivateEvent, PrivateHeard, PrivateLine, RecordedBy } from '../../feeds.contract.js';
import type { RecordedOrder } from '../../orders.contract.js';
import type { Trading } from '../../trading.contract.js';
import type { OrderDto } from '../../unified.trading.dto.js';
import { isNotFound } from '../../upstream-errors.js';
import type { CalledAccount } from '../connection/account.js';
import { toFill } from '../trading/fill.mapper.js';
import { toOrder } from '../trading/order.mapper.js';
import { wireError, wireFrame, wireSubscribed } from './feed.wire.js';
import { fillOfFrame, orderOfFrame, wireFillAccount, wireNamedOrder } from './user.wire.js';

/** Both of all shards and markets. */
const CHANNELS = ['user_orders', 'fill'];

/** Errors that no new connection mends (streams.md 1.5): not allowed, or our own command was wrong. */
const REFUSED: ReadonlySet<number> = new Set([1, 2, 3, 5, 8, 9, 11]);

const NOTHING: PrivateHeard = { events: [] };
const LOST: PrivateHeard = { events: [], isLost: true };

/** By what orders are read whose frame lacks something. */
export type ReadOrder = Pick<Trading, 'getOrder'>;

/** The talk on one private connection to Kalshi; its frames have no numbers (streams.md 1.3, 1.4). */
export class KalshiUserLine implements PrivateLine {
  readonly #subscribed = new Set<string>();

  constructor(
    private readonly account: Pick<CalledAccount, 'owns'>,
    private readonly orders: ReadOrder,
  ) {}

  begin(): readonly string[] {
    return [JSON.stringify({ id: 1, cmd: 'subscribe', params: { channels: CHANNELS } })];
  }

  hear(text: string): PrivateHeard {
    const frame = readAs(wireFrame, jsonOf(text));
    if (frame === null) return LOST;
    const { type, msg } = frame;
    if (type === 'user_order') return this.#order(msg);
    if (type === 'fill') return this.#fill(msg);
    if (type === 'subscribed') return this.#confirmed(readAs(wireSubscribed, msg));
    return type === 'error' ? { events: [], end: endOf(readAs(wireError, msg)) } : NOTHING;
  }

  closed(): LineEnd {
    return 'lost';
  }

  #confirmed(told: z.output<typeof wireSubscribed> | null): PrivateHeard {
    if (told !== null) this.#subscribed.add(told.channel);
    return { events: [], isReady: CHANNELS.every((name) => this.#subscribed.has(name)) };
  }

  #order(msg: unknown): PrivateHeard {
    const named = readAs(wireNamedOrder, msg);
    if (named === null) return LOST;
    if (!this.account.owns(named)) return NOTHING;
    const order = orderOfFrame(msg);
    const read = (recorded: RecordedBy): Promise<OrderDto | null> =>
      order === null ? this.#readOrder(named, recorded) : Promise.resolve(toOrder(order));
    return { events: [{ type: 'order', read }] };
  }

  async #readOrder({ order_id: id, ticker }: z.output<typeof wireNamedOrder>, recorded: RecordedBy) {
    const known: RecordedOrder = async () => ({ ...((await recorded(id)()) ?? UNRECORDED), marketId: ticker });
    try {
      return await this.orders.getOrder(id, known);
    } catch (error) {
      if (isNotFound(error)) return null;
      throw error;
    }
  }

  #fill(msg: unknown): PrivateHeard {
    const account = readAs(wireFillAccount, msg);
    if (account === null) return LOST;
    if (!this.account.owns({ subaccount_number: account.subaccount })) return NOTHING;
    const fill = fillOfFrame(msg);
    if (fill === null) return LOST;
    const event: PrivateEvent = { type: 'fills', read: () => Promise.resolve([toFill(fill)]) };
    return { events: [event] };
  }
}

const UNRECORDED = {
  outcomeIndex: null,
  size: null,
  status: null,
  madeMsAgo: null,
  cancelledMsAgo: null,
} as const;

function endOf(error: z.output<typeof wireError> | null): LineEnd {
  return error !== null && REFUSED.has(error.code) ? 'refused' : 'lost';
}
