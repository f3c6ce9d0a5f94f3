import type { z } from 'zod';
import { AppError } from '../../../platform/errors/app-error.js';
import { pathOf } from '../../../platform/upstream/path.js';
import type { RecordedOrder } from '../../orders.contract.js';
import type { Page } from '../../paging.contract.js';
import type { LongReads } from '../../long-reads.js';
import { readOptional } from '../../optional-read.js';
import type { ReadPage } from '../../page-walk.js';
import { OrderSearch } from '../../order-search.js';
import type { KalshiArchive } from '../connection/archive.js';
import type { SignedKalshiClient } from '../connection/client.js';
import { PAGE_ENTRIES } from '../../wire-list.js';
import { isNotFound } from '../../upstream-errors.js';
import { KALSHI } from '../kalshi.ids.js';
import { eachOf, emptyWhereAbsent, filtered, isToldNotFound, onlyWhere, type ReadPart } from '../connection/pages.js';
import {
  type WireNamed,
  wireNamedPage,
  wireOneOrder,
  type WireOrder,
  wireOrder,
  wireOrderPage,
  type WireListedCancellable,
  wireCancellablePage,
} from './order.wire.js';

/** No order is archived sooner than this, in ms: two weeks after it became final (kalshi.md 8). */
const ARCHIVED_AFTER_MS = 7 * 86_400_000;

/** Look-ups whose orders were first sent so near to each other, in seconds, read the same pages: far less than the slack of `OrderSearch`. */
const SHARED_SECONDS = 10;

const LIVE = '/portfolio/orders';
const ARCHIVED = '/historical/orders';

const NO_LIST = 'Kalshi gave no usable list of the orders. Try again later.';

export interface OrderQuery {
  readonly status?: 'resting';
  readonly ticker?: string | undefined;
  /** Whole seconds since 1970; no older orders. */
  readonly min_ts?: number | undefined;
}

/** What tells whose order it is. */
type OwnOrder = Pick<WireOrder, 'order_id' | 'subaccount_number'>;

/** Where an order is looked for: on one market, or (null) on all; among live orders, archived ones, or all. */
export interface Whereabouts {
  readonly ticker: string | null;
  readonly among: 'live' | 'archived' | 'all';
}

/** For callers that have no records. */
export const unrecorded: RecordedOrder = () => Promise.resolve(null);

/** The error of an order that is nowhere, or not as it is wanted. */
export function notFound(message: string): AppError {
  return new AppError('not_found', message, { details: { exchange: { id: KALSHI, status: null, code: null } } });
}

/** The error of a list of orders that cannot be relied on. */
export function unusableList(cause?: unknown): AppError {
  const details = { exchange: { id: KALSHI, status: null, code: null } };
  return new AppError('exchange_error', NO_LIST, { cause, details });
}

/** Reads the orders of one account, live and archived, on all shards (kalshi.md 5.2, 8 and 9.2). */
export class KalshiOrders {
  /** By what was asked for; of one request of ours. */
  readonly #pages = new Map<string, ReturnType<ReadPart<WireNamed>>>();

  constructor(
    private readonly client: SignedKalshiClient,
    private readonly archive: KalshiArchive,
    private readonly longReads: LongReads,
  ) {}

  /** Resting orders, and those of the last two weeks that are final. */
  live(query: OrderQuery): ReadPart<WireOrder> {
    return this.#list(LIVE, query, wireOrderPage);
  }

  /** Older orders that are final. */
  archived({ ticker }: OrderQuery): ReadPart<WireOrder> {
    return this.#list(ARCHIVED, { ticker }, wireOrderPage);
  }

  /**
   * Reads where the resting orders are, of one market or all. One whose market cannot be read is among them, without its market.
   * An unknown market has none.
   */
  resting(ticker?: string): ReadPage<WireListedCancellable> {
    const listed = this.#list(LIVE, { status: 'resting', ticker }, wireCancellablePage);
    const resting = ticker === undefined ? listed : emptyWhereAbsent(listed, isToldNotFound);
    // A list that ignores its filter must not cancel what was not asked for.
    const isWanted = (order: WireListedCancellable) => ticker === undefined || (order.ticker ?? ticker) === ticker;
    return async (cursor) => (await filtered(resting, isWanted)(cursor, PAGE_ENTRIES)).value;
  }

  /**
   * Reads one order on its market, by which the exchange finds its shard. Null where it is not found there, which alone proves
   * nothing (kalshi.md 13), and where the answer is of another order or account.
   */
  async readOn<T extends OwnOrder>(
    ticker: string,
    orderId: string,
    schema: z.ZodType<{ order: T }>,
  ): Promise<T | null> {
    try {
      const path = pathOf`/portfolio/orders/${orderId}`;
      const { order } = (await this.client.read(path, { market_ticker: ticker }, schema)).value;
      return order.order_id === orderId && this.client.account.owns(order) ? order : null;
    } catch (error) {
      if (isNotFound(error)) return null;
      throw error;
    }
  }

