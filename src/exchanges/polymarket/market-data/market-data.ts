import { AppError } from '../../../platform/errors/app-error.js';
import { received } from '../../checked-answer.js';
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
import { orError } from '../../or-error.js';
import type { Page, Paging } from '../../paging.contract.js';
import type { CandlestickDto, EventDto, MarketDto, OrderBookDto, TradeDto } from '../../unified.market-data.dto.js';
import type { PolymarketClient } from '../connection/client.js';
import { CONDITION_ID } from '../position-ids.js';
import { PolymarketCandlesticks } from './candlesticks.js';
import type { MarketDirectory } from './directory/market-directory.js';
import type { MarketFinder } from './directory/market-finder.js';
import { EventLists } from './lists/event-lists.js';
import { MarketLists } from './lists/market-lists.js';
import { getIdentity } from './market-identity.js';
import { toMarket } from './market.mapper.js';
import { toOrderBook } from './order-book.mapper.js';
import { wireOrderBook, wireOrderBooks } from './order-book.wire.js';
import { resolveOutcome } from './outcomes.js';
import { listTrades } from './trade-pages.js';
import { VersionCounts } from './version-counts.js';

/** Public data of Polymarket (polymarket.md 4 to 6); of its answers only books say how old they are. */
export class PolymarketMarketData implements MarketData {
  readonly hasSearch = true;
  readonly volumeUnit = 'currency';
  readonly #markets: MarketLists;
  readonly #events: EventLists;
  readonly #candlesticks: PolymarketCandlesticks;

  constructor(
    private readonly client: PolymarketClient,
    private readonly finder: MarketFinder,
    private readonly directory: MarketDirectory,
    versions = new VersionCounts(),
  ) {
    this.#events = new EventLists(client, versions);
    this.#markets = new MarketLists(client, finder, this.#events, versions);
    this.#candlesticks = new PolymarketCandlesticks(client);
  }

  async listMarkets(filters: MarketFilters, paging: Paging): Promise<Aged<Page<MarketDto>>> {
    return this.#markets.list(filters, paging);
  }

  async getMarket(marketId: string): Promise<Aged<MarketDto>> {
    const { value, at } = await this.finder.find(marketId);
    getIdentity(value);
    const market = value === null ? null : toMarket(value);
    if (market === null) throw this.client.unusable();
    return received({ value: market, at });
  }

  async listEvents(filters: EventFilters, paging: Paging): Promise<Aged<Page<EventDto>>> {
    return this.#events.list(filters, paging);
  }

  listOpenEvents(paging: Paging): Promise<Page<ListedEvent>> {
    return this.#events.listOpen(paging);
  }

  async getEvent(eventId: string): Promise<Aged<EventDto>> {
    return this.#events.get(eventId);
  }

  async getOrderBook({ market_id: id, outcome: name, depth }: OrderBookQuery): Promise<Aged<OrderBookDto>> {
    const { marketId, outcomes } = await this.directory.get(id);
    const outcome = resolveOutcome(outcomes, name);
    const query = [['token_id', outcome.id]] as const;
    const { value } = await this.client.read({ host: 'clob', path: '/book', query }, wireOrderBook);
    if (value.asset_id !== outcome.id) throw this.client.unusable();
    return { value: toOrderBook(value, { marketId, outcome, depth }), at: value.timestamp, source: 'exchange' };
  }

  /** A token without a book is left out of the exchange's answer; facts of unknown markets are read in one call before. */
  async getOrderBooks({ market_ids, outcome, depth }: OrderBooksQuery): Promise<(Aged<OrderBookDto> | AppError)[]> {
    await this.directory.findMany(market_ids.filter((id) => CONDITION_ID.test(id)));
    const asked = await Promise.all(
      market_ids.map((id) =>
        orError(async () => {
          const { marketId, outcomes } = await this.directory.get(id);
          return { marketId, outcome: resolveOutcome(outcomes, outcome), depth };
        }),
      ),
    );
    const tokens = new Set(asked.flatMap((view) => (view instanceof AppError ? [] : [view.outcome.id])));
    if (tokens.size === 0) return asked.filter((view) => view instanceof AppError);
    const { value } = await this.client.readBooks([...tokens], wireOrderBooks);
    const books = new Map(value.map((book) => [book.asset_id, book]));
    return asked.map((view) => {
      if (view instanceof AppError) return view;
      const book = books.get(view.outcome.id);
      return book === undefined
        ? this.client.notFound()
        : { value: toOrderBook(book, view), at: book.timestamp, source: 'exchange' };
    });
  }

  async listTrades(filters: TradeFilters, paging: Paging): Promise<Aged<Page<TradeDto>>> {
    return listTrades(this.client, await this.directory.get(filters.market_id), filters, paging);
  }

  async listCandlesticks(query: CandlestickQuery): Promise<Aged<readonly CandlestickDto[]>> {
    return this.#candlesticks.list(await this.directory.get(query.market_id), query);
  }
}
