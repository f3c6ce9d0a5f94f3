import type { z } from 'zod';
import { jsonOf, readAs } from '../../frames.js';
import type { BookInput, BookRef, FeedLine, FeedTrade, Heard, LineEnd } from '../../feeds.contract.js';
import { isPositive } from '../../decimal.js';
import type { LevelDto } from '../../unified.market-data.dto.js';
import { toTrade } from '../market-data/trade.mapper.js';
import {
  type WireFrame,
  wireDelta,
  wireError,
  wireFeedTrade,
  wireFrame,
  wireSnapshot,
  wireSubscribed,
  wireTicker,
} from './feed.wire.js';
import { Subscription } from './subscription.js';

const BOOK_FRAMES: ReadonlySet<string> = new Set(['orderbook_snapshot', 'orderbook_delta']);

/** What an error of the exchange means for the line (streams.md 1.5); of the others a command was wrong, which no repeat mends. */
const ENDS: ReadonlyMap<number, LineEnd> = new Map([
  [7, 'lost'],
  [9, 'refused'],
  [10, 'lost'],
  [18, 'lost'],
  [25, 'slow'],
  [26, 'slow'],
  [27, 'lost'],
]);

const NOTHING: Heard = { inputs: [] };

/** The talk on one connection to Kalshi: a subscription to the books of all markets, and two more to what else happens there (streams.md 1). */
export class KalshiLine implements FeedLine {
  #commands = 0;
  readonly #command = (cmd: string, params: object): string => {
    this.#commands += 1;
    return JSON.stringify({ id: this.#commands, cmd, params });
  };
  readonly #books = new Subscription('orderbook_delta', { use_yes_price: true }, this.#command);
  readonly #trades = new Subscription('trade', {}, this.#command);
  readonly #tickers = new Subscription('ticker', { send_initial_snapshot: true }, this.#command);
  readonly #all = [this.#books, this.#trades, this.#tickers];

  subscribe(books: readonly BookRef[]): readonly string[] {
    return this.#books.add(books.map(({ key }) => key));
  }

  follow(keys: readonly string[]): readonly string[] {
    return [...this.#trades.add(keys), ...this.#tickers.add(keys)];
  }

  follows(key: string): boolean {
    return this.#trades.isNamed && this.#trades.tickers.has(key);
  }

  unsubscribe(keys: readonly string[]): readonly string[] {
    return this.#all.flatMap((subscription) => subscription.remove(keys));
  }

  renew(keys: readonly string[]): readonly string[] {
    return this.#books.renew(keys);
  }

  hear(text: string): Heard {
    const frame = readAs(wireFrame, jsonOf(text));
    if (frame === null) return { inputs: [...this.#lost().inputs, ...this.#missed().inputs] };
    if (frame.type === 'error') return this.#refused(frame);
    if (frame.type === 'subscribed') return this.#subscribed(frame);
    if (this.#tickers.is(frame.sid)) return frame.type === 'ticker' ? toTicker(frame.msg) : NOTHING;
    if (frame.seq !== undefined) return this.#numbered(frame, frame.seq);
    return BOOK_FRAMES.has(frame.type) ? this.#lost() : NOTHING;
  }

  #numbered(frame: WireFrame, seq: number): Heard {
    if (this.#books.is(frame.sid)) {
      if (BOOK_FRAMES.has(frame.type)) return this.#data(frame, seq);
      const place = this.#books.sequence.placeAnswer(seq);
      return place === 'gap' ? this.#lost() : { inputs: [], isProof: place === 'next' };
    }
    if (!this.#trades.is(frame.sid)) return NOTHING;
    if (frame.type === 'trade') return this.#trade(frame, seq);
    return this.#trades.sequence.placeAnswer(seq) === 'gap' ? this.#missed() : NOTHING;
  }

  closed(): LineEnd {
    return 'lost';
  }

  /** A frame that comes late says what is no longer so; behind a gap a whole book alone says something. */
  #data(frame: WireFrame, seq: number): Heard {
    const place = this.#books.sequence.place(seq);
    if (place === 'repeated') return NOTHING;
    if (place === 'late') return this.#lost();
    const said = frame.type === 'orderbook_snapshot' ? toWhole(frame.msg) : toStep(frame.msg);
    if (said === null) return this.#lost();
    if (place === 'next') return { inputs: [said], isProof: true };
    return said.type === 'whole' ? { inputs: [...this.#lost().inputs, said] } : this.#lost();
  }

  /** A trade is one whenever it comes: one that comes late was missed before. */
  #trade({ msg }: WireFrame, seq: number): Heard {
    const place = this.#trades.sequence.place(seq);
    if (place === 'repeated') return NOTHING;
    const trade = readAs(wireFeedTrade, msg);
    if (trade === null) return this.#missed();
    const said = { type: 'trade', key: trade.market_ticker, trade: toFeedTrade(trade) } as const;
    return place === 'gap' ? { inputs: [...this.#missed().inputs, said] } : { inputs: [said] };
  }

  /** A hole hits all markets of the subscription. */
  #lost(): Heard {
    return {
      inputs: Array.from(this.#books.tickers, (key) => ({ type: 'lost', key, reason: 'sequence_gap' }) as const),
    };
  }

  #missed(): Heard {
    const missed = (key: string) => ({ type: 'missed', key, reason: 'sequence_gap' }) as const;
    return { inputs: Array.from(this.#trades.tickers, missed) };
  }

  #subscribed({ msg }: WireFrame): Heard {
    const known = readAs(wireSubscribed, msg);
    const subscription = this.#all.find(({ channel }) => channel === known?.channel);
    if (known === null || subscription === undefined) return NOTHING;
    return { inputs: [], frames: subscription.named(known.sid) };
  }

  #refused({ sid, seq, msg }: WireFrame): Heard {
    const end = ENDS.get(readAs(wireError, msg)?.code ?? 0);
    const heard = seq === undefined ? NOTHING : this.#numbered({ type: 'error', sid, msg }, seq);
    return end === undefined ? heard : { ...heard, end };
  }
}

function toWhole(msg: unknown): BookInput | null {
  const book = readAs(wireSnapshot, msg);
  if (book === null) return null;
  const { market_ticker: key, yes_dollars_fp: bids, no_dollars_fp: asks } = book;
  return { type: 'whole', key, bids: toLevels(bids), asks: toLevels(asks), facts: {} };
}

function toLevels(levels: readonly (readonly [string, string, ...unknown[]])[] | null | undefined): LevelDto[] {
  return (levels ?? []).map(([price, size]) => ({ price, size }));
}

function toStep(msg: unknown): BookInput | null {
  const delta = readAs(wireDelta, msg);
  if (delta === null) return null;
  const { market_ticker: key, price_dollars: price, delta_fp: size, side, ts_ms: timeMs } = delta;
  const change = { side: side === 'yes' ? 'bids' : 'asks', price, size } as const;
  return { type: 'steps', key, changes: [change], facts: timeMs === undefined ? {} : { timeMs } };
}

function toFeedTrade({ market_ticker: ticker, ts_ms, ...trade }: z.output<typeof wireFeedTrade>): FeedTrade {
  return toTrade({ ...trade, ticker, created_time: new Date(ts_ms).toISOString() });
}

/** Tickers have no number: one that cannot be read says nothing. */
function toTicker(msg: unknown): Heard {
  const said = readAs(wireTicker, msg);
  if (said === null) return NOTHING;
  const { market_ticker: key, price_dollars: price, volume_fp: volume, open_interest_fp: openInterest, ts_ms } = said;
  const ticker = {
    ...(ts_ms !== undefined && { timeMs: ts_ms }),
    ...(price !== null && isPositive(price) && { lastPrice: price }),
    ...(volume !== null && { volume }),
    ...(openInterest !== null && { openInterest }),
  };
  return { inputs: [{ type: 'ticker', key, ticker }] };
}
