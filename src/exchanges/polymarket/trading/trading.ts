import type { z } from 'zod';
import { AppError } from '../../../platform/errors/app-error.js';
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
import { secondsBefore, secondsFrom } from '../../time.js';
import type {
  BalanceDto,
  CancelledOrderDto,
  FillDto,
  OrderDto,
  PositionDto,
  TimeInForce,
} from '../../unified.trading.dto.js';
import type { MarketDirectory, MarketFacts } from '../market-data/directory/market-directory.js';
import type { PolymarketApi } from '../connection/client.js';
import { Account } from './portfolio.js';
import { Cancelling } from './cancels.js';
import { readAllPages, slicePages } from '../connection/pages.js';
import { ownFillsOf, type OwnFill, toFillDto } from './fill.mapper.js';
import { checkFilters, checkOwner, checkTerms } from './order-check.js';
import { orderHash } from './order-hash.js';
import { OrderLookup } from './order-lookup.js';
import { amountsOf, type OrderTerms, toOrderDto } from './order.mapper.js';
import { PolymarketOrderDto } from './order.dto.js';
import { PolymarketPreparedOrder } from './prepared-order.js';
import { SignedClob } from '../connection/signed-client.js';
import { openOrder, orderName, pageOf } from './order.wire.js';
import type { Wallet } from './wallet.js';

type Filters = readonly (readonly [name: string, value: string])[];

const DAY_MS = 86_400_000;
/** A signed time before this is none in milliseconds. */
const EARLIEST_SIGNING_MS = Date.UTC(2024, 0, 1);

const ORDER_TYPES: Readonly<Record<TimeInForce, string>> = { gtc: 'GTC', gtd: 'GTD', ioc: 'FAK', fok: 'FOK' };

/** One user's orders, fills, positions and money at Polymarket (DESIGN 5, unified.md 7 and 8). */
export class PolymarketTrading implements Trading {
  readonly #clob: SignedClob;
  readonly #lookup: OrderLookup;
  readonly #account: Account;
  readonly #cancelling: Cancelling;

  constructor(
    private readonly api: PolymarketApi,
    private readonly directory: MarketDirectory,
    private readonly wallet: Wallet,
    private readonly longReads: LongReads,
  ) {
    this.#clob = new SignedClob(api, wallet);
    this.#lookup = new OrderLookup(this.#clob, wallet, longReads);
    this.#account = new Account(api, this.#clob, wallet, directory);
    this.#cancelling = new Cancelling(this.#clob);
  }

  accountDigest(): Buffer {
    return this.wallet.accountDigest();
  }

  async verify(): Promise<void> {
    await this.#account.readBalance();
  }

  async getBalance(): Promise<BalanceDto> {
    return await this.#account.getBalance(async () => await this.#readAllOrders(openOrder));
  }

