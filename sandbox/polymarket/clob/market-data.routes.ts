import { isoSeconds, unixSeconds } from '../../times.js';
import { ONE } from '../../units.js';
import { isRecord, parseJson } from '../../wire/json.js';
import { type Call, type Routes } from '../../wire/router.js';
import { type Token } from '../catalogue.js';
import { type Exchange } from '../exchange.js';
import { toDecimal, toNumber } from '../format.js';
import { type Market } from '../market.js';
import { refusal, TEXTS } from '../refusals.js';
import { bestOf, bookSummary } from './book.view.js';
import { pricesHistory } from './price-history.js';

const MAX_BOOKS = 500;
const TOKEN_ID = /^\d{1,78}$/;
/** Both widths have the form of an id; of V2 markets the narrow one is Gamma's alone. */
const CONDITION_ID = /^0x[0-9a-fA-F]{62}(?:[0-9a-fA-F]{2})?$/;

/** The CLOB's market data, for which no credentials are needed (polymarket.md 5). */
export function marketDataRoutes(exchange: Exchange): Routes {
  const token = ({ request }: Call): Token => find(exchange, request.query.get('token_id'));
  const named = ({ params }: Call): Token => find(exchange, params.token ?? '');
  const traded = ({ request }: Call): Token => findBook(exchange, request.query.get('token_id'));
  return {
    'GET /ok': () => 'OK',
    'GET /version': () => ({ version: 2 }),
    'GET /time': () => unixSeconds(exchange.clock()),
    'GET /book': (call) => book(traded(call)),
    'POST /books': ({ request }) => books(exchange, request.body),
    'GET /price': (call) => price(traded(call), call.request.query.get('side')),
    'GET /midpoint': (call) => ({ mid_price: toDecimal(midpoint(traded(call))) }),
    'GET /spread': (call) => ({ spread: toDecimal(spread(traded(call))) }),
    'GET /last-trade-price': (call) => lastTrade(exchange, token(call)),
    'GET /tick-size': (call) => tickSize(token(call)),
    'GET /tick-size/:token': (call) => tickSize(named(call)),
    'GET /neg-risk': (call) => negRisk(token(call)),
    'GET /neg-risk/:token': (call) => negRisk(named(call)),
    'GET /fee-rate': (call) => feeRate(token(call)),
    'GET /fee-rate/:token': (call) => feeRate(named(call)),
    'GET /prices-history': ({ request }) => ({ history: history(exchange, request.query) }),
    'GET /clob-markets/:condition': ({ params }) => marketInfo(byCondition(exchange, params.condition ?? '')),
    'GET /markets-by-token/:token': (call) => parents(named(call).market),
  };
}

function find(exchange: Exchange, id: string | null): Token {
  const found = lookUp(exchange, id);
  if (found === undefined) throw refusal(TEXTS.marketNotFound, 404);
  return found;
}

function findBook(exchange: Exchange, id: string | null): Token {
  const found = lookUp(exchange, id);
  if (found?.market.hasBook !== true) throw refusal(TEXTS.noBook, 404);
  return found;
}

function lookUp(exchange: Exchange, id: string | null): Token | undefined {
  if (id === null || !TOKEN_ID.test(id)) throw refusal(TEXTS.tokenId);
  return exchange.catalogue.findToken(id);
}

function byCondition(exchange: Exchange, id: string): Market {
  if (!CONDITION_ID.test(id)) throw refusal('Invalid market');
  const market = exchange.catalogue.findByCondition(id);
  if (market === undefined) throw refusal(TEXTS.marketNotFound, 404);
  return market;
}

function book({ market, outcome }: Token): unknown {
  return bookSummary(market, outcome);
}

/** The order of the request is not kept, and tokens without a book are left out silently. */
function books(exchange: Exchange, body: string): unknown {
  const wanted = parseJson(body);
  if (!Array.isArray(wanted)) throw refusal('Invalid payload');
  const ids = new Set(
    wanted.map((entry: unknown) => {
      if (!isRecord(entry) || typeof entry.token_id !== 'string') throw refusal('Invalid payload');
      return entry.token_id;
    }),
  );
  if (wanted.length > MAX_BOOKS) throw refusal('Payload exceeds the limit');
  return exchange.catalogue.markets
    .filter((market) => market.hasBook)
    .flatMap((market) => ([1, 0] as const).map((outcome) => ({ market, outcome })))
    .filter(({ market, outcome }) => ids.has(market.tokenIds[outcome]))
    .map((token) => book(token));
}

/** BUY asks for the best bid, SELL for the best ask. */
function price({ market, outcome }: Token, side: string | null): unknown {
  if (side !== 'BUY' && side !== 'SELL') throw refusal('Invalid side');
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
  if (bid === undefined || ask === undefined) throw refusal(TEXTS.noBook, 404);
  return { bid, ask };
}

function lastTrade(exchange: Exchange, { market, outcome }: Token): unknown {
  const last = exchange.trades.findLast((trade) => trade.taker.market === market);
  if (last === undefined) return { price: '0.5', side: '' };
  const { taker } = last;
  if (taker.outcome === outcome) return { price: toDecimal(last.price), side: taker.side };
  return { price: toDecimal(ONE - last.price), side: taker.side === 'BUY' ? 'SELL' : 'BUY' };
}

/** Empty for a token that does not exist, refused for a V2 market (polymarket.md 5.3: never seen with such an id). */
function history(exchange: Exchange, query: URLSearchParams): unknown {
  const id = query.get('market');
  if (id === null || id === '') throw refusal('invalid filters: market is required');
  const found = TOKEN_ID.test(id) ? lookUp(exchange, id) : undefined;
  if (found !== undefined && found.market.version !== 'v1') throw refusal('invalid filters: market');
  const points = (token: Token): unknown => pricesHistory(token.market, token.outcome, query, exchange.clock());
  return found === undefined ? [] : points(found);
}

function tickSize({ market }: Token): unknown {
  return { minimum_tick_size: Number(market.seed.tick) };
}

function negRisk({ market }: Token): unknown {
  return { neg_risk: market.negRisk };
}

function feeRate({ market }: Token): unknown {
  return { base_fee: baseFee(market) };
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
    aot: isoSeconds(market.listedAt),
    ibce: true,
    ...(market.negRisk ? { nr: true } : {}),
    ...(behaviour === 'delay' ? { itode: true } : {}),
    ...(fee === undefined ? {} : { fd: { r: Number(fee.rate), e: fee.exponent, to: true } }),
    v: market.version,
  };
}

/** Which token is called primary cannot be relied upon, here as there. */
function parents(market: Market): unknown {
  const swapped = Number(market.seed.id) % 2 === 0;
  const [first, second] = swapped ? [market.tokenIds[1], market.tokenIds[0]] : market.tokenIds;
  return { condition_id: market.conditionId, primary_token_id: first, secondary_token_id: second };
}
