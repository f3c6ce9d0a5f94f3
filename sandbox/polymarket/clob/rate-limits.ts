import { isRecord, parseJson } from '../../wire/json.js';
import { type WireRequest, type WireResponse } from '../../wire/server.js';

/** Tokens that come back each second, and how many there are at most. */
interface Allowance {
  perSecond: number;
  burst: number;
}

interface Bucket {
  tokens: number;
  at: number;
}

/** The lowest tier (polymarket.md 12.2). */
const STANDARD = {
  orders: { perSecond: 40, burst: 60 },
  cancels: { perSecond: 80, burst: 120 },
} as const satisfies Record<string, Allowance>;
type Kind = keyof typeof STANDARD;

const LIMITED: Readonly<Record<string, Kind>> = {
  'POST /order': 'orders',
  'POST /orders': 'orders',
  'DELETE /order': 'cancels',
  'DELETE /orders': 'cancels',
  'DELETE /cancel-all': 'cancels',
  'DELETE /cancel-market-orders': 'cancels',
};
const UNAUTHORIZED = 401;

/**
 * The trading limits of each signer. As at the exchange they only warn: the headers say what is left, and
 * `Poly-RateLimit-Warning` that a call would have been refused.
 */
export class RateLimits {
  readonly #buckets = new Map<string, Bucket>();

  /** The answer to an order or a cancel with the headers of the signer's bucket; any other answer as it is. */
  counted(response: WireResponse, request: WireRequest): WireResponse {
    const kind = LIMITED[`${request.method} ${request.path}`];
    const signer = request.headers.poly_address;
    if (kind === undefined || typeof signer !== 'string' || response.status === UNAUTHORIZED) return response;
    const { perSecond, burst } = STANDARD[kind];
    const now = request.receivedAt.getTime();
    const bucket = this.#refilled(`${kind} ${signer.toLowerCase()}`, STANDARD[kind], now);
    const cost = costOf(request, response);
    const isSpent = bucket.tokens < cost;
    bucket.tokens -= cost;
    const wait = Math.max(0, burst - bucket.tokens) / perSecond;
    const headers = {
      'poly-ratelimit-remaining': String(Math.floor(bucket.tokens)),
      'poly-ratelimit-reset': String(Math.ceil(now / 1000 + wait)),
      'poly-ratelimit-tier': 'standard',
      ...(isSpent ? { 'poly-ratelimit-warning': 'true' } : {}),
    };
    return { ...response, headers: { ...response.headers, ...headers } };
  }

  #refilled(key: string, { perSecond, burst }: Allowance, now: number): Bucket {
    const known = this.#buckets.get(key) ?? { tokens: burst, at: now };
    const tokens = Math.min(burst, known.tokens + (Math.max(0, now - known.at) / 1000) * perSecond);
    const bucket = { tokens, at: now };
    this.#buckets.set(key, bucket);
    return bucket;
  }
}

/** One for each order or id of the call; cancelling without ids costs one more than what was cancelled. */
function costOf({ path, body }: WireRequest, response: WireResponse): number {
  if (path === '/order') return 1;
  if (path === '/orders') return lengthOf(parseJson(body));
  return 1 + (isRecord(response.body) ? lengthOf(response.body.canceled) : 0);
}

function lengthOf(list: unknown): number {
  return Array.isArray(list) ? list.length : 0;
}
