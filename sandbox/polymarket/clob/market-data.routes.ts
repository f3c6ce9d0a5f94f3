import { isRecord, parseJson } from '../../wire/json.js';
import { ONE } from '../../matching-engine.js';
import { type WireRequest } from '../../wire/server.js';
import { bestOf, bookSummary } from './book.view.js';
import { ok } from './routes.js';
import { type ExchangeState } from '../exchange.js';
import { type Market, type OutcomeIndex } from '../market.js';
import { pricesHistory } from './price-history.js';
import { Refused, TEXTS } from '../refusals.js';
import { type Routes } from '../router.js';
import { toDecimal, toNumber } from '../units.js';

const MAX_BOOKS = 500;
const TOKEN_ID = /^\d{1,78}$/;
const CONDITION_ID = /^0x[0-9a-fA-F]{64}$/;

interface Token {
  market: Market;
  outcome: OutcomeIndex;
}

/** The CLOB's market data, for which no credentials are needed (`polymarket.md` 5). */
export function publicRoutes(state: ExchangeState): Routes {
  const token = (request: WireRequest): Token => find(state, request.query.get('token_id'));
  const traded = (request: WireRequest): Token => findBook(state, request.query.get('token_id'));
  return {
    'GET /ok': () => ok('OK'),
    'GET /version': () => ok({ version: 2 }),
    'GET /time': () => ok(Math.floor(state.clock().getTime() / 1000)),
    'GET /book': (request) => ok(book(state, traded(request))),
    'POST /books': (request) => ok(books(state, request.body)),
    'GET /price': (request) => ok(price(traded(request), request.query.get('side'))),
    'GET /midpoint': (request) => ok({ mid_price: toDecimal(midpoint(traded(request))) }),
    'GET /spread': (request) => ok({ spread: toDecimal(spread(traded(request))) }),
    'GET /last-trade-price': (request) => ok(lastTrade(state, token(request))),
    'GET /tick-size': (request) => ok(tickSize(token(request))),
    'GET /tick-size/:token': (_request, { token: id = '' }) => ok(tickSize(find(state, id))),
    'GET /neg-risk': (request) => ok({ neg_risk: token(request).market.negRisk }),
    'GET /neg-risk/:token': (_request, { token: id = '' }) => ok({ neg_risk: find(state, id).market.negRisk }),
    'GET /fee-rate': (request) => ok({ base_fee: baseFee(token(request).market) }),
    'GET /fee-rate/:token': (_request, { token: id = '' }) => ok({ base_fee: baseFee(find(state, id).market) }),
    'GET /prices-history': (request) => ok({ history: history(state, request.query) }),
    'GET /clob-markets/:condition': (_request, { condition = '' }) => ok(marketInfo(byCondition(state, condition))),
    'GET /markets-by-token/:token': (_request, { token: id = '' }) => ok(parents(find(state, id).market)),
  };
}

function find(state: ExchangeState, id: string | null): Token {
  const found = lookUp(state, id);
  if (found === undefined) throw new Refused(TEXTS.marketNotFound, 404);
  return found;
}

function findBook(state: ExchangeState, id: string | null): Token {
  const found = lookUp(state, id);
  if (found?.market.hasBook !== true) throw new Refused(TEXTS.noBook, 404);
  return found;
}

function lookUp(state: ExchangeState, id: string | null): Token | undefined {
  if (id === null || !TOKEN_ID.test(id)) throw new Refused(TEXTS.tokenId);
  const market = state.catalogue.findByToken(id);
  const outcome = market?.outcomeOf(id);
  return market === undefined || outcome === undefined ? undefined : { market, outcome };
}

function byCondition(state: ExchangeState, id: string): Market {
  if (!CONDITION_ID.test(id)) throw new Refused('Invalid market');
  const market = state.catalogue.findByCondition(id);
  if (market === undefined) throw new Refused(TEXTS.marketNotFound, 404);
  return market;
}

function book(state: ExchangeState, { market, outcome }: Token): unknown {
  return bookSummary(market, outcome, state.clock());
}

