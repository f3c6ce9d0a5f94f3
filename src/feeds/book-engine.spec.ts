import { describe, expect, it } from '@jest/globals';
import type { BookInput, LevelChange } from '../exchanges/feeds.contract.js';
import { BookEngine } from './book-engine.js';
import type { BookMessage } from './book-messages.js';

const T = 1_000_000;
const level = (price: string, size: string) => ({ price, size });
const bid = (price: string, size: string): LevelChange => ({ side: 'bids', price, size });
const ask = (price: string, size: string): LevelChange => ({ side: 'asks', price, size });

const whole = (facts = {}): BookInput => ({
  type: 'whole',
  key: 'K',
  bids: [level('0.4', '10'), level('0.42', '13')],
  asks: [level('0.45', '44.25'), level('0.44', '17')],
  facts,
});
const sizes = (changes: LevelChange[], best?: { bid: string | null; ask: string | null }): BookInput => ({
  type: 'sizes',
  key: 'K',
  changes,
  facts: {},
  ...(best && { best }),
});
const steps = (...changes: LevelChange[]): BookInput => ({ type: 'steps', key: 'K', changes, facts: {} });
const lost: BookInput = { type: 'lost', key: 'K', reason: 'sequence_gap' };

/** What was said, in short: `snapshot 1`, `update 1>2 bids 0.42=0`, `live`, `stale mismatch`. */
function told(messages: readonly BookMessage[]): string[] {
  return messages.map((message) => {
    if (message.type === 'snapshot') return `snapshot ${message.book.sequence}`;
    if (message.type === 'status') return [message.state, message.reason].filter((word) => word !== null).join(' ');
    const changes = message.changes.map(({ side, price, size }) => `${side} ${price}=${size}`);
    return [`update ${message.previous}>${message.sequence}`, ...changes].join(' ');
  });
}

function live(flushMs = 0): BookEngine {
  const engine = new BookEngine(flushMs);
  engine.take(whole(), T);
  return engine;
}

