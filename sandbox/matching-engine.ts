import { ONE, smaller } from './units.js';

/** `bid` buys outcome 0, `ask` sells it. Buying outcome 1 at q is an ask at ONE - q, selling it a bid at ONE - q. */
export type BookSide = 'bid' | 'ask';

export type TimeInForce = 'GTC' | 'IOC' | 'FOK';

/**
 * What happens where an order meets an older one of its owner: `taker_at_cross` cancels what is left of the new
 * order, `maker` cancels the older order and goes on, `allow` trades.
 */
type SelfTrade = 'taker_at_cross' | 'maker' | 'allow';

/** A limit order on its way into the book. `id` must be new to the book. */
export interface NewOrder {
  id: string;
  owner: string;
  side: BookSide;
  price: bigint;
  size: bigint;
  timeInForce: TimeInForce;
  /** Refuses the order instead of taking liquidity. */
  postOnly?: boolean;
  /** Default `taker_at_cross`. */
  selfTrade?: SelfTrade;
}

/** An order in the book. */
export interface RestingOrder {
  readonly id: string;
  readonly owner: string;
  readonly side: BookSide;
  readonly price: bigint;
  readonly remaining: bigint;
}

/** One trade of the new order with a resting one, at the resting order's price. */
export interface Fill {
  makerId: string;
  makerOwner: string;
  price: bigint;
  size: bigint;
  /** What the resting order has left; at 0 it has left the book. */
  makerRemaining: bigint;
}

/** One price of the book with the sum of sizes at it. */
export interface Level {
  price: bigint;
  size: bigint;
}

/**
 * The fate of a new order. `size` = filled + resting + cancelled.
 * `outcome`: `accepted` (whatever rests or was cancelled), or refused untouched: `would_cross` (post-only),
 * `not_filled` (FOK without enough to take).
 */
export interface PlaceResult {
  outcome: 'accepted' | 'would_cross' | 'not_filled';
  fills: Fill[];
  filled: bigint;
  /** What now rests in the book. */
  resting: bigint;
  /** What was cancelled: the rest of an IOC, a refused order, or the rest after meeting an own order. */
  cancelled: bigint;
  /** True where self-trade prevention cancelled the rest. */
  selfTradePrevented: boolean;
  /** Older orders of the same owner that self-trade prevention (`maker`) took out. */
  cancelledMakers: RestingOrder[];
}

/** How an order has changed what lies at one price of the book. */
export interface LevelChange {
  side: BookSide;
  price: bigint;
  /** Below 0 where the level has shrunk. */
  by: bigint;
  /** The order that did it: of a trade the taker's. */
  cause: { readonly id: string; readonly owner: string };
}

interface Plan {
  takes: { maker: Entry; size: bigint }[];
  left: bigint;
  selfTradePrevented: boolean;
  cancelledMakers: Entry[];
}

interface Entry extends RestingOrder {
  remaining: bigint;
}

/** The order book of one binary market in terms of outcome 0: best price first, then first come first served. */
export class OrderBook {
  readonly #sides: Record<BookSide, Entry[]> = { bid: [], ask: [] };
  readonly #entries = new Map<string, Entry>();
  #onChange: (change: LevelChange) => void = () => undefined;

  /** Tells of each change of a level, while the order that causes it is still at work; there is one listener at most. */
  watch(onChange: (change: LevelChange) => void): void {
    this.#onChange = onChange;
  }

  /** Matches an order and rests what may rest. Throws for a known id, a price outside (0, ONE) or a size below 1. */
  place(order: NewOrder): PlaceResult {
    this.#check(order);
    if (order.postOnly === true && this.crosses(order.side, order.price)) return refused('would_cross', order.size);
    const plan = this.#plan(order);
    if (order.timeInForce === 'FOK' && plan.left > 0n) return refused('not_filled', order.size);
    return this.#execute(order, plan);
  }

  /** The trades an order would make now, in order, without making them; for balance checks and fees beforehand. */
  preview(order: NewOrder): Level[] {
    return this.#plan(order).takes.map(({ maker, size }) => ({ price: maker.price, size }));
  }

  /** True where an order of that side and price would trade at once. */
  crosses(side: BookSide, price: bigint): boolean {
    const best = this.#sides[opposite(side)][0];
    return best !== undefined && reaches(side, price, best.price);
  }

  /** Takes an order out and returns it as it stood; undefined where it is not in the book. */
  cancel(id: string): RestingOrder | undefined {
    const entry = this.#entries.get(id);
    if (entry === undefined) return undefined;
    this.#remove(entry);
    this.#changed(entry, -entry.remaining);
    return { ...entry };
  }

