import { Injectable, Logger } from '@nestjs/common';
import { z } from 'zod';
import { botIdOf, type Principal } from '../../access/principal.js';
import { canonicalId, type Exchange } from '../../exchanges/exchange.js';
import type { KnownOrder } from '../../exchanges/orders.contract.js';
import {
  ORDER_STATUSES,
  type OrderDto,
  type Side,
  SIDES,
  TIMES_IN_FORCE,
} from '../../exchanges/unified.trading.dto.js';
import { within } from '../../platform/time/within.js';
import { type KnownPlacement, LedgerReads } from '../placing/ledger-reads.repository.js';
import type { Placement } from '../placing/outcomes.js';
import type { CreatedOrderDto, ReadOrderDto, RequestedDto } from './orders.dto.js';

/** How long a read or a cancel waits for what is noted of its orders, in ms: it only makes the answer better. */
const LIMIT_MS = 2_000;

/** What an order was asked for with; null for what older records lack. */
const MADE = z.object({
  order_id: z.string(),
  market_id: z.string(),
  outcome: z.enum(ORDER_STATUSES).nullable().catch(null),
  outcome_index: z
    .union([z.literal(0), z.literal(1)])
    .nullable()
    .catch(null),
  side: z.enum(SIDES).nullable().catch(null),
  price: z.string().nullable().catch(null),
  size: z.string().nullable().catch(null),
  time_in_force: z.enum(TIMES_IN_FORCE).nullable().catch(null),
  post_only: z.boolean().nullable().catch(null),
});

const NOT_MADE_HERE = { market_id: null, outcome_index: null, size: null, outcome: null } as const;

/** What is known of an order that was made here. */
export type OrderNote = z.output<typeof MADE>;

/** An order as the exchange shows it. */
export type ShownOrder = Pick<OrderDto, 'id'> & Partial<Pick<OrderDto, 'client_order_id'>>;

/** Reads what the ledger knows of orders: kept for longer than the 30 days that are promised (contract.md 5.3). */
@Injectable()
export class OrderNotes {
  readonly #logger = new Logger('OrderNotes');

  constructor(private readonly reads: LedgerReads) {}

  /**
   * What is known of the orders of a page, in one query. To a bot nothing is shown that is not surely its own: its query throws. For
   * others it is nothing where the database does not say within 2 s.
   */
  async ofPage(caller: Principal, exchange: Exchange, orders: readonly ShownOrder[]): Promise<KnownOrders> {
    const read = this.ofOrders(caller.userId, exchange, orders);
    return botIdOf(caller) === null ? this.#inTime(read, new KnownOrders([], exchange)) : read;
  }

  /** What is known of some orders of a user, in one query. Throws where the database does not say. */
  async ofOrders(userId: string, exchange: Exchange, orders: readonly ShownOrder[]): Promise<KnownOrders> {
    if (orders.length === 0) return new KnownOrders([], exchange);
    const clientIds = orders.flatMap(({ client_order_id: id }) => (id == null ? [] : [id]));
    const ids = orders.map(({ id }) => canonicalId(exchange, 'order', id));
    return new KnownOrders(await this.reads.find(userId, exchange.id, { ids, clientIds }), exchange);
  }

  /** Whether an order of the user is sent of which neither the end nor the exchange's id is known. Throws as `ofOrders`. */
  hasUnnamed(userId: string, { id }: Exchange): Promise<boolean> {
    return this.reads.hasUnnamed(userId, id, null);
  }

  /** What is known of one order; null for nothing, and where the database does not say within 2 s. */
  async find(userId: string, exchange: string, orderId: string): Promise<KnownOrder | null> {
    const known = await this.#inTime(this.reads.find(userId, exchange, { ids: [orderId] }), []);
    return knownOf(known.filter(({ isShown }) => isShown));
  }

  /**
   * Whether the ledger names an order as the caller's, or the caller is no bot: null where it knows no sender, and the bot has sent
   * orders without an id of the exchange. Throws where the database does not say.
   */
  async isOwn(caller: Principal, exchange: Exchange, orderId: string): Promise<boolean | null> {
    const [{ userId }, botId] = [caller, botIdOf(caller)];
    if (botId === null) return true;
    const rows = await this.reads.find(userId, exchange.id, { ids: [orderId] });
    const owner = new KnownOrders(rows, exchange).ownerOf({ id: orderId });
    if (owner !== undefined) return owner === botId;
    return (await this.reads.hasUnnamed(userId, exchange.id, botId)) ? null : false;
  }

  #inTime<T>(read: Promise<T>, otherwise: T): Promise<T> {
    const told = read.catch((error: unknown) => {
      this.#logger.error({ err: error, message: 'what is known of orders could not be read from the ledger' });
      return otherwise;
    });
    return within(LIMIT_MS, told, () => otherwise);
  }
}

