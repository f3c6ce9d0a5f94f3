import type {
  BeforeSend,
  CancelFilters,
  CredentialFacts,
  FillFilters,
  OrderFilters,
  Page,
  Paging,
  PositionFilters,
  OrderNaming,
  PreparedOrder,
  RecordedMarket,
  Trading,
  TransferTerms,
} from '../../exchange.js';
import type { CancelReport } from '../../cancel-batches.js';
import type { LongReads } from '../../long-reads.js';
import type { ReadPage } from '../../page-walk.js';
import { slicePages } from '../../sliced-pages.js';
import type {
  BalanceDto,
  CancelledOrderDto,
  FillDto,
  OrderDto,
  PositionDto,
  TransferDto,
} from '../../unified.trading.dto.js';
import type { KalshiArchive } from '../connection/archive.js';
import type { Query, SignedKalshiClient } from '../connection/client.js';
import { filtered, liveThenArchive, mapped, type ReadPart } from '../connection/pages.js';
import type { KalshiShards } from '../connection/shards.js';
import { KalshiApiKeys } from './api-keys.js';
import { KalshiBalance } from './balance.js';
import { KalshiCancels } from './cancels.js';
import type { KalshiOrderRequestDto } from './order.dto.js';
import { termsOf, toOrder } from './order.mapper.js';
import type { WireOrder } from './order.wire.js';
import { KalshiOrders, unusableList } from './orders.js';
import { type WireFill, wireFillPage, wirePositionPage } from './account.wire.js';
import { toFill } from './fill.mapper.js';
import { toPosition } from './position.mapper.js';
import { KalshiPreparedOrder } from './prepared-order.js';
import { KalshiTransfers } from './transfers.js';

/** Signed calls of one user, for one request (kalshi.md 5). */
export class KalshiTrading implements Trading<KalshiOrderRequestDto> {
  readonly #orders: KalshiOrders;
  readonly #cancels: KalshiCancels;
  readonly #balance: KalshiBalance;
  readonly #keys: KalshiApiKeys;
  readonly #transfers: KalshiTransfers;

  constructor(
    private readonly client: SignedKalshiClient,
    private readonly archive: KalshiArchive,
    private readonly shards: KalshiShards,
    longReads: LongReads,
  ) {
    this.#orders = new KalshiOrders(client, archive, longReads);
    this.#cancels = new KalshiCancels(client, this.#orders, shards, longReads);
    this.#balance = new KalshiBalance(client, shards);
    this.#keys = new KalshiApiKeys(client);
    this.#transfers = new KalshiTransfers(client);
  }

  accountDigest(): Buffer {
    return this.client.accountDigest();
  }

  verify(): Promise<void> {
    return this.#keys.verify();
  }

  readFacts(): Promise<CredentialFacts> {
    return this.#keys.facts();
  }

  getBalance(): Promise<BalanceDto> {
    return this.#balance.get();
  }

  /** Nothing is read but, once per process, the exchange's clock. */
  async prepareOrder(request: KalshiOrderRequestDto, { clientOrderId }: OrderNaming): Promise<PreparedOrder> {
    const terms = termsOf(request, clientOrderId);
    await this.client.synchronise();
    return new KalshiPreparedOrder(this.client, this.#orders, this.#balance, this.shards, terms);
  }

  /** At most `limit`, also where the exchange ignores that. */
  async listOrders(filters: OrderFilters, paging: Paging): Promise<Page<OrderDto>> {
    const listed = this.#listed(filters);
    const read: ReadPage<WireOrder> = async (cursor) => (await listed(cursor, paging.limit)).value;
    const { items, next } = await slicePages(read, paging, unusableList);
    return { items: items.map(toOrder), next };
  }

  async getOrder(orderId: string, recorded?: RecordedMarket): Promise<OrderDto> {
    return toOrder(await this.#orders.get(orderId, recorded));
  }

  cancelOrder(orderId: string, recorded?: RecordedMarket): Promise<CancelledOrderDto> {
    return this.#cancels.one(orderId, recorded);
  }

  cancelAllOrders({ market_id: ticker }: CancelFilters = {}): Promise<CancelReport> {
    return this.#cancels.all(ticker);
  }

  async listFills(filters: FillFilters, paging: Paging): Promise<Page<FillDto>> {
    const mayBeArchived = () => this.archive.mayHoldTradesSince(filters.start);
    const [live, archived] = [this.#liveFills(filters), this.#archivedFills(filters)];
    return mapped(await liveThenArchive(paging, live, archived, mayBeArchived), toFill).value;
  }

  async listPositions({ market_id: ticker }: PositionFilters, { cursor, limit }: Paging): Promise<Page<PositionDto>> {
    const page = await this.client.account.named((subaccount) => {
      const query = { count_filter: 'position', ticker, subaccount, limit, cursor };
      return this.client.read('/portfolio/positions', query, wirePositionPage);
    });
    const { items, next } = page.value;
    return { items: items.filter(({ position_fp: size }) => size !== '0').map(toPosition), next };
  }

  createTransfer(terms: TransferTerms, clientTransferId: string, beforeSend?: BeforeSend): Promise<TransferDto> {
    return this.#transfers.create(terms, clientTransferId, beforeSend);
  }

  listTransfers(paging: Paging): Promise<Page<TransferDto>> {
    return this.#transfers.list(paging);
  }

  getTransfer(transferId: string): Promise<TransferDto> {
    return this.#transfers.get(transferId);
  }

  /** Closed orders are all that do not rest: the exchange cannot filter both final states at once, so it is done here. */
  #listed({ status, market_id: ticker }: OrderFilters): ReadPart<WireOrder> {
    if (status === 'open') return this.#orders.live({ status: 'resting', ticker });
    const closed = filtered(this.#orders.live({ ticker }), (order) => order.status !== 'resting');
    return (cursor, limit) => liveThenArchive({ cursor, limit }, closed, this.#orders.archived({ ticker }));
  }

  #liveFills(filters: FillFilters): ReadPart<WireFill> {
    const { market_id: ticker, order_id, start, end } = filters;
    return this.#fills('/portfolio/fills', { ticker, order_id, ...wholeSeconds(start, end) }, filters);
  }

  /** The archive knows no filter for orders. */
  #archivedFills(filters: FillFilters): ReadPart<WireFill> {
    const { market_id: ticker, start, end } = filters;
    return this.#fills('/historical/fills', { ticker, ...wholeSeconds(start, end) }, filters);
  }

  /** `start` is inclusive, `end` exclusive; the exchange's whole seconds are both inclusive, so the edges are cut here. */
  #fills(path: string, query: Query, { order_id, start, end }: FillFilters): ReadPart<WireFill> {
    const [from, before] = [start?.toISOString() ?? '', end?.toISOString() ?? '~'];
    const { account } = this.client;
    const isWanted = (fill: WireFill) =>
      from <= fill.at &&
      fill.at < before &&
      (order_id === undefined || fill.order_id === order_id) &&
      account.owns(fill);
    const listed: ReadPart<WireFill> = (cursor, limit) =>
      account.named((subaccount) => this.client.read(path, { ...query, subaccount, limit, cursor }, wireFillPage));
    return filtered(listed, isWanted);
  }
}

function wholeSeconds(
  start: Date | undefined,
  end: Date | undefined,
): { min_ts?: number | undefined; max_ts?: number | undefined } {
  return { min_ts: start && Math.floor(start.getTime() / 1_000), max_ts: end && Math.ceil(end.getTime() / 1_000) };
}
