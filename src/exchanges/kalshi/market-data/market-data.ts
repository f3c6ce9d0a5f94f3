import type { z } from 'zod';
import { AppError } from '../../../platform/errors/app-error.js';
import { pathOf } from '../../../platform/upstream/path.js';
import type {
  Aged,
  CandlestickQuery,
  EventFilters,
  ListedEvent,
  MarketData,
  MarketFilters,
  OrderBookQuery,
  OrderBooksQuery,
  TradeFilters,
} from '../../market-data.contract.js';
import type { Page, Paging } from '../../paging.contract.js';
import type { CandlestickDto, EventDto, MarketDto, OrderBookDto, TradeDto } from '../../unified.market-data.dto.js';
import { type Answer, received } from '../../checked-answer.js';
import { orError } from '../../or-error.js';
import { isNotFound, notSupported } from '../../upstream-errors.js';
import { backgroundBytes, PAGE_ENTRIES } from '../../wire-list.js';
import type { KalshiArchive } from '../connection/archive.js';
import type { KalshiClient, Query } from '../connection/client.js';
import type { KalshiShards } from '../connection/shards.js';
import type { KalshiTicks } from '../connection/ticks.js';
import { eachOf, emptyWhereAbsent, filtered, liveThenArchive, mapped, type ReadPart } from '../connection/pages.js';
import { toCandlestick } from './candlestick.mapper.js';
import { KalshiCandlesticks } from './candlesticks.js';
import { KalshiMarketContext } from './market-context.js';
import { readEvent, toEvent } from './event.mapper.js';
import { toMarket, UNKNOWN_CONTEXT } from './market.mapper.js';
import {
  eventIdOf,
  type WireMarket,
  wireEventPage,
  wireRawEventPage,
  wireMarketPage,
  wireOneEvent,
  wireOneMarket,
} from './market.wire.js';
import { toOrderBook } from './order-book.mapper.js';
import { type WireTrade, wireOrderBook, wireOrderBooks, wireTradePage } from './order-book.wire.js';
import { resolveOutcome } from './outcomes.js';
import { toTrade } from './trade.mapper.js';

const MOST_KNOWN = 10_000;
/** How tickers of combinations of markets begin (kalshi.md 4). */
const COMBINATIONS = 'KXMVE';

/** Public data of Kalshi (kalshi.md 4); no answer of it says how old it is. */
export class KalshiMarketData implements MarketData {
  readonly hasSearch = false;
  readonly volumeUnit = 'contracts';
  readonly #candlesticks: KalshiCandlesticks;
  readonly #context: KalshiMarketContext;
  /** Tickers of which it is known that they exist. */
  readonly #known = new Set<string>();

  constructor(
    private readonly client: KalshiClient,
    private readonly archive: KalshiArchive,
    private readonly shards: KalshiShards,
    private readonly ticks: KalshiTicks,
  ) {
    this.#candlesticks = new KalshiCandlesticks(client);
    this.#context = new KalshiMarketContext(client);
  }

