import { EXCHANGE_IDS } from '../../exchanges/exchange.registry.js';
import { ORDER_STATUSES, SIDES, TIMES_IN_FORCE } from '../../exchanges/unified.trading.dto.js';
import { MARKET_STATUSES } from '../../exchanges/unified.words.js';
import { decimal, flag, foreign, foreignList, id, list, maybe, object, sentence, time, whole, word } from './fields.js';
import { MOST_IN_DESCRIPTION } from './foreign-text.js';

/* What agents see of the unified shapes (unified-schema.md): of foreign texts those that they need, cleaned, under their own names. */

export const EXCHANGE = word(EXCHANGE_IDS);
export const MARKET_ID = id('The id of the market.');
const INDEX = whole('Which outcome: 0 or 1.');

export const OUTCOME = object({ index: INDEX, untrusted_label: foreign() });

const QUOTED_OUTCOME = object({
  index: INDEX,
  untrusted_label: foreign(),
  bid: decimal('Best price that somebody pays.'),
  bid_size: decimal(),
  ask: decimal('Best price that somebody asks.'),
  ask_size: decimal(),
  last_price: decimal(),
});

const MARKET_FACTS = {
  exchange: EXCHANGE,
  id: MARKET_ID,
  event_id: id('Markets that belong together.'),
  untrusted_title: foreign(),
  untrusted_subtitle: foreign(),
  status: word(MARKET_STATUSES),
  tradable: flag('Whether orders are taken now.'),
  outcomes: list(QUOTED_OUTCOME, 'The two outcomes; the prices of one are 1 minus those of the other.'),
  close_time: time(),
  volume_24h: decimal(),
  volume_unit: word(['contracts', 'currency']),
  currency: id('Of its money.'),
};

/** A market in a list. */
export const LISTED_MARKET = object(MARKET_FACTS, 'id');

const RESULT = object({
  outcome_index: whole('The winner; null for a split.'),
  settlement_price: decimal('What outcome 0 pays.'),
  settled_at: time(),
});

/** Of a market all that matters to an order. */
export const MARKET = object({
  ...MARKET_FACTS,
  series_id: id('Events that belong together.'),
  untrusted_description: foreign(MOST_IN_DESCRIPTION),
  untrusted_category: foreign(),
  untrusted_tags: foreignList(10),
  result: maybe(RESULT),
  open_time: time(),
  expected_resolution_time: time(),
  volume: decimal(),
  open_interest: decimal(),
  liquidity: decimal(),
  price_ranges: list(
    object({ start: decimal(), end: decimal(), step: decimal() }),
    'From start to end prices move in steps of step.',
  ),
  min_order_size: decimal(),
  size_step: decimal(),
  fees: maybe(object({ taker_rate: decimal(), exponent: decimal(), taker_only: flag('') })),
  timestamp: time('How old this is.'),
});

export const ORDER = object(
  {
    exchange: EXCHANGE,
    id: id('The id of the order.'),
    untrusted_client_order_id: foreign(),
    market_id: MARKET_ID,
    outcome: maybe(OUTCOME),
    side: word(SIDES),
    type: word(['limit', 'market']),
    time_in_force: word(TIMES_IN_FORCE),
    post_only: flag('Whether it was to rest.'),
    price: decimal('Of the outcome named here.'),
    size: decimal(),
    filled_size: decimal(),
    remaining_size: decimal(),
    average_fill_price: decimal(),
    fees: decimal(),
    currency: id('Of its money.'),
    status: word(ORDER_STATUSES),
    untrusted_status_reason: foreign(),
    created_at: time(),
    updated_at: time(),
    expires_at: time(),
  },
  'id',
);

export const FILL = object({
  exchange: EXCHANGE,
  order_id: id('The order that was executed.'),
  market_id: MARKET_ID,
  outcome: maybe(OUTCOME),
  side: word(SIDES),
  price: decimal(),
  size: decimal(),
  fee: decimal(),
  role: word(['maker', 'taker']),
  status: word(['pending', 'confirmed', 'failed'], 'A pending one may still fail.'),
  timestamp: time(),
});

export const TRADE = object({
  outcome: maybe(object({ index: INDEX })),
  taker_side: word(SIDES),
  price: decimal(),
  size: decimal(),
  timestamp: time(),
});

export const POSITION = object({
  exchange: EXCHANGE,
  market_id: MARKET_ID,
  outcome: maybe(OUTCOME),
  size: decimal(),
  average_price: decimal(),
  cost_basis: decimal(),
  current_price: decimal(),
  market_value: decimal(),
  unrealized_pnl: decimal(),
  currency: id('Of its money.'),
  status: word(['open', 'redeemable', 'settled']),
  untrusted_title: foreign(),
});

/** Why a part is missing. */
export const MISSING = object({ code: id('A stable code.'), message: sentence('What to do.') });

export const BALANCE = object({
  currency: id(''),
  available: decimal('What can be spent.'),
  reserved: decimal('What open orders hold back.'),
  total: decimal(),
});

export const TOTAL = object({
  currency: id(''),
  cash: decimal(),
  reserved: decimal(),
  positions_value: decimal(),
  equity: decimal(),
  unrealized_pnl: decimal(),
  realized_pnl: decimal(),
  partial: flag('Whether something of it is unknown.'),
});

export const NOT_CANCELLED = list(
  object({ id: id('The order.'), reason: id('Why it may still rest.') }, 'id'),
  'Orders that may still rest: cancel them again.',
);

export const CANCELLED = list(id('An order.'), 'Orders that are cancelled.');
