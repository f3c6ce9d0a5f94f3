import { AppError } from '../../../platform/errors/app-error.js';
import type { CancelReport } from '../../cancel-batches.js';
import type { CredentialFacts } from '../../credentials.contract.js';
import type {
  EndedOrder,
  FindableOrder,
  OrderNaming,
  PreparedOrder,
  RecordedOrder,
  SentTerms,
} from '../../orders.contract.js';
import type { PrivateStream } from '../../feeds.contract.js';
import type { Page, Paging } from '../../paging.contract.js';
import type { OpenedSessionKey } from '../../session-keys.contract.js';
import type {
  CancelFilters,
  FillFilters,
  Gains,
  OrderFilters,
  PositionFilters,
  SettlementFilters,
  Trading,
} from '../../trading.contract.js';
import type { LongReads } from '../../long-reads.js';
import type { ReadPage } from '../../page-walk.js';
import { secondsBefore, secondsFrom } from '../../time.js';
import type { BalanceDto, FillDto, OrderDto, PositionDto, SettlementDto } from '../../unified.trading.dto.js';
import type { PolymarketClient, Query, SignedPolymarketClient } from '../connection/client.js';
import { slicePages } from '../../sliced-pages.js';
import { wireClosedOnly } from '../connection/standing.wire.js';
import { PolymarketUserStream } from '../feeds/user-stream.js';
import type { MarketDirectory, MarketFacts } from '../market-data/directory/market-directory.js';
import { sameAddress } from '../polymarket.credentials.dto.js';
import { wideId } from '../position-ids.js';
import { PolymarketAccount } from './account.js';
import { cancelAll, cancelNamed, PolymarketCancels } from './cancels.js';
import { ownFillsOf, type OwnFill, toFill } from './fill.mapper.js';
import { PolymarketFunds } from './funds.js';
import { checkFilters } from './order-check.js';
import type { PolymarketOrderDto } from './order.dto.js';
import { asAsked, toOrder } from './order.mapper.js';
import { OrderPreparation } from './order-preparation.js';
import type { WireOrder } from './order.wire.js';
import { PolymarketOrders } from './orders.js';
import { cancelOrRecordedEnd } from './recorded-end.js';
import { PolymarketSettlements } from './settlements.js';
import { holdingsDigestOf, type Wallet } from './wallet.js';

/** One API key's orders, fills and cancels, and the positions and money of its wallet (contract.md 5, unified-schema.md 7 and 8). */
export class PolymarketTrading implements Trading<PolymarketOrderDto> {
  readonly orders: PolymarketOrders;
  readonly account: PolymarketAccount;
  readonly settlements: PolymarketSettlements;
  readonly cancels: PolymarketCancels;
  readonly privateStreams: readonly PrivateStream[];
  readonly #client: SignedPolymarketClient;
  readonly #funds: PolymarketFunds;
  readonly #preparation: OrderPreparation;