/** The order of the request is not kept, and tokens without a book are left out silently. */
function books(state: ExchangeState, body: string): unknown {
  const wanted = parseJson(body);
  if (!Array.isArray(wanted)) throw new Refused('Invalid payload');
  const ids = new Set(
    wanted.map((entry: unknown) => {
      if (!isRecord(entry) || typeof entry.token_id !== 'string') throw new Refused('Invalid payload');
      return entry.token_id;
    }),
  );
  if (wanted.length > MAX_BOOKS) throw new Refused('Payload exceeds the limit');
  return state.catalogue.markets
    .filter((market) => market.hasBook)
    .flatMap((market) => ([1, 0] as const).map((outcome) => ({ market, outcome })))
    .filter(({ market, outcome }) => ids.has(market.tokenIds[outcome]))
    .map((token) => book(state, token));
}

/** BUY asks for the best bid, SELL for the best ask. */
function price({ market, outcome }: Token, side: string | null): unknown {
  if (side !== 'BUY' && side !== 'SELL') throw new Refused('Invalid side');
  return { price: toNumber(bestOf(market, outcome, side === 'BUY' ? 'bid' : 'ask') ?? 0n) };
}

function midpoint({ market, outcome }: Token): bigint {
  const { bid, ask } = bothSides({ market, outcome });
  return (bid + ask) / 2n;
}

function spread({ market, outcome }: Token): bigint {
  const { bid, ask } = bothSides({ market, outcome });
  return ask - bid;
}

function bothSides({ market, outcome }: Token): { bid: bigint; ask: bigint } {
  const bid = bestOf(market, outcome, 'bid');
  const ask = bestOf(market, outcome, 'ask');
  if (bid === undefined || ask === undefined) throw new Refused(TEXTS.noBook, 404);
  return { bid, ask };
}

function lastTrade(state: ExchangeState, { market, outcome }: Token): unknown {
  const last = state.trading.trades.findLast((trade) => trade.taker.market === market);
  if (last === undefined) return { price: '0.5', side: '' };
  const { taker } = last;
  if (taker.outcome === outcome) return { price: toDecimal(last.price), side: taker.side };
  return { price: toDecimal(ONE - last.price), side: taker.side === 'BUY' ? 'SELL' : 'BUY' };
}

/** Empty for a token that does not exist. */
function history(state: ExchangeState, query: URLSearchParams): unknown {
  const id = query.get('market');
  if (id === null || id === '') throw new Refused('invalid filters: market is required');
  const found = TOKEN_ID.test(id) ? lookUp(state, id) : undefined;
  const points = (token: Token): unknown => pricesHistory(token.market, token.outcome, query, state.clock());
  return found === undefined ? [] : points(found);
}

function tickSize({ market }: Token): unknown {
  return { minimum_tick_size: Number(market.seed.tick) };
}

function baseFee(market: Market): number {
  return market.seed.fee === undefined ? 0 : 1000;
}

/** The two-letter fields of the wire; `nr` and `itode` are left out when false, `fd` when there is no fee. */
function marketInfo(market: Market): unknown {
  const { fee, behaviour } = market.seed;
  return {
    r: { mi: 200, ma: 3.5, e: true, moas: 4 },
    t: market.tokenIds.map((id, outcome) => ({ t: id, o: market.seed.outcomes[outcome] })),
    c: market.conditionId,
    mos: toNumber(market.minSize),
    mts: Number(market.seed.tick),
    mbf: baseFee(market),
    tbf: baseFee(market),
    ao: market.acceptingOrders,
    cbos: true,
    aot: market.listedAt.toISOString().replace(/\.\d+Z/, 'Z'),
    ibce: true,
    ...(market.negRisk ? { nr: true } : {}),
    ...(behaviour === 'delay' ? { itode: true } : {}),
    ...(fee === undefined ? {} : { fd: { r: Number(fee.rate), e: fee.exponent, to: true } }),
    v: 'v1',
  };
}

/** Which token is called primary cannot be relied upon, here as there. */
function parents(market: Market): unknown {
  const swapped = Number(market.seed.id) % 2 === 0;
  const [first, second] = swapped ? [market.tokenIds[1], market.tokenIds[0]] : market.tokenIds;
  return { condition_id: market.conditionId, primary_token_id: first, secondary_token_id: second };
}
