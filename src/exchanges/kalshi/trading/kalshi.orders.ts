import { AppError } from '../../../platform/errors/app-error.js';
import { pathOf } from '../../../platform/http/path.js';
import type { SignedKalshiClient } from '../connection/kalshi.client.js';
import { allItems, chunk, emptyWhereAbsent, isNotFound, type ReadChunk } from '../connection/kalshi.pages.js';
import {
  type WireOrder,
  type WirePlace,
  wireOneOrder,
  wireOnePlace,
  wireOrderPage,
  wirePlacePage,
} from './kalshi.order.wire.js';

/** The most that the exchange gives in a page. */
const PAGE = 1_000;

export interface OrderQuery {
  readonly status?: 'resting';
  readonly ticker?: string | undefined;
}

/** Reads one user's orders, live and archived (kalshi.md 5 and 7). */
export class KalshiOrders {
  constructor(private readonly client: SignedKalshiClient) {}

  /** Resting orders, and those of the last months that are final. */
  live(query: OrderQuery): ReadChunk<WireOrder> {
    return this.pages('/portfolio/orders', query);
  }

  /** Older orders that are final. */
  archived({ ticker }: OrderQuery): ReadChunk<WireOrder> {
    return this.pages('/historical/orders', { ticker });
  }

  /** Where all resting orders are, each once. */
  async resting(): Promise<WirePlace[]> {
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

  /** Live or archived. Throws `not_found`. */
  async get(orderId: string): Promise<WireOrder> {
    try {
      return (await this.client.get(onePath(orderId), {}, wireOneOrder)).body.order;
    } catch (error) {
      const old = isNotFound(error)
        ? await this.search([this.archived({})], (order) => order.order_id === orderId)
        : null;
      if (old !== null) return old;
      throw error;
    }
  }

  /**
   * The order of a client order id, on one market or (null) anywhere. There is no filter for it, so all pages are read; null
   * means that none of them has it. A list that is not found proves nothing and is `exchange_error`.
   */
  async findByClientOrderId(clientOrderId: string, ticker: string | null): Promise<WireOrder | null> {
    const query = ticker === null ? {} : { ticker };
    const parts = [this.live(query), emptyWhereAbsent(this.archived(query))];
    try {
      return await this.search(parts, (order) => order.client_order_id === clientOrderId);
    } catch (error) {
      if (error instanceof AppError && isNotFound(error))
        throw new AppError('exchange_error', error.message, { cause: error });
      throw error;
    }
  }

  private async search(
    parts: readonly ReadChunk<WireOrder>[],
    isWanted: (order: WireOrder) => boolean,
  ): Promise<WireOrder | null> {
    for (const part of parts) {
      for await (const order of allItems(part, PAGE)) {
        if (isWanted(order)) return order;
      }
    }
    return null;
  }

  private pages(path: string, query: OrderQuery): ReadChunk<WireOrder> {
    return async (cursor, limit) =>
      chunk(await this.client.get(path, { ...query, limit, cursor }, wireOrderPage), ({ orders }) => orders);
  }
}

function onePath(orderId: string): string {
  return pathOf`/portfolio/orders/${orderId}`;
}
