import type { CredentialFacts } from '../../credentials.contract.js';
import type {
  EndedOrder,
  FindableOrder,
  OrderChange,
  OrderNaming,
  PreparedAmend,
  PreparedOrder,
  RecordedOrder,
  SentTerms,
} from '../../orders.contract.js';
import type { PrivateStream } from '../../feeds.contract.js';
import type { Page, Paging } from '../../paging.contract.js';
import type {
  CancelFilters,
  FillFilters,
  Gains,
  OrderFilters,
  PositionFilters,
  SettlementFilters,
  Trading,
} from '../../trading.contract.js';
import type { CancelReport } from '../../cancel-batches.js';
import type { LongReads } from '../../long-reads.js';
import type { ReadPage } from '../../page-walk.js';
import { slicePages } from '../../sliced-pages.js';
import type { BalanceDto, FillDto, OrderDto, PositionDto, SettlementDto } from '../../unified.trading.dto.js';
import type { KalshiArchive } from '../connection/archive.js';
import type { SignedKalshiClient } from '../connection/client.js';
import { filtered, liveThenArchive, type ReadPart } from '../connection/pages.js';
import type { KnownMarkets } from '../connection/ticks.js';
import { KalshiUserStream } from '../feeds/user-stream.js';
import { KalshiApiKeys } from './api-keys.js';
import { KalshiBalance } from './balance.js';
import { KalshiCancels } from './cancels.js';
import type { KalshiOrderRequestDto } from './order.dto.js';
import { type OrderTerms, recordedTerms, termsOf, toOrder } from './order.mapper.js';
import type { WireOrder } from './order.wire.js';
import { KalshiFills } from './fills.js';
import { KalshiOrders, unusableList } from './orders.js';
import { KalshiHoldings } from './holdings.js';
import { amendedTerms, KalshiPreparedAmend } from './prepared-amend.js';
import { KalshiPreparedOrder, type KalshiReads } from './prepared-order.js';
import { KalshiTransfers } from './transfers.js';

/** A market has one position. */
const ONE: Paging = { limit: 1, cursor: null };

/** Signed calls of one user, for one request (kalshi.md 5, 6, 7). */
export class KalshiTrading implements Trading<KalshiOrderRequestDto> {
  readonly transfers: KalshiTransfers;
  readonly privateStreams: readonly PrivateStream[];
  readonly #orders: KalshiOrders;
  readonly #cancels: KalshiCancels;
  readonly #fills: KalshiFills;
  readonly #balance: KalshiBalance;
  readonly #holdings: KalshiHoldings;
  readonly #keys: KalshiApiKeys;

  constructor(
    private readonly client: SignedKalshiClient,
    archive: KalshiArchive,
    private readonly markets: KnownMarkets,
    longReads: LongReads,
    streamUrl: string,
  ) {
    this.#orders = new KalshiOrders(client, archive, longReads);
    this.#cancels = new KalshiCancels(client, this.#orders, markets.shards, longReads);
    this.#fills = new KalshiFills(client, archive);
    this.#balance = new KalshiBalance(client, markets.shards);
    this.#holdings = new KalshiHoldings(client);
    this.#keys = new KalshiApiKeys(client);
    this.transfers = new KalshiTransfers(client);
    this.privateStreams = [new KalshiUserStream(client, this, streamUrl)];
  }

  accountDigest(): Buffer {
    return this.client.accountDigest();
  }

