import type { CancelReport } from './cancel-batches.js';
import type { WantedOrders } from './cancel-walk.js';
import type { Decimal } from './decimal.js';
import type { CredentialFacts } from './credentials.contract.js';
import type { PrivateStream } from './feeds.contract.js';
import type {
  EndedOrder,
  FindableOrder,
  OrderChange,
  OrderNaming,
  PreparedAmend,
  PreparedOrder,
  RecordedOrder,
  SentTerms,
} from './orders.contract.js';
import type { Page, Paging } from './paging.contract.js';
import type { SignedTransfers } from './transfers.contract.js';
import type { BalanceDto, FillDto, OrderDto, PositionDto, SettlementDto } from './unified.trading.dto.js';

/** Filters of `GET /{exchange}/orders`. */
export interface OrderFilters {
  /** Left out only beside `client_order_id`: open or closed. */
  readonly status?: 'open' | 'closed' | undefined;
  readonly market_id?: string | undefined;
  /** At most one order has it. */
  readonly client_order_id?: string | undefined;
}

/** `start` is inclusive, `end` exclusive. */
export interface FillFilters {
  readonly market_id?: string | undefined;
  readonly order_id?: string | undefined;
  readonly start?: Date | undefined;
  readonly end?: Date | undefined;
}

/** An order that is named, and its market where that is known. */
interface NamedOrder {
  readonly id: string;
  readonly marketId: string | null;
}

/** Which open orders are cancelled: all of them, or those on one market, or those that are named; of these those that are wanted. */
export interface CancelFilters {
  readonly market_id?: string | undefined;
  /** Is asked for without `market_id`. */
  readonly orders?: readonly NamedOrder[] | undefined;
  readonly wanted?: WantedOrders | undefined;
}

/** What was gained over the whole history of an account; null where the exchange does not tell all of it. */
export interface Gains {
  /** Of everything that was sold or paid out, without fees. */
  readonly realized_pnl: Decimal | null;
  readonly fees: Decimal | null;
}

/** Filters of `GET /{exchange}/positions`. */
export interface PositionFilters {
  readonly market_id?: string | undefined;
}

/** `start` is inclusive, `end` exclusive. */
export interface SettlementFilters {
  readonly market_id?: string | undefined;
  readonly start?: Date | undefined;
  readonly end?: Date | undefined;
}

/**
 * Signed calls with one user's credentials; nothing is ever cached (contract.md 5). Throws AppError only: beside what each method
 * says, the codes of `TRADING_ERRORS`. Lists throw `not_supported` and `bad_request` as those of `MarketData` do.
 */
export interface Trading<OrderRequest extends object = object> {
  /**
   * Returns a digest of what names the account at the exchange: equal where two calls trade for the same account, and find each
   * other's orders. `request` is the order that it is asked for; a call that makes none leaves it out.
   */
  accountDigest(request?: OrderRequest): Buffer;
  /**
   * Returns a digest of what holds the money and the positions: equal also where another key of the same account calls, as far as
   * the exchange shows that (design C).
   */
  holdingsDigest(): Buffer;
  /** Makes one cheap signed read; throws `credentials_rejected` where the exchange refuses the credentials. */
  verify(): Promise<void>;
  /** Reads what the exchange says of the credentials; what it does not say, or refuses to, is null. */
  readFacts(): Promise<CredentialFacts>;
  /**
   * Whether the account may only sell, in one signed read; null where the exchange does not say. Left out where there is no such
   * state. For `npm run doctor` (contract.md 8.1).
   */
  isClosedOnly?(): Promise<boolean | null>;
  /** Returns the money at the exchange (unified-schema.md 8). */
  getBalance(): Promise<BalanceDto>;
  /** Returns the money of each account that positions are listed of, that of `getBalance` first. */
  readBalances(): Promise<readonly BalanceDto[]>;
  /**
   * Checks an order and looks up what it needs; sends none. `naming` names it where the request does not itself. Throws
   * `bad_request`, and `not_found` where there is no such market.
   */
  prepareOrder(request: OrderRequest, naming: OrderNaming): Promise<PreparedOrder>;
  /**
   * Returns these calls where they are of the account with this digest, by the key that sent for it where there are two; null where
   * other credentials are in use.
   */
  forAccount(digest: Buffer): Trading<OrderRequest> | null;
  /**
   * Returns an order by its record alone, to be looked up; `naming.sentAs` is set. Reads at most what names its market. Throws as
   * reading does.
   */
  sentOrder(asked: SentTerms, naming: OrderNaming): Promise<FindableOrder>;
  /**
   * Lists open or closed orders in the exchange's own order (unified-schema.md 7). Of a client order id the list is empty only where
   * everything was searched; else it throws `exchange_unavailable` with reason `search_incomplete`.
   */
  listOrders(filters: OrderFilters, paging: Paging): Promise<Page<OrderDto>>;
  /**
   * Returns an order, open or closed, for as long as the exchange has it. `recorded` is asked where the exchange wants to know
   * the order's market, or states another size than was asked. Throws `not_found` only where everything was searched.
   */
  getOrder(orderId: string, recorded?: RecordedOrder): Promise<OrderDto>;
  /**
   * Reads an order, and prepares a change of it by what was read; sends nothing. Set where the exchange `canAmend`. Throws as `getOrder`,
   * `exchange_rejected` (`not_amendable`) for an order that does not rest, and `bad_request` on `price` or `size`.
   */
  prepareAmend?(orderId: string, change: OrderChange, recorded?: RecordedOrder): Promise<PreparedAmend>;
  /**
   * Cancels what is left of an order; sends the cancel once. Of one that is over it returns how it ended, by what the exchange
   * or `recorded` shows. Throws `not_found` only where nothing shows the order, and `exchange_rejected` where it is just being
   * matched. An error of a cancel that may have been taken says so in its details (`may_have_been_cancelled`).
   */
  cancelOrder(orderId: string, recorded?: RecordedOrder): Promise<EndedOrder>;
  /**
   * Lists the open orders, of one market or all, and cancels those of a page, each once, before it reads the next; a market
   * without orders, unknown ones included, is an empty report. Orders that are named are cancelled without a list where their market is
   * known or the exchange needs none; one that is in no list is not in the report. Throws where the first page fails, or the first batch is refused;
   * later failures are in the report, and that of a batch that may have been taken.
   */
  cancelAllOrders(filters?: CancelFilters): Promise<CancelReport>;
  /** Lists executions of the user's own orders, newest first (unified-schema.md 8). */
  listFills(filters: FillFilters, paging: Paging): Promise<Page<FillDto>>;
  /** Lists the positions that are not empty, in the exchange's own order (unified-schema.md 8). */
  listPositions(filters: PositionFilters, paging: Paging): Promise<Page<PositionDto>>;
  /** Lists the positions that were paid out, newest first (unified-schema.md 8); what was sold before is not among them. */
  listSettlements(filters: SettlementFilters, paging: Paging): Promise<Page<SettlementDto>>;
  /** Sums what was realised, by the exchange's own figures of all positions that there ever were. */
  readGains(): Promise<Gains>;
  /** What says at once what becomes of the orders, one a key; left out where the exchange has no such stream (feeds.md 6). */
  readonly privateStreams?: readonly PrivateStream[];
  /** Set where the exchange has `transfers`. */
  readonly transfers?: SignedTransfers;
}
