import { add, compare, type Decimal } from '../exchanges/decimal.js';
import { isEnd } from '../exchanges/ended-order.js';
import type { FillDto, OrderDto } from '../exchanges/unified.trading.dto.js';

/** Orders and fills that are remembered, the newest; of older ones a repeat is told again. */
const MOST_REMEMBERED = 10_000;

interface ToldOrder {
  readonly digest: string;
  readonly filled: Decimal;
  readonly isOver: boolean;
}

/**
 * What readers of an account have been told, so that nothing is told twice, nor what is older than what was told: the exchanges send
 * frames twice, and HTTP says again what a frame said.
 */
export class ToldEvents {
  readonly #orders = new Map<string, ToldOrder>();
  readonly #fills = new Map<string, FillDto['status']>();
  /** How much of an order has filled by the fills that were told, or had before. */
  readonly #covered = new Map<string, Decimal>();
  readonly #pending = new Map<string, FillDto>();

  /** Fills that may fail yet, oldest first. */
  get pending(): readonly FillDto[] {
    return [...this.#pending.values()];
  }

  /** Notes an order; false where that is no news. */
  noteOrder(order: OrderDto): boolean {
    const known = this.#orders.get(order.id);
    const told = { digest: digestOf(order), filled: order.filled_size, isOver: isEnd(order.status) };
    if (known !== undefined && !isNewer(told, known)) return false;
    remember(this.#orders, order.id, told);
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
    const filled = this.#orders.get(orderId)?.filled ?? '0';
    return compare(filled, this.#covered.get(orderId) ?? '0') > 0;
  }

  /** Its fills have been read: what they do not show is not asked for again until more has filled. */
  noteRead(orderId: string): void {
    if (this.isShort(orderId)) remember(this.#covered, orderId, this.#orders.get(orderId)?.filled ?? '0');
  }

  /** Orders that were told as open and are not in a list of the open ones. */
  missingFrom(open: readonly OrderDto[]): readonly string[] {
    const listed = new Set(open.map(({ id }) => id));
    return [...this.#orders].flatMap(([id, { isOver }]) => (isOver || listed.has(id) ? [] : [id]));
  }

  /** The exchange has forgotten an order. */
  forgetOrder(id: string): void {
    this.#orders.delete(id);
  }
}

function remember<V>(all: Map<string, V>, key: string, value: V): void {
  all.delete(key);
  all.set(key, value);
  const [oldest] = all.keys();
  if (all.size > MOST_REMEMBERED && oldest !== undefined) all.delete(oldest);
}

/** Nothing becomes unfilled, and what is over stays so. */
function isNewer(told: ToldOrder, known: ToldOrder): boolean {
  if (known.isOver && !told.isOver) return false;
  return told.digest !== known.digest && compare(told.filled, known.filled) >= 0;
}

/** What a later statement of the same order would change; what only HTTP adds to it is none of that. */
function digestOf({ status, price, size, filled_size, remaining_size, expires_at }: OrderDto): string {
  return JSON.stringify([status, price, size, filled_size, remaining_size, expires_at]);
}
