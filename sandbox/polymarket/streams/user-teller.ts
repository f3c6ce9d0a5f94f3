import { progress } from '../clob/trade.view.js';
import { type PolymarketEvent } from '../events.js';
import { type OrderRecord, type Trade } from '../order.js';
import { killedFrame, orderFrame, tradeFrame } from './messages.js';
import { type UserSession } from './user-session.js';

/** Trades whose next step is told; more than these are only told as matched. */
const MOST_UNFINISHED = 10_000;

/** Tells the connections of the user channel about their own orders and trades (streams.md 2). */
export class UserTeller {
  readonly #unfinished = new Map<Trade, string>();

  constructor(
    private readonly sessions: ReadonlySet<UserSession>,
    private readonly clock: () => Date,
  ) {}

  /** One order that changed in several ways within one call is told of each kind once, as it stands. */
  tell(events: readonly PolymarketEvent[]): void {
    const updated = new Set<OrderRecord>();
    for (const event of events) {
      if (event.kind === 'trade') this.#tellTrade(event.trade);
      else if (event.kind === 'killed') this.#toOwner(event.order, killedFrame(event.order, this.clock()));
      else if (event.kind === 'order' && !(event.type === 'UPDATE' && updated.has(event.order))) {
        if (event.type === 'UPDATE') updated.add(event.order);
        const frame = orderFrame(event.order, event.type, { status: event.status, now: this.clock() });
        this.#toOwner(event.order, frame);
      }
    }
  }

  /** A trade is told again, under the same id, each time that it has come further: mined, then confirmed; or tried again, then failed. */
  tellProgress(): void {
    for (const [trade, told] of this.#unfinished) {
      const { status, isFinal } = progress(trade, this.clock());
      if (status === told) continue;
      if (isFinal) this.#unfinished.delete(trade);
      else this.#unfinished.set(trade, status);
      this.#toParties(trade);
    }
  }

  #tellTrade(trade: Trade): void {
    this.#toParties(trade);
    if (this.#unfinished.size < MOST_UNFINISHED) this.#unfinished.set(trade, 'MATCHED');
  }

  #toOwner(order: OrderRecord, frame: object): void {
    for (const session of this.sessions) if (session.account === order.account) session.tell(order.market, frame);
  }

  #toParties(trade: Trade): void {
    const parties = new Set([trade.taker, ...trade.makers.map(({ order }) => order)].map(({ account }) => account));
    for (const session of this.sessions) {
      const { account } = session;
      if (account === undefined || !parties.has(account)) continue;
      session.tell(trade.taker.market, tradeFrame(trade, account, this.clock()));
    }
  }
}
