import { AppError } from '../../../platform/errors/app-error.js';
import { pathOf } from '../../../platform/upstream/path.js';
import type {
  Aged,
  CandlestickQuery,
  EventFilters,
  MarketData,
  MarketFilters,
  OrderBookQuery,
  Page,
  Paging,
  TradeFilters,
} from '../../exchange.js';
import type { CandlestickDto, EventDto, MarketDto, OrderBookDto, TradeDto } from '../../unified.market-data.dto.js';
import type { KalshiArchive } from '../connection/archive.js';
import type { Answer, KalshiClient } from '../connection/client.js';
import { resolveOutcome } from './outcomes.js';
import {
  allItems,
  chunk,
  type Chunk,
  emptyWhereAbsent,
  isNotFound,
  liveThenArchive,
  mapped,
  type ReadChunk,
} from '../connection/pages.js';
import { toOrderBook, toTrade } from './order-book.mapper.js';
import { type WireTrade, wireOrderBook, wireTradePage } from './order-book.wire.js';
import { toCandlestick } from './candlestick.mapper.js';
import { KalshiCandlesticks } from './candlesticks.js';
import { KalshiMarketSettings } from './market-context.js';
import { toEvent, toMarket, UNKNOWN_SETTING } from './market.mapper.js';
import { type WireMarket, wireEventPage, wireMarketPage, wireOneEvent, wireOneMarket } from './market.wire.js';

/** The most that the exchange gives in a page. */
const ARCHIVE_PAGE = 1_000;

const MOST_KNOWN = 10_000;

/** Public data of Kalshi (kalshi.md 4); no answer of it tells a time of its own, so all are aged by when they came. */
export class KalshiMarketData implements MarketData {
  readonly #candlesticks: KalshiCandlesticks;
  readonly #settings: KalshiMarketSettings;
  /** Tickers of which it is known that they exist. */
  readonly #known = new Set<string>();

  constructor(
    private readonly client: KalshiClient,
    private readonly archive: KalshiArchive,
  ) {
    this.#candlesticks = new KalshiCandlesticks(client);
    this.#settings = new KalshiMarketSettings(client);
  }

  async listMarkets(filters: MarketFilters, paging: Paging): Promise<Aged<Page<MarketDto>>> {
    if (filters.search !== undefined) throw notSupported('search', 'list markets by event_id or series_id');
    if (filters.category !== undefined) throw notSupported('category', 'list the events of the category first');
    if (filters.sort !== undefined) throw notSupported('sort', 'sort the markets yourself');
    const mayBeArchived = filters.status === undefined || filters.status === 'settled';
    const page = await liveThenArchive(
      paging,
      this.#liveMarkets(filters),
      mayBeArchived ? this.#oldMarkets(filters) : null,
    );
    const setting = { ...UNKNOWN_SETTING, seriesId: filters.series_id ?? null };
    return aged(mapped(page, (market) => toMarket(market, setting)));
  }