  /** Takes part of an order out, keeping its place in the queue; undefined where it is not in the book. */
  reduce(id: string, by: bigint): RestingOrder | undefined {
    const entry = this.#entries.get(id);
    if (entry === undefined) return undefined;
    if (by >= entry.remaining) return this.cancel(id);
    entry.remaining -= by;
    this.#changed(entry, -by);
    return { ...entry };
  }

  find(id: string): RestingOrder | undefined {
    const entry = this.#entries.get(id);
    return entry === undefined ? undefined : { ...entry };
  }

  best(side: BookSide): Level | undefined {
    return this.levels(side)[0];
  }

  /** The prices of a side with their sizes, best first: bids falling, asks rising. */
  levels(side: BookSide): Level[] {
    const levels: Level[] = [];
    for (const entry of this.#sides[side]) {
      const last = levels.at(-1);
      if (last?.price === entry.price) last.size += entry.remaining;
      else levels.push({ price: entry.price, size: entry.remaining });
    }
    return levels;
  }

  #check(order: NewOrder): void {
    if (this.#entries.has(order.id)) throw new RangeError('An order of that id is in the book already.');
    if (order.price <= 0n || order.price >= ONE) throw new RangeError('The price must be between 0 and 1.');
    if (order.size <= 0n) throw new RangeError('The size must be above 0.');
  }

  #plan(order: NewOrder): Plan {
    const plan: Plan = { takes: [], left: order.size, selfTradePrevented: false, cancelledMakers: [] };
    for (const maker of this.#sides[opposite(order.side)]) {
      if (plan.left === 0n || !reaches(order.side, order.price, maker.price)) break;
      if (maker.owner === order.owner && order.selfTrade !== 'allow') {
        if (order.selfTrade === 'maker') {
          plan.cancelledMakers.push(maker);
          continue;
        }
        plan.selfTradePrevented = true;
        break;
      }
      const size = smaller(maker.remaining, plan.left);
      plan.takes.push({ maker, size });
      plan.left -= size;
    }
    return plan;
  }

  #execute(order: NewOrder, plan: Plan): PlaceResult {
    const fills = plan.takes.map(({ maker, size }) => this.#take(maker, size, order));
    for (const maker of plan.cancelledMakers) this.cancel(maker.id);
    const rests = order.timeInForce === 'GTC' && !plan.selfTradePrevented && plan.left > 0n;
    if (rests) this.#insert({ ...toResting(order), remaining: plan.left });
    return {
      outcome: 'accepted',
      fills,
      filled: order.size - plan.left,
      resting: rests ? plan.left : 0n,
      cancelled: rests ? 0n : plan.left,
      selfTradePrevented: plan.selfTradePrevented,
      cancelledMakers: plan.cancelledMakers.map((maker) => ({ ...maker })),
    };
  }

  #take(maker: Entry, size: bigint, taker: NewOrder): Fill {
    maker.remaining -= size;
    if (maker.remaining === 0n) this.#remove(maker);
    this.#changed(maker, -size, taker);
    return { makerId: maker.id, makerOwner: maker.owner, price: maker.price, size, makerRemaining: maker.remaining };
  }

  #insert(entry: Entry): void {
    const queue = this.#sides[entry.side];
    const behind = queue.findIndex((other) => isBetter(entry.side, entry.price, other.price));
    queue.splice(behind < 0 ? queue.length : behind, 0, entry);
    this.#entries.set(entry.id, entry);
    this.#changed(entry, entry.remaining);
  }

  #changed({ side, price, id, owner }: Entry, by: bigint, cause: LevelChange['cause'] = { id, owner }): void {
    this.#onChange({ side, price, by, cause: { id: cause.id, owner: cause.owner } });
  }

  #remove(entry: Entry): void {
    const queue = this.#sides[entry.side];
    queue.splice(queue.indexOf(entry), 1);
    this.#entries.delete(entry.id);
  }
}

function opposite(side: BookSide): BookSide {
  return side === 'bid' ? 'ask' : 'bid';
}

function isBetter(side: BookSide, price: bigint, than: bigint): boolean {
  return side === 'bid' ? price > than : price < than;
}

function reaches(side: BookSide, price: bigint, makerPrice: bigint): boolean {
  return side === 'bid' ? price >= makerPrice : price <= makerPrice;
}

function toResting(order: NewOrder): RestingOrder {
  return { id: order.id, owner: order.owner, side: order.side, price: order.price, remaining: order.size };
}

function refused(outcome: PlaceResult['outcome'], size: bigint): PlaceResult {
  return {
    outcome,
    fills: [],
    filled: 0n,
    resting: 0n,
    cancelled: size,
    selfTradePrevented: false,
    cancelledMakers: [],
  };
}
