import type {
  FillFilters,
  OrderFilters,
  Page,
  Paging,
  PositionFilters,
  PreparedOrder,
  Trading,
} from '../../exchange.js';
import type { LongReads } from '../../long-reads.js';
import type { BalanceDto, CancelledOrderDto, FillDto, OrderDto, PositionDto } from '../../unified.trading.dto.js';
import type { KalshiArchive } from '../connection/archive.js';
import type { SignedKalshiClient } from '../connection/client.js';
import { chunk, liveThenArchive, mapped, type ReadChunk } from '../connection/pages.js';
import { type CancelReport, KalshiCancels } from './cancels.js';
import { KalshiOrderRequestDto } from './order.dto.js';
import { termsOf, toOrder } from './order.mapper.js';
import type { WireOrder } from './order.wire.js';
import { KalshiOrders } from './orders.js';
import { toBalance, toFill, toPosition } from './account.mapper.js';
import { wireBalance, type WireFill, wireFillPage, wirePositionPage } from './account.wire.js';
import { KalshiPreparedOrder } from './prepared-order.js';

/** Signed calls of one user, for one request (kalshi.md 5). */
export class KalshiTrading implements Trading {
  readonly #orders: KalshiOrders;
  readonly #cancels: KalshiCancels;

  constructor(
    private readonly client: SignedKalshiClient,
    private readonly archive: KalshiArchive,
    longReads: LongReads,
  ) {
    this.#orders = new KalshiOrders(client, longReads);
    this.#cancels = new KalshiCancels(client, this.#orders);
  }

  accountDigest(): Buffer {
    return this.client.accountDigest();
  }

  async verify(): Promise<void> {
    await this.getBalance();
  }

  async getBalance(): Promise<BalanceDto> {
    return toBalance((await this.client.get('/portfolio/balance', {}, wireBalance)).body);
  }

  /** Nothing is read but, once per process, the exchange's clock. */
  async prepareOrder(request: object, clientOrderId: string): Promise<PreparedOrder> {
    if (!(request instanceof KalshiOrderRequestDto)) throw new TypeError('not a validated Kalshi order');
    const terms = termsOf(request, clientOrderId);
    await this.client.ready();
    return new KalshiPreparedOrder(this.client, this.#orders, terms);
  }

  /** Closed orders are all that do not rest: the exchange cannot filter both final states at once, so it is done here. */
  async listOrders({ status, market_id: ticker }: OrderFilters, paging: Paging): Promise<Page<OrderDto>> {
    if (status === 'open')
      return page(await this.#orders.live({ status: 'resting', ticker })(paging.cursor, paging.limit));
    const live = this.#orders.live({ ticker });
    const closed: ReadChunk<WireOrder> = async (cursor, limit) => {
      const read = await live(cursor, limit);
      return { ...read, items: read.items.filter((order) => order.status !== 'resting') };
    };
    return page(await liveThenArchive(paging, closed, this.#orders.archived({ ticker })));
  }

  async getOrder(orderId: string): Promise<OrderDto> {
    return toOrder(await this.#orders.get(orderId));
  }

  cancelOrder(orderId: string): Promise<CancelledOrderDto> {
    return this.#cancels.one(orderId);
  }

  cancelAllOrders(): Promise<CancelReport> {
    return this.#cancels.all();
  }

  async listFills(filters: FillFilters, paging: Paging): Promise<Page<FillDto>> {
    const mayBeArchived = () => this.archive.mayHoldTradesSince(filters.start);
    const [live, archived] = [this.#liveFills(filters), this.#archivedFills(filters)];
    const { items, next } = mapped(await liveThenArchive(paging, live, archived, mayBeArchived), toFill);
    return { items, next };
  }

  async listPositions({ market_id: ticker }: PositionFilters, { cursor, limit }: Paging): Promise<Page<PositionDto>> {
    const query = { count_filter: 'position', ticker, limit, cursor };
    const { body } = await this.client.get('/portfolio/positions', query, wirePositionPage);
    const held = body.market_positions.filter(({ position_fp: size }) => size !== '0');
    return { items: held.map(toPosition), next: body.cursor };
  }

  #liveFills(filters: FillFilters): ReadChunk<WireFill> {
    const { market_id: ticker, order_id, start, end } = filters;
    const min_ts = start && Math.floor(start.getTime() / 1_000);
    const max_ts = end && Math.ceil(end.getTime() / 1_000);
    return this.#fills('/portfolio/fills', { ticker, order_id, min_ts, max_ts }, filters);
  }

  /** The archive knows fewer filters. */
  #archivedFills(filters: FillFilters): ReadChunk<WireFill> {
    const { market_id: ticker, end } = filters;
    return this.#fills('/historical/fills', { ticker, max_ts: end && Math.ceil(end.getTime() / 1_000) }, filters);
  }

  /** `start` is inclusive, `end` exclusive; the exchange's whole seconds are both inclusive, so the edges are cut here. */
  #fills(path: string, query: FillQuery, { order_id, start, end }: FillFilters): ReadChunk<WireFill> {
    const [from, before] = [start?.toISOString() ?? '', end?.toISOString() ?? '~'];
    const isWanted = (fill: WireFill) =>
      from <= fill.at && fill.at < before && (order_id === undefined || fill.order_id === order_id);
    return async (cursor, limit) =>
      chunk(await this.client.get(path, { ...query, limit, cursor }, wireFillPage), ({ fills }) =>
        fills.filter(isWanted),
      );
  }
}

interface FillQuery {
  readonly ticker?: string | undefined;
  readonly order_id?: string | undefined;
  readonly min_ts?: number | undefined;
  readonly max_ts?: number | undefined;
}

function page({ items, next }: { items: readonly WireOrder[]; next: string | null }): Page<OrderDto> {
  return { items: items.map(toOrder), next };
}
