import type { Secret } from '../platform/secrets/secret.js';
import type { SettingTable } from '../platform/config/setting.js';
import type { CancelReport } from './cancel-batches.js';
import type { Decimal } from './decimal.js';
import type { DriftSheet } from './drift-sheet.js';
import type { ExchangePresentation } from './exchange-presentation.js';
import type { CandlestickDto, EventDto, MarketDto, OrderBookDto, TradeDto } from './unified.market-data.dto.js';
import type {
  BalanceDto,
  CancelledOrderDto,
  FillDto,
  OrderDto,
  OrderStatus,
  PositionDto,
  Side,
  TimeInForce,
  TransferDto,
} from './unified.trading.dto.js';
import type { OrderSearch } from './order-search.js';
import type { CredentialWarning, Interval, MarketSort, MarketStatus } from './unified.words.js';

/** Stored credentials, opened for one request: every field is a Secret (CONTRIBUTING.md 4, S-39). */
export type Opened<C extends object> = {
  readonly [Field in keyof C]: undefined extends C[Field] ? Secret | undefined : Secret;
};

/** Kinds of identifiers that clients send; each exchange has a pattern for each (S-48). */
export type IdKind = 'market' | 'event' | 'series' | 'order' | 'transfer';

/**
 * One page of a list: at most `limit` items, perhaps none while `next` is set. `next` is the exchange's own cursor or offset,
 * null at the end of the list.
 */
export interface Page<T> {
  readonly items: readonly T[];
  readonly next: string | null;
}

/** Which page: `cursor` is the `next` of the page before, null for the first; `limit` is 1 to 100. */
export interface Paging {
  readonly limit: number;
  readonly cursor: string | null;
}

/** Filters of `GET /{exchange}/markets`; what the exchange cannot do throws `not_supported` (unified-schema.md 9). */
export interface MarketFilters {
  readonly status?: MarketStatus | undefined;
  readonly search?: string | undefined;
  readonly event_id?: string | undefined;
  readonly series_id?: string | undefined;
  readonly category?: string | undefined;
  readonly ids?: readonly string[] | undefined;
  readonly sort?: { readonly by: MarketSort; readonly descending: boolean } | undefined;
}

/** Filters of `GET /{exchange}/events`. */
export interface EventFilters {
  readonly status?: MarketStatus | undefined;
  readonly search?: string | undefined;
  readonly category?: string | undefined;
  readonly series_id?: string | undefined;
}

/** `outcome` as the client names it: `0`, `1`, `yes`, `no`, an outcome id or a label (unified-schema.md 1). */
export interface OrderBookQuery {
  readonly market_id: string;
  readonly outcome: string;
  readonly depth?: number | undefined;
}

/** `start` is inclusive, `end` exclusive, so that windows that follow one another hold each trade once. */
export interface TradeFilters {
  readonly market_id: string;
  readonly start?: Date | undefined;
  readonly end?: Date | undefined;
}

/** `outcome` as in `OrderBookQuery`; `start` is inclusive, `end` exclusive; at most 5,000 intervals lie between them. */
export interface CandlestickQuery {
  readonly market_id: string;
  readonly outcome: string;
  readonly interval: Interval;
  readonly start: Date;
  readonly end: Date;
}

/** An answer with its age: `at` is the exchange's own time of the data where it states one, else when it was received. */
export interface Aged<T> {
  readonly value: T;
  readonly at: Date;
  readonly source: 'exchange' | 'received';
}

/**
 * Public market data; needs no credentials and never uses any (contract.md 5). Throws AppError only: beside what each method says,
 * the codes of `READ_ERRORS`. A list throws `not_supported` for a filter that the exchange lacks, and may throw `bad_request`
 * for a cursor that no page of it had.
 */