  async getMarket(marketId: string): Promise<Aged<MarketDto>> {
    const { body: market, receivedAt } = await this.#readMarket(marketId);
    return received(toMarket(market, await this.#settings.ofMarket(market)), receivedAt);
  }

  async listEvents(filters: EventFilters, { cursor, limit }: Paging): Promise<Aged<Page<EventDto>>> {
    const { status = 'open', search, category, series_id: series_ticker } = filters;
    if (search !== undefined) throw notSupported('search', 'list events by category or series_id');
    if (status === 'paused') throw notSupported('status=paused', 'list markets by it');
    const page = chunk(
      await this.client.read('/events', { limit, cursor, status, series_ticker }, wireEventPage),
      ({ events }) => events,
    );
    const wanted = category?.toLowerCase();
    const items = page.items.filter((event) => wanted === undefined || event.category?.toLowerCase() === wanted);
    return aged(mapped({ ...page, items }, (event) => toEvent(event, event.markets ?? null, status)));
  }

  async getEvent(eventId: string): Promise<Aged<EventDto>> {
    const query = { with_nested_markets: true };
    const { body, receivedAt } = await this.client.read(pathOf`/events/${eventId}`, query, wireOneEvent);
    const live = body.event.markets ?? body.markets ?? [];
    const markets = [...live, ...(await this.#archivedMarketsOf(eventId, live))];
    return received(toEvent(body.event, markets, 'settled'), receivedAt);
  }

  /** Those of an event's markets that settled long ago, whether or not others are still `live` (kalshi.md 7). */
  async #archivedMarketsOf(eventId: string, live: readonly WireMarket[]): Promise<WireMarket[]> {
    const known = new Set(live.map(({ ticker }) => ticker));
    const archived: WireMarket[] = [];
    for await (const market of allItems(emptyWhereAbsent(this.#oldMarkets({ event_id: eventId })), ARCHIVE_PAGE)) {
      if (!known.has(market.ticker)) archived.push(market);
    }
    return archived;
  }

  async getOrderBook({ market_id: ticker, outcome, depth }: OrderBookQuery): Promise<Aged<OrderBookDto>> {
    const index = resolveOutcome(ticker, outcome);
    const { body, receivedAt } = await this.client.read(pathOf`/markets/${ticker}/orderbook`, { depth }, wireOrderBook);
    return received(toOrderBook({ ticker, index, depth }, body), receivedAt);
  }

  async listTrades(filters: TradeFilters, paging: Paging): Promise<Aged<Page<TradeDto>>> {
    const mayBeArchived = () => this.archive.mayHoldTradesSince(filters.start);
    const [live, archived] = [this.#trades('/markets/trades', filters), this.#trades('/historical/trades', filters)];
    const page = await liveThenArchive(paging, live, archived, mayBeArchived);
    if (page.items.length === 0 && paging.cursor === null) await this.#requireMarket(filters.market_id);
    return aged(mapped(page, toTrade));
  }

  async listCandlesticks(query: CandlestickQuery): Promise<Aged<readonly CandlestickDto[]>> {
    const index = resolveOutcome(query.market_id, query.outcome);
    const live = await this.#candlesticks.live(query);
    const { candles, receivedAt } = live.candles.length > 0 ? live : await this.#candlesticks.archived(query);
    if (candles.length === 0) await this.#requireMarket(query.market_id);
    return received(
      candles.map((candle) => toCandlestick(candle, query, index)),
      receivedAt,
    );
  }

  /** The exchange answers for an unknown market as for a quiet one: throws `not_found` where there is no such market. */
  async #requireMarket(ticker: string): Promise<void> {
    if (this.#known.has(ticker)) return;
    await this.#readMarket(ticker);
    if (this.#known.size >= MOST_KNOWN) this.#known.clear();
    this.#known.add(ticker);
  }

  /** Live or archived; throws `not_found` where it is neither. */
  async #readMarket(ticker: string): Promise<Answer<WireMarket>> {
    try {
      return await this.#readMarketAt(pathOf`/markets/${ticker}`);
    } catch (error) {
      if (isNotFound(error)) return this.#readMarketAt(pathOf`/historical/markets/${ticker}`);
      throw error;
    }
  }

  async #readMarketAt(path: string): Promise<Answer<WireMarket>> {
    const { body, receivedAt } = await this.client.read(path, {}, wireOneMarket);
    return { body: body.market, receivedAt };
  }

  /** Combinations of markets are left out of general listings; what is named is found whatever it is. */
  #liveMarkets({ status, event_id, series_id, ids }: MarketFilters): ReadChunk<WireMarket> {
    const named = ids !== undefined || event_id !== undefined;
    const query = {
      status,
      event_ticker: event_id,
      series_ticker: series_id,
      tickers: ids?.join(','),
      mve_filter: named ? undefined : 'exclude',
    };
    return async (cursor, limit) =>
      chunk(await this.client.read('/markets', { ...query, limit, cursor }, wireMarketPage), ({ markets }) => markets);
  }

  /** The archive takes one filter at a time; the others are applied here. */
  #oldMarkets({ event_id, series_id, ids }: MarketFilters): ReadChunk<WireMarket> {
    const filter = {
      tickers: ids?.join(','),
      event_ticker: ids === undefined ? event_id : undefined,
      series_ticker: ids === undefined && event_id === undefined ? series_id : undefined,
    };
    const query = Object.values(filter).some((value) => value !== undefined) ? filter : { mve_filter: 'exclude' };
    const series = filter.series_ticker === undefined ? series_id : undefined;
    return async (cursor, limit) => {
      const page = await this.client.read('/historical/markets', { ...query, limit, cursor }, wireMarketPage);
      const { items, ...rest } = chunk(page, ({ markets }) =>
        markets.filter((market) => event_id === undefined || market.event_ticker === event_id),
      );
      return { ...rest, items: series === undefined ? items : await this.#ofSeries(series, items) };
    };
  }

  /** A market does not name its series, but its event does. */
  async #ofSeries(seriesId: string, markets: readonly WireMarket[]): Promise<WireMarket[]> {
    const ids = await Promise.all(markets.map((market) => this.#settings.seriesOf(market)));
    return markets.filter((_, at) => ids[at] === seriesId);
  }

  /** `start` is inclusive, `end` exclusive; the exchange's whole seconds are both inclusive, so the edges are cut here. */
  #trades(path: string, { market_id: ticker, start, end }: TradeFilters): ReadChunk<WireTrade> {
    const min_ts = start && Math.floor(start.getTime() / 1_000);
    const max_ts = end && Math.ceil(end.getTime() / 1_000);
    const [from, before] = [start?.toISOString() ?? '', end?.toISOString() ?? '~'];
    return async (cursor, limit) =>
      chunk(await this.client.read(path, { ticker, min_ts, max_ts, limit, cursor }, wireTradePage), ({ trades }) =>
        trades.filter(({ created_time: at }) => from <= at && at < before),
      );
  }
}

function notSupported(filter: string, instead: string): AppError {
  return new AppError('not_supported', `Kalshi does not support ${filter} here; ${instead}.`);
}

function received<T>(value: T, at: Date): Aged<T> {
  return { value, at, source: 'received' };
}

function aged<T>({ items, next, receivedAt }: Chunk<T>): Aged<Page<T>> {
  return received({ items, next }, receivedAt);
}