  async listMarkets(filters: MarketFilters, paging: Paging): Promise<Aged<Page<MarketDto>>> {
    if (filters.search !== undefined)
      throw cannot('search', 'look for its title in the list of events, then list its markets by event_id');
    if (filters.category !== undefined) throw cannot('category', 'list the events of the category first');
    if (filters.sort !== undefined) throw cannot('sort', 'sort the markets yourself');
    const mayBeArchived = filters.status === undefined || filters.status === 'settled';
    const page = await liveThenArchive(
      paging,
      this.#liveMarkets(filters),
      mayBeArchived ? this.#oldMarkets(filters) : null,
    );
    const context = { ...UNKNOWN_CONTEXT, seriesId: filters.series_id ?? null };
    return received(mapped(page, (market) => this.#onShard(toMarket(market, context))));
  }

  async getMarket(marketId: string): Promise<Aged<MarketDto>> {
    const { value: market, at } = await this.#readMarket(marketId);
    return received({ value: this.#onShard(toMarket(market, await this.#context.ofMarket(market))), at });
  }

  async listEvents(filters: EventFilters, { cursor, limit }: Paging): Promise<Aged<Page<EventDto>>> {
    const { status = 'open', search, category, series_id: series_ticker } = filters;
    if (search !== undefined) throw cannot('search', 'list the events, of a category or all, and look for the title');
    if (status === 'paused') throw cannot('status=paused', 'list markets by it');
    const wanted = category?.toLowerCase();
    const { value, at } = await this.client.read('/events', { limit, cursor, status, series_ticker }, wireEventPage);
    const items = value.items.filter((event) => wanted === undefined || event.category?.toLowerCase() === wanted);
    const page = { value: { ...value, items }, at };
    return received(mapped(page, (event) => this.#onShards(toEvent(event, event.markets ?? null, status))));
  }

  async listOpenEvents({ limit, cursor }: Paging): Promise<Page<ListedEvent>> {
    const query = { status: 'open', with_nested_markets: true, limit, cursor };
    const { value } = await this.client.readOnce('/events', query, wireRawEventPage, backgroundBytes(limit));
    const listed = value.items.map((raw) => ({ id: eventIdOf(raw), read: () => readEvent(raw) }));
    return { items: listed.filter(({ id }) => id?.startsWith(COMBINATIONS) !== true), next: value.next };
  }

  async getEvent(eventId: string): Promise<Aged<EventDto>> {
    const query = { with_nested_markets: true };
    const { value, at } = await this.client.read(pathOf`/events/${eventId}`, query, wireOneEvent);
    const live = value.event.markets ?? value.markets ?? [];
    const markets = [...live, ...(await this.#archivedMarketsOf(eventId, live))];
    return received({ value: this.#onShards(toEvent(value.event, markets, 'settled')), at });
  }

  /** A market on a shard where trading is paused takes no orders, though its own status does not say so (contract.md 5.2). */
  #onShard(market: MarketDto): MarketDto {
    const { exchange_index: shard } = market.refs;
    this.shards.learn(market.id, shard);
    this.ticks.learn(market.id, market.price_ranges);
    if (typeof shard === 'number' && this.shards.isHalted(shard)) market.tradable = false;
    return market;
  }

  #onShards(event: EventDto): EventDto {
    for (const market of event.markets ?? []) this.#onShard(market);
    return event;
  }

  /** Those of an event's markets that settled long ago, whether or not others are still `live` (kalshi.md 8). */
  async #archivedMarketsOf(eventId: string, live: readonly WireMarket[]): Promise<WireMarket[]> {
    const known = new Set(live.map(({ ticker }) => ticker));
    const archived: WireMarket[] = [];
    for await (const market of eachOf(emptyWhereAbsent(this.#oldMarkets({ event_id: eventId })), PAGE_ENTRIES)) {
      if (!known.has(market.ticker)) archived.push(market);
    }
    return archived;
  }

  async getOrderBook({ market_id: ticker, outcome, depth }: OrderBookQuery): Promise<Aged<OrderBookDto>> {
    const index = resolveOutcome(ticker, outcome);
    const { value, at } = await this.client.read(pathOf`/markets/${ticker}/orderbook`, { depth }, wireOrderBook);
    return received({ value: toOrderBook({ ticker, index, depth }, value), at });
  }

  /** A market that the exchange does not know is left out of its answer. */
  async getOrderBooks({ market_ids, outcome, depth }: OrderBooksQuery): Promise<(Aged<OrderBookDto> | AppError)[]> {
    const asked = await Promise.all(
      market_ids.map((ticker) => orError(() => ({ ticker, index: resolveOutcome(ticker, outcome), depth }))),
    );
    const tickers = asked.flatMap((view) => (view instanceof AppError ? [] : [['tickers', view.ticker] as const]));
    if (tickers.length === 0) return asked.filter((view) => view instanceof AppError);
    const { value, at } = await this.client.readFresh('/markets/orderbooks', tickers, wireOrderBooks);
    const books = new Map(value.orderbooks.map((book) => [book.ticker, book]));
    return asked.map((view) => {
      if (view instanceof AppError) return view;
      const book = books.get(view.ticker);
      return book === undefined ? this.client.notFound() : received({ value: toOrderBook(view, book), at });
    });
  }

  async listTrades(filters: TradeFilters, paging: Paging): Promise<Aged<Page<TradeDto>>> {
    const mayBeArchived = () => this.archive.mayHoldTradesSince(filters.start);
    const [live, archived] = [this.#trades('/markets/trades', filters), this.#trades('/historical/trades', filters)];
    const page = await liveThenArchive(paging, live, archived, mayBeArchived);
    if (page.value.items.length === 0 && paging.cursor === null) await this.#requireMarket(filters.market_id);
    return received(mapped(page, toTrade));
  }

  async listCandlesticks(query: CandlestickQuery): Promise<Aged<readonly CandlestickDto[]>> {
    const index = resolveOutcome(query.market_id, query.outcome);
    const live = await this.#candlesticks.live(query);
    const { value: candles, at } = live.value.length > 0 ? live : await this.#candlesticks.archived(query);
    if (candles.length === 0) await this.#requireMarket(query.market_id);
    return received({ value: candles.map((candle) => toCandlestick(candle, query, index)), at });
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
      return await this.#readMarketAt(pathOf`/markets/${ticker}`, ticker);
    } catch (error) {
      if (isNotFound(error)) return this.#readMarketAt(pathOf`/historical/markets/${ticker}`, ticker);
      throw error;
    }
  }

  /** An answer about another market is none. */
  async #readMarketAt(path: string, ticker: string): Promise<Answer<WireMarket>> {
    const wireAsked = wireOneMarket.refine(({ market }) => market.ticker === ticker, 'another market');
    const { value, at } = await this.client.read(path, {}, wireAsked);
    this.shards.learn(value.market.ticker, value.market.exchange_index);
    this.ticks.learn(value.market.ticker, value.market.price_ranges);
    return { value: value.market, at };
  }

  /** Combinations of markets are left out of general listings; what is named is found whatever it is. */
  #liveMarkets({ status, event_id, series_id, ids }: MarketFilters): ReadPart<WireMarket> {
    const named = ids !== undefined || event_id !== undefined;
    const query = {
      status,
      event_ticker: event_id,
      series_ticker: series_id,
      tickers: ids?.join(','),
      mve_filter: named ? undefined : 'exclude',
    };
    return this.#list('/markets', query, wireMarketPage);
  }

  /** The archive takes one filter at a time; the others are applied here. */
  #oldMarkets({ event_id, series_id, ids }: MarketFilters): ReadPart<WireMarket> {
    const filter = {
      tickers: ids?.join(','),
      event_ticker: ids === undefined ? event_id : undefined,
      series_ticker: ids === undefined && event_id === undefined ? series_id : undefined,
    };
    const query = Object.values(filter).some((value) => value !== undefined) ? filter : { mve_filter: 'exclude' };
    const series = filter.series_ticker === undefined ? series_id : undefined;
    const ofEvent = filtered(
      this.#list('/historical/markets', query, wireMarketPage),
      (market) => event_id === undefined || market.event_ticker === event_id,
    );
    if (series === undefined) return ofEvent;
    return async (cursor, limit) => {
      const { value, at } = await ofEvent(cursor, limit);
      return { value: { ...value, items: await this.#ofSeries(series, value.items) }, at };
    };
  }

  /** A market does not name its series, but its event does. */
  async #ofSeries(seriesId: string, markets: readonly WireMarket[]): Promise<WireMarket[]> {
    const ids = await Promise.all(markets.map((market) => this.#context.seriesOf(market)));
    return markets.filter((_, at) => ids[at] === seriesId);
  }

  /** `start` is inclusive, `end` exclusive; the exchange's whole seconds are both inclusive, so the edges are cut here. */
  #trades(path: string, { market_id: ticker, start, end }: TradeFilters): ReadPart<WireTrade> {
    const min_ts = start && Math.floor(start.getTime() / 1_000);
    const max_ts = end && Math.ceil(end.getTime() / 1_000);
    const [from, before] = [start?.toISOString() ?? '', end?.toISOString() ?? '~'];
    const trades = this.#list(path, { ticker, min_ts, max_ts }, wireTradePage);
    return filtered(trades, ({ created_time: at }) => from <= at && at < before);
  }

  #list<T>(path: string, query: Query, schema: z.ZodType<Page<T>>): ReadPart<T> {
    return (cursor, limit) => this.client.read(path, { ...query, limit, cursor }, schema);
  }
}

function cannot(filter: string, instead: string): AppError {
  return notSupported(`Kalshi does not support ${filter} here; ${instead}.`);
}
