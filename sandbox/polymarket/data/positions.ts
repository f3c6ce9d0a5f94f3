import { unixSeconds } from '../../times.js';
import { type Json } from '../../wire/json.js';
import { type Exchange } from '../exchange.js';
import { toNumber } from '../format.js';
import { type Cursors } from './cursors.js';
import { invalid } from './errors.js';
import { type DataPage, dataPage, placeOf } from './pages.js';
import { heldBy, type HeldPosition, positionView, valueOf } from './position.view.js';
import { type DataQuery } from './query.js';

const LIST = 'positions';
const STATUSES = ['OPEN', 'REDEEMABLE', 'REDEEMABLE_LOST', 'MERGEABLE', 'CLOSED'] as const;
type Status = (typeof STATUSES)[number];

/** The fields that `sort_by` names. */
const SORTS = {
  CURRENT_VALUE: 'current_value',
  PRICE: 'current_price',
  TOKENS: 'current_size',
  UNREALIZED_PNL: 'unrealized_pnl',
  REALIZED_PNL: 'realized_pnl',
  TOTAL_PNL: 'total_pnl',
  TIMESTAMP: 'last_event_at',
} as const;
type Sort = keyof typeof SORTS;
const SORT_NAMES = Object.keys(SORTS) as Sort[];
const DEFAULT_SORTS: Readonly<Record<Status, Sort>> = {
  OPEN: 'CURRENT_VALUE',
  REDEEMABLE: 'CURRENT_VALUE',
  REDEEMABLE_LOST: 'CURRENT_VALUE',
  MERGEABLE: 'TOKENS',
  CLOSED: 'REALIZED_PNL',
};
/** Smaller holdings are dust, which is hidden unless `filter_amount` says otherwise. 0 says nothing. */
const DUST_SHARES = 0.1;
const MAX_TITLE = 200;

/** What a walk through the pages holds on to. */
interface Walk {
  status: Status;
  sort: Sort;
  direction: 'ASC' | 'DESC';
}

/** GET /v2/positions of a wallet, or of everybody in one market (polymarket.md 9.2). */
export function listPositions(exchange: Exchange, cursors: Cursors, query: DataQuery): DataPage {
  const held = anchored(exchange, query);
  const cursor = query.text('cursor');
  const from = cursor === undefined ? undefined : cursors.open(LIST, cursor);
  const walk = from === undefined ? walkOf(query) : resumed(from, query);
  const place = from === undefined ? { limit: query.limit(), offset: 0 } : placeOf(from);
  const views = held
    .filter((position) => fitsStatus(position, walk.status, held))
    .filter(positionFilter(query, walk.status))
    .map((position) => positionView(position, isMergeable(position, held)));
  const page = sorted(views, walk).slice(place.offset, place.offset + place.limit);
  const offset = place.offset + page.length;
  const next = offset < views.length ? cursors.seal(LIST, { ...walk, limit: place.limit, offset }) : undefined;
  return dataPage(page, place, next);
}

/** GET /v2/value: one object, four decimals; 0 for a wallet without positions. */
export function getValue(exchange: Exchange, query: DataQuery): Json {
  const { user, conditions } = query;
  const worth = heldBy(exchange, user)
    .filter(({ market }) => conditions?.has(market.conditionId) !== false)
    .reduce((sum, position) => sum + valueOf(position), 0n);
  return { data: { proxy_wallet: user.toLowerCase(), value: Number(toNumber(worth).toFixed(4)) } };
}

function anchored(exchange: Exchange, query: DataQuery): HeldPosition[] {
  const { optionalUser: user, conditions } = query;
  if (user !== undefined) return heldBy(exchange, user);
  if (conditions?.size !== 1) throw invalid('user or exactly one condition is required', 'user');
  return exchange.ledger.wallets().flatMap((wallet) => heldBy(exchange, wallet));
}

function walkOf(query: DataQuery): Walk {
  const status = query.oneOf('status', STATUSES) ?? 'OPEN';
  return {
    status,
    sort: query.oneOf('sort_by', SORT_NAMES) ?? DEFAULT_SORTS[status],
    direction: query.oneOf('sort_direction', ['ASC', 'DESC']) ?? 'DESC',
  };
}

/** What a cursor holds on to may be left out or said again, but not contradicted. */
function resumed(from: Json, query: DataQuery): Walk {
  const { status, sort, direction } = from as unknown as Walk;
  const said = [
    ['status', query.text('status'), status],
    ['sort_by', query.text('sort_by'), sort],
    ['sort_direction', query.text('sort_direction'), direction],
  ] as const;
  for (const [name, value, bound] of said) {
    if (value !== undefined && value !== bound) throw invalid(`${name} contradicts the cursor`, name);
  }
  return { status, sort, direction };
}

/** `OPEN` includes what can be redeemed; a lost position can be redeemed too, for nothing. */
function fitsStatus(position: HeldPosition, status: Status, held: readonly HeldPosition[]): boolean {
  const { holding, market } = position;
  if (status === 'CLOSED') return holding.size === 0n && holding.bought > 0n;
  if (holding.size === 0n || !market.active) return false;
  if (status === 'OPEN') return true;
  if (status === 'MERGEABLE') return !market.closed && isMergeable(position, held);
  return market.closed && (status === 'REDEEMABLE' || valueOf(position) === 0n);
}

function isMergeable({ wallet, market, outcome }: HeldPosition, held: readonly HeldPosition[]): boolean {
  return held.some(
    (other) =>
      other.wallet === wallet && other.market === market && other.outcome !== outcome && other.holding.size > 0n,
  );
}

function positionFilter(query: DataQuery, status: Status): (position: HeldPosition) => boolean {
  if (status === 'CLOSED' && query.boolean('include_archived') === true) {
    throw invalid('include_archived does not go with CLOSED', 'include_archived');
  }
  const { conditions, events } = query;
  const title = query.text('title')?.trim().toLowerCase() ?? '';
  if (title.length > MAX_TITLE) throw invalid(`title has at most ${MAX_TITLE} characters`, 'title');
  const isLarge = status === 'CLOSED' ? () => true : amountFilter(query);
  const [start, end] = [query.whole('start') ?? 0, query.whole('end') ?? 0];
  return (position) => {
    const { market, holding } = position;
    const at = unixSeconds(holding.changedAt);
    const tests = [
      conditions?.has(market.conditionId) !== false,
      events?.has(market.event.id) !== false,
      market.seed.question.toLowerCase().includes(title),
      at >= start && (end === 0 || at <= end),
      isLarge(position),
    ];
    return tests.every(Boolean);
  };
}

/** A floor in dollars comes on top of the one in shares. */
function amountFilter(query: DataQuery): (position: HeldPosition) => boolean {
  const isCash = query.oneOf('filter_type', ['CASH', 'TOKENS']) === 'CASH';
  const amount = query.amount('filter_amount') ?? 0;
  const shares = isCash || amount === 0 ? DUST_SHARES : amount;
  return (position) => toNumber(position.holding.size) >= shares && (!isCash || toNumber(valueOf(position)) >= amount);
}

/** Of what can be redeemed the winners come first. */
function sorted(views: Json[], { status, sort, direction }: Walk): Json[] {
  const field = SORTS[sort];
  const won = (view: Json): number => (status === 'REDEEMABLE' && Number(view.current_value) > 0 ? 1 : 0);
  return views.sort((one, other) => {
    const order = Number(one[field]) - Number(other[field]);
    return won(other) - won(one) || (direction === 'ASC' ? order : -order);
  });
}
