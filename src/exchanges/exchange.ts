import type { SettingTable } from '../platform/config/setting.js';
import type { CredentialFacts, Opened } from './credentials.contract.js';
import type { ExchangeDocs, FieldDocs } from './docs.contract.js';
import type { DriftSheet } from './drift-sheet.js';
import type { Fees } from './fees.contract.js';
import type { Feeds } from './feeds.contract.js';
import type { MarketData } from './market-data.contract.js';
import type { ExchangePresentation } from './presentation.contract.js';
import type { OpenedSessionKey, SessionKeys } from './session-keys.contract.js';
import type { OrderFilters, Trading } from './trading.contract.js';
import type { Transfers } from './transfers.contract.js';
import type { CredentialWarning } from './unified.words.js';

/** Kinds of identifiers that clients send; each exchange has a pattern for each (S-48). */
export type IdKind = 'market' | 'event' | 'series' | 'order' | 'transfer';

/** One part of an exchange, and whether orders are matched there now. */
export interface ShardState {
  /** Such as `0`, with the exchange's own name of it where it has one. */
  readonly name: string;
  readonly isTrading: boolean;
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
  /** What its money is called, and whether `available` of a balance has in it what open orders hold back. */
  readonly money: { readonly currency: string; readonly hasReservedInAvailable: boolean };
  readonly marketData: MarketData;
  readonly feeds?: Feeds;
  readonly fees?: Fees;
  /** Milliseconds that the exchange's clock is ahead of the host's; null before its first answer (contract.md 5). */
  readonly clockSkewMs: number | null;
  /** How many markets were left out of lists so far, by a short list of reasons; for metrics. */
  readonly marketsLeftOut?: Readonly<Record<string, number>>;
  /**
   * Checks what can be known without credentials, which goes before their absence (contract.md 3). Throws `bad_request` or
   * `not_supported`.
   */
  checkOrder?(request: OrderRequest): void;
  /**
   * Returns an id of the market that an order is of, by its terms or by public data. Throws as `MarketData.getMarket`; `request` was
   * checked.
   */
  marketIdOf(request: OrderRequest): Promise<string>;
  /** Like `checkOrder`, for the filters of a list of orders. */
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
  /** Whether an order that rests can be changed there. */
  readonly canAmend?: true;
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

/** What says whether an exchange takes orders from the address that asks. */
export interface Geoblock {
  /** The setting that holds its whole address. */
  readonly setting: string;
  /** What it says; null where the body is something else. */
  readonly isBlocked: (body: unknown) => boolean | null;
}

/** The one spelling of an id of an exchange (`Exchange.canonicalId`). */
export function canonicalId(exchange: Pick<Exchange, 'canonicalId'>, kind: IdKind, id: string): string {
  return exchange.canonicalId?.(kind, id) ?? id;
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
