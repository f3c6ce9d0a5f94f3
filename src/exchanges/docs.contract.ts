import type { MarketData } from './market-data.contract.js';
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