  async prepareOrder(request: object): Promise<PreparedOrder> {
    if (!(request instanceof PolymarketOrderDto)) throw new TypeError('the request must be a PolymarketOrderDto');
    const { signed_order: order, time_in_force: timeInForce, post_only: postOnly = false } = request;
    checkTerms(request);
    checkOwner(order, this.wallet);
    const token = await this.directory.getToken(order.tokenId);
    await this.api.synchronise();
    const terms: OrderTerms = {
      id: orderHash(order, token.negRisk),
      marketId: token.marketId,
      outcome: token.outcome,
      side: order.side === 'BUY' ? 'buy' : 'sell',
      timeInForce,
      postOnly,
      ...amountsOf(order),
      expiresAt: order.expiration === '0' ? null : new Date(Number(order.expiration) * 1_000),
    };
    const ready = { terms, body: () => this.#bodyOf(request), notBefore: notBefore(order, this.#clob.now()) };
    return new PolymarketPreparedOrder(ready, this.#clob, this.#lookup);
  }

  async listOrders(asked: OrderFilters, paging: Paging): Promise<Page<OrderDto>> {
    checkFilters(asked);
    const filters = await this.#marketFilter(asked.market_id);
    const { items, next } = await slicePages(
      async (cursor) => await this.#clob.read('/data/orders', withCursor(filters, cursor), pageOf(openOrder)),
      (orders) => orders,
      paging,
      () => this.#clob.unusable(),
    );
    const markets = await this.directory.findMany(items.map(({ market }) => market));
    return {
      items: items.map((order) => this.#describe(toOrderDto, order, markets.get(order.market.toLowerCase()))),
      next,
    };
  }

  async getOrder(orderId: string): Promise<OrderDto> {
    const order = await this.#lookup.findOrder(orderId.toLowerCase());
    if (order === null) {
      throw new AppError(
        'not_found',
        'Polymarket has no such order, or forgot it after it was closed. Look at the fills.',
      );
    }
    const markets = await this.directory.findMany([order.market]);
    return this.#describe(toOrderDto, order, markets.get(order.market.toLowerCase()));
  }

  async cancelOrder(orderId: string): Promise<CancelledOrderDto> {
    return await this.#cancelling.cancel(orderId.toLowerCase());
  }

  async cancelAllOrders(): ReturnType<Trading['cancelAllOrders']> {
    const orders = await this.longReads.run(() => this.#readAllOrders(orderName));
    return await this.#cancelling.cancelAll([...new Set(orders.map(({ id }) => id))]);
  }

  async listFills(filters: FillFilters, paging: Paging): Promise<Page<FillDto>> {
    const { market_id: marketId, start, end } = filters;
    const query = [...(await this.#marketFilter(marketId)), ...timeFilter(start, end)];
    const { items, next } = await slicePages(
      async (cursor) => await this.#lookup.readTrades(query, cursor),
      (trades) => trades.flatMap((trade) => ownFillsOf(trade, this.wallet)).filter((fill) => isWanted(fill, filters)),
      paging,
      () => this.#clob.unusable(),
    );
    const markets = await this.directory.findMany(items.map((fill) => fill.marketId));
    return {
      items: items.map((fill) => this.#describe(toFillDto, fill, markets.get(fill.marketId.toLowerCase()))),
      next,
    };
  }

  async listPositions(filters: PositionFilters, paging: Paging): Promise<Page<PositionDto>> {
    return await this.#account.listPositions(filters, paging);
  }

  async #readAllOrders<Schema extends z.ZodType>(schema: Schema): Promise<z.output<Schema>[]> {
    return await readAllPages(
      async (cursor) => await this.#clob.read('/data/orders', withCursor([], cursor), pageOf(schema)),
      () => this.#clob.unusable(),
    );
  }

  /** The very text that is signed and sent; its fields stand as the exchange's own client writes them. */
  #bodyOf({ signed_order: order, time_in_force: timeInForce, post_only: postOnly = false }: PolymarketOrderDto) {
    const { salt, maker, signer, tokenId, makerAmount, takerAmount, side, signatureType } = order;
    const { timestamp, expiration, metadata, builder, signature } = order;
    return JSON.stringify({
      deferExec: false,
      postOnly,
      order: {
        salt,
        maker,
        signer,
        tokenId,
        makerAmount,
        takerAmount,
        side,
        signatureType,
        timestamp,
        expiration,
        metadata,
        builder,
        signature,
      },
      owner: this.wallet.api.apiKey.reveal(),
      orderType: ORDER_TYPES[timeInForce],
    });
  }

  async #marketFilter(marketId: string | undefined): Promise<Filters> {
    return marketId === undefined ? [] : [['market', await this.directory.conditionIdOf(marketId)]];
  }

  /** Throws `exchange_error` where an entry does not fit its own market. */
  #describe<Entry, Dto>(
    mapper: (entry: Entry, market: MarketFacts | undefined) => Dto | null,
    entry: Entry,
    market: MarketFacts | undefined,
  ): Dto {
    const dto = mapper(entry, market);
    if (dto === null) throw this.#clob.unusable();
    return dto;
  }
}

/** When the wallet says that it signed, a day less for a wrong clock; null where it says something else. */
function notBefore({ timestamp }: PolymarketOrderDto['signed_order'], now: Date): Date | null {
  const signedMs = Math.min(Number(timestamp), now.getTime());
  return signedMs < EARLIEST_SIGNING_MS ? null : new Date(signedMs - DAY_MS);
}

function withCursor(filters: Filters, cursor: string | null): Filters {
  return cursor === null ? filters : [...filters, ['next_cursor', cursor]];
}

/** Whether the exchange's bounds are inclusive is not said, so they are one second wider; `isWanted` cuts exactly. */
function timeFilter(start: Date | undefined, end: Date | undefined): Filters {
  return [
    ...(start === undefined ? [] : [['after', String(secondsFrom(start) - 1)] as const]),
    ...(end === undefined ? [] : [['before', String(secondsBefore(end) + 1)] as const]),
  ];
}

/** `start` is inclusive, `end` exclusive. */
function isWanted({ orderId, trade }: OwnFill, { order_id: wanted, start, end }: FillFilters): boolean {
  const at = trade.match_time;
  const inTime = (start === undefined || at >= start) && (end === undefined || at < end);
  return inTime && (wanted === undefined || orderId.toLowerCase() === wanted.toLowerCase());
}