export interface MarketData {
  /** Lists markets sorted as asked, else in the exchange's own order (unified-schema.md 2 and 9). */
  listMarkets(filters: MarketFilters, paging: Paging): Promise<Aged<Page<MarketDto>>>;
  /** Returns the market of an id that fits `idPatterns.market`, open or settled. Throws `not_found`. */
  getMarket(marketId: string): Promise<Aged<MarketDto>>;
  /** Lists events in the exchange's own order (unified-schema.md 3 and 9). */
  listEvents(filters: EventFilters, paging: Paging): Promise<Aged<Page<EventDto>>>;
  /** Returns an event with all of its markets, settled ones too. Throws `not_found`. */
  getEvent(eventId: string): Promise<Aged<EventDto>>;
  /**
   * Returns the book of one outcome, both sides best first, at most `depth` levels each (unified-schema.md 4). Throws `not_found`, and
   * `bad_request` on an outcome that the market does not have.
   */
  getOrderBook(query: OrderBookQuery): Promise<Aged<OrderBookDto>>;
  /** Lists the public trades of a market, newest first (unified-schema.md 5). Throws `not_found`. */
  listTrades(filters: TradeFilters, paging: Paging): Promise<Aged<Page<TradeDto>>>;
  /**
   * Returns all candles of one outcome that start at or after `start` and before `end`, oldest first, each once; intervals in
   * which nothing happened may be left out (unified-schema.md 6). Throws `not_found`, and `bad_request` on an unknown outcome.
   */
  listCandlesticks(query: CandlestickQuery): Promise<Aged<readonly CandlestickDto[]>>;
}

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

/** Which open orders `DELETE /{exchange}/orders` cancels: all of them, or those on one market. */
export interface CancelFilters {
  readonly market_id?: string | undefined;
}

/** What our own records know of an order; what they do not say is null. */
export interface KnownOrder {
  readonly marketId: string | null;
  readonly outcomeIndex: 0 | 1 | null;
  readonly size: string | null;
  /** As it stood when it was made. */
  readonly status: OrderStatus | null;
  /** How long ago it was noted as made. */
  readonly madeMsAgo: number | null;
  /** How long ago it was noted as cancelled. */
  readonly cancelledMsAgo: number | null;
}

/** Returns what our own records know of an order; null where that is nothing. */
export type RecordedOrder = () => Promise<KnownOrder | null>;

/** How an order is over (unified-schema.md 7). */
export interface EndedOrder extends CancelledOrderDto {
  /** Set where nothing states its end: it was made here, and is nowhere any more. */
  readonly isAssumed?: true;
}

/** Money to move between two shards of one account: dollars as a decimal string, shards by their names (contract.md 5.8). */
export interface TransferTerms {
  readonly from_shard: string;
  readonly to_shard: string;
  readonly amount: string;
}

/** Transfers at an exchange whose accounts have shards. */
export interface Transfers {
  /** Checks what can be known without credentials, which goes before their absence (contract.md 3). Throws `bad_request`. */
  check(terms: TransferTerms): void;
}

/** The signed calls of `Trading` that move money between shards. */
export interface SignedTransfers {
  /**
   * Moves money between shards; sends the request once. `clientTransferId`, a UUID, names it: the exchange takes it once, and
   * refuses a repeat as `exchange_rejected` with reason `duplicate_transfer`. Throws `transfer_outcome_unknown` where the transfer
   * may exist (contract.md 5.8).
   */
  create(terms: TransferTerms, clientTransferId: string, beforeSend?: BeforeSend): Promise<TransferDto>;
  /** Lists transfers between shards, newest first. */
  list(paging: Paging): Promise<Page<TransferDto>>;
  /** Returns one transfer. Throws `not_found`. */
  get(transferId: string): Promise<TransferDto>;
}

/** What an exchange says of an API key; null where it does not say (contract.md 4). */
export interface KeyFacts {
  readonly scopes: readonly string[] | null;
  /** The one subaccount that the key may use; null for a key that may use all, or where its number is not known. */
  readonly subaccount: string | null;
  readonly isBound: boolean | null;
  /** Until when the location of the account counts as attested; ISO 8601. */
  readonly attestationExpiresAt: string | null;
}

/** One part of an exchange, and whether orders are matched there now. */
export interface ShardState {
  /** Such as `0`, with the exchange's own name of it where it has one. */
  readonly name: string;
  readonly isTrading: boolean;
}

/** What an exchange said of credentials when they were stored or verified last; holds no secret. */
export interface CredentialFacts {
  /** Null where the exchange has no such keys, or did not say. */
  readonly key: KeyFacts | null;
  /** Addresses of contracts that the account has yet to approve before orders work; null where that was not to be read. */
  readonly missingAllowances: readonly string[] | null;
}

/**
 * A session key that is active or has been, for one request: a key pair that may trade for an account and move nothing out of
 * it (contract.md 5.9, polymarket.md 11).
 */
