import type { Query, QueryKey } from '@tanstack/react-query';
import { botsQuery } from '../api/bots.js';
import type { ExchangeId, Market, Schemas } from '../api/client.js';
import { type Standing, STANDINGS, standingQuery } from '../api/live.js';
import {
  DEPTH,
  type Found,
  listedKeys,
  marketQuery,
  type MarketPlace,
  orderBookQuery,
  TRADES,
  tradesQuery,
} from '../api/markets.js';
import { orderFillsQuery } from '../api/order-fills.js';
import { type Fill, isOf, listKey, listsOf, type Order, orderQuery, type Pages, partOf } from '../api/portfolio.js';
import { MONEY, queries } from '../api/queries.js';
import { type Book, differs, foldBook, foldRow, foldTrade } from './folding.js';
import { readNothing, readSoon } from './read-soon.js';
import type { Told } from './server-events.js';
import { type Line, nameOf } from './subscriptions.js';

type WholeBook = Schemas['OrderBookAnswerDto'];
type Trade = Schemas['TradeDto'];
type Quote = Pick<Market, 'status' | 'tradable' | 'outcomes' | 'volume' | 'volume_24h' | 'open_interest' | 'result'>;

/** What a message makes of something that was read; `isMaybeKnown` where the reading may have it already. */
type Change<T> = (data: T, isMaybeKnown: boolean) => T;

/** What is not shown at once waits for so long, in milliseconds: a page is drawn ten times a second at most. */
const DRAWN_MS = 100;
const OPEN = new Set<Order['status']>(['open', 'partially_filled', 'pending']);
/** Open orders of one snapshot; with so many, others may follow. */
const MOST_IN_SNAPSHOT = 500;

/** Where a message that the service told of a line belongs. */
interface Place extends MarketPlace {
  readonly line: Line;
}

function placeOf({ exchange = '', channel = '', market_id: marketId = null }: Told): Place {
  const line = { exchange, channel: channel as Line['channel'], marketId };
  return { line, exchange: exchange as ExchangeId, id: marketId ?? '' };
}

/** Moves what this tab has read by what the stream tells. What was never read is not filled: reading comes first. */
export class Caches {
  readonly #books = new Map<string, Book<WholeBook>>();
  readonly #lost = new Set<string>();
  /** Newest status and newest quote of each line, for tabs that come later. */
  readonly #newest = new Map<string, Told>();
  #queue: { readonly told: readonly Told[]; readonly isSeamless: boolean }[] = [];
  #timer = 0;
  /** By query: what came while it was read, and may be missing in the answer. */
  readonly #missed = new Map<string, Change<unknown>[]>();

  /** `onLost` hears that a book lacks a change. */
  constructor(private readonly onLost: () => void) {
    queries.getQueryCache().subscribe((event) => {
      if (event.type !== 'updated') return;
      const { type } = event.action;
      if (type === 'error' || (type === 'success' && event.action.manual !== true)) this.#hasRead(event.query as Query);
    });
  }

