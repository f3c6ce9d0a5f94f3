import type { z } from 'zod';
import type { BookInput, BookRef, FeedLine, Heard, LineEnd } from '../../feeds.contract.js';
import type { LevelDto } from '../../unified.market-data.dto.js';
import { type WireFrame, wireDelta, wireError, wireFrame, wireSnapshot, wireSubscribed } from './feed.wire.js';
import { Sequence } from './sequence.js';

const CHANNEL = 'orderbook_delta';
/** Markets that one command names. */
const MARKETS_PER_COMMAND = 500;

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

/** The talk on one connection to Kalshi: one numbered subscription to the books of all markets (streams.md 1). */
export class KalshiLine implements FeedLine {
  readonly #tickers = new Set<string>();
  readonly #sequence = new Sequence();
  #commands = 0;
  /** `asked` until the exchange named the subscription: what is wanted meanwhile is sent then. */
  #sid: number | 'none' | 'asked' = 'none';
  readonly #waiting: (() => readonly string[])[] = [];

  subscribe(books: readonly BookRef[]): readonly string[] {
    const tickers = books.map(({ key }) => key);
    for (const ticker of tickers) this.#tickers.add(ticker);
    if (tickers.length === 0) return [];
    if (this.#sid !== 'none') return this.#update('add_markets', tickers);
    this.#sid = 'asked';
    const [first = [], ...rest] = inParts(tickers);
    const params = { channels: [CHANNEL], market_tickers: first, use_yes_price: true };
    return [this.#command('subscribe', params), ...rest.flatMap((part) => this.#update('add_markets', part))];
  }

  unsubscribe(keys: readonly string[]): readonly string[] {
    for (const key of keys) this.#tickers.delete(key);
    return this.#update('delete_markets', keys);
  }

  renew(keys: readonly string[]): readonly string[] {
    return this.#update('get_snapshot', keys);
  }

  hear(text: string): Heard {
    const frame = parse(wireFrame, json(text));
    if (frame === null) return this.#lost();
    if (frame.type === 'error') return this.#refused(frame);
    if (frame.type === 'subscribed') return this.#subscribed(frame);
    if (frame.sid === undefined || frame.sid !== this.#sid || frame.seq === undefined) return NOTHING;
    if (frame.type === 'orderbook_snapshot' || frame.type === 'orderbook_delta') return this.#data(frame, frame.seq);
    return this.#sequence.placeAnswer(frame.seq) === 'gap' ? this.#lost() : NOTHING;
  }

  closed(): LineEnd {
    return 'lost';
  }

  /** A frame that comes late says what is no longer so; behind a gap a whole book alone says something. */
  #data(frame: WireFrame, seq: number): Heard {
    const place = this.#sequence.place(seq);
    if (place === 'repeated') return NOTHING;
    if (place === 'late') return this.#lost();
    const said = frame.type === 'orderbook_snapshot' ? toWhole(frame.msg) : toStep(frame.msg);
    if (said === null) return this.#lost();
    if (place === 'next') return { inputs: [said] };
    return said.type === 'whole' ? { inputs: [...this.#lost().inputs, said] } : this.#lost();
  }

  /** A hole hits all markets of the subscription. */
  #lost(): Heard {
    return { inputs: Array.from(this.#tickers, (key) => ({ type: 'lost', key, reason: 'sequence_gap' }) as const) };
  }

  #subscribed({ msg }: WireFrame): Heard {
    const known = parse(wireSubscribed, msg);
    if (known?.channel !== CHANNEL) return NOTHING;
    this.#sid = known.sid;
    const frames = this.#waiting.splice(0).flatMap((make) => make());
    return { inputs: [], frames };
  }

  #refused({ sid, seq, msg }: WireFrame): Heard {
    const end = ENDS.get(parse(wireError, msg)?.code ?? 0);
    const isNumbered = sid !== undefined && sid === this.#sid && seq !== undefined;
    const isGap = isNumbered && this.#sequence.placeAnswer(seq) === 'gap';
    const { inputs } = isGap ? this.#lost() : NOTHING;
    return end === undefined ? { inputs } : { inputs, end };
  }

  #update(action: string, tickers: readonly string[]): readonly string[] {
    if (this.#sid === 'none' || tickers.length === 0) return [];
    if (this.#sid === 'asked') {
      this.#waiting.push(() => this.#update(action, tickers));
      return [];
    }
    const sids = [this.#sid];
    return inParts(tickers).map((part) =>
      this.#command('update_subscription', { sids, action, market_tickers: part, ...ofAction(action) }),
    );
  }

  #command(cmd: string, params: object): string {
    this.#commands += 1;
    return JSON.stringify({ id: this.#commands, cmd, params });
  }
}

/** An answer without the list of all markets: it could be longer than any frame that is read. */
function ofAction(action: string): object {
  return action === 'get_snapshot' ? {} : { skip_ticker_ack: true };
}

function inParts(tickers: readonly string[]): string[][] {
  const parts: string[][] = [];
  for (let at = 0; at < tickers.length; at += MARKETS_PER_COMMAND)
    parts.push(tickers.slice(at, at + MARKETS_PER_COMMAND));
  return parts;
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function parse<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> | null {
  const { data } = schema.safeParse(value);
  return data ?? null;
}

function toWhole(msg: unknown): BookInput | null {
  const book = parse(wireSnapshot, msg);
  if (book === null) return null;
  const { market_ticker: key, yes_dollars_fp: bids, no_dollars_fp: asks } = book;
  return { type: 'whole', key, bids: toLevels(bids), asks: toLevels(asks), facts: {} };
}

function toLevels(levels: readonly (readonly [string, string, ...unknown[]])[] | null | undefined): LevelDto[] {
  return (levels ?? []).map(([price, size]) => ({ price, size }));
}

function toStep(msg: unknown): BookInput | null {
  const delta = parse(wireDelta, msg);
  if (delta === null) return null;
  const { market_ticker: key, price_dollars: price, delta_fp: size, side, ts_ms: timeMs } = delta;
  const change = { side: side === 'yes' ? 'bids' : 'asks', price, size } as const;
  return { type: 'steps', key, changes: [change], facts: timeMs === undefined ? {} : { timeMs } };
}
