import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { compare, complement, type Decimal, isPositive, subtract } from '../../exchanges/decimal.js';
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

/** What a bot's order is compared with: its market, as it was read within the last second. */
interface Market {
  readonly book: Promise<OrderBookDto>;
  trades?: Promise<readonly TradeDto[]>;
}

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
  async distanceOf(botId: string, exchange: Exchange, asked: AskedOrder): Promise<Decimal | null> {
    try {
      const reference = await withReadLimit(this.#limitMs, () => this.#referenceOf(botId, exchange, asked));
      if (reference === null) return null;
      return asked.side === 'buy' ? subtract(asked.price, reference) : subtract(reference, asked.price);
    } catch (error) {
      if (error instanceof AppError) return null;
      throw error;
    }
  }

  async #referenceOf(botId: string, exchange: Exchange, asked: AskedOrder): Promise<Decimal | null> {
    const market = this.#read(exchange, asked);
    const [book, own] = await Promise.all([
      market.book,
      this.reservations.quotesOf(botId, exchange.id, asked.market_id),
    ]);
    const isBuy = asked.side === 'buy';
    // Asks of an outcome are sales of it, and purchases of the other one.
    const opposite = own.quotes.filter((quote) => (quote.isLong === ((asked.outcome_index ?? 0) === 0)) !== isBuy);
    const best = bestOf(isBuy ? book.asks : book.bids, opposite, asked.outcome_index ?? 0);
    if (best !== null) return best;
    if (own.hasTraded) return null;
    market.trades ??= this.#readTrades(exchange, asked.market_id);
    const [last] = await market.trades;
    if (last === undefined) return null;
    return last.outcome.index === asked.outcome_index ? last.price : complement(last.price);
  }

  #read(exchange: Exchange, { market_id: marketId, outcome_index: index }: AskedOrder): Market {
    const name = `${exchange.id} ${marketId} ${index ?? 0}`;
    const known = this.#markets.get(name);
    if (known !== undefined) return known;
    const query = { market_id: marketId, outcome: String(index ?? 0) };
    const book = withCallContext({ fresh: true }, () => exchange.marketData.getOrderBook(query)).then(
      ({ value }) => value,
    );
    book.catch(() => this.#markets.delete(name));
    const market: Market = { book };
    this.#markets.set(name, market);
    return market;
  }

  async #readTrades(exchange: Exchange, marketId: string): Promise<readonly TradeDto[]> {
    const read = () => exchange.marketData.listTrades({ market_id: marketId }, { limit: 1, cursor: null });
    return (await withCallContext({ fresh: true }, read)).value.items;
  }
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