export interface OpenedSessionKey {
  /** Of the key itself. */
  readonly address: string;
  /** Of the account that it trades for. */
  readonly walletAddress: string;
  /** Null where nobody stated when it ends. */
  readonly validUntil: Date | null;
  readonly activatedAt: Date;
  /** Whether the exchange refused it last, long enough after its activation. */
  readonly isRefused: boolean;
  /** What the exchange issued to the key itself. */
  readonly apiCredentials: ApiCredentialFields;
  /** Opens the private half for one use and wipes it. Throws SealBrokenError. */
  withPrivateKey<T>(use: (privateKey: Uint8Array) => T): T;
  /** Keeps whether the exchange refuses the key; never throws. */
  noteRefused(isRefused: boolean): Promise<void>;
}

/** API credentials that an exchange has issued, by the names that they are stored under. */
export interface ApiCredentialFields {
  readonly api_key: Secret;
  readonly secret: Secret;
  readonly passphrase: Secret;
}

/** A new key pair; `privateKey` is `0x` and 64 hex digits. */
export interface SessionKeyPair {
  readonly address: string;
  readonly privateKey: Secret;
}

/** What the owner of an account needs to let a session key trade for it (contract.md 5.9). */
export interface SessionKeyAuthorization {
  readonly wallet_address: string;
  readonly session_address: string;
  readonly chain_id: number;
  readonly scopes: readonly string[];
  /** The command of this project that the owner runs. */
  readonly command: string;
}

/** A session key that waits to be taken into use. */
export interface PendingSessionKey extends SessionKeyPair {
  readonly walletAddress: string;
}

/** What the exchange says of a session key that it takes. */
export interface AcceptedSessionKey {
  readonly apiCredentials: ApiCredentialFields;
  /** Null where the exchange does not say. */
  readonly validUntil: Date | null;
}

/** Session keys of an exchange that has them (contract.md 5.9). */
export interface SessionKeys<Credentials extends object = object, OrderRequest extends object = object> {
  /** Whether an order is signed by a session key, and so cannot be made without one (contract.md 5.9). */
  isNeededFor(request: OrderRequest): boolean;
  /** Makes a key pair that nobody else knows. */
  generate(): SessionKeyPair;
  /** Returns the pair of a private half that fits its pattern. Throws `bad_request` on `session_key` where it is no key. */
  pairOf(privateKey: Secret): SessionKeyPair;
  /** Returns what the owner of the account has to do. */
  authorizationOf(walletAddress: string, address: string): SessionKeyAuthorization;
  /**
   * Lets the exchange issue the key's own API credentials, or tell those that it has, in the time of one call. Throws as signed calls
   * do, and `credentials_rejected` with reason `session_key_not_authorized` where it does not take the key.
   */
  deriveApiCredentials(key: SessionKeyPair): Promise<ApiCredentialFields>;
  /** Throws `bad_request` on `session_key` where the exchange says that the key is of the account's owner (S-58). */
  assertNoOwner(key: PendingSessionKey, apiCredentials: ApiCredentialFields): Promise<void>;
  /** Returns what is stored for an account whose API credentials are those of one of its session keys. */
  storedWith(key: PendingSessionKey, apiCredentials: ApiCredentialFields): Opened<Credentials>;
  /**
   * Derives the credentials and tries them by one signed read, again and again for as long as the exchange may not know a key
   * that its owner has just authorised. `stored` are the owner's own credentials, whose list of keys then decides; null where
   * there are none. Throws `credentials_rejected` with reason `session_key_not_authorized`.
   */
  awaitAccepted(key: PendingSessionKey, stored: Opened<Credentials> | null): Promise<AcceptedSessionKey>;
}

/** Filters of `GET /{exchange}/positions`. */
export interface PositionFilters {
  readonly market_id?: string | undefined;
}

/** What the name of an order is made of: the same at each repeat of a call under its key (contract.md 5.3). */
export interface OrderNaming {
  /** A UUID for this order alone. */
  readonly clientOrderId: string;
  /** When the call was first made. */
  readonly createdAt: Date;
  /** As what it was sent before; null where nothing was sent. Then it must be sent as it was, whatever has changed. */
  readonly sentAs: SentOrder | null;
}

/** The name of an order that was sent, and what else makes it that very order where the request does not say (`OrderReference.terms`). */
export type SentOrder = OrderReference['details'] & { readonly terms?: Readonly<Record<string, string>> };

/** The name of an order that is known before it is sent, by which it can be found at its exchange. */
export interface OrderReference {
  /** What clients see in `details` of `order_outcome_unknown`, and what the idempotency record keeps. */
  readonly details:
    | { readonly client_order_id: string; readonly order_id?: never }
    | { readonly order_id: string; readonly client_order_id?: never };
  /** What was worked out when it was first prepared, such as amounts; kept with the name, for repeats. */
  readonly terms?: Readonly<Record<string, string>>;
  /** Whether the same request always has this name, which the exchange takes once: then it may be repeated without a key. */
  readonly isSafeToResend: boolean;
  /** Whether the name was made up here for this order alone: then what is found under it, on its side, is this order, even if amended. */
  readonly isOurs: boolean;
}

