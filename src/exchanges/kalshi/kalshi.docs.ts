import type { ExchangeDocs } from '../docs.contract.js';
import { PlainOrder } from '../plain-order.dto.js';
import { KALSHI_ERRORS } from './kalshi.errors.js';

/** What the OpenAPI document says of Kalshi. */
export const KALSHI_DOCS: ExchangeDocs = {
  name: KALSHI_ERRORS.name,
  marketRefs: { ticker: { type: String }, series_ticker: { type: String }, exchange_index: { type: 'integer' } },
  eventRefs: { ticker: { type: String } },
  orderForms: [
    {
      title: 'Kalshi',
      body: PlainOrder,
      example: { market_id: 'KXHIGHNY-26NOV20-B55.5', outcome: 'yes', side: 'buy', price: '0.42', size: '10' },
    },
  ],
  orderFields: {
    reduce_only: 'never more than closes the position; with `ioc` alone.',
    client_order_id:
      'names the order there, which takes it once; never use one again. Left out, it is derived from the Idempotency-Key or random.',
  },
  errorDetails: ['client_order_id', 'shard'],
  notes: {
    getOrderBook: 'At Kalshi the asks of an outcome are the bids of the other at `1 - price`.',
    listCandlesticks: 'Those of Kalshi are made of `trades`.',
    prepareOrder:
      'Kalshi takes plain parameters. There each shard has its own money: a refusal with reason `insufficient_funds` says in ' +
      '`details.shard` which one the market needs and where money is.',
    prepareAmend:
      'At Kalshi a smaller size or another end keeps the place in the queue; another price or a larger size may trade at once. A sale is read there ' +
      'as a purchase of the other outcome, and its price is that.',
    cancelOrder: 'At Kalshi an order that was not placed here is looked for in the lists first, to know its market.',
    getBalance: 'At Kalshi each part is a shard.',
    listOrders:
      'Kalshi cannot tell "buy NO" from "sell YES": reads return *buy of the outcome exposed*, while the answer to a ' +
      "create repeats the request's outcome, side and price.",
  },
};