/** What the ledger says of one order, made here or only cancelled; null where it has nothing. */
function knownOf(rows: readonly KnownPlacement[]): KnownOrder | null {
  const row = rows.at(-1);
  if (row === undefined) return null;
  const [made = NOT_MADE_HERE] = noteOf(row);
  const cancelled = rows.find((one) => one.cancelledMsAgo !== null);
  return {
    marketId: made.market_id,
    outcomeIndex: made.outcome_index,
    size: made.size,
    status: made.outcome,
    madeMsAgo: row.msAgo,
    cancelledMsAgo: cancelled?.cancelledMsAgo ?? null,
  };
}

/** What the ledger knows of some orders. */
export class KnownOrders {
  readonly #notes: ReadonlyMap<string, OrderNote>;
  readonly #named: ReadonlyMap<string | null, readonly KnownPlacement[]>;
  /** Those of which the exchange has not told the id, by the client's. */
  readonly #unnamed: ReadonlyMap<string | null, readonly KnownPlacement[]>;

  constructor(
    private readonly rows: readonly KnownPlacement[],
    private readonly exchange: Exchange,
  ) {
    this.#named = groupBy(rows, ({ order_id }) => order_id);
    this.#unnamed = groupBy(this.#named.get(null) ?? [], ({ client_order_id }) => client_order_id);
    this.#notes = new Map(
      rows.filter(({ isShown }) => isShown).flatMap((row) => noteOf(row).map((note) => [note.order_id, note])),
    );
  }

  /** With what it was made; undefined where it was not made here. */
  noteOf({ id }: ShownOrder): OrderNote | undefined {
    return this.#notes.get(canonicalId(this.exchange, 'order', id));
  }

  /**
   * Who has sent it: the id of a bot, or null for the main key; undefined where it was not sent here. Where several have sent the same
   * signed order, that is who is known to have made it, else who sent it first.
   */
  ownerOf(order: ShownOrder): string | null | undefined {
    const [first] = this.#rowsOf(order)
      .filter(({ isSent }) => isSent)
      .toSorted(byRank);
    return first?.bot_id;
  }

  /** When it was sent, in µs by the database's clock; long ago where that is not known. */
  sentAt(order: ShownOrder): number {
    const [first] = this.#rowsOf(order);
    return first?.sentAt ?? -Infinity;
  }

  /** Whether a caller may see it: a bot its own, all others everything. */
  isFor(caller: Principal, order: ShownOrder): boolean {
    const botId = botIdOf(caller);
    return botId === null || this.ownerOf(order) === botId;
  }

  /** In the order in which they were read. */
  #rowsOf({ id, client_order_id: clientId }: ShownOrder): readonly KnownPlacement[] {
    const named = this.#named.get(canonicalId(this.exchange, 'order', id)) ?? [];
    const unnamed = clientId == null ? [] : (this.#unnamed.get(clientId) ?? []);
    if (unnamed.length === 0) return named;
    return this.rows.filter((row) => named.includes(row) || unnamed.includes(row));
  }
}

function groupBy(
  rows: readonly KnownPlacement[],
  nameOf: (row: KnownPlacement) => string | null,
): Map<string | null, KnownPlacement[]> {
  const groups = new Map<string | null, KnownPlacement[]>();
  for (const row of rows) {
    const name = nameOf(row);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [row]);
    else group.push(row);
  }
  return groups;
}

/** As `Ledger.isOfAnotherSender` ranks them. */
function byRank(one: KnownPlacement, other: KnownPlacement): number {
  return Number(other.isMade) - Number(one.isMade) || (other.msAgo ?? 0) - (one.msAgo ?? 0);
}

/** An order as it is read, with what was asked for and by whom, and what the exchange does not tell of it (unified-schema.md 7). */
export function withRequest(order: OrderDto, known: KnownOrders): ReadOrderDto {
  const note = known.noteOf(order);
  return {
    ...order,
    bot_id: known.ownerOf(order) ?? null,
    time_in_force: order.time_in_force ?? note?.time_in_force ?? null,
    post_only: order.post_only ?? note?.post_only ?? null,
    requested: note === undefined ? null : requestOf(note.outcome_index, note.side, note.price),
  };
}

/** An order as a bot, or (null) the main key, has made it: its terms are those that were asked for. */
export function asMade(order: OrderDto, botId: string | null): ReadOrderDto {
  const { outcome, side, price } = order;
  return { ...order, bot_id: botId, requested: requestOf(outcome.index, side, price) };
}

/** An order as a create answers it. */
export function asCreated({ placed, origin }: Placement<OrderDto>, botId: string | null): CreatedOrderDto {
  return { ...asMade(placed, botId), replayed: origin === 'replayed' };
}

function requestOf(index: 0 | 1 | null, side: Side | null, price: string | null): RequestedDto | null {
  return index === null || side === null || price === null ? null : { outcome_index: index, side, price };
}

function noteOf(row: KnownPlacement): OrderNote[] {
  const { data } = MADE.safeParse(row);
  return data === undefined ? [] : [data];
}
