import { describe, expect, it } from '@jest/globals';
import type { FeedTrade } from '../exchanges/feeds.contract.js';
import type { TradeDto } from '../exchanges/unified.market-data.dto.js';
import type { StatusMessage } from './book-messages.js';
import { type TradeMessage, WatchedTrades } from './watched-trades.js';

const T = Date.UTC(2026, 10, 27);

function trade(id: string, atMs: number, hash: string | null = null): TradeDto {
  return {
    exchange: 'kalshi',
    id,
    market_id: 'A',
    outcome: { id: 'A:yes', index: 0, label: 'Yes' },
    side: 'buy',
    price: '0.4',
    size: '10',
    notional: '4',
    timestamp: new Date(T + atMs).toISOString(),
    taker_side: 'buy',
    is_block_trade: null,
    transaction_hash: hash,
  };
}

/** The trades of a market whose books, subscription and list of trades are those of a test. */
class Script {
  now = T;
  books: StatusMessage['state'] | null = 'live';
  isFollowed = true;
  /** What the list of trades holds; null where it fails. */
  list: TradeDto[] | null = [];
  readonly asked: number[] = [];
  readonly told: string[] = [];
  readonly trades = new WatchedTrades({
    books: () => (this.books === null ? null : { type: 'status', state: this.books, reason: this.#reason, sinceMs: 0 }),
    isFollowed: () => this.isFollowed,
    read: (sinceMs) => {
      this.asked.push(sinceMs);
      return this.list === null ? Promise.reject(new Error('away')) : Promise.resolve(this.list);
    },
    now: () => this.now,
  });

  get #reason(): StatusMessage['reason'] {
    return this.books === 'stale' ? 'exchange_disconnected' : null;
  }

  begin(): void {
    this.trades.join({ tell: (message) => this.told.push(inShort(message)) });
    this.trades.advance();
  }

  /** Lets time pass, and what was begun end. */
  async run(ms = 250): Promise<void> {
    this.now += ms;
    this.trades.advance();
    for (let turn = 0; turn < 4; turn += 1) await Promise.resolve();
  }
}

function inShort(message: TradeMessage): string {
  if (message.type === 'trade') return message.trade.id ?? `hash ${message.trade.transaction_hash}`;
  return message.reason === null ? message.state : `${message.state} ${message.reason}`;
}

function begun(): Script {
  const script = new Script();
  script.begin();
  return script;
}

const feedTrade = (one: ReturnType<typeof trade>): FeedTrade => Object.assign({}, one, { id: null });

describe('feeds.md 4 trades of a market', () => {
  it('are live once the books are and the exchange has taken the subscription', () => {
    const script = new Script();
    script.isFollowed = false;
    script.begin();
    script.trades.take(trade('before', 0));
    expect([script.told, script.trades.state]).toEqual([[], 'waiting']);
    script.isFollowed = true;
    script.trades.advance();
    script.trades.take(trade('a', 1));
    expect(script.told).toEqual(['live', 'a']);
  });

  it('are told as stale where nothing is heard for 5 s', async () => {
    const script = new Script();
    script.books = null;
    script.begin();
    await script.run(4_900);
    expect(script.told).toEqual([]);
    await script.run(200);
    script.books = 'live';
    await script.run();
    expect(script.told).toEqual(['stale silent', 'live']);
  });

  it('behind a gap are told in their order, each once, before the market is live again', async () => {
    const script = begun();
    script.trades.take(trade('a', 1));
    script.list = [trade('d', 4), trade('c', 3), trade('b', 2), trade('a', 1)];
    script.trades.miss('sequence_gap');
    script.trades.take(trade('d', 4));
    script.trades.take(trade('b', 2));
    expect(script.told).toEqual(['live', 'a', 'stale sequence_gap']);
    await script.run();
    script.trades.take(trade('c', 3));
    script.trades.take(trade('e', 5));
    expect(script.told.slice(3)).toEqual(['b', 'c', 'd', 'live', 'e']);
  });

  it('are read from a minute before the loss on, not from before the first was told', async () => {
    const script = begun();
    await script.run(10_000);
    script.trades.miss('sequence_gap');
    await script.run();
    await script.run(90_000);
    script.list = [trade('late', 99_000), trade('early', -1)];
    script.trades.miss('sequence_gap');
    await script.run();
    expect(script.asked).toEqual([T, T + 40_250]);
    expect(script.told.slice(-2)).toEqual(['late', 'live']);
  });

  it('a loss while they are read is read again', async () => {
    const script = begun();
    script.trades.miss('sequence_gap');
    script.trades.miss('sequence_gap');
    await script.run(1);
    expect(script.told).toEqual(['live', 'stale sequence_gap']);
    await script.run(1_000);
    expect([script.told.at(-1), script.asked.length]).toEqual(['live', 2]);
  });

  it('that cannot be read three times are not waited for any longer', async () => {
    const script = begun();
    script.list = null;
    script.trades.miss('sequence_gap');
    script.trades.take(trade('b', 2));
    for (let read = 0; read < 2; read += 1) await script.run(1_000);
    expect(script.told.at(-1)).toBe('stale sequence_gap');
    await script.run(1_000);
    expect([script.told.slice(2), script.asked.length]).toEqual([['b', 'live'], 3]);
  });

  it('wait while a book is stale, and end with it', async () => {
    const script = begun();
    script.books = 'stale';
    await script.run();
    script.trades.take(trade('b', 2));
    expect([script.told.at(-1), script.asked]).toEqual(['stale exchange_disconnected', []]);
    script.books = 'closed';
    await script.run();
    script.trades.take(trade('c', 3));
    expect(script.told.slice(1)).toEqual(['stale exchange_disconnected', 'b', 'closed']);
  });

  it('without an id are told as often as they happen, by the feed or by the list', async () => {
    const script = begun();
    const [one, another] = [trade('x', 1, '0xa'), trade('y', 1, '0xa')];
    script.trades.take(feedTrade(one));
    script.trades.take(feedTrade(another));
    script.list = [trade('z', 2, '0xb'), one, another];
    script.trades.miss('mismatch');
    await script.run();
    script.trades.take(feedTrade(trade('z', 2, '0xb')));
    script.trades.take(feedTrade(trade('z', 2, '0xb')));
    expect(script.told).toEqual(['live', 'hash 0xa', 'hash 0xa', 'stale mismatch', 'z', 'live', 'hash 0xb']);
  });

  it('who joins is told how they stand', () => {
    const script = begun();
    script.trades.take(trade('a', 1));
    const told: string[] = [];
    const leave = script.trades.join({ tell: (message) => told.push(inShort(message)) });
    script.trades.take(trade('b', 2));
    leave();
    script.trades.take(trade('c', 3));
    expect([told, script.trades.isIdle]).toEqual([['live', 'b'], false]);
  });
});