/**
 * What a look-up finds under the reference of an order, as the exchange has it. What shows neither its life nor its end is told as
 * `pending` (`unknown_status`). Never does a state or a count say whose order it is, since these change with time and lag.
 */
export interface FoundOrder {
  readonly order: OrderDto;
  /** Whether all terms that do not change with time are as asked. */
  readonly isAsAsked: boolean;
  /** Whether market and side are: by these an order is known that was sent under its reference, also once it was amended. */
  readonly isOnSide: boolean;
  /** Whether a complete list of open orders that was read for this look-up does not have it, or a cancel of it was answered. */
  readonly isAbsent?: boolean;
  /** Whether its fills may show later: it is told, but not kept as the answer. */
  readonly isProvisional?: boolean;
}

/**
 * Called between the wait for a place among the calls in flight and the first byte; what it throws is thrown by the call, and
 * nothing is sent then. Where it was not called, nothing was sent.
 */
export type BeforeSend = () => Promise<void>;

/** What an order asks for, decimals canonical, and what it can cost at most (contract.md 6). */
export interface AskedOrder {
  readonly market_id: string;
  readonly outcome_index: 0 | 1 | null;
  readonly side: Side;
  readonly price: Decimal;
  readonly size: Decimal;
  readonly time_in_force: TimeInForce | null;
  readonly post_only: boolean | null;
  /** Money and shares as they are signed; null where the exchange signs none. */
  readonly money: Decimal | null;
  readonly shares: Decimal | null;
  readonly cost: Decimal;
  readonly currency: string;
}

/**
 * An order that the exchange may have. `find()` looks it up there and announces each upstream call to `search`; null is nothing to be
 * seen, which proves nothing by itself, since lists may lag.
 */
export interface FindableOrder {
  readonly reference: OrderReference;
  /** Looks the order up; null where the exchange shows nothing. */
  find(search: OrderSearch): Promise<FoundOrder | null>;
}

/**
 * An order that is checked and ready, of which nothing has been sent yet. `place()` sends it exactly once: it throws
 * `exchange_error` where no byte of it left, `order_outcome_unknown` where its fate is unknown, else what the exchange
 * proved (a duplicate with reason `duplicate_order`).
 */
export interface PreparedOrder extends FindableOrder {
  readonly asked: AskedOrder;
  /** Sends the order exactly once. */
  place(beforeSend?: BeforeSend): Promise<OrderDto>;
}

/** What the record of an order that was sent says that it asked for. */
export type SentTerms = Omit<AskedOrder, 'cost' | 'currency' | 'shares'>;

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
   * Cancels what is left of an order; sends the cancel once. Of one that is over it returns how it ended, by what the exchange
   * or `recorded` shows. Throws `not_found` only where nothing shows the order, and `exchange_rejected` where it is just being
   * matched. An error of a cancel that may have been taken says so in its details (`may_have_been_cancelled`).
   */
  cancelOrder(orderId: string, recorded?: RecordedOrder): Promise<EndedOrder>;
  /**
   * Lists the open orders, of one market or all, and cancels those of a page, each once, before it reads the next; a market
   * without orders, unknown ones included, is an empty report. Throws where the first page fails, or the first batch is refused;
   * later failures are in the report, and that of a batch that may have been taken.
   */
  cancelAllOrders(filters?: CancelFilters): Promise<CancelReport>;
  /** Lists executions of the user's own orders, newest first (unified-schema.md 8). */
  listFills(filters: FillFilters, paging: Paging): Promise<Page<FillDto>>;
  /** Lists the positions that are not empty, in the exchange's own order (unified-schema.md 8). */
  listPositions(filters: PositionFilters, paging: Paging): Promise<Page<PositionDto>>;
  /** Set where the exchange has `transfers`. */
  readonly transfers?: SignedTransfers;
}

/**
 * One exchange behind the proxy. A whole part that it lacks is left out, which callers ask for by `supported`; what else it cannot do
 * throws `not_supported`. `OrderRequest` and `Credentials` are its own: callers validate against the class here before they hand over
 * an instance.
 */
