import { ONE } from '../../units.js';
import { type Json } from '../../wire/json.js';
import { type Route, type Routes } from '../../wire/router.js';
import { type Exchange } from '../exchange.js';
import { toNumber } from '../format.js';
import { type Market, OUTCOMES } from '../market.js';
import { refusal, TEXTS } from '../refusals.js';
import { type ClobPage, clobPage } from './pages.js';

const PAGE_SIZE = 1_000;
const BAD_CURSOR = 'Invalid next_cursor';

/** The CLOB's own lists of markets, which its official client reads: all of them, and those with rewards (the open ones). */
export function marketRoutes(exchange: Exchange): Routes {
  const markets = exchange.catalogue.markets.filter((market) => market.assigned);
  const list =
    (fits: (market: Market) => boolean, view: (market: Market) => Json): Route =>
    ({ request }) =>
      page(markets.filter(fits).map(view), request.query.get('next_cursor'));
  return {
    'GET /markets': list(() => true, fullView),
    'GET /simplified-markets': list(() => true, simpleView),
    'GET /sampling-markets': list(isOpen, fullView),
    'GET /sampling-simplified-markets': list(isOpen, simpleView),
    'GET /markets/:condition': ({ params: { condition = '' } }) => {
      const market = exchange.catalogue.findByCondition(condition);
      if (market === undefined) throw refusal(TEXTS.marketNotFound, 404);
      return fullView(market);
    },
  };
}

function isOpen(market: Market): boolean {
  return market.acceptingOrders;
}

function page(views: Json[], cursor: string | null): ClobPage<Json> {
  return clobPage(views, cursor, PAGE_SIZE, BAD_CURSOR);
}

function simpleView(market: Market): Json {
  return {
    condition_id: market.conditionId,
    rewards: { rates: [], min_size: 200, max_spread: 3.5 },
    tokens: OUTCOMES.map((outcome) => ({
      token_id: market.tokenIds[outcome],
      outcome: market.seed.outcomes[outcome],
      price: toNumber(market.worth(outcome)),
      winner: market.closed && market.worth(outcome) === ONE,
    })),
    active: market.active,
    closed: market.closed,
    archived: false,
    accepting_orders: market.acceptingOrders,
  };
}

function fullView(market: Market): Json {
  const { seed, event } = market;
  const fee = seed.fee === undefined ? 0 : 1_000;
  return {
    ...simpleView(market),
    enable_order_book: market.hasBook,
    accepting_order_timestamp: market.listedAt.toISOString(),
    minimum_order_size: toNumber(market.minSize),
    minimum_tick_size: Number(seed.tick),
    question_id: market.questionId,
    question: seed.question,
    description: seed.description,
    market_slug: seed.slug,
    end_date_iso: market.endsAt.toISOString(),
    seconds_delay: 0,
    fpmm: '',
    maker_base_fee: fee,
    taker_base_fee: fee,
    notifications_enabled: true,
    neg_risk: market.negRisk,
    is_50_50_outcome: false,
    tags: event.tags.map((tag) => tag.label),
  };
}
