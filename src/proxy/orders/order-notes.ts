import { Injectable, Logger } from '@nestjs/common';
import { z } from 'zod';
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

/** Reads what the ledger knows of orders: kept for longer than the 30 days that are promised (contract.md 5.3). */
@Injectable()
export class OrderNotes {
  readonly #logger = new Logger('OrderNotes');

  constructor(private readonly reads: LedgerReads) {}

  /** Those of these orders that were made here, by id; none where the database does not say within 2 s. */
  async findMade(
    userId: string,
    exchange: string,
    orderIds: readonly string[],
  ): Promise<ReadonlyMap<string, OrderNote>> {
    if (orderIds.length === 0) return new Map();
    const known = await this.#inTime(this.reads.find(userId, exchange, orderIds), []);
    return new Map(known.flatMap(noteOf).map((note) => [note.order_id, note]));
  }

  /** What is known of one order; null for nothing, and where the database does not say within 2 s. */
  async find(userId: string, exchange: string, orderId: string): Promise<KnownOrder | null> {
    const known = await this.#inTime(this.reads.find(userId, exchange, [orderId]), []);
    return knownOf(known);
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

/** An order as it is read, with what was asked for, and what the exchange does not tell of it (unified-schema.md 7). */
export function withRequest(order: OrderDto, note: OrderNote | undefined): ReadOrderDto {
  return {
    ...order,
    time_in_force: order.time_in_force ?? note?.time_in_force ?? null,
    post_only: order.post_only ?? note?.post_only ?? null,
    requested: note === undefined ? null : requestOf(note.outcome_index, note.side, note.price),
  };
}

/** An order as it was made: its terms are those that were asked for. */
export function asMade(order: OrderDto): ReadOrderDto {
  const { outcome, side, price } = order;
  return { ...order, requested: requestOf(outcome.index, side, price) };
}

/** An order as a create answers it. */
export function asCreated({ placed, origin }: Placement<OrderDto>): CreatedOrderDto {
  return { ...asMade(placed), replayed: origin === 'replayed' };
}

function requestOf(index: 0 | 1 | null, side: Side | null, price: string | null): RequestedDto | null {
  return index === null || side === null || price === null ? null : { outcome_index: index, side, price };
}

function noteOf(row: KnownPlacement): OrderNote[] {
  const { data } = MADE.safeParse(row);
  return data === undefined ? [] : [data];
}
