import { eventsOf, readAs } from '../../frames.js';
import type { BookInput, BookRef, FeedInput, FeedLine, Heard, LineEnd } from '../../feeds.contract.js';
import {
  wireBook,
  wireEvent,
  wireEvents,
  wireLastTrade,
  type WirePriceChange,
  wirePriceChange,
  wireResolved,
  wireTickSize,
} from './feed.wire.js';
import { Token } from './token.js';

/** `PONG`, `NO NEW ASSETS`, `INVALID OPERATION`. */
const BARE_TEXT = /^[A-Z ]{1,64}$/;

const NOTHING: Heard = { inputs: [] };

/** Goes to every subscriber for every new market of the exchange, and is long (streams.md 2.4). */
const NEW_MARKET = '"event_type":"new_market"';

/** The reason of an ordinary end (streams.md 2.5). */
const ALL_RESOLVED = 'all subscribed assets resolved';
const TOO_SLOW = 1013;
/** One frame asks for so many tokens: all of their books come in one frame. */
const TOKENS_PER_FRAME = 50;

/** The talk on one connection to Polymarket's market channel, which acknowledges nothing and numbers nothing (streams.md 2). */
export class PolymarketLine implements FeedLine {
  readonly #tokens = new Map<string, Token>();
  #isBegun = false;

  subscribe(books: readonly BookRef[]): readonly string[] {
    for (const book of books) this.#tokens.set(book.key, new Token(book));
    return this.#subscription(books.map(({ key }) => key));
  }

  /** All of a market comes with its tokens. */
  follow(): readonly string[] {
    return [];
  }

  follows(key: string): boolean {
    return this.#tokens.has(key);
  }

  unsubscribe(keys: readonly string[]): readonly string[] {
    for (const key of keys) this.#tokens.delete(key);
    return keys.length === 0 || !this.#isBegun ? [] : [frame({ operation: 'unsubscribe', assets_ids: keys })];
  }

  /** A token that is subscribed already brings no book. */
  renew(keys: readonly string[]): readonly string[] {
    for (const key of keys) this.#tokens.get(key)?.expect();
    return [frame({ operation: 'unsubscribe', assets_ids: keys }), ...this.#subscription(keys)];
  }

  /** Texts such as `PONG` and events that are new say nothing of a book; what cannot be read may have been a change of any. */
  hear(text: string): Heard {
    if (BARE_TEXT.test(text)) return NOTHING;
    if (text.startsWith('{') && text.includes(NEW_MARKET)) return NOTHING;
    const events = eventsOf(text, wireEvents);
    if (events === null) return { inputs: Array.from(this.#tokens.keys(), lost) };
    const said = events.map((event) => this.#event(event));
    const ofAll = ALL.flatMap((one) => (said.includes(one) ? Array.from(this.#tokens.keys(), one) : []));
    return { inputs: [...said.flatMap((inputs) => (typeof inputs === 'function' ? [] : inputs)), ...ofAll] };
  }

  closed(code: number, reason: string): LineEnd {
    if (reason === ALL_RESOLVED) return 'over';
    return code === TOO_SLOW ? 'slow' : 'lost';
  }

  /** The first frame of a connection has a form of its own. */
  #subscription(keys: readonly string[]): readonly string[] {
    const frames: string[] = [];
    for (let at = 0; at < keys.length; at += TOKENS_PER_FRAME) {
      const kind = this.#isBegun ? { operation: 'subscribe' } : { type: 'market' };
      this.#isBegun = true;
      const assets_ids = keys.slice(at, at + TOKENS_PER_FRAME);
      frames.push(frame({ ...kind, assets_ids, custom_feature_enabled: true }));
    }
    return frames;
  }

  #event(event: unknown): Said {
    switch (readAs(wireEvent, event)?.event_type) {
      case undefined:
        return lost;
      case 'book':
        return this.#book(event);
      case 'price_change':
        return this.#changes(event);
      case 'tick_size_change':
        return this.#tickSize(event);
      case 'last_trade_price':
        return this.#trade(event);
      case 'market_resolved':
        return this.#resolved(event);
      default:
        return [];
    }
  }

  #book(event: unknown): Said {
    const book = readAs(wireBook, event);
    if (book === null) return this.#unreadable(event);
    return this.#tokens.get(book.asset_id)?.whole(book) ?? [];
  }

  /** Both tokens of a market come in one frame, also where one was asked for. */
  #changes(event: unknown): Said {
    const change = readAs(wirePriceChange, event);
    if (change === null) return lost;
    const byToken = new Map<string, WirePriceChange['price_changes']>();
    for (const entry of change.price_changes) {
      const entries = byToken.get(entry.asset_id);
      if (entries === undefined) byToken.set(entry.asset_id, [entry]);
      else entries.push(entry);
    }
    return [...byToken].flatMap(([key, entries]) => this.#tokens.get(key)?.changes(change.timestamp, entries) ?? []);
  }

  #tickSize(event: unknown): Said {
    const change = readAs(wireTickSize, event);
    if (change === null) return this.#unreadable(event);
    return this.#tokens.get(change.asset_id)?.tickSize(change.new_tick_size) ?? [];
  }

  /** A trade changes no book: one that cannot be read is missed. */
  #trade(event: unknown): Said {
    const trade = readAs(wireLastTrade, event);
    if (trade !== null) return this.#tokens.get(trade.asset_id)?.trade(trade) ?? [];
    const key = readAs(wireNamed, event)?.asset_id;
    return key === undefined ? missed : [missed(key)];
  }

  #resolved(event: unknown): BookInput[] {
    const keys = readAs(wireResolved, event)?.assets_ids ?? [];
    return keys.map((key) => ({ type: 'lost', key, reason: 'market_resolved' }) as const);
  }

  /** What cannot be read may have been a change of the token that it names, or of any. */
  #unreadable(event: unknown): Said {
    const key = readAs(wireNamed, event)?.asset_id;
    return key === undefined ? lost : [lost(key)];
  }
}

const wireNamed = wireTickSize.pick({ asset_id: true });

function missed(key: string): FeedInput {
  return { type: 'missed', key, reason: 'mismatch' };
}

function lost(key: string): BookInput {
  return { type: 'lost', key, reason: 'mismatch' };
}

/** What one event means: for some tokens, or the same for every one of the line, which is said once a frame. */
type Said = readonly FeedInput[] | typeof lost | typeof missed;
const ALL = [missed, lost] as const;

function frame(content: object): string {
  return JSON.stringify(content);
}
