import type { ErrorDetails } from '../platform/errors/app-error.js';
import type { MarketData } from './market-data.contract.js';
import type { PlainOrder } from './plain-order.dto.js';
import type { Trading } from './trading.contract.js';

/** How fields that not every exchange has are documented, by the name of the field. */
export type FieldDocs = Readonly<
  Record<string, { readonly type: typeof String | typeof Boolean | 'integer'; readonly example?: string }>
>;

/** One form that the body of an order may have: its shape, and an example of it. */
interface OrderFormDocs {
  readonly title: string;
  readonly body: new () => object;
  readonly example: object;
}

/** Parameters of an order that exchanges take differently, or not all of them at all. */
export type SpecialOrderField = Exclude<keyof PlainOrder, 'market_id' | 'side' | 'price' | 'size'>;

/** Members of `details` of an error that not every exchange has. */
export type RareErrorDetail = keyof Pick<ErrorDetails, 'client_order_id' | 'shard'>;

/** What the OpenAPI document says of the session keys of an exchange. */
interface SessionKeyDocs {
  /** The kind of account that a key trades for, with its article. */
  readonly wallet: string;
  /** Examples of what authorises a key. */
  readonly chainId: number;
  readonly scopes: readonly string[];
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
  /** What is special about parameters of `PlainOrder` there: `exchange-docs.ts` says what each text goes on after. */
  readonly orderFields: Readonly<Partial<Record<SpecialOrderField, string>>>;
  /** Members of `details` of an error that it has, and not every exchange. */
  readonly errorDetails: readonly RareErrorDetail[];
  /** Left out where it has no session keys. */
  readonly sessionKeys?: SessionKeyDocs;
}