  /**
   * Returns an order of the account, live or archived: from its market where `recorded` knows that, else from the lists. Throws
   * `not_found` only where everything was searched, and `exchange_unavailable` where that is too much.
   */
  async get(orderId: string, recorded: RecordedOrder = unrecorded): Promise<WireOrder> {
    const ticker = (await recorded())?.marketId ?? null;
    const routed = ticker === null ? null : await this.readOn(ticker, orderId, wireOneOrder);
    if (routed !== null) return routed;
    const found = await this.findById(orderId, { ticker, among: 'all' });
    if (found === null) throw notFound('Kalshi has no such order.');
    const order = this.client.parsed(wireOrder, found);
    return ticker === null ? this.#current(order) : order;
  }

  /** Returns the order of a client order id, live or archived; null only where everything was searched. Throws as `get`. */
  async named(clientOrderId: string, ticker: string | null): Promise<WireOrder | null> {
    const order = await this.findByClientOrderId(clientOrderId, ticker, new OrderSearch());
    return order === null ? null : this.#current(order);
  }

  /** What rests by a list may be over by now, since lists lag; what is over stays so. */
  async #current(order: WireOrder): Promise<WireOrder> {
    if (order.status !== 'resting') return order;
    return (await readOptional(this.readOn(order.ticker, order.order_id, wireOneOrder), null)) ?? order;
  }

  /**
   * Looks an order up in the lists, the shortest first. Null means that none of them has it. Throws `exchange_unavailable`
   * where they are too long to search them all.
   */
  findById(orderId: string, { ticker, among }: Whereabouts): Promise<WireNamed | null> {
    const market = ticker === null ? {} : { ticker };
    const resting = this.#list(LIVE, { ...market, status: 'resting' }, wireNamedPage);
    const live = this.#list(LIVE, market, wireNamedPage);
    const listed = ticker === null ? [resting, live] : [live];
    const parts = [...(among === 'archived' ? [] : listed), ...(among === 'live' ? [] : [this.#archiveOf(market)])];
    return this.#search(parts, (order) => order.order_id === orderId, new OrderSearch());
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
    const min_ts = since === null ? undefined : Math.floor(since.getTime() / 1_000);
    const query = { ...(ticker === null ? {} : { ticker }), min_ts };
    const list = (path: string): ReadPart<WireNamed> => this.#shared(search, path, query);
    const parts = [list(LIVE)];
    if (!search.isYoungerThan(ARCHIVED_AFTER_MS)) {
      parts.push(
        onlyWhere(() => this.archive.mayHoldOrdersSince(since), emptyWhereAbsent(list(ARCHIVED), isToldNotFound)),
      );
    }
    const found = await this.#search(parts, (order) => order.client_order_id === clientOrderId, search);
    return found === null ? null : this.client.parsed(wireOrder, found);
  }

  /** Pages that several look-ups of a request want are read once, where the search allows that. */
  #shared(search: OrderSearch, path: string, query: OrderQuery): ReadPart<WireNamed> {
    const listed = this.#list(path, query, wireNamedPage);
    if (!search.mayShare) return listed;
    return (cursor, limit) => {
      const since = query.min_ts === undefined ? null : Math.floor(query.min_ts / SHARED_SECONDS);
      const name = JSON.stringify([path, query.ticker, since, cursor, limit]);
      const page = this.#pages.get(name) ?? listed(cursor, limit);
      this.#pages.set(name, page);
      return page;
    };
  }

  /** An archive of which the exchange itself says that it is not there has nothing. */
  #archiveOf(query: OrderQuery): ReadPart<WireNamed> {
    return emptyWhereAbsent(this.#list(ARCHIVED, query, wireNamedPage), isToldNotFound);
  }

  async #search(
    parts: readonly ReadPart<WireNamed>[],
    isWanted: (order: WireNamed) => boolean,
    search: OrderSearch,
  ): Promise<WireNamed | null> {
    try {
      return await this.longReads.run(() => firstIn(parts, isWanted, search));
    } catch (error) {
      // No order is ruled out by a list that is not there.
      if (isNotFound(error)) throw unusableList(error);
      throw error;
    }
  }

  /** Those of the account alone, also where a list ignores its filter. */
  #list<T extends Pick<OwnOrder, 'subaccount_number'>>(
    path: string,
    query: OrderQuery,
    schema: z.ZodType<Page<T>>,
  ): ReadPart<T> {
    const { account } = this.client;
    const listed: ReadPart<T> = (cursor, limit) =>
      account.named((subaccount) => this.client.read(path, { ...query, subaccount, limit, cursor }, schema));
    return filtered(listed, (order) => account.owns(order));
  }
}

async function firstIn(
  parts: readonly ReadPart<WireNamed>[],
  isWanted: (order: WireNamed) => boolean,
  search: OrderSearch,
): Promise<WireNamed | null> {
  for (const part of parts) {
    const announced: ReadPart<WireNamed> = async (cursor, limit) => {
      await search.nextCall();
      return part(cursor, limit);
    };
    for await (const order of eachOf(announced, PAGE_ENTRIES)) if (isWanted(order)) return order;
  }
  return null;
}
