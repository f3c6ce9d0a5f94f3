import { AppError } from '../../../platform/errors/app-error.js';
import { pathOf } from '../../../platform/upstream/path.js';
import type { LongReads } from '../../long-reads.js';
import { OrderSearch } from '../../order-search.js';
import type { SignedKalshiClient } from '../connection/client.js';
import { allItems, chunk, emptyWhereAbsent, isNotFound, isToldNotFound, type ReadChunk } from '../connection/pages.js';
import {
  type WireNamed,
  wireNamedPage,
  type WireOrder,
  wireOrder,
  type WirePlace,
  wireOneOrder,
  wireOnePlace,
  wireOrderPage,
  wirePlacePage,
} from './order.wire.js';

/** The most that the exchange gives in a page. */
const PAGE = 1_000;

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
  live(query: OrderQuery): ReadChunk<WireOrder> {
    return this.#pages('/portfolio/orders', query);
  }

  /** Older orders that are final. */
  archived({ ticker }: OrderQuery): ReadChunk<WireOrder> {
    return this.#pages('/historical/orders', { ticker });
  }

  /** Where all resting orders are, each once. Throws `exchange_timeout` where they cannot be listed in time. */
  async resting(): Promise<WirePlace[]> {
    return this.longReads.run(() => this.#listResting());
  }

  async #listResting(): Promise<WirePlace[]> {
    const pages: ReadChunk<WirePlace> = async (cursor, limit) => {
      const query = { status: 'resting', limit, cursor };
      return chunk(await this.client.get('/portfolio/orders', query, wirePlacePage), ({ orders }) => orders);
    };
    const places = new Map<string, WirePlace>();
    for await (const place of allItems(pages, PAGE)) places.set(place.order_id, place);
    return [...places.values()];
  }

  /** On which market an order is. Throws `not_found`. */
  async marketOf(orderId: string, signal: AbortSignal): Promise<string> {
    return (await this.client.get(onePath(orderId), {}, wireOnePlace, signal)).body.order.ticker;
  }

  /** Live or archived. Throws `not_found`, and `exchange_unavailable` where the archive is too long to search it all. */
  async get(orderId: string): Promise<WireOrder> {
    try {
      return (await this.client.get(onePath(orderId), {}, wireOneOrder)).body.order;
    } catch (error) {
      const isWanted = (order: WireNamed) => order.order_id === orderId;
      const archive = this.#named('/historical/orders', {});
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
    const live = this.#named('/portfolio/orders', { ...market, min_ts });
    const archived = emptyWhereAbsent(this.#named('/historical/orders', market), isToldNotFound);
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
    parts: readonly ReadChunk<WireNamed>[],
    isWanted: (order: WireNamed) => boolean,
    search: OrderSearch,
  ): Promise<WireOrder | null> {
    return this.longReads.run(async () => {
      for (const part of parts) {
        const announced: ReadChunk<WireNamed> = async (cursor, limit) => {
          await search.nextCall();
          return part(cursor, limit);
        };
        for await (const order of allItems(announced, PAGE)) {
          if (isWanted(order)) return this.client.parsed(wireOrder, order);
        }
      }
      return null;
    });
  }

  #named(path: string, query: OrderQuery): ReadChunk<WireNamed> {
    return async (cursor, limit) =>
      chunk(await this.client.get(path, { ...query, limit, cursor }, wireNamedPage), ({ orders }) => orders);
  }

  #pages(path: string, query: OrderQuery): ReadChunk<WireOrder> {
    return async (cursor, limit) =>
      chunk(await this.client.get(path, { ...query, limit, cursor }, wireOrderPage), ({ orders }) => orders);
  }
}

function onePath(orderId: string): string {
  return pathOf`/portfolio/orders/${orderId}`;
}
