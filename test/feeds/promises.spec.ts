import { describe, expect, it } from '@jest/globals';
import { SeededRandom } from '../../sandbox/random.js';
import { Book } from '../../src/feeds/book.js';
import { BookChecks } from '../../src/feeds/book-checks.js';
import { BookFeed } from '../../src/feeds/book-feed.js';
import type { BookReader, ReaderMessage } from '../../src/feeds/watched-book.js';
import { rounds } from '../support/long.js';
import { ScriptedClock } from './scripted-clock.js';
import { ScriptedExchange, type Speech, type TrueBook } from './scripted-exchange.js';
import { KALSHI_SPEECH, POLYMARKET_SPEECH } from './speeches.js';

const SCRIPTS = rounds(100, 2_000);
const BOOKS = 8;
const MOST_FAULTS = 8;
const MOST_BETWEEN_MS = 15_000;
/** What is lost in the last moment is found by HTTP. */
const CALM_MS = 50_000;
/** How old a book may be that is not wrong: a frame takes 50 ms. */
const LATE_MS = 1_000;
/** The same just when a frame has come. */
const FRESH_MS = 200;

/** A client that believes what it reads. */
class Replica implements BookReader {
  readonly book = new Book();
  state = 'none';
  sequence: number | null = null;
  snapshots = 0;
  /** Snapshots with another reason, changes of a stale book, and of another version than the last. */
  broken = 0;
  /** Since when it holds a wrong book that is called live. */
  wrongSinceMs: number | null = null;
  longestMs = 0;

  constructor(private readonly truth: TrueBook) {}

  get key(): string {
    return this.truth.ref.key;
  }

  tell(message: ReaderMessage): void {
    if (message.type === 'status') {
      this.state = message.state;
    } else if (message.type === 'snapshot') {
      this.#hold(message.reason === (this.snapshots === 0 ? 'initial' : 'resync'));
      this.snapshots += 1;
      this.sequence = message.book.sequence;
      this.book.replace(message.book.bids, message.book.asks);
    } else {
      this.#hold(this.state === 'live' && message.previous === this.sequence);
      this.sequence = message.sequence;
      for (const change of message.changes) this.book.set(change);
    }
  }

  /** What every client may rely on. */
  #hold(isKept: boolean): void {
    if (!isKept) this.broken += 1;
  }

  /** Whether it holds a book that is called live and was not so lately. */
  isWrong(now: number, lateMs: number): boolean {
    return this.state === 'live' && !this.truth.wasLike(this.book.digest, now - lateMs);
  }

  look(now: number): void {
    this.wrongSinceMs = this.isWrong(now, LATE_MS) ? (this.wrongSinceMs ?? now) : null;
    if (this.wrongSinceMs !== null) this.longestMs = Math.max(this.longestMs, now - this.wrongSinceMs);
  }
}

/** What one script came to, over all replicas. */
interface Played {
  /** How long a wrong book was called live at most. */
  readonly longestMs: number;
  /** How often one was just when a frame of its line had come. */
  readonly wrongBehindFrames: number;
  readonly snapshots: number;
}

/** Faults by chance while books change by chance, then calm. */
async function play(speech: Speech, seed: string): Promise<Played> {
  const clock = new ScriptedClock();
  const random = new SeededRandom(seed);
  const replicas: Replica[] = [];
  let wrongBehindFrames = 0;
  const exchange = new ScriptedExchange(speech, clock, random, (line) => {
    const wrong = replicas.filter((replica) => line.has(replica.key) && replica.isWrong(clock.now(), FRESH_MS));
    wrongBehindFrames += wrong.length;
  });
  const { feeds } = exchange;
  const feed = new BookFeed({
    stream: feeds.stream,
    connect: exchange.connect,
    clock,
    random: () => random.whole(0, 999) / 1_000,
    flushMs: 20,
    heard: () => undefined,
    readStandings: () => Promise.resolve(new Map()),
  });
  const checks = new BookChecks(feed, feeds, clock);
  for (let at = 0; at < BOOKS; at += 1) {
    const ref = { key: `B${at}`, marketId: `B${at}`, index: 0, label: 'Yes' } as const;
    const replica = new Replica(exchange.add(ref));
    replicas.push(replica);
    feed.watch(ref, 0, replica);
  }
  clock.every(250, () => {
    feed.tick();
    checks.tick();
    for (const replica of replicas) replica.look(clock.now());
  });
  clock.every(10_000, () => {
    for (const { server } of exchange.lines) server.ping();
  });
  clock.every(random.whole(100, 2_000), () => {
    exchange.trade();
  });
  await clock.run(2_000);
  for (let left = random.whole(1, MOST_FAULTS); left > 0; left -= 1) {
    fault(exchange, random, clock);
    await clock.run(random.whole(1, MOST_BETWEEN_MS));
  }
  exchange.recover();
  await clock.run(CALM_MS);
  const trusted = replicas.filter(
    ({ state, wrongSinceMs, broken }) => state === 'live' && wrongSinceMs === null && broken === 0,
  ).length;
  expect([seed, trusted]).toEqual([seed, BOOKS]);
  feed.stop();
  return {
    longestMs: Math.max(...replicas.map((replica) => replica.longestMs)),
    wrongBehindFrames,
    snapshots: replicas.reduce((sum, { snapshots }) => sum + snapshots, 0),
  };
}

function fault(exchange: ScriptedExchange, random: SeededRandom, clock: ScriptedClock): void {
  const line = [...exchange.lines][0];
  const times = random.whole(1, 4);
  const kinds = ['lose', 'double', 'swap', 'cut', 'silence', 'drop', 'away', 'deaf'] as const;
  const kind = kinds[random.whole(0, kinds.length - 1)] ?? 'lose';
  const forMs = random.whole(100, 20_000);
  if (kind === 'drop' || kind === 'away') {
    exchange.isAway = kind === 'away';
    exchange.cut();
    clock.after(forMs, () => (exchange.isAway = false));
  } else if (kind === 'deaf') {
    exchange.isDeaf = true;
    clock.after(forMs, () => (exchange.isDeaf = false));
  } else if (line !== undefined && kind === 'silence') {
    line.server.isSilent = true;
    clock.after(forMs, () => (line.server.isSilent = false));
  } else if (line !== undefined && kind !== 'silence') {
    line.server.faults[kind] += times;
  }
}

async function playAll(name: string, speech: Speech): Promise<Played> {
  const all = { longestMs: 0, wrongBehindFrames: 0, snapshots: 0 };
  for (let script = 0; script < SCRIPTS; script += 1) {
    const played = await play(speech, `${name} ${script}`);
    all.longestMs = Math.max(all.longestMs, played.longestMs);
    all.wrongBehindFrames += played.wrongBehindFrames;
    all.snapshots += played.snapshots;
  }
  // Most scripts lose something: else this proved little.
  expect(all.snapshots).toBeGreaterThan(2 * SCRIPTS * BOOKS);
  return all;
}

describe('feeds.md 1 the books of a feed, whatever is lost', () => {
  it('a wrong book of numbered frames is called live until the next frame of its line at most', async () => {
    expect(await playAll('kalshi', KALSHI_SPEECH)).toMatchObject({ wrongBehindFrames: 0 });
  });

  it('a wrong book of frames without numbers is called live for 35 s at most', async () => {
    const { longestMs } = await playAll('polymarket', POLYMARKET_SPEECH);
    expect(longestMs).toBeLessThanOrEqual(35_000);
  });
});
