import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { LevelChange } from '../exchanges/feeds.contract.js';
import { Backlog, type SentMessage } from './backlog.js';
import { Book } from './book.js';
import { BookEngine } from './book-engine.js';
import type { BookMessage } from './book-messages.js';
import type { ReaderMessage } from './watched-book.js';

const level = (price: string, size: string) => ({ price, size });
const whole = { type: 'whole', key: 'K', bids: [level('0.4', '1')], asks: [level('0.6', '1')], facts: {} } as const;
const sizes = (...changes: LevelChange[]) => ({ type: 'sizes', key: 'K', changes, facts: {} }) as const;
const bid = (price: string, size: string): LevelChange => ({ side: 'bids', price, size });

/** An engine whose messages go through a backlog. */
class Slow {
  readonly engine = new BookEngine(0);
  readonly backlog = new Backlog(() => this.engine.whole);
  #hasBook = false;

  hear(messages: readonly BookMessage[]): void {
    for (const message of messages) this.backlog.add(this.#toReader(message));
  }

  #toReader(message: BookMessage): ReaderMessage {
    if (message.type !== 'snapshot') return message;
    const reason = this.#hasBook ? 'resync' : 'initial';
    this.#hasBook = true;
    return { ...message, reason };
  }
}

function told(messages: readonly SentMessage[]): string[] {
  return messages.map((message) => {
    if (message.type === 'snapshot') return `snapshot ${message.reason} ${message.book.sequence}`;
    return message.type === 'status' ? message.state : `update ${message.previous}>${message.sequence}`;
  });
}

describe('Backlog', () => {
  it('owes changes as one, by the newest sizes', () => {
    const slow = new Slow();
    slow.hear(slow.engine.take(whole, 1));
    expect(told(slow.backlog.take())).toEqual(['snapshot initial 1', 'live']);
    for (const size of ['2', '3', '4']) slow.hear(slow.engine.take(sizes(bid('0.4', size), bid('0.3', size)), 2));
    expect(slow.backlog.take()).toMatchObject([
      { type: 'update', previous: 1, sequence: 4, changes: [bid('0.4', '4'), bid('0.3', '4')] },
    ]);
    expect([slow.backlog.isEmpty, slow.backlog.take()]).toEqual([true, []]);
  });

  it('owes no change of a book that is stale, and the whole one when it is right again', () => {
    const slow = new Slow();
    slow.hear(slow.engine.take(whole, 1));
    slow.backlog.take();
    slow.hear(slow.engine.take(sizes(bid('0.4', '2')), 2));
    slow.hear(slow.engine.lose('mismatch', 3));
    expect(told(slow.backlog.take())).toEqual(['stale']);
    slow.hear(slow.engine.take(whole, 4));
    slow.hear(slow.engine.take(sizes(bid('0.4', '5')), 5));
    expect(told(slow.backlog.take())).toEqual(['snapshot resync 4', 'live']);
  });

  it('owes the whole book in place of more changes than it has levels', () => {
    const slow = new Slow();
    slow.hear(slow.engine.take(whole, 1));
    slow.backlog.take();
    for (let at = 1; at <= 101; at += 1) {
      slow.hear(slow.engine.take(sizes(bid(`0.1${at}`, '1')), 2));
      slow.hear(slow.engine.take(sizes(bid(`0.1${at}`, '0')), 2));
    }
    expect(told(slow.backlog.take())).toEqual(['snapshot conflated 203']);
  });

  it('whenever it is taken, what was sent is the book, each change following the version before', () => {
    const step = fc.oneof(
      { weight: 8, arbitrary: fc.tuple(fc.constant('set' as const), fc.integer({ min: 10, max: 19 }), fc.nat(3)) },
      fc.tuple(fc.constantFrom('lose' as const, 'whole' as const), fc.constant(0), fc.constant(0)),
      { weight: 4, arbitrary: fc.tuple(fc.constant('take' as const), fc.constant(0), fc.constant(0)) },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const slow = new Slow();
        const replica = new Book();
        let [state, sequence] = ['none', 0];
        const take = (): boolean =>
          slow.backlog.take().every((message) => {
            if (message.type === 'status') state = message.state;
            else if (message.type === 'snapshot') replica.replace(message.book.bids, message.book.asks);
            else if (state !== 'live' || message.previous !== sequence) return false;
            else for (const change of message.changes) replica.set(change);
            if (message.type === 'update') sequence = message.sequence;
            else if (message.type === 'snapshot') sequence = message.book.sequence;
            return true;
          });
        let isLinked = true;
        steps.forEach(([what, cents, size], now) => {
          if (what === 'take') isLinked &&= take();
          else if (what === 'lose') slow.hear(slow.engine.lose('mismatch', now));
          else if (what === 'whole') slow.hear(slow.engine.take(whole, now));
          else slow.hear(slow.engine.take(sizes(bid(`0.${cents}`, String(size))), now));
        });
        isLinked &&= take();
        const isLive = slow.engine.state === 'live';
        expect([isLinked, isLive && replica.digest !== slow.engine.digest, isLive && state !== 'live']).toEqual([
          true,
          false,
          false,
        ]);
      }),
    );
  });
});
