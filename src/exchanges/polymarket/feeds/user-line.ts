import { eventsOf, readAs } from '../../frames.js';
import type { LineEnd, PrivateEvent, PrivateHeard, PrivateLine, RecordedBy } from '../../feeds.contract.js';
import type { Trading } from '../../trading.contract.js';
import type { FillDto, OrderDto } from '../../unified.trading.dto.js';
import { isNotFound } from '../../upstream-errors.js';
import { type OwnFill, ownFillsOf } from '../trading/fill.mapper.js';
import { asAsked, stateOf } from '../trading/order.mapper.js';
import type { WireOrder } from '../trading/order.wire.js';
import type { Wallet } from '../trading/wallet.js';
import { orderOfFrame, tradeOfFrame, wireNamedOrder, wireUserEvent, wireUserEvents } from './user.wire.js';

/** The answer to a `PING`. */
const PONG = 'PONG';
/** Others, such as `INVALID OPERATION`. */
const BARE_TEXT = /^[A-Z ]{1,64}$/;

const LOST: PrivateHeard = { events: [], isLost: true };

/** By what frames become what HTTP shows of the same things. */
export interface UserReads extends Pick<Trading, 'getOrder'> {
  readonly wallet: Wallet;
  toOrders(orders: readonly WireOrder[]): Promise<OrderDto[]>;
  toFills(fills: readonly OwnFill[]): Promise<FillDto[]>;
}

/**
 * The talk on one connection to Polymarket's user channel (streams.md 2.7). It acknowledges nothing: a `PONG` behind the first frame says
 * that the exchange has read that, since it cuts off whoever it does not know.
 */
export class PolymarketUserLine implements PrivateLine {
  constructor(private readonly reads: UserReads) {}

  /** All markets: in which width the channel takes ids of V2 is not known (streams.md 2.2). */
  begin(): readonly string[] {
    const { apiKey, secret, passphrase } = this.reads.wallet.apiCredentials;
    const auth = { apiKey: apiKey.reveal(), secret: secret.reveal(), passphrase: passphrase.reveal() };
    return [JSON.stringify({ type: 'user', auth }), 'PING'];
  }

  hear(text: string): PrivateHeard {
    if (text === PONG) return { events: [], isReady: true };
    if (BARE_TEXT.test(text)) return { events: [] };
    const all = eventsOf(text, wireUserEvents)?.map((event) => this.#event(event));
    if (all === undefined) return LOST;
    const isLost = all.includes(null);
    return { events: all.flatMap((events) => events ?? []), ...(isLost && { isLost }) };
  }

  closed(): LineEnd {
    return 'lost';
  }

  /** Null where an event cannot be read. */
  #event(event: unknown): PrivateEvent[] | null {
    const type = readAs(wireUserEvent, event)?.event_type;
    if (type === undefined) return null;
    if (type === 'order') return this.#order(event);
    return type === 'trade' ? this.#trade(event) : [];
  }

  #order(event: unknown): PrivateEvent[] | null {
    const named = readAs(wireNamedOrder, event);
    if (named === null) return null;
    if (typeof named.owner === 'string' && named.owner !== this.#apiKey) return [];
    const order = orderOfFrame(event);
    const isClear = order !== null && stateOf(order).statusReason !== 'unknown_status';
    const read = (recorded: RecordedBy): Promise<OrderDto | null> =>
      isClear ? this.#shown(order, recorded) : this.#readOrder(named.id, recorded);
    return [{ type: 'order', read }];
  }

  get #apiKey(): string {
    return this.reads.wallet.apiCredentials.apiKey.reveal();
  }

  /** As `GET /{exchange}/orders/{order_id}` shows it. */
  async #shown(order: WireOrder, recorded: RecordedBy): Promise<OrderDto | null> {
    const [shown] = await this.reads.toOrders([order]);
    return shown === undefined ? null : asAsked(shown, await recorded(shown.id)());
  }

  async #readOrder(id: string, recorded: RecordedBy): Promise<OrderDto | null> {
    try {
      return await this.reads.getOrder(id, recorded(id));
    } catch (error) {
      if (isNotFound(error)) return null;
      throw error;
    }
  }

  #trade(event: unknown): PrivateEvent[] | null {
    const trade = tradeOfFrame(event);
    if (trade === null) return null;
    const own = ownFillsOf(trade, this.reads.wallet);
    return own.length === 0 ? [] : [{ type: 'fills', read: () => this.reads.toFills(own) }];
  }
}