export interface Exchange<Credentials extends object = object, OrderRequest extends object = object> {
  /** Path segment and key of stored credentials. */
  readonly id: string;
  /** Its name in messages. */
  readonly name: string;
  /** Validates and documents `PUT /account/credentials/{id}`. */
  readonly Credentials: new () => Credentials;
  /** Credential fields that `GET /account/credentials` may show; all others are secret. */
  readonly shownCredentials: FieldDocs;
  /** Validates and documents the body of `POST /{id}/orders`. */
  readonly OrderRequest: new () => OrderRequest;
  /** What an identifier of this exchange looks like, whole (S-48). */
  readonly idPatterns: Readonly<Record<IdKind, RegExp>>;
  /** Returns the one spelling of an id that may be written in several: cursors take any of them (contract.md 5.2). */
  canonicalId?(kind: IdKind, id: string): string;
  readonly marketData: MarketData;
  /** Milliseconds that the exchange's clock is ahead of the host's; null before its first answer (contract.md 5). */
  readonly clockSkewMs: number | null;
  /** How many markets were left out of lists so far, by a short list of reasons; for metrics. */
  readonly marketsLeftOut?: Readonly<Record<string, number>>;
  /**
   * Checks what can be known without credentials, which goes before their absence (contract.md 3). Throws `bad_request` or
   * `not_supported`.
   */
  checkOrder?(request: OrderRequest): void;
  /** As `checkOrder`, for the filters of a list of orders. */
  checkOrderFilters?(filters: OrderFilters): void;
  /**
   * Returns fields that are sealed beside checked credentials, since it takes long to work them out at each call. What is
   * stored from before has none of them, and is still of use.
   */
  derivedCredentials?(credentials: Credentials): Promise<Readonly<Record<string, string>>>;
  /** Returns what the owner of credentials should know, by what the exchange said of them (contract.md 4). */
  warningsOf(facts: CredentialFacts, now: Date): CredentialWarning[];
  /**
   * Reads the parts of the exchange and whether they trade, for `npm run doctor` (contract.md 8.1); throws as public reads do. Left
   * out where the exchange does not say.
   */
  listShards?(): Promise<ShardState[]>;
  readonly sessionKeys?: SessionKeys<Credentials, OrderRequest>;
  readonly transfers?: Transfers;
  /** Where the exchange says whether orders may come from the caller's address, for `npm run doctor`. */
  readonly geoblock?: Geoblock;
  /**
   * Returns the signed calls of one user, for one request; `facts` is what the exchange said last, null where it never did.
   * `stored` is null only beside a session key, which only exchanges with `sessionKeys` get.
   */
  trading(
    stored: Opened<Credentials> | null,
    facts?: CredentialFacts | null,
    sessionKey?: OpenedSessionKey | null,
  ): Trading<OrderRequest>;
}

/** How fields that not every exchange has are documented, by the name of the field. */
export type FieldDocs = Readonly<
  Record<string, { readonly type: typeof String | typeof Number | typeof Boolean; readonly example?: string }>
>;

/** One form that the body of an order may have: what it needs, and an example of it. */
interface OrderFormDocs {
  readonly title: string;
  readonly required: readonly string[];
  readonly example: object;
}

/** What the OpenAPI document says of one exchange. */
export interface ExchangeDocs {
  readonly name: string;
  /** The fields in `refs` of its markets, and of its events. */
  readonly marketRefs: FieldDocs;
  readonly eventRefs: FieldDocs;
  /** The forms of the body of an order. */
  readonly orderForms: readonly OrderFormDocs[];
  /** What is special about it, in whole sentences that name it: of the routes that call a method, and of ids of trades. */
  readonly notes: Readonly<Partial<Record<keyof MarketData | keyof Trading | 'tradeId', string>>>;
}

/** What says whether an exchange takes orders from the address that asks. */
export interface Geoblock {
  /** The setting that holds its whole address. */
  readonly setting: string;
  /** What it says; null where the body is something else. */
  readonly isBlocked: (body: unknown) => boolean | null;
}

/** What the list of exchanges holds: a class that Nest constructs, with what must be known before that. */
export interface ExchangeClass<Id extends string = string> {
  new (...dependencies: never[]): Exchange;
  readonly id: Id;
  readonly settings: SettingTable;
  readonly docs: ExchangeDocs;
  /** What the dashboard says of it. */
  readonly presentation: ExchangePresentation;
  /** Its public routes, for `npm run drift`. */
  readonly drift: DriftSheet;
  readonly shownCredentials: FieldDocs;
  readonly Credentials: new () => object;
  readonly OrderRequest: new () => object;
}
