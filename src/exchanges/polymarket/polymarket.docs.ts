import type { ExchangeDocs } from '../exchange.js';
import { POLYMARKET_ERRORS } from './polymarket.errors.js';

/** What the OpenAPI document says of Polymarket. */
export const POLYMARKET_DOCS: ExchangeDocs = {
  name: POLYMARKET_ERRORS.name,
  marketRefs: {
    gamma_id: { type: String },
    slug: { type: String },
    condition_id: { type: String },
    neg_risk: { type: Boolean },
  },
  eventRefs: { slug: { type: String } },
  notes: {
    getMarket: 'Polymarket takes the Gamma id (digits) and the slug too.',
    tradeId:
      'Polymarket has none: the first 32 hex digits of the SHA-256 of ' +
      '`transactionHash|asset|wallet|side|size|price`, decimals in canonical form. Trades that agree in all of these ' +
      'share an id.',
    listCandlesticks: 'Those of Polymarket are made of `price_points`.',
    prepareOrder:
      'Polymarket takes an order that your own wallet has signed, since stored credentials cannot sign one.',
  },
};