describe('BookEngine', () => {
  it('is live from the first whole book on, sorted best first', () => {
    const engine = new BookEngine(0);
    expect([engine.status, engine.whole]).toEqual([null, null]);
    expect(told(engine.take(whole({ hash: 'h', timeMs: 5 }), T))).toEqual(['snapshot 1', 'live']);
    expect(engine.whole).toEqual({
      sequence: 1,
      bids: [level('0.42', '13'), level('0.4', '10')],
      asks: [level('0.44', '17'), level('0.45', '44.25')],
      details: { timeMs: 5, timeSource: 'exchange', hash: 'h', tickSize: null, lastPrice: null },
      verifiedMs: T,
    });
  });

  it.each<[string, BookInput[], string[]]>([
    ['a change before the first book says nothing', [sizes([bid('0.43', '1')])], []],
    ['a size replaces that of its level', [whole(), sizes([bid('0.42', '20')])], ['update 1>2 bids 0.42=20']],
    ['size 0 removes a level', [whole(), sizes([ask('0.44', '0')])], ['update 1>2 asks 0.44=0']],
    ['a size that is known already says nothing', [whole(), sizes([bid('0.42', '13'), bid('0.1', '0')])], []],
    ['a step is told as the new size', [whole(), steps(ask('0.44', '-5.5'))], ['update 1>2 asks 0.44=11.5']],
    ['a step to nothing removes the level', [whole(), steps(bid('0.42', '-13'))], ['update 1>2 bids 0.42=0']],
    ['a step on no level makes one', [whole(), steps(bid('0.41', '7'))], ['update 1>2 bids 0.41=7']],
    ['a step below nothing shows that the book is wrong', [whole(), steps(bid('0.42', '-13.01'))], ['stale mismatch']],
    [
      'a whole book behind another says what differs',
      [whole(), { ...whole(), bids: [level('0.4', '9')] } as BookInput],
      ['update 1>2 bids 0.4=9 bids 0.42=0'],
    ],
    ['the same whole book says nothing', [whole(), whole()], []],
    ['a loss is told at once', [whole(), lost], ['stale sequence_gap']],
    ['the same loss is told once', [whole(), lost, lost], []],
    ['no change is told of a stale book', [whole(), lost, sizes([bid('0.42', '1')]), steps(bid('0.4', '1'))], []],
    ['a whole book makes it live again', [whole(), lost, whole()], ['snapshot 2', 'live']],
    ['an empty book is one', [{ ...whole(), bids: [], asks: [] } as BookInput], ['snapshot 1', 'live']],
  ])('%s', (_what, inputs, last) => {
    const engine = new BookEngine(0);
    let messages: BookMessage[] = [];
    inputs.forEach((input, at) => (messages = engine.take(input, T + at)));
    expect(told(messages)).toEqual(last);
  });

  it('a level is one level however its price is written by the exchange, as adapters make it canonical', () => {
    const engine = live();
    engine.take(sizes([bid('0.43', '5')]), T);
    expect(engine.whole?.bids[0]).toEqual(level('0.43', '5'));
    expect(told(engine.take(sizes([bid('0.43', '0')]), T))).toEqual(['update 2>3 bids 0.43=0']);
    expect(engine.whole?.bids[0]).toEqual(level('0.42', '13'));
  });

  it('the digest is that of the levels alone, whatever led to them', () => {
    const [one, other] = [live(), live()];
    one.take(sizes([bid('0.1', '1'), bid('0.42', '5')]), T);
    one.take(sizes([bid('0.1', '0'), bid('0.42', '13')]), T);
    expect(one.digest).toBe(other.digest);
    one.take(sizes([bid('0.42', '12')]), T);
    expect(one.digest).not.toBe(other.digest);
  });

  describe('changes close together', () => {
    it('the first after a rest goes at once, those within the time after it as one', () => {
      const engine = live(20);
      expect(told(engine.take(sizes([bid('0.42', '1')]), T + 100))).toEqual(['update 1>2 bids 0.42=1']);
      expect(engine.take(sizes([bid('0.42', '2')]), T + 105)).toEqual([]);
      expect(engine.take(sizes([bid('0.42', '3'), ask('0.44', '0')]), T + 110)).toEqual([]);
      expect(engine.dueMs).toBe(T + 120);
      expect(engine.advance(T + 119)).toEqual([]);
      expect(told(engine.advance(T + 120))).toEqual(['update 2>3 bids 0.42=3 asks 0.44=0']);
      expect(engine.dueMs).toBeNull();
    });

    it('what waits when the book is lost is never told', () => {
      const engine = live(20);
      engine.take(sizes([bid('0.42', '1')]), T + 5);
      expect(told(engine.take(lost, T + 6))).toEqual(['stale sequence_gap']);
      expect([engine.dueMs, engine.advance(T + 60_000)]).toEqual([null, []]);
    });
  });

  describe('a crossed book', () => {
    const crossing = sizes([bid('0.44', '1')]);

    it('is held back for less than a second, and told whole then', () => {
      const engine = live();
      expect([engine.take(crossing, T), engine.whole]).toEqual([[], null]);
      expect(engine.advance(T + 999)).toEqual([]);
      expect(told(engine.take(sizes([ask('0.44', '0')]), T + 999))).toEqual(['update 1>2 bids 0.44=1 asks 0.44=0']);
    });

    it('is a wrong one after a second', () => {
      const engine = live();
      engine.take(crossing, T);
      expect(engine.dueMs).toBe(T + 1_000);
      expect(told(engine.advance(T + 1_000))).toEqual(['stale mismatch']);
    });

    it('does not begin a stream', () => {
      const engine = new BookEngine(0);
      expect(engine.take({ ...whole(), bids: [level('0.5', '1')] } as BookInput, T)).toEqual([]);
      expect(told(engine.take(sizes([bid('0.5', '0')]), T + 1))).toEqual(['snapshot 1', 'live']);
    });
  });

  describe('the best prices that the exchange states', () => {
    const stated = { bid: '0.43', ask: '0.44' };

    it('may differ for less than a second', () => {
      const engine = live();
      expect(told(engine.take(sizes([bid('0.41', '1')], stated), T))).toEqual(['update 1>2 bids 0.41=1']);
      expect(engine.advance(T + 999)).toEqual([]);
      engine.take(sizes([bid('0.43', '2')], stated), T + 999);
      expect([engine.dueMs, engine.state]).toEqual([null, 'live']);
    });

    it('show a wrong book after a second, also where no frame follows', () => {
      const engine = live();
      engine.take(sizes([bid('0.41', '1')], stated), T);
      expect(told(engine.advance(T + 1_000))).toEqual(['stale mismatch']);
    });

    it('of an empty side are none', () => {
      const engine = live();
      const empty = [ask('0.44', '0'), ask('0.45', '0')];
      engine.take(sizes(empty, { bid: '0.42', ask: null }), T);
      expect(engine.dueMs).toBeNull();
    });
  });

  it('a closed book says nothing more', () => {
    const engine = live();
    expect(told(engine.lose('market_resolved', T))).toEqual(['stale market_resolved']);
    expect(told(engine.close('market_resolved', T + 1))).toEqual(['closed market_resolved']);
    expect([engine.take(whole(), T), engine.lose('silent', T), engine.close('market_closed', T)]).toEqual([[], [], []]);
    expect(engine.status).toEqual({ type: 'status', state: 'closed', reason: 'market_resolved', sinceMs: T + 1 });
  });

  it('says since when it is as it is, also where the reason changes', () => {
    const engine = live();
    engine.take(lost, T + 5);
    expect(engine.lose('exchange_disconnected', T + 9)).toEqual([
      { type: 'status', state: 'stale', reason: 'exchange_disconnected', sinceMs: T + 5 },
    ]);
  });
});