  /** Takes messages over; `isSeamless` where nothing was missed before them. */
  take(told: readonly Told[], isSeamless: boolean): void {
    this.#queue.push({ told, isSeamless });
    this.#timer ||= setTimeout(() => {
      this.#drawAll();
    }, DRAWN_MS);
  }

  #drawAll(): void {
    clearTimeout(this.#timer);
    this.#timer = 0;
    const books = new Map<string, Place>();
    for (const { told, isSeamless } of this.#queue.splice(0)) {
      for (const message of told) this.#one(message, isSeamless, books);
    }
    for (const place of books.values()) this.#drawBook(place);
  }

  /** Messages that tell a new tab how all stands. */
  state(): Told[] {
    this.#drawAll();
    const books = [...this.#books.values()].map(({ sequence, data }) => {
      const { exchange, market_id } = data;
      return { type: 'snapshot', channel: 'orderbooks', exchange, market_id, sequence, data };
    });
    return [...books, ...this.#newest.values()];
  }

  /** Forgets what was told to the person who has gone. */
  forget(): void {
    clearTimeout(this.#timer);
    this.#timer = 0;
    this.#queue = [];
    this.#books.clear();
    this.#lost.clear();
    this.#newest.clear();
    this.#missed.clear();
    queries.removeQueries({ queryKey: [STANDINGS] });
    readNothing();
  }

  #one(message: Told, isSeamless: boolean, books: Map<string, Place>): void {
    const place = placeOf(message);
    switch (message.type) {
      case 'status':
        this.#status(message, place, isSeamless);
        break;
      case 'snapshot':
      case 'update':
        if (place.line.channel === 'orders') this.#openOrders(message.data as Order[], place.exchange);
        else if (this.#book(message, place)) books.set(nameOf(place.line), place);
        break;
      case 'quote':
        this.#newest.set(`quote ${nameOf(place.line)}`, message);
        this.#quote(message.data as Quote, place);
        break;
      case 'trade':
        this.#trade(message.data as Trade, place, isSeamless);
        break;
      case 'order':
        this.#order(message.data as Order, place.exchange);
        break;
      case 'fill':
        this.#fill(message.data as Fill, place.exchange);
        break;
      default:
        break;
    }
  }

  /** A line without a state is followed no more. What is live again, and not for sure without a gap, is read once more. */
  #status(message: Told, place: Place, isSeamless: boolean): void {
    const { line } = place;
    const { state, reason = null, since = '' } = message;
    const name = nameOf(line);
    const standing: Standing | null = state === undefined ? null : { state, reason, since };
    queries.setQueryData(standingQuery(line).queryKey, standing);
    this.#newest.set(name, message);
    if (standing === null) {
      this.#newest.delete(name);
      this.#newest.delete(`quote ${name}`);
    }
    // A book that is not live is no better than what was read.
    if (state !== 'live') this.#books.delete(name);
    else if (!isSeamless) this.#readAgain(place);
  }

  /** What a line may not have told. */
  #readAgain(place: Place): void {
    const { line, exchange } = place;
    if (line.channel === 'trades') readSoon(tradesQuery(place).queryKey);
    if (line.channel === 'fills') readSoon([...listKey('fills'), exchange]);
    if (line.channel === 'orders') this.#readMoney(exchange);
  }

  /** What has no stream of its own, and changes by fills and by orders that end. */
  #readMoney(exchange: ExchangeId): void {
    readSoon(MONEY);
    for (const list of ['positions', 'settlements'] as const) readSoon([...listKey(list), exchange]);
  }

  /** Whether the book has changed. */
  #book(message: Told, { line }: Place): boolean {
    const name = nameOf(line);
    const book = foldBook(this.#books.get(name), message);
    if (book !== null) {
      this.#books.set(name, book);
      this.#lost.delete(name);
      return true;
    }
    this.#books.delete(name);
    if (!this.#lost.has(name)) this.onLost();
    this.#lost.add(name);
    return false;
  }

  #drawBook(place: Place): void {
    const book = this.#books.get(nameOf(place.line));
    if (book === undefined) return;
    const { bids, asks } = book.data;
    const best = { ...book.data, bids: bids.slice(0, DEPTH), asks: asks.slice(0, DEPTH) };
    this.#move<WholeBook>(orderBookQuery(place, 0).queryKey, () => best);
    // The stream has the book of the first outcome alone.
    readSoon(orderBookQuery(place, 1).queryKey);
  }

  #quote(quote: Quote, place: Place): void {
    const quoted = (market: Market): Market => ({ ...market, ...quote });
    const { one, together } = listedKeys(place.exchange);
    this.#move<Schemas['MarketAnswerDto']>(marketQuery(place).queryKey, (market) => ({ ...market, ...quote }));
    this.#move<Market | null>([...one, place.id], (market) => market && quoted(market));
    this.#move<Found>(together, (found) => {
      const market = found[place.id];
      return market === undefined ? found : { ...found, [place.id]: quoted(market) };
    });
  }

  #trade(trade: Trade, place: Place, isSeamless: boolean): void {
    this.#move<Schemas['TradeListDto']>(tradesQuery(place).queryKey, (list, isRead) => ({
      ...list,
      data: [...foldTrade(list.data, trade, { most: TRADES, isMaybeKnown: isSeamless || isRead })],
    }));
  }

  #order(order: Order, exchange: ExchangeId): void {
    const isOpen = OPEN.has(order.status);
    this.#moveLists('orders', exchange, order, (list) => foldRow(list, order, isOpen));
    this.#move<Order>(orderQuery(exchange, order.id).queryKey, () => order);
    if (isOpen) return;
    this.#readMoney(exchange);
    // A halt cancels what a bot has open.
    if (order.status === 'cancelled' && order.bot_id !== null) readSoon(botsQuery.queryKey);
  }

  /** All that are open: a list that has others is read again, be it of all or of one market. */
  #openOrders(orders: readonly Order[], exchange: ExchangeId): void {
    const isAll = orders.length < MOST_IN_SNAPSHOT;
    for (const { queryKey: key } of queries.getQueryCache().findAll({ queryKey: listsOf('orders', exchange) })) {
      const own = orders.filter((order) => isOf(order, partOf(key)));
      this.#move<Pages<Order>>(key, (list) => this.#withOpen(list, own, { key, isAll, exchange }), true);
    }
  }

  #withOpen(
    list: Pages<Order>,
    orders: readonly Order[],
    { key, isAll, exchange }: { readonly key: QueryKey; readonly isAll: boolean; readonly exchange: ExchangeId },
  ): Pages<Order> {
    const hasMore = (list.pages.at(-1)?.next_cursor ?? null) !== null || !isAll;
    if (differs(list, new Set(orders.map(({ id }) => id)), hasMore)) {
      readSoon(key);
      this.#readMoney(exchange);
    }
    const shown = new Set(list.pages.flatMap(({ data }) => data.map(({ id }) => id)));
    return orders.filter(({ id }) => shown.has(id)).reduce((moved, order) => foldRow(moved, order), list);
  }

  #fill(fill: Fill, exchange: ExchangeId): void {
    this.#moveLists('fills', exchange, fill, (list) => foldRow(list, fill));
    this.#move<Schemas['FillListDto']>(orderFillsQuery(exchange, fill.order_id).queryKey, (list) => {
      const { pages } = foldRow<Fill, { pages: { data: Fill[] }[] }>({ pages: [{ data: list.data }] }, fill);
      return { ...list, data: pages[0]?.data ?? list.data };
    });
    this.#readMoney(exchange);
  }

  /** Changes the lists of a name whose part a row is of. */
  #moveLists<Row extends Order | Fill>(
    name: 'orders' | 'fills',
    exchange: ExchangeId,
    row: Row,
    change: Change<Pages<Row>>,
  ): void {
    for (const { queryKey } of queries.getQueryCache().findAll({ queryKey: listsOf(name, exchange) }))
      if (isOf(row, partOf(queryKey))) this.#move(queryKey, change, true);
  }

  /**
   * Changes what was read under a key, and below it unless `exact`, and leaves the time of the reading. What is being read is changed after it too;
   * what could not be read is read again.
   */
  #move<T>(queryKey: QueryKey, change: Change<T>, exact = false): void {
    for (const query of queries.getQueryCache().findAll({ queryKey, exact })) {
      const { data, status, dataUpdatedAt: updatedAt, fetchStatus } = query.state;
      if (fetchStatus === 'fetching') {
        const missed = this.#missed.get(query.queryHash) ?? [];
        this.#missed.set(query.queryHash, [...missed, change as Change<unknown>]);
      } else if (status === 'error') {
        readSoon(query.queryKey);
        continue;
      }
      if (data !== undefined) queries.setQueryData(query.queryKey, change(data as T, false), { updatedAt });
    }
  }

  /** Something was read: what came meanwhile is put over it. */
  #hasRead({ queryHash, queryKey, state }: Query): void {
    const missed = this.#missed.get(queryHash) ?? [];
    this.#missed.delete(queryHash);
    const { data, status, dataUpdatedAt: updatedAt } = state;
    if (status !== 'success') return;
    const moved = missed.reduce<unknown>((before, change) => change(before, true), data);
    if (missed.length > 0) queries.setQueryData(queryKey, moved, { updatedAt });
    const book = [...this.#books.values()].find(({ data: { exchange, market_id: id } }) => {
      return orderBookQuery({ exchange: exchange as ExchangeId, id }, 0).queryKey.every(
        (part, at) => part === queryKey[at],
      );
    });
    if (book === undefined) return;
    const { exchange, market_id: id } = book.data;
    this.#drawBook({ exchange: exchange as ExchangeId, id, line: { exchange, channel: 'orderbooks', marketId: id } });
  }
}
