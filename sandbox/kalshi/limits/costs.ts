import { isRecord, type Json, parseJson } from '../../wire/json.js';
import { type WireRequest } from '../../wire/server.js';

/** What a call costs, and of a write the buckets that it draws from: 0 is the general one, the others are shards. */
interface Charge {
  kind: 'read' | 'write';
  cost: number;
  shards: readonly number[];
}

export const DEFAULT_COST = 10;
const ALL = [0, 1, 2, 3];
const GENERAL = [0];
const ORDERS = '/portfolio/events/orders';

/** What costs something else (kalshi.md 10); of a batch each item does. */
export const COSTS = [
  { method: 'DELETE', path: '/portfolio/events/orders/:order_id', cost: 2 },
  { method: 'DELETE', path: '/portfolio/events/orders/batched', cost: 2 },
  { method: 'GET', path: '/portfolio/orders/:order_id', cost: 2 },
] as const;

/** What a call to a path below the API's base costs. */
export function chargeOf({ method, query, body }: WireRequest, path: string): Charge {
  const cost = COSTS.find((one) => one.method === method && fits(one.path, path))?.cost ?? DEFAULT_COST;
  if (method === 'GET') return { kind: 'read', cost, shards: [] };
  const fields = fieldsOf(body);
  if (path === `${ORDERS}/batched`) {
    const items = Array.isArray(fields.orders) ? fields.orders.length : 1;
    return { kind: 'write', cost: cost * items, shards: GENERAL };
  }
  return { kind: 'write', cost, shards: path.startsWith(ORDERS) ? shardsOf(fields, query) : GENERAL };
}

/** A call that names a shard draws from that one's bucket, one that is found by its ticker from all of them. */
function shardsOf(fields: Json, query: URLSearchParams): readonly number[] {
  const named = Number(fields.exchange_index ?? query.get('exchange_index') ?? -1);
  if (named >= 0) return [named];
  const tickers = [fields.ticker, fields.market_ticker, query.get('market_ticker')];
  return tickers.some((one) => typeof one === 'string') ? ALL : GENERAL;
}

function fieldsOf(body: string): Json {
  const content = parseJson(body);
  return isRecord(content) ? content : {};
}

function fits(pattern: string, path: string): boolean {
  const [wanted, parts] = [pattern.split('/'), path.split('/')];
  return wanted.length === parts.length && wanted.every((part, at) => part.startsWith(':') || part === parts[at]);
}
