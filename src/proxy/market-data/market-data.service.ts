import { Injectable } from '@nestjs/common';
import type { Exchange } from '../../exchanges/exchange.js';
import type { Aged, CandlestickQuery, EventFilters, MarketFilters } from '../../exchanges/market-data.contract.js';
import { INTERVAL_SECONDS, MARKET_SORTS } from '../../exchanges/unified.words.js';
import { AppError, badField } from '../../platform/errors/app-error.js';
import { Cursors } from '../paging/cursors.js';
import type {
  AgeDto,
  CandlestickListDto,
  CandlesticksQueryDto,
  EventAnswerDto,
  EventListDto,
  EventsQueryDto,
  MarketAnswerDto,
  MarketListDto,
  MarketsQueryDto,
  OrderBookAnswerDto,
  OrderBookQueryDto,
  OrderBooksDto,
  OrderBooksQueryDto,
  TradeListDto,
  TradesQueryDto,
} from './market-data.dto.js';
import { FoundService } from './found.service.js';
import { limitOf } from '../paging/paging.dto.js';
import { PartErrors } from '../../platform/http/part-errors.js';
import { checkFieldId, checkPathId } from '../request/request-ids.js';
import { spanOf, timeOf } from '../request/query-fields.js';

const DEFAULT_CANDLES = 100;
const MAX_CANDLES = 5_000;

/** An answer that says how old it is (contract.md 5). */
function withAge<T extends object>(answer: T, { at, source }: Aged<unknown>): T & AgeDto {
  return Object.assign({}, answer, { timestamp: at.toISOString(), timestamp_source: source });
}

function toSort(text: string | undefined): MarketFilters['sort'] {
  const by = MARKET_SORTS.find((sort) => sort === text?.replace(/^-/, ''));
  return by === undefined ? undefined : { by, descending: text?.startsWith('-') === true };
}

function toMarketFilters({ status, ids, sort, search, event_id, series_id, category }: MarketsQueryDto): MarketFilters {
  const list = ids?.split(',');
  const filters = { search, event_id, series_id, category, ids: list, sort: toSort(sort) };
  return { ...filters, status: status ?? (list === undefined ? 'open' : undefined) };
}

function toCandlestickQuery(query: CandlesticksQueryDto): CandlestickQuery {
  const interval = query.interval ?? '1h';
  const end = timeOf('end', query.end) ?? new Date();
  const intervalMs = INTERVAL_SECONDS[interval] * 1_000;
  const start = timeOf('start', query.start) ?? new Date(end.getTime() - DEFAULT_CANDLES * intervalMs);
  if (start >= end) throw badField('start', 'must be before end');
  if ((end.getTime() - start.getTime()) / intervalMs > MAX_CANDLES) {
    throw badField('start', `must leave at most ${MAX_CANDLES} candles before end`);
  }
  return { market_id: query.market_id, outcome: query.outcome ?? '0', interval, start, end };
}

/** Public market data of any exchange in one shape (contract.md 5). */
@Injectable()
export class MarketDataService {
  readonly #errors = new PartErrors('MarketDataService');

  constructor(
    private readonly cursors: Cursors,
    private readonly found: FoundService,
  ) {}

  async listMarkets(exchange: Exchange, query: MarketsQueryDto): Promise<MarketListDto> {
    const filters = toMarketFilters(query);
    checkFieldId(exchange, 'event', 'event_id', filters.event_id);
    checkFieldId(exchange, 'series', 'series_id', filters.series_id);
    const ids = filters.ids?.map((id) => checkFieldId(exchange, 'market', 'ids', id));
    const list = { exchange: exchange.id, operation: 'markets', filters: { ...filters, ids } };
    const from = this.cursors.read(list, limitOf(query), query.cursor);
    const page = this.found.searches(exchange, filters)
      ? await this.found.listMarketsOf(exchange, filters, from.paging)
      : await exchange.marketData.listMarkets(filters, from.paging);
    return withAge(
      this.cursors.list(list, from, page.value, ({ id }) => id),
      page,
    );
  }

  async getMarket(exchange: Exchange, marketId: string): Promise<MarketAnswerDto> {
    const market = await exchange.marketData.getMarket(checkPathId(exchange, 'market', marketId));
    return withAge(market.value, market);
  }

  async listEvents(exchange: Exchange, query: EventsQueryDto): Promise<EventListDto> {
    const { status = 'open', search, category, series_id } = query;
    const filters: EventFilters = { status, search, category, series_id };
    checkFieldId(exchange, 'series', 'series_id', series_id);
    const list = { exchange: exchange.id, operation: 'events', filters };
    const from = this.cursors.read(list, limitOf(query), query.cursor);
    const page = this.found.searches(exchange, filters)
      ? await this.found.listEventsOf(exchange, filters, from.paging)
      : await exchange.marketData.listEvents(filters, from.paging);
    return withAge(
      this.cursors.list(list, from, page.value, ({ id }) => id),
      page,
    );
  }

  async getEvent(exchange: Exchange, eventId: string): Promise<EventAnswerDto> {
    const event = await exchange.marketData.getEvent(checkPathId(exchange, 'event', eventId));
    return withAge(event.value, event);
  }

  async getOrderBook(exchange: Exchange, query: OrderBookQueryDto): Promise<OrderBookAnswerDto> {
    checkFieldId(exchange, 'market', 'market_id', query.market_id);
    const book = await exchange.marketData.getOrderBook({
      market_id: query.market_id,
      outcome: query.outcome ?? '0',
      depth: query.depth === undefined ? undefined : Number(query.depth),
    });
    return withAge(book.value, book);
  }

  /** A market without a book has its error in place of it. */
  async getOrderBooks(
    exchange: Exchange,
    { market_id, outcome = '0', depth }: OrderBooksQueryDto,
  ): Promise<OrderBooksDto> {
    const ids = market_id.split(',');
    const canonical = ids.map((id) => checkFieldId(exchange, 'market', 'market_id', id));
    if (new Set(canonical).size < ids.length) throw badField('market_id', 'must name each market once');
    const query = { market_ids: ids, outcome, depth: depth === undefined ? undefined : Number(depth) };
    const books = await exchange.marketData.getOrderBooks(query);
    const data = books.map((book, index) =>
      book instanceof AppError
        ? { market_id: ids[index] ?? '', error: this.#errors.told(book) }
        : withAge(book.value, book),
    );
    return { data };
  }

  async listTrades(exchange: Exchange, query: TradesQueryDto): Promise<TradeListDto> {
    const marketId = checkFieldId(exchange, 'market', 'market_id', query.market_id);
    const filters = { market_id: marketId, ...spanOf(query) };
    const list = { exchange: exchange.id, operation: 'trades', filters };
    const from = this.cursors.read(list, limitOf(query), query.cursor);
    const page = await exchange.marketData.listTrades(filters, from.paging);
    return withAge(
      this.cursors.list(list, from, page.value, ({ id }) => id),
      page,
    );
  }

  async listCandlesticks(exchange: Exchange, query: CandlesticksQueryDto): Promise<CandlestickListDto> {
    checkFieldId(exchange, 'market', 'market_id', query.market_id);
    const candles = await exchange.marketData.listCandlesticks(toCandlestickQuery(query));
    return withAge({ data: [...candles.value], next_cursor: null }, candles);
  }
}
