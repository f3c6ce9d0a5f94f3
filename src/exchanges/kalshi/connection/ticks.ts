import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { AppError, badField } from '../../../platform/errors/app-error.js';
import { pathOf } from '../../../platform/upstream/path.js';
import { compare, complement, type Decimal, isMultiple, subtract } from '../../decimal.js';
import { optionalReadLimit, readOptional } from '../../optional-read.js';
import { nullableList } from '../../wire-list.js';
import type { KalshiClient } from './client.js';
import type { KalshiShards } from './shards.js';
import { decimal } from './wire.js';

/** As many markets are remembered. */
const MOST_MARKETS = 10_000;

/** As many ranges are named in an error. */
const MOST_NAMED = 5;

/** Prices of YES from `start` to `end` that an order may have, `step` apart (kalshi.md 3). */
export interface PriceRange {
  readonly start: Decimal;
  readonly end: Decimal;
  readonly step: Decimal;
}

/** All that tells a market's ticks. */
const wireMarketTicks = z.object({
  market: z.object({
    ticker: z.string(),
    price_ranges: nullableList(z.object({ start: decimal, end: decimal, step: decimal })),
  }),
});

/** What this process knows of markets. */
export interface KnownMarkets {
  readonly shards: KalshiShards;
  readonly ticks: KalshiTicks;
}

/** The price of an order, in terms of its outcome. */
interface Priced {
  readonly ticker: string;
  readonly index: 0 | 1;
  readonly price: Decimal;
}

/**
 * Tells a price that is off the ticks of its market. Kalshi names neither field nor tick when it refuses one, so the market is read:
 * after a refusal, and before a sending where what was read last speaks against the price (contract.md 5.3). A valid price costs no call.
 */
export class KalshiTicks {
  readonly #ranges = new LRUCache<string, readonly PriceRange[]>({ max: MOST_MARKETS });

  constructor(private readonly client: KalshiClient) {}

  /** Notes what a market says of itself. */
  learn(ticker: string, ranges: readonly PriceRange[] | null | undefined): void {
    if (ranges !== null && ranges !== undefined && ranges.length > 0) this.#ranges.set(ticker, ranges);
  }

  /** Throws `bad_request` on `price` where the market, read now, does not take it; nothing is read for a price that seems well. */
  async check(order: Priced): Promise<void> {
    const known = this.#ranges.get(order.ticker);
    if (known === undefined || isOn(order, known)) return;
    const fault = await this.#faultOf(order);
    if (fault !== null) throw badField('price', fault);
  }

  /** The same refusal; `bad_request` on `price` where that is what is wrong with the order. */
  async explained(refusal: AppError, order: Priced): Promise<AppError> {
    const fault = await this.#faultOf(order);
    if (fault === null) return refusal;
    const { message, details } = badField('price', fault);
    return new AppError('bad_request', message, {
      details: { ...details, ...(refusal.details?.exchange && { exchange: refusal.details.exchange }) },
      cause: refusal,
    });
  }

  /** What is expected of the price; null where it is on a tick, or that cannot be read in 2 s. */
  async #faultOf(order: Priced): Promise<string | null> {
    const read = this.client.read(pathOf`/markets/${order.ticker}`, {}, wireMarketTicks, optionalReadLimit());
    const market = (await readOptional(read, null))?.value.market;
    if (market?.ticker !== order.ticker || market.price_ranges.length === 0) return null;
    this.learn(order.ticker, market.price_ranges);
    return isOn(order, market.price_ranges) ? null : expected(order, market.price_ranges);
  }
}

/** In terms of the outcome: prices of NO are what is left of 1. */
function rangesOf({ index }: Priced, ranges: readonly PriceRange[]): readonly PriceRange[] {
  if (index === 0) return ranges;
  return ranges.map(({ start, end, step }) => ({ start: complement(end), end: complement(start), step })).reverse();
}

function isOn(order: Priced, ranges: readonly PriceRange[]): boolean {
  const { price } = order;
  return rangesOf(order, ranges).some(
    ({ start, end, step }) =>
      compare(price, start) >= 0 && compare(price, end) <= 0 && isMultiple(subtract(price, start), step),
  );
}

function expected(order: Priced, ranges: readonly PriceRange[]): string {
  const steps = rangesOf(order, ranges).map(({ start, end, step }) => `${step} from ${start} to ${end}`);
  return `must lie on a tick of this market: steps of ${steps.slice(0, MOST_NAMED).join(', of ')}`;
}
