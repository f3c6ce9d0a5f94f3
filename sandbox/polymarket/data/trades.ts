import { unixSeconds } from '../../times.js';
import { product, toFixed } from '../../units.js';
import { type Json } from '../../wire/json.js';
import { type Exchange } from '../exchange.js';
import { imageOf, toNumber } from '../format.js';
import { sameAddress } from '../signing/address.js';
import { narrowConditionId, positionId, wideConditionId } from '../signing/position-id.js';
import { type Cursors } from './cursors.js';
import { invalid } from './errors.js';
import { nameOf, tokenLabels } from './labels.js';
import { type DataPage, dataPage, placeOf } from './pages.js';
import { type PublicTrade, publicTrades } from './public-trades.js';
import { type DataQuery } from './query.js';

const LIST = 'trades';
/** Dust under that many shares (or dollars) is hidden, also where 0 is asked for. */
const DUST = 0.01;
const YEAR_S = 31_536_000;
const COMBO_ID = wideConditionId({ module: 3, baseHash: '2e3a483f9df1027ab6ace34a980d8611', arity: 0, index: 0 });

type Test = (trade: PublicTrade) => boolean;

/** GET /v2/trades: newest first, by default the takers' sides alone (polymarket.md 6.2). */
export function listTrades(exchange: Exchange, cursors: Cursors, query: DataQuery): DataPage {
  const fits = tradeFilter(query, exchange.clock());
  const rows = publicTrades(exchange).filter(fits);
  const cursor = query.text('cursor');
  const from = cursor === undefined ? undefined : cursors.open(LIST, cursor);
  const place = from === undefined ? { limit: query.limit(), offset: 0 } : placeOf(from);
  const rest = from === undefined ? rows : rows.filter((trade) => isAfter(trade, from));
  const page = rest.slice(0, place.limit);
  const last = page.at(-1);
  const hasMore = rest.length > page.length && last !== undefined;
  // The place and the size alone: whoever changes a filter goes on from here in another list.
  const next = hasMore
    ? cursors.seal(LIST, {
        at: last.at.getTime(),
        sequence: last.sequence,
        limit: place.limit,
        offset: place.offset + page.length,
      })
    : undefined;
  return dataPage(page.map(tradeView), place, next);
}

function isAfter(trade: PublicTrade, { at, sequence }: Json): boolean {
  const time = trade.at.getTime();
  return time < Number(at) || (time === Number(at) && trade.sequence < Number(sequence));
}

/** `start` and `end` count for one user's list alone; the combinations are in no market's or event's list. */
function tradeFilter(query: DataQuery, now: Date): Test {
  const { optionalUser: user, conditions, events } = query;
  if (conditions !== undefined && events !== undefined) {
    throw invalid('condition and event_id are mutually exclusive', 'condition');
  }
  const side = query.oneOf('side', ['BUY', 'SELL']);
  const takerOnly = query.boolean('taker_only') ?? true;
  const isLarge = amountFilter(query);
  const inWindow = windowFilter(query, now);
  return (trade) => {
    const { token, wallet, isTaker } = trade;
    const tests = [
      user === undefined || sameAddress(wallet, user),
      conditions === undefined || (token !== undefined && conditions.has(token.market.conditionId)),
      events === undefined || (token !== undefined && events.has(token.market.event.id)),
      side === undefined || trade.side === side,
      isTaker || !takerOnly,
      user === undefined || inWindow(trade),
      isLarge(trade),
    ];
    return tests.every(Boolean);
  };
}

/** Both bounds count; 0 is as good as none: three years back, and a day ahead. */
function windowFilter(query: DataQuery, now: Date): Test {
  const [start, end] = [query.whole('start') ?? 0, query.whole('end') ?? 0];
  const from = start === 0 ? unixSeconds(now) - 3 * YEAR_S : start;
  return ({ at }) => unixSeconds(at) >= from && (end === 0 || unixSeconds(at) <= end);
}

function amountFilter(query: DataQuery): Test {
  const type = query.oneOf('filter_type', ['CASH', 'TOKENS']) ?? 'TOKENS';
  const amount = query.amount('filter_amount') ?? 0;
  const floor = amount === 0 ? DUST : amount;
  return ({ price, size }) => toNumber(type === 'CASH' ? product(price, size) : size) >= floor;
}

/** There is no trade id. */
function tradeView(trade: PublicTrade): Json {
  const { token, wallet, tail } = trade;
  return {
    proxy_wallet: wallet.toLowerCase(),
    side: trade.side,
    token_id: token === undefined ? positionId(COMBO_ID, 0) : token.market.tokenIds[token.outcome],
    condition_id: token === undefined ? narrowConditionId(COMBO_ID) : token.market.conditionId,
    size: toNumber(trade.size),
    price: Number(`${toFixed(trade.price, 6)}${tail}`),
    timestamp: unixSeconds(trade.at),
    ...(token === undefined ? COMBO_LABELS : tokenLabels(token)),
    name: nameOf(wallet),
    pseudonym: 'Quiet-Otter',
    bio: '',
    profile_image: '',
    profile_image_optimized: '',
    transaction_hash: trade.transactionHash,
  };
}

/** A combination has a title, but neither slug nor outcome. */
const COMBO_LABELS: Json = {
  title: 'Saints AND Index above 100',
  slug: '',
  icon: imageOf('combination'),
  event_slug: '',
  outcome: '',
  outcome_index: 999,
};
