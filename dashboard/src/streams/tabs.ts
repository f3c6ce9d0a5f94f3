import { session } from '../session/session.js';
import { Caches } from './caches.js';
import { Leader } from './leader.js';
import type { Told } from './server-events.js';
import type { Line } from './subscriptions.js';

/** What tabs of one person tell each other; it stays in their memory. */
type Word =
  | { readonly kind: 'wants'; readonly person: string; readonly tab: string; readonly lines: readonly Line[] }
  | { readonly kind: 'who'; readonly person: string }
  | {
      readonly kind: 'told';
      readonly person: string;
      readonly told: readonly Told[];
      readonly isSeamless: boolean;
      readonly lastId: string | null;
    };

const NAME = 'trading-proxy-stream';

/**
 * This tab among those of the browser that share one stream: the tab that holds the lock of this name leads, reads the stream and tells
 * the others; when it closes, the next has the lock. Each holds a lock of its own for as long as it lives.
 */
class Tabs {
  readonly #tab = crypto.randomUUID();
  readonly #channel = new BroadcastChannel(NAME);
  readonly #shown = new Map<object, readonly Line[]>();
  readonly #caches = new Caches(() => {
    this.#lose();
  });
  readonly #alive: Promise<void>;
  #leader: Leader | null = null;
  /** Tabs whose end this leader waits for. */
  #others = new Set<string>();
  #person: string | null = null;
  #lastId: string | null = null;
  /** Gives up leading, or waiting for it. */
  #leave: (() => void) | null = null;

  constructor() {
    this.#alive = new Promise((resolve) => {
      void navigator.locks.request(`${NAME} ${this.#tab}`, () => {
        resolve();
        return new Promise(() => undefined);
      });
    });
    this.#channel.addEventListener('message', ({ data }: MessageEvent<Word>) => {
      this.#hear(data);
    });
    session.subscribe(() => {
      if (session.person() !== this.#person) this.#forget();
    });
  }

  /** Follows these lines until the function that is returned is called. */
  show(lines: readonly Line[]): () => void {
    const shown = {};
    this.#shown.set(shown, lines);
    void this.#want();
    return () => {
      this.#shown.delete(shown);
      void this.#want();
    };
  }

  async #want(): Promise<void> {
    await this.#alive;
    const person = session.person();
    if (person === null) return;
    this.#person = person;
    const lines = [...this.#shown.values()].flat();
    this.#leader?.want(this.#tab, lines);
    this.#say({ kind: 'wants', person, tab: this.#tab, lines });
    if (this.#leave === null) void this.#lead(person);
  }

  /** Waits until this tab leads, and leads until it closes or the session ends. */
  async #lead(person: string): Promise<void> {
    const waiting = new AbortController();
    this.#leave = () => {
      waiting.abort();
    };
    await navigator.locks
      .request(NAME, { signal: waiting.signal }, async () => {
        if (this.#person !== person) return;
        await new Promise<void>((resolve) => {
          this.#leave = resolve;
          this.#begin(person);
        });
      })
      // Given up while it waited.
      .catch(() => undefined);
  }

  #begin(person: string): void {
    this.#others = new Set();
    const leader = new Leader((told, isSeamless) => {
      this.#caches.take(told, isSeamless);
      this.#say({ kind: 'told', person, told, isSeamless, lastId: leader.newestId });
    }, this.#lastId);
    this.#leader = leader;
    leader.want(this.#tab, [...this.#shown.values()].flat());
    this.#say({ kind: 'who', person });
  }

  #hear(word: Word): void {
    // What one person was told is nobody else's.
    if (word.person !== this.#person) return;
    if (word.kind === 'told') {
      this.#lastId = word.lastId ?? this.#lastId;
      this.#caches.take(word.told, word.isSeamless);
    } else if (word.kind === 'who') {
      void this.#want();
    } else {
      this.#hearOf(word.tab, word.lines);
    }
  }

  /** Another tab shows these: it is told how they stand, and dropped when it closes. */
  #hearOf(tab: string, lines: readonly Line[]): void {
    const leader = this.#leader;
    if (leader === null || this.#person === null) return;
    leader.want(tab, lines);
    this.#say({ kind: 'told', person: this.#person, told: this.#caches.state(), isSeamless: true, lastId: null });
    if (this.#others.has(tab)) return;
    this.#others.add(tab);
    void navigator.locks.request(`${NAME} ${tab}`, () => {
      this.#others.delete(tab);
      leader.drop(tab);
    });
  }

  /** A book lacks a change: the leader connects anew, any other asks it for what it has. */
  #lose(): void {
    if (this.#leader === null) void this.#want();
    else this.#leader.begin();
  }

  #forget(): void {
    this.#leader?.stop();
    this.#leader = null;
    this.#leave?.();
    this.#leave = null;
    this.#person = null;
    this.#lastId = null;
    this.#caches.forget();
    if (this.#shown.size > 0) void this.#want();
  }

  #say(word: Word): void {
    this.#channel.postMessage(word);
  }
}

const tabs = new Tabs();

/** Has these lines move what this tab has read, until the function that is returned is called. */
export function show(lines: readonly Line[]): () => void {
  return tabs.show(lines);
}