  holdingsDigest(): Buffer {
    return this.accountDigest();
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

  async readBalances(): Promise<readonly BalanceDto[]> {
    return [await this.getBalance()];
  }

  /** Nothing is read but, once per process, the exchange's clock, and the market of an order whose price seems to be off its ticks. */
  async prepareOrder(request: KalshiOrderRequestDto, { clientOrderId, sentAs }: OrderNaming): Promise<PreparedOrder> {
    const terms = termsOf(request, clientOrderId);
    await this.client.synchronise();
    // What was sent is looked up, whatever the ticks are by now.
    if (sentAs === null) await this.markets.ticks.check(terms);
    return this.#prepared(terms);
  }

  async sentOrder(asked: SentTerms, { clientOrderId, sentAs }: OrderNaming): Promise<FindableOrder> {
    const terms = recordedTerms(asked, sentAs, clientOrderId);
    if (terms === null) throw this.client.unusable();
    await this.client.synchronise();
    return this.#prepared(terms);
  }

  forAccount(digest: Buffer): Trading<KalshiOrderRequestDto> | null {
    return this.accountDigest().equals(digest) ? this : null;
  }

  /** At most `limit`, also where the exchange ignores that. */
  async listOrders(filters: OrderFilters, paging: Paging): Promise<Page<OrderDto>> {
    if (filters.client_order_id !== undefined) return this.#named(filters.client_order_id, filters);
    const listed = this.#listed(filters);
    const read: ReadPage<WireOrder> = async (cursor) => (await listed(cursor, paging.limit)).value;
    const { items, next } = await slicePages(read, paging, unusableList);
    return { items: await this.#fills.joined(items.map(toOrder)), next };
  }

  async getOrder(orderId: string, recorded?: RecordedOrder): Promise<OrderDto> {
    const order = toOrder(await this.#orders.get(orderId, recorded));
    const [joined = order] = await this.#fills.joined([order]);
    return joined;
  }

  async prepareAmend(orderId: string, change: OrderChange, recorded?: RecordedOrder): Promise<PreparedAmend> {
    const order = await this.#orders.get(orderId, recorded);
    const terms = amendedTerms(this.client, order, change);
    const amend = new KalshiPreparedAmend(this.client, this.#reads, this.markets, order, terms);
    if (change.price !== undefined) await this.markets.ticks.check(amend.priced);
    return amend;
  }

  cancelOrder(orderId: string, recorded?: RecordedOrder): Promise<EndedOrder> {
    return this.#cancels.one(orderId, recorded);
  }

  cancelAllOrders(filters: CancelFilters = {}): Promise<CancelReport> {
    return this.#cancels.all(filters);
  }

  listFills(filters: FillFilters, paging: Paging): Promise<Page<FillDto>> {
    return this.#fills.list(filters, paging);
  }

  listPositions(filters: PositionFilters, paging: Paging): Promise<Page<PositionDto>> {
    return this.#holdings.positions(filters, paging);
  }

  listSettlements(filters: SettlementFilters, paging: Paging): Promise<Page<SettlementDto>> {
    return this.#holdings.settlements(filters, paging);
  }

  readGains(): Promise<Gains> {
    return this.#holdings.gains();
  }

  get #reads(): KalshiReads {
    const positionOn = async (ticker: string): Promise<PositionDto | null> =>
      (await this.listPositions({ market_id: ticker }, ONE)).items[0] ?? null;
    return { orders: this.#orders, fills: this.#fills, balance: this.#balance, positionOn };
  }

  #prepared(terms: OrderTerms): KalshiPreparedOrder {
    return new KalshiPreparedOrder(this.client, this.#reads, this.markets, terms);
  }

  /** The order of a client order id, as a list of one or none. */
  async #named(clientOrderId: string, { status, market_id: ticker }: OrderFilters): Promise<Page<OrderDto>> {
    const order = await this.#orders.named(clientOrderId, ticker ?? null);
    const isWanted = order !== null && (status === undefined || (order.status === 'resting') === (status === 'open'));
    return { items: isWanted ? [toOrder(order)] : [], next: null };
  }

  /** Closed orders are all that do not rest: the exchange cannot filter both final states at once, so it is done here. */
  #listed({ status, market_id: ticker }: OrderFilters): ReadPart<WireOrder> {
    if (status === 'open') return this.#orders.live({ status: 'resting', ticker });
    const closed = filtered(this.#orders.live({ ticker }), (order) => order.status !== 'resting');
    return (cursor, limit) => liveThenArchive({ cursor, limit }, closed, this.#orders.archived({ ticker }));
  }
}