  /** `sessionKey` is the one whose credentials `wallet` has; null for credentials that cannot sign orders. */
  constructor(
    client: PolymarketClient,
    readonly wallet: Wallet,
    private readonly directory: MarketDirectory,
    private readonly longReads: LongReads,
    sessionKey: OpenedSessionKey | null,
  ) {
    this.#client = client.signedWith(wallet);
    this.orders = new PolymarketOrders(this.#client, wallet, longReads);
    this.#funds = new PolymarketFunds(this.#client, wallet);
    this.account = new PolymarketAccount(this.#client, wallet, directory, this.orders, this.#funds);
    this.settlements = new PolymarketSettlements(this.#client, wallet, directory);
    this.cancels = new PolymarketCancels(this.#client, this.orders);
    this.privateStreams = [new PolymarketUserStream(this, client.userStreamUrl, sessionKey !== null)];
    this.#preparation = new OrderPreparation(this.#client, wallet, directory, this.orders, this.#funds, sessionKey);
  }

  accountDigest(): Buffer {
    return this.wallet.accountDigest();
  }

  holdingsDigest(): Buffer {
    return holdingsDigestOf([this.wallet]);
  }

  async verify(): Promise<void> {
    await this.#funds.readCollateral();
  }

  async readFacts(): Promise<CredentialFacts> {
    return { key: null, missingAllowances: await this.#funds.missingAllowances() };
  }

  async isClosedOnly(): Promise<boolean | null> {
    return (await this.#client.read('/auth/ban-status/closed-only', [], wireClosedOnly)).value.closed_only;
  }

  async getBalance(): Promise<BalanceDto> {
    return this.account.getBalance();
  }

  async readBalances(): Promise<readonly BalanceDto[]> {
    return [await this.getBalance()];
  }

  async prepareOrder(request: PolymarketOrderDto, naming: OrderNaming): Promise<PreparedOrder> {
    return this.#preparation.prepare(request, naming);
  }

  sentOrder(asked: SentTerms, naming: OrderNaming): Promise<FindableOrder> {
    return this.#preparation.sent(asked, naming);
  }

  forAccount(digest: Buffer): PolymarketTrading | null {
    return this.accountDigest().equals(digest) ? this : null;
  }

  async listOrders(filters: OrderFilters, paging: Paging): Promise<Page<OrderDto>> {
    const { items, next } = await slicePages(await this.openOrders(filters), paging, () => this.#client.unusable());
    return { items: await this.toOrders(items), next };
  }

  async getOrder(orderId: string, recorded?: RecordedOrder): Promise<OrderDto> {
    const order = await this.orders.find(orderId.toLowerCase());
    if (order === null) {
      throw new AppError(
        'not_found',
        'Polymarket has no such order, or forgot it after it was closed. Look at the fills.',
      );
    }
    const markets = await this.directory.findMany([order.market]);
    const shown = this.#mapped(toOrder, order, markets.get(wideId(order.market)));
    return asAsked(shown, (await recorded?.()) ?? null);
  }

  async cancelOrder(orderId: string, recorded?: RecordedOrder): Promise<EndedOrder> {
    const id = orderId.toLowerCase();
    return cancelOrRecordedEnd(() => this.cancels.one(id), { orderId: id, recorded, keys: [this] });
  }

  async cancelAllOrders(filters: CancelFilters = {}): Promise<CancelReport> {
    return this.cancelAllBy([this.cancels], filters);
  }

  async listFills(filters: FillFilters, paging: Paging): Promise<Page<FillDto>> {
    const { items, next } = await slicePages(await this.ownFills(filters), paging, () => this.#client.unusable());
    return { items: await this.toFills(items), next };
  }

  async listPositions(filters: PositionFilters, paging: Paging): Promise<Page<PositionDto>> {
    return this.account.listPositions(filters, paging);
  }

  async listSettlements(filters: SettlementFilters, paging: Paging): Promise<Page<SettlementDto>> {
    return slicePages(await this.settlements.pages(filters, paging), paging, () => this.#client.unusable());
  }

  readGains(): Promise<Gains> {
    return this.settlements.gains();
  }

  /** Whether the other calls by the same API key. */
  sharesKey(other: PolymarketTrading): boolean {
    return this.wallet.apiCredentials.apiKey.reveal() === other.wallet.apiCredentials.apiKey.reveal();
  }

  /** Whether the other trades for the same account wallet. */
  sharesWallet(other: PolymarketTrading): boolean {
    return sameAddress(this.wallet.account.reveal(), other.wallet.account.reveal());
  }

  /** Cancels what is open by these keys; see `cancelAll` and `cancelNamed`. */
  async cancelAllBy(keys: readonly PolymarketCancels[], filters: CancelFilters): Promise<CancelReport> {
    if (filters.orders !== undefined) return cancelNamed(keys, this.longReads, filters);
    if (filters.market_id === undefined) return cancelAll(keys, this.longReads, filters);
    const market_id = await this.directory.findConditionId(filters.market_id);
    if (market_id === null) return { cancelled: [], not_cancelled: [] };
    return cancelAll(keys, this.longReads, { ...filters, market_id });
  }

  /** Returns the pages of the open orders. */
  async openOrders(filters: OrderFilters): Promise<ReadPage<WireOrder>> {
    checkFilters(filters);
    return this.orders.open(await this.#marketQuery(filters.market_id));
  }

  /** Throws `exchange_error` where an order does not fit its own market. */
  async toOrders(orders: readonly WireOrder[]): Promise<OrderDto[]> {
    const markets = await this.directory.findMany(orders.map(({ market }) => market));
    return orders.map((order) => this.#mapped(toOrder, order, markets.get(wideId(order.market))));
  }

  /** Returns the pages of the own executions that fit the filters. */
  async ownFills(filters: FillFilters): Promise<ReadPage<OwnFill>> {
    const query = [...(await this.#marketQuery(filters.market_id)), ...timeQuery(filters)];
    const trades = this.orders.trades(query);
    return async (cursor) => {
      const page = await trades(cursor);
      const own = page.items.flatMap((trade) => ownFillsOf(trade, this.wallet));
      return { ...page, items: own.filter((fill) => isWanted(fill, filters)) };
    };
  }

  /** Throws `exchange_error` where an execution does not fit its own market. */
  async toFills(fills: readonly OwnFill[]): Promise<FillDto[]> {
    const markets = await this.directory.findMany(fills.map((fill) => fill.marketId));
    return fills.map((fill) => this.#mapped(toFill, fill, markets.get(wideId(fill.marketId))));
  }

  /** The error of an answer that contradicts itself: `exchange_error`. */
  unusable(): AppError {
    return this.#client.unusable();
  }

  /** The error of an order of which the exchange shows neither the life nor the end yet. */
  notCancellable(): AppError {
    return this.#client.refused('not_cancellable', null, { code: null, text: null });
  }

  /** Throws as `MarketDirectory.get`, and `exchange_error` where the market has no such outcome. */
  async outcomeIdOf(marketId: string, index: number): Promise<string> {
    const outcome = (await this.directory.get(marketId)).outcomes[index];
    if (outcome === undefined) throw this.unusable();
    return outcome.id;
  }

  async #marketQuery(marketId: string | undefined): Promise<Query> {
    return [['market', marketId && (await this.directory.conditionIdOf(marketId))]];
  }

  #mapped<Entry, Dto>(
    mapper: (entry: Entry, market: MarketFacts | undefined) => Dto | null,
    entry: Entry,
    market: MarketFacts | undefined,
  ): Dto {
    const dto = mapper(entry, market);
    if (dto === null) throw this.unusable();
    return dto;
  }
}

/** Whether the exchange's bounds are inclusive is not said, so they are one second wider; `isWanted` cuts exactly. */
function timeQuery({ start, end }: FillFilters): Query {
  return [
    ['after', start && secondsFrom(start) - 1],
    ['before', end && secondsBefore(end) + 1],
  ];
}

/** `start` is inclusive, `end` exclusive. */
function isWanted({ orderId, trade }: OwnFill, { order_id: wanted, start, end }: FillFilters): boolean {
  const at = trade.match_time;
  const inTime = (start === undefined || at >= start) && (end === undefined || at < end);
  return inTime && (wanted === undefined || orderId.toLowerCase() === wanted.toLowerCase());
}
