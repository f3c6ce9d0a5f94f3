import type { z } from 'zod';
import { AppError } from '../../../platform/errors/app-error.js';
import { pathOf } from '../../../platform/upstream/path.js';
import type { Page } from '../../exchange.js';
import type { LongReads } from '../../long-reads.js';
import { OrderSearch } from '../../order-search.js';
import type { SignedKalshiClient } from '../connection/client.js';
import { PAGE_ENTRIES } from '../../wire-list.js';
import { isNotFound } from '../../upstream-errors.js';
import { eachOf, emptyWhereAbsent, isToldNotFound, type ReadPart } from '../connection/pages.js';
import {
  type WireNamed,
  wireNamedPage,
  wireOneOrder,
  wireOnePlace,
  type WireOrder,
  wireOrder,
  wireOrderPage,
  type WirePlace,
  wirePlacePage,
} from './order.wire.js';

/** No order is archived sooner than this, in ms: two weeks after it became final (kalshi-2026.md 6). */
const ARCHIVED_AFTER_MS = 7 * 86_400_000;

export interface OrderQuery {
  readonly status?: 'resting';
  readonly ticker?: string | undefined;
  /** Whole seconds since 1970; no older orders. */
  readonly min_ts?: number | undefined;
}

/** Reads one user's orders, live and archived (kalshi.md 5 and 7). */
export class KalshiOrders {
  constructor(
    private readonly client: SignedKalshiClient,
    private readonly longReads: LongReads,
  ) {}

  /** Resting orders, and those of the last months that are final. */
  live(query: OrderQuery): ReadPart<WireOrder> {
    return this.#list('/portfolio/orders', query, wireOrderPage);
  }

  /** Older orders that are final. */
  archived({ ticker }: OrderQuery): ReadPart<WireOrder> {
    return this.#list('/historical/orders', { ticker }, wireOrderPage);
  }

  /** Returns where all resting orders are, each once. Throws `exchange_timeout` where they cannot be listed in time. */
  async resting(): Promise<WirePlace[]> {
    return this.longReads.run(async () => {
      const places = new Map<string, WirePlace>();
      const resting = this.#list('/portfolio/orders', { status: 'resting' }, wirePlacePage);
      for await (const place of eachOf(resting, PAGE_ENTRIES)) places.set(place.id, place);
      return [...places.values()];
    });
  }

  /** Returns the market that an order is on. Throws `not_found`. */
  async marketOf(orderId: string, signal: AbortSignal): Promise<string> {
    return (await this.client.read(onePath(orderId), {}, wireOnePlace, signal)).value.order.ticker;
  }

  /** Live or archived. Throws `not_found`, and `exchange_unavailable` where the archive is too long to search it all. */
  async get(orderId: string): Promise<WireOrder> {
    try {
      return (await this.client.read(onePath(orderId), {}, wireOneOrder)).value.order;
    } catch (error) {
      const isWanted = (order: WireNamed) => order.order_id === orderId;
      const archive = this.#list('/historical/orders', {}, wireNamedPage);
      const old = isNotFound(error) ? await this.#search([archive], isWanted, new OrderSearch()) : null;
      if (old !== null) return old;
      throw error;
    }
  }

  /**
   * The order of a client order id, on one market or (null) anywhere. There is no filter for it, so all pages since the
   * first sending are read; null means that none of them has it. A list that is not found proves nothing and is
   * `exchange_error`.
   */
  async findByClientOrderId(
    clientOrderId: string,
    ticker: string | null,
    search: OrderSearch,
  ): Promise<WireOrder | null> {
    const since = search.earliest(this.client.now());
    const market = ticker === null ? {} : { ticker };
    const min_ts = since === null ? undefined : Math.floor(since.getTime() / 1_000);
    const live = this.#list('/portfolio/orders', { ...market, min_ts }, wireNamedPage);
    const archived = emptyWhereAbsent(this.#list('/historical/orders', market, wireNamedPage), isToldNotFound);
    const parts = search.isYoungerThan(ARCHIVED_AFTER_MS) ? [live] : [live, archived];
    try {
      return await this.#search(parts, (order) => order.client_order_id === clientOrderId, search);
    } catch (error) {
      if (error instanceof AppError && isNotFound(error))
        throw new AppError('exchange_error', error.message, { cause: error });
      throw error;
    }
  }

  #search(
    parts: readonly ReadPart<WireNamed>[],
    isWanted: (order: WireNamed) => boolean,
    search: OrderSearch,
  ): Promise<WireOrder | null> {
    return this.longReads.run(async () => {
      for (const part of parts) {
        const announced: ReadPart<WireNamed> = async (cursor, limit) => {
          await search.nextCall();
          return part(cursor, limit);
        };
        for await (const order of eachOf(announced, PAGE_ENTRIES)) {
          if (isWanted(order)) return this.client.parsed(wireOrder, order);
        }
      }
      return null;
    });
  }

  #list<T>(path: string, query: OrderQuery, schema: z.ZodType<Page<T>>): ReadPart<T> {
    return (cursor, limit) => this.client.read(path, { ...query, limit, cursor }, schema);
  }
}

function onePath(orderId: string): string {
  return pathOf`/portfolio/orders/${orderId}`;
}
