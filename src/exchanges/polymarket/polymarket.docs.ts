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
    protocol: { type: String, example: 'v2' },
  },
  eventRefs: { slug: { type: String } },
  notes: {
    getMarket:
      'Polymarket takes the Gamma id (digits) and the slug too, and a condition id of 62 hex digits, which is padded to 64.',
    tradeId:
      'Polymarket has none: the first 32 hex digits of the SHA-256 of ' +
      '`transaction_hash|token_id|proxy_wallet|side|size|price`, decimals in canonical form and the wallet in ' +
      'small letters. Trades that agree in all of these share an id.',
    listTrades: 'Those of Polymarket may be up to 5 minutes old.',
    listCandlesticks: 'Those of Polymarket are made of `price_points`.',
    prepareOrder:
      'Polymarket takes an order that your own wallet has signed, since stored credentials cannot sign one. Orders of a ' +
      'market whose `refs.protocol` is `v2` are signed under domain version "3": tell `@polymarket/clob-client-v2` order ' +
      'version 3 for them, whose own default is 2.',
  },
};
