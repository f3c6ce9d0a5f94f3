import { AppError } from '../../../platform/errors/app-error.js';
import type { CancelReport } from '../../cancel-batches.js';
import type {
  CancelFilters,
  CredentialFacts,
  FillFilters,
  OrderFilters,
  Page,
  Paging,
  PositionFilters,
  PreparedOrder,
  Trading,
} from '../../exchange.js';
import type { LongReads } from '../../long-reads.js';
import { secondsBefore, secondsFrom } from '../../time.js';
import type {
  BalanceDto,
  CancelledOrderDto,
  FillDto,
  OrderDto,
  PositionDto,
  TransferDto,
} from '../../unified.trading.dto.js';
import type { Query, SignedPolymarketClient } from '../connection/client.js';
import { slicePages } from '../connection/pages.js';
import { wideId } from '../position-ids.js';
import type { MarketDirectory, MarketFacts } from '../market-data/directory/market-directory.js';
import { PolymarketAccount } from './account.js';
import { PolymarketCancels } from './cancels.js';
import { ownFillsOf, type OwnFill, toFill } from './fill.mapper.js';
import { needOf, PolymarketFunds } from './funds.js';
import { checkFilters, checkOwner, checkTerms, noTransfers } from './order-check.js';
import type { PolymarketOrderDto } from './order.dto.js';
import { termsOf, toCreateBody, toOrder } from './order.mapper.js';
import { domainOf } from './order-domains.js';
import { checkDomain } from './order-signature.js';
import { PolymarketOrders } from './orders.js';
import { PolymarketPreparedOrder } from './prepared-order.js';
import type { Wallet } from './wallet.js';

const DAY_MS = 86_400_000;
/** A signed time before this is none in milliseconds. */
const EARLIEST_SIGNING_MS = Date.UTC(2024, 0, 1);

/** One user's orders, fills, positions and money at Polymarket (contract.md 5, unified-schema.md 7 and 8). */
export class PolymarketTrading implements Trading<PolymarketOrderDto> {
  readonly #orders: PolymarketOrders;
  readonly #funds: PolymarketFunds;
  readonly #account: PolymarketAccount;
  readonly #cancels: PolymarketCancels;

  constructor(
    private readonly client: SignedPolymarketClient,
    private readonly wallet: Wallet,
    private readonly directory: MarketDirectory,
    longReads: LongReads,
  ) {
    this.#orders = new PolymarketOrders(client, wallet, longReads);
    this.#funds = new PolymarketFunds(client, wallet);
    this.#account = new PolymarketAccount(client, wallet, directory, this.#orders, this.#funds);
    this.#cancels = new PolymarketCancels(client, this.#orders);
  }

  accountDigest(): Buffer {
    return this.wallet.accountDigest();
  }

  async verify(): Promise<void> {
    await this.#funds.readCollateral();
  }

  async readFacts(): Promise<CredentialFacts> {
    return { key: null, missingAllowances: await this.#funds.missingAllowances() };
  }

  async getBalance(): Promise<BalanceDto> {
    return this.#account.getBalance();
  }

  async prepareOrder(request: PolymarketOrderDto): Promise<PreparedOrder> {
    const { signed_order: order } = request;
    checkTerms(request);
    checkOwner(order, this.wallet);
    const token = await this.directory.getToken(order.tokenId);
    await checkDomain(order, domainOf(token));
    await this.client.synchronise();
    const ready = {
      terms: termsOf(request, token),
      body: () => toCreateBody(request, this.wallet.apiCredentials.apiKey),
      notBefore: notBefore(order, this.client.now()),
      need: needOf(order, token),
    };
    return new PolymarketPreparedOrder(ready, this.client, this.#orders, this.#funds);
  }

  async listOrders(filters: OrderFilters, paging: Paging): Promise<Page<OrderDto>> {
    checkFilters(filters);
    const pages = this.#orders.open(await this.#marketQuery(filters.market_id));
    const { items, next } = await slicePages(pages, paging, () => this.client.unusable());
    const markets = await this.directory.findMany(items.map(({ market }) => market));
    return {
      items: items.map((order) => this.#mapped(toOrder, order, markets.get(wideId(order.market)))),
      next,
    };
  }

  async getOrder(orderId: string): Promise<OrderDto> {
    const order = await this.#orders.find(orderId.toLowerCase());
    if (order === null) {
      throw new AppError(
        'not_found',
        'Polymarket has no such order, or forgot it after it was closed. Look at the fills.',
      );
    }
    const markets = await this.directory.findMany([order.market]);
    return this.#mapped(toOrder, order, markets.get(wideId(order.market)));
  }

  async cancelOrder(orderId: string): Promise<CancelledOrderDto> {
    return this.#cancels.one(orderId.toLowerCase());
  }

  async cancelAllOrders({ market_id: marketId }: CancelFilters = {}): Promise<CancelReport> {
    if (marketId === undefined) return this.#cancels.all();
    const conditionId = await this.directory.findConditionId(marketId);
    return conditionId === null ? { cancelled: [], not_cancelled: [] } : this.#cancels.all(conditionId);
  }

  async listFills(filters: FillFilters, paging: Paging): Promise<Page<FillDto>> {
    const query = [...(await this.#marketQuery(filters.market_id)), ...timeQuery(filters)];
    const trades = this.#orders.trades(query);
    const fills = async (cursor: string | null): Promise<Page<OwnFill>> => {
      const page = await trades(cursor);
      const own = page.items.flatMap((trade) => ownFillsOf(trade, this.wallet));
      return { ...page, items: own.filter((fill) => isWanted(fill, filters)) };
    };
    const { items, next } = await slicePages(fills, paging, () => this.client.unusable());
    const markets = await this.directory.findMany(items.map((fill) => fill.marketId));
    return {
      items: items.map((fill) => this.#mapped(toFill, fill, markets.get(wideId(fill.marketId)))),
      next,
    };
  }

  async listPositions(filters: PositionFilters, paging: Paging): Promise<Page<PositionDto>> {
    return this.#account.listPositions(filters, paging);
  }

  createTransfer(): Promise<TransferDto> {
    return Promise.reject(noTransfers());
  }

  listTransfers(): Promise<Page<TransferDto>> {
    return Promise.reject(noTransfers());
  }

  getTransfer(): Promise<TransferDto> {
    return Promise.reject(noTransfers());
  }

  async #marketQuery(marketId: string | undefined): Promise<Query> {
    return [['market', marketId && (await this.directory.conditionIdOf(marketId))]];
  }

  /** Throws `exchange_error` where an entry does not fit its own market. */
  #mapped<Entry, Dto>(
    mapper: (entry: Entry, market: MarketFacts | undefined) => Dto | null,
    entry: Entry,
    market: MarketFacts | undefined,
  ): Dto {
    const dto = mapper(entry, market);
    if (dto === null) throw this.client.unusable();
    return dto;
  }
}

/** When the wallet says that it signed, a day less for a wrong clock; null where it says something else. */
function notBefore({ timestamp }: PolymarketOrderDto['signed_order'], now: Date): Date | null {
  const signedMs = Math.min(Number(timestamp), now.getTime());
  return signedMs < EARLIEST_SIGNING_MS ? null : new Date(signedMs - DAY_MS);
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
