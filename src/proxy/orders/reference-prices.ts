import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { add, compare, complement, type Decimal, isPositive, subtract } from '../../exchanges/decimal.js';
import type { Exchange } from '../../exchanges/exchange.js';
import type { AskedOrder } from '../../exchanges/orders.contract.js';
import type { LevelDto, OrderBookDto, TradeDto } from '../../exchanges/unified.market-data.dto.js';
import { Settings } from '../../platform/config/settings.js';
import { AppError } from '../../platform/errors/app-error.js';
import { withCallContext, withReadLimit } from '../../platform/upstream/call-context.js';
import { type OwnQuote, Reservations } from '../placing/reservations.repository.js';

/** A book, and trades, serve all who ask for them within so many ms. */
const KEPT_FOR_MS = 1_000;
const MOST_MARKETS = 1_000;
/** So far the clock of an exchange may be behind ours, and so long, in ms, a read of an order may take. */
const CLOCKS_MS = 5_000;

/** What a bot's order is compared with: its market, as it was read within the last second. */
interface Market {
  /** When the read began, by `performance.now()`. */
  readonly beganAt: number;
  readonly book: Promise<OrderBookDto>;
  trades?: Promise<readonly TradeDto[]>;
}

/** How far a price is from the market, and when, by the database's clock, the read of that market's book began. */
export interface PriceDistance {
  readonly distance: Decimal | null;
  readonly bookAt: Date | null;
}

/** Nothing to compare with. */
export const NO_PRICE: PriceDistance = { distance: null, bookAt: null };

/** Says how much worse the price of an order is than what a market offers, without the bot's own part in that (contract.md 5.12). */
@Injectable()
export class ReferencePrices {
  readonly #markets = new LRUCache<string, Market>({ max: MOST_MARKETS, ttl: KEPT_FOR_MS });
  readonly #limitMs: number;

  constructor(
    private readonly reservations: Reservations,
    settings: Settings,
  ) {
    this.#limitMs = settings.upstreamTimeoutMs;
  }

  /**
   * How much worse the price is than the best opposite quote, else than the last price, unless that may be the bot's own; below 0 where
   * it is better. Null without either, or where the book does not come in time.
   */
  async distanceOf(botId: string, exchange: Exchange, asked: AskedOrder): Promise<PriceDistance> {
    try {
      return await withReadLimit(this.#limitMs, () => this.#distanceOf(botId, exchange, asked));
    } catch (error) {
      if (error instanceof AppError) return NO_PRICE;
      throw error;
    }
  }

  async #distanceOf(botId: string, exchange: Exchange, asked: AskedOrder): Promise<PriceDistance> {
    const market = this.#read(exchange, asked);
    const own = this.reservations.quotesOf(botId, exchange.id, asked.market_id);
    const aged = own.then(({ now }) => new Date(now.getTime() - Math.ceil(performance.now() - market.beganAt)));
    const [book, { quotes, hasTraded, unreadSince }, bookAt] = await Promise.all([market.book, own, aged]);
    const isBuy = asked.side === 'buy';
    const index = asked.outcome_index ?? 0;
    // Asks of an outcome are sales of it, and purchases of the other one.
    const opposite = quotes.filter((quote) => (quote.isLong === (index === 0)) !== isBuy);
    const levels = isBuy ? book.asks : book.bids;
    const strict =
      bestOf(levels, opposite.map(withEnded), index) ??
      (hasTraded ? null : await this.#lastPrice(market, exchange, asked, unreadSince));
    if (strict === null) return { distance: null, bookAt };
    // What has just ended may be in the book, or not any more; what is on its way, or has filled unread, is not: the strictest counts.
    const references = [strict, bestOf(levels, opposite, index), bestOf(levels, [], index)];
    return { distance: largest(references.map((reference) => distanceFrom(reference, asked))), bookAt };
  }

  /** Null where it may be that of an own order, which was not read since. */
  async #lastPrice(
    market: Market,
    exchange: Exchange,
    asked: AskedOrder,
    unreadSince: Date | null,
  ): Promise<Decimal | null> {
    market.trades ??= this.#readTrades(exchange, asked.market_id);
    const [last] = await market.trades;
    if (last === undefined) return null;
    if (unreadSince !== null && Date.parse(last.timestamp) + CLOCKS_MS > unreadSince.getTime()) return null;
    return last.outcome.index === asked.outcome_index ? last.price : complement(last.price);
  }

  #read(exchange: Exchange, { market_id: marketId, outcome_index: index }: AskedOrder): Market {
    const name = `${exchange.id} ${marketId} ${index ?? 0}`;
    const known = this.#markets.get(name);
    if (known !== undefined) return known;
    const beganAt = performance.now();
    const query = { market_id: marketId, outcome: String(index ?? 0) };
    const book = withCallContext({ fresh: true }, () => exchange.marketData.getOrderBook(query)).then(
      ({ value }) => value,
    );
    book.catch(() => this.#markets.delete(name));
    const market: Market = { beganAt, book };
    this.#markets.set(name, market);
    return market;
  }

  async #readTrades(exchange: Exchange, marketId: string): Promise<readonly TradeDto[]> {
    const read = () => exchange.marketData.listTrades({ market_id: marketId }, { limit: 1, cursor: null });
    return (await withCallContext({ fresh: true }, read)).value.items;
  }
}

/** With what has ended of it, which a book may show still. */
function withEnded({ size, endedSize, ...quote }: OwnQuote): OwnQuote {
  return { ...quote, size: add(size, endedSize), endedSize: '0' };
}

function largest(distances: readonly (Decimal | null)[]): Decimal | null {
  return distances.reduce(
    (most, one) => (most === null || (one !== null && compare(one, most) > 0) ? one : most),
    null,
  );
}

function distanceFrom(reference: Decimal | null, { side, price }: AskedOrder): Decimal | null {
  if (reference === null) return null;
  return side === 'buy' ? subtract(price, reference) : subtract(reference, price);
}

/** The best level of which something is left without the bot's own orders; null where there is none. */
function bestOf(levels: readonly LevelDto[], own: readonly OwnQuote[], index: 0 | 1): Decimal | null {
  for (const { price, size } of levels) {
    const ours = own.filter((quote) => compare(priceIn(quote, index), price) === 0);
    const left = ours.reduce<Decimal>((rest, quote) => subtract(rest, quote.size), size);
    if (isPositive(left)) return price;
  }
  return null;
}

/** The price of a quote in terms of an outcome. */
function priceIn({ longPrice }: OwnQuote, index: 0 | 1): Decimal {
  return index === 0 ? longPrice : complement(longPrice);
}
