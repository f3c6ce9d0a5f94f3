import { AppError } from '../../../platform/errors/app-error.js';
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
import { getEvent, listEvents } from './lists/event-lists.js';
import type { MarketDirectory } from './directory/market-directory.js';
import type { MarketFinder } from './directory/market-finder.js';
import { MarketLists } from './lists/market-lists.js';
import { toMarket } from './market.mapper.js';
import { resolveOutcome } from './outcomes.js';
import type { PolymarketClient } from '../connection/client.js';
import { INTERVAL_SECONDS, toCandlesticks } from './candlestick.mapper.js';
import { wireOrderBook } from './order-book.wire.js';
import { toOrderBook } from './order-book.mapper.js';
import { PriceHistory, stretchesOf } from './candlesticks.js';
import { listTrades } from './trade-pages.js';

/** Before this the CLOB did not exist, so there are no prices to ask for. */
const FIRST_PRICES = Date.UTC(2022, 0, 1) / 1_000;

/** Polymarket's public market data (DESIGN 5). */
export class PolymarketMarketData implements MarketData {
  readonly #lists: MarketLists;
  readonly #history: PriceHistory;

  constructor(
    private readonly client: PolymarketClient,
    private readonly finder: MarketFinder,
    private readonly directory: MarketDirectory,
  ) {
    this.#lists = new MarketLists(client, finder);
    this.#history = new PriceHistory(client);
  }

  async listMarkets(filters: MarketFilters, paging: Paging): Promise<Aged<Page<MarketDto>>> {
    return await this.#lists.list(filters, paging);
  }

  async getMarket(marketId: string): Promise<Aged<MarketDto>> {
    const { value, at } = await this.finder.find(marketId);
    const market = value === null ? null : toMarket(value);
    if (market === null) throw new AppError('not_found', 'Polymarket has no market with this id.');
    return { value: market, at, source: 'received' };
  }

  async listEvents(filters: EventFilters, paging: Paging): Promise<Aged<Page<EventDto>>> {
    return await listEvents(this.client, filters, paging);
  }

  async getEvent(eventId: string): Promise<Aged<EventDto>> {
    return await getEvent(this.client, eventId);
  }

  async getOrderBook({ market_id: id, outcome: name, depth }: OrderBookQuery): Promise<Aged<OrderBookDto>> {
    const { marketId, outcomes } = await this.directory.get(id);
    const outcome = resolveOutcome(outcomes, name);
    const query = [['token_id', outcome.id]] as const;
    const { value } = await this.client.read({ host: 'clob', path: '/book', query }, wireOrderBook);
    if (value.asset_id !== outcome.id) throw this.client.unusable();
    return { value: toOrderBook(value, { marketId, outcome, depth }), at: value.timestamp, source: 'exchange' };
  }

  async listTrades(filters: TradeFilters, paging: Paging): Promise<Aged<Page<TradeDto>>> {
    return await listTrades(this.client, await this.directory.get(filters.market_id), filters, paging);
  }

  async listCandlesticks(query: CandlestickQuery): Promise<Aged<readonly CandlestickDto[]>> {
    const { marketId, outcomes } = await this.directory.get(query.market_id);
    const outcome = resolveOutcome(outcomes, query.outcome);
    const { interval } = query;
    const now = Math.floor(this.client.clock.now().getTime() / 1_000);
    const step = INTERVAL_SECONDS[interval];
    const from = Math.max(nextStep(query.start, step), lastStep(FIRST_PRICES, step));
    const to = Math.min(nextStep(query.end, step), lastStep(now, step) + step);
    const range = { marketId, outcome, interval, from, to };
    const points = await this.#history.read(outcome.id, stretchesOf(from, to, interval, now));
    if (points.value.length > 0 || to <= from) return candles(points, range);
    return candles(await this.#history.readSettled(outcome.id), range);
  }
}

function candles(
  points: Awaited<ReturnType<PriceHistory['read']>>,
  range: Parameters<typeof toCandlesticks>[1],
): Aged<readonly CandlestickDto[]> {
  return { value: toCandlesticks(points.value, range), at: points.at, source: 'received' };
}

/** The start of the first candle that begins at this time or later, in Unix seconds. */
function nextStep(time: Date, step: number): number {
  return Math.ceil(time.getTime() / 1_000 / step) * step;
}

/** The start of the candle that this second lies in. */
function lastStep(second: number, step: number): number {
  return Math.floor(second / step) * step;
}
