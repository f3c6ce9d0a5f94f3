import { describe, expect, it } from '@jest/globals';
import { MarketDto } from '../exchanges/unified.market-data.dto.js';
import type { BookTop, StatusMessage } from './book-messages.js';
import { type QuoteMessage, type Quote, WatchedQuote } from './watched-quote.js';

const T = Date.UTC(2026, 10, 27);

function market(differing: Partial<MarketDto> = {}): MarketDto {
  const outcome = (index: 0 | 1) => ({
    id: `A:${index}`,
    index,
    label: 'Yes',
    bid: '0.1',
    ask: '0.9',
    last_price: null,
  });
  const facts = {
    id: 'A',
    status: 'open',
    tradable: true,
    outcomes: [
      { ...outcome(0), bid_size: '1', ask_size: '1' },
      { ...outcome(1), bid_size: '1', ask_size: '1' },
    ],
    volume: '100',
    volume_24h: '10',
    open_interest: '50',
    result: null,
  };
  return Object.assign(new MarketDto(), facts, differing);
}

/** A quote whose books are those of a test. */
class Script {
  now = T;
  books: StatusMessage['state'] | null = 'live';
  reason: StatusMessage['reason'] = null;
  bid = '0.4';
  lastPrice: string | null = null;
  readonly told: string[] = [];
  readonly quotes: Quote[] = [];
  readonly quote = new WatchedQuote(market(), {
    books: () => (this.books === null ? null : { type: 'status', state: this.books, reason: this.reason, sinceMs: 0 }),
    tops: () => [this.#top(this.bid, '0.6', this.lastPrice), this.#top('0.4', '0.6', null)],
    now: () => this.now,
  });

  constructor() {
    this.quote.advance();
    this.quote.join({
      tell: (message: QuoteMessage) => {
        if (message.type === 'quote') this.quotes.push(message.quote);
        this.told.push(message.type === 'quote' ? 'quote' : [message.state, message.reason ?? []].flat().join(' '));
      },
    });
  }

  become(state: StatusMessage['state'], reason: StatusMessage['reason'] = null): void {
    [this.books, this.reason] = [state, reason];
    this.quote.advance();
  }

  #top(bid: string, ask: string, lastPrice: string | null): BookTop {
    const details = { timeMs: this.now, timeSource: 'exchange', hash: null, tickSize: null, lastPrice } as const;
    return { bid: { price: bid, size: '5' }, ask: { price: ask, size: '7' }, details };
  }
}

const byHttp = { timeMs: T, timeSource: 'received' } as const;

describe('feeds.md 5 the quote of a market', () => {
  it('is told whole at once, then at each change of what it says', () => {
    const script = new Script();
    for (const bid of ['0.4', '0.41', '0.41']) {
      script.bid = bid;
      script.now += 20;
      script.quote.advance();
    }
    expect(script.told).toEqual(['quote', 'live', 'quote']);
    expect(script.quotes[1]).toEqual({
      market_id: 'A',
      status: 'open',
      tradable: true,
      outcomes: [
        { id: 'A:0', index: 0, label: 'Yes', bid: '0.41', ask: '0.6', last_price: null, bid_size: '5', ask_size: '7' },
        { id: 'A:1', index: 1, label: 'Yes', bid: '0.4', ask: '0.6', last_price: null, bid_size: '5', ask_size: '7' },
      ],
      volume: '100',
      volume_24h: '10',
      open_interest: '50',
      result: null,
      timestamp: new Date(T + 40).toISOString(),
      timestamp_source: 'exchange',
    });
  });

  it('is stale with its book, and then told again only where it differs', () => {
    const script = new Script();
    script.become('stale', 'sequence_gap');
    script.bid = '0.3';
    script.quote.advance();
    script.quote.say({ volume: '101' });
    script.bid = '0.4';
    script.quote.say({ volume: '100' });
    script.become('live');
    expect(script.told).toEqual(['quote', 'live', 'stale sequence_gap', 'live']);
  });

  it('takes last prices of trades for both outcomes, and those of HTTP only before', () => {
    const script = new Script();
    const last = () => script.quotes.at(-1)?.outcomes.map(({ last_price }) => last_price);
    const [zero, one] = market().outcomes;
    const read = market({
      outcomes: [
        { ...zero, last_price: '0.3' },
        { ...one, last_price: '0.7' },
      ],
    });
    script.quote.learn(read, byHttp);
    expect(last()).toEqual(['0.3', '0.7']);
    script.lastPrice = '0.45';
    script.quote.advance();
    expect(last()).toEqual(['0.45', '0.55']);
    script.quote.learn(read, byHttp);
    script.quote.say({ lastPrice: '0.46', timeMs: T + 9 });
    expect(last()).toEqual(['0.46', '0.54']);
    expect(script.quotes.at(-1)?.timestamp).toBe(new Date(T + 9).toISOString());
  });

  it('has volumes of HTTP where the feed says none for a minute', () => {
    const script = new Script();
    script.quote.say({ volume: '120', openInterest: '60' });
    script.quote.learn(market({ volume: '110', volume_24h: '20' }), byHttp);
    expect(script.quotes.at(-1)).toMatchObject({ volume: '120', volume_24h: '20', open_interest: '60' });
    script.now += 60_000;
    script.quote.learn(market({ volume: '130' }), byHttp);
    expect(script.quotes.at(-1)).toMatchObject({ volume: '130', open_interest: '50' });
  });

  it('ends with a quote that says how, as soon as HTTP does', () => {
    const script = new Script();
    script.quote.learn(market(), byHttp);
    script.become('stale', 'market_resolved');
    expect(script.quote.needsFacts).toBe(true);
    script.become('closed', 'market_resolved');
    expect(script.told).toEqual(['quote', 'live', 'stale market_resolved']);
    const result = { outcome_index: 0, settlement_price: '1', settled_at: null } as const;
    script.quote.learn(market({ status: 'settled', tradable: false, result }), byHttp);
    expect(script.told.slice(3)).toEqual(['quote', 'closed market_resolved']);
    expect(script.quotes.at(-1)).toMatchObject({ result, outcomes: [{ bid: null }, { ask: null }] });
  });

  it('waits for that for 5 s at most', () => {
    const script = new Script();
    script.become('closed', 'market_closed');
    script.now += 4_999;
    script.quote.advance();
    expect(script.told.at(-1)).toBe('live');
    script.now += 1;
    script.quote.advance();
    expect(script.told.at(-1)).toBe('closed market_closed');
  });

  it('of a market that was over before says that alone', () => {
    const told: string[] = [];
    const closed = { type: 'status', state: 'closed', reason: 'market_closed', sinceMs: T } as const;
    const quote = new WatchedQuote(market(), { books: () => closed, tops: () => [null, null], now: () => T });
    quote.advance();
    quote.join({ tell: ({ type }) => told.push(type) });
    expect([told, quote.state]).toEqual([['status'], 'closed']);
  });
});
