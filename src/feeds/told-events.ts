import { add, compare, type Decimal } from '../exchanges/decimal.js';
import { isEnd } from '../exchanges/ended-order.js';
import type { FillDto, OrderDto } from '../exchanges/unified.trading.dto.js';

/** Orders that are over, and fills, that are remembered, the newest; of older ones a repeat is told again. */
const MOST_REMEMBERED = 10_000;
/** Open orders, as many as a reading of them lists. */
const MOST_OPEN = 20_000;

/** What a later statement of the same order would change; what only HTTP adds to it is none of that. */
type ToldOrder = Pick<OrderDto, 'status' | 'price' | 'size' | 'filled_size' | 'remaining_size' | 'expires_at'>;

/**
 * What readers of an account have been told, so that nothing is told twice, nor what is older than what was told: the exchanges send
 * frames twice, and HTTP says again what a frame said.
 */
export class ToldEvents {
  readonly #open = new Map<string, OrderDto>();
  readonly #over = new Map<string, ToldOrder>();
  readonly #fills = new Map<string, FillDto['status']>();
  /** How much of an order has filled by the fills that were told, or had before. */
  readonly #covered = new Map<string, Decimal>();
  readonly #pending = new Map<string, FillDto>();

  /** Fills of before a time that may fail yet, so many at most: first those that were not returned for longest. */
  nextPending(beforeMs: number, most: number): readonly FillDto[] {
    const old = [...this.#pending.values()].filter(({ timestamp }) => Date.parse(timestamp) < beforeMs);
    const next = old.slice(0, most);
    for (const fill of next) remember(this.#pending, fill.id, fill);
    return next;
  }

  /** Orders that were told and are not over. */
  get open(): readonly OrderDto[] {
    return [...this.#open.values()];
  }

  /** Notes an order; false where that is no news. */
  noteOrder(order: OrderDto): boolean {
    const { id } = order;
    const known = this.#orderOf(id);
    if (known !== undefined && !isNewer(order, known)) return false;
    this.#open.delete(id);
    if (isEnd(order.status)) remember(this.#over, id, termsOf(order));
    else remember(this.#open, id, order, MOST_OPEN);
    return true;
  }

  /** Notes what there was when the reading began, which is not told: only what becomes of it is. */
  noteFirst(orders: readonly OrderDto[], fills: readonly FillDto[]): void {
    for (const fill of fills) this.noteFill(fill);
    for (const order of orders) {
      this.noteOrder(order);
      remember(this.#covered, order.id, order.filled_size);
    }
  }

  /** Notes a fill; false where it was told in this state, or in a later one. */
  noteFill(fill: FillDto): boolean {
    const { id, order_id: orderId, status, size } = fill;
    const known = this.#fills.get(id);
    if (known === status || (known !== undefined && status === 'pending')) return false;
    remember(this.#fills, id, status);
    if (known === undefined && status !== 'failed') {
      remember(this.#covered, orderId, add(this.#covered.get(orderId) ?? '0', size));
    }
    if (status === 'pending') remember(this.#pending, id, fill);
    else this.#pending.delete(id);
    return true;
  }

  /** Whether more of an order has filled than the fills show that were told. */
  isShort(orderId: string): boolean {
    const filled = this.#orderOf(orderId)?.filled_size ?? '0';
    return compare(filled, this.#covered.get(orderId) ?? '0') > 0;
  }

  /** Its fills have been read: what they do not show is not asked for again until more has filled. */
  noteRead(orderId: string): void {
    if (this.isShort(orderId)) remember(this.#covered, orderId, this.#orderOf(orderId)?.filled_size ?? '0');
  }

  /** Orders that were told as open and are not in a list of the open ones. */
  missingFrom(open: readonly OrderDto[]): readonly string[] {
    const listed = new Set(open.map(({ id }) => id));
    return [...this.#open.keys()].filter((id) => !listed.has(id));
  }

  /** The exchange has forgotten an order. */
  forgetOrder(id: string): void {
    this.#open.delete(id);
    this.#over.delete(id);
  }

  #orderOf(id: string): ToldOrder | undefined {
    return this.#open.get(id) ?? this.#over.get(id);
  }
}

function remember<V>(all: Map<string, V>, key: string, value: V, most = MOST_REMEMBERED): void {
  all.delete(key);
  all.set(key, value);
  const [oldest] = all.keys();
  if (all.size > most && oldest !== undefined) all.delete(oldest);
}

/** Nothing becomes unfilled, and what is over stays so. */
function isNewer(told: ToldOrder, known: ToldOrder): boolean {
  if (isEnd(known.status) && !isEnd(told.status)) return false;
  return digestOf(told) !== digestOf(known) && compare(told.filled_size, known.filled_size) >= 0;
}

function termsOf({ status, price, size, filled_size, remaining_size, expires_at }: ToldOrder): ToldOrder {
  return { status, price, size, filled_size, remaining_size, expires_at };
}

function digestOf(order: ToldOrder): string {
  return JSON.stringify(termsOf(order));
}
