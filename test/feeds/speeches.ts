import { KalshiLine } from '../../src/exchanges/kalshi/feeds/line.js';
import { PolymarketLine } from '../../src/exchanges/polymarket/feeds/line.js';
import type { ServerLine, Speech, Talk, TrueBook, TrueChange } from './scripted-exchange.js';

interface Command {
  readonly id: number;
  readonly cmd: string;
  readonly params: { readonly action?: string; readonly market_tickers: readonly string[] };
}

/** A subscription of Kalshi: numbered from 1 on over all markets, answers too. */
class KalshiTalk implements Talk {
  readonly #tickers = new Set<string>();
  #seq = 0;

  constructor(
    private readonly line: ServerLine,
    private readonly books: ReadonlyMap<string, TrueBook>,
  ) {}

  has(key: string): boolean {
    return this.#tickers.has(key);
  }

  hear(frame: string): void {
    const { id, cmd, params } = JSON.parse(frame) as Command;
    const { action = 'add_markets', market_tickers: tickers } = params;
    if (cmd === 'subscribe')
      this.line.plain(JSON.stringify({ id, type: 'subscribed', msg: { channel: 'orderbook_delta', sid: 7 } }));
    else this.#say('ok', undefined, id);
    if (action === 'delete_markets') for (const ticker of tickers) this.#tickers.delete(ticker);
    else for (const ticker of tickers) this.#snapshot(ticker);
  }

  change({ book, side, price, step }: TrueChange, now: number): void {
    const market_ticker = book.ref.key;
    if (!this.#tickers.has(market_ticker)) return;
    const word = side === 'bids' ? 'yes' : 'no';
    this.#say('orderbook_delta', {
      market_ticker,
      price_dollars: price,
      delta_fp: `${step}.00`,
      side: word,
      ts_ms: now,
    });
  }

  #snapshot(market_ticker: string): void {
    this.#tickers.add(market_ticker);
    const levels = this.books.get(market_ticker)?.levels;
    const pairs = (side: { price: string; size: string }[] = []) =>
      side.map(({ price, size }) => [price, `${size}.00`]);
    const msg = { market_ticker, yes_dollars_fp: pairs(levels?.bids), no_dollars_fp: pairs(levels?.asks) };
    this.#say('orderbook_snapshot', msg);
  }

  #say(type: string, msg: object | undefined, id?: number): void {
    this.#seq += 1;
    this.line.data(JSON.stringify({ ...(id !== undefined && { id }), type, sid: 7, seq: this.#seq, msg }));
  }
}

export const KALSHI_SPEECH: Speech = {
  stream: { silentMs: 25_000, booksPerLine: 2_000, isNumbered: true, ping: null, line: () => new KalshiLine() },
  talk: (line, books) => new KalshiTalk(line, books),
};

interface Subscription {
  readonly operation?: string;
  readonly assets_ids: readonly string[];
}

/** Polymarket's market channel: no numbers, no answers, and no book for a token that is subscribed already. */
class PolymarketTalk implements Talk {
  readonly #tokens = new Set<string>();

  constructor(
    private readonly line: ServerLine,
    private readonly books: ReadonlyMap<string, TrueBook>,
  ) {}

  has(key: string): boolean {
    return this.#tokens.has(key);
  }

  hear(frame: string): void {
    if (frame === 'PING') {
      this.line.plain('PONG');
      return;
    }
    const { operation, assets_ids: ids } = JSON.parse(frame) as Subscription;
    if (operation === 'unsubscribe') {
      for (const id of ids) this.#tokens.delete(id);
      return;
    }
    const fresh = ids.filter((id) => !this.#tokens.has(id));
    for (const id of fresh) this.#tokens.add(id);
    if (fresh.length === 0) this.line.plain('NO NEW ASSETS');
    else this.line.data(JSON.stringify(fresh.map((id) => this.#book(id))));
  }

  change({ book, side, price, size }: TrueChange, now: number): void {
    const { key: asset_id } = book.ref;
    if (!this.#tokens.has(asset_id)) return;
    const { bid: best_bid, ask: best_ask } = book.best;
    const word = side === 'bids' ? 'BUY' : 'SELL';
    const entry = { asset_id, price, size: String(size), side: word, hash: book.hash, best_bid, best_ask };
    this.line.data(JSON.stringify({ event_type: 'price_change', timestamp: String(now), price_changes: [entry] }));
  }

  #book(asset_id: string): object {
    const book = this.books.get(asset_id);
    const { bids = [], asks = [] } = book?.levels ?? {};
    return { event_type: 'book', asset_id, timestamp: String(book?.changedMs), hash: book?.hash, bids, asks };
  }
}

export const POLYMARKET_SPEECH: Speech = {
  stream: {
    silentMs: 30_000,
    booksPerLine: 5,
    isNumbered: false,
    ping: { text: 'PING', everyMs: 10_000 },
    line: () => new PolymarketLine(),
  },
  talk: (line, books) => new PolymarketTalk(line, books),
};
