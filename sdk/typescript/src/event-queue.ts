import { SlowConsumer } from './kinds.js';

/** An event as the queue sees it. */
export interface Queued {
  readonly type: string;
  readonly channel: string;
  readonly exchange: string;
  readonly market_id: string | null;
}

const isEnd = ({ type }: Queued): boolean => type === 'stale' || type === 'closed';
const kindOf = (event: Queued): string => (isEnd(event) || event.type === 'live' ? event.type : 'content');

/** Events that wait for their reader: of books and quotes the newest of each market, with `stale` before all else; of the rest each, in order, up to a bound. */
export class EventQueue {
  readonly #latest = new Map<string, Queued[]>();
  #each: Queued[] = [];
  #isEachNext = false;
  #end: { readonly error: unknown } | undefined;
  #wake: (() => void) | undefined;

  constructor(readonly most: number) {}

  /** Throws SlowConsumer where the reader is too far behind; what ends trust is told all the same. */
  push(event: Queued): void {
    const { channel, exchange, market_id } = event;
    if (channel === 'orderbooks' || channel === 'markets')
      this.#conflate(`${channel} ${exchange} ${String(market_id)}`, event);
    else if (this.#each.length < this.most || isEnd(event)) this.#each.push(event);
    else throw new SlowConsumer('slow_consumer', 'Too many events wait for their reader.');
    this.#wake?.();
  }

  #conflate(key: string, event: Queued): void {
    const kind = kindOf(event);
    const waiting = isEnd(event) ? [] : (this.#latest.get(key) ?? []);
    this.#latest.set(key, [...waiting.filter((each) => kindOf(each) !== kind), event]);
  }

  /** No more events come; the reader gets those that wait (none where `isClosed`), then the error, or the end. */
  end(error?: unknown, isClosed = false): void {
    if (isClosed) this.#latest.clear();
    if (isClosed) this.#each = [];
    this.#end = { error };
    this.#wake?.();
  }

  async *events(): AsyncGenerator<Queued, void, undefined> {
    for (;;) {
      for (let event = this.#take(); event !== undefined; event = this.#take()) yield event;
      if (this.#end?.error !== undefined) throw this.#end.error as Error;
      if (this.#end !== undefined) return;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  #take(): Queued | undefined {
    const stale = [...this.#latest].find(([, [first]]) => first?.type === 'stale');
    const [key, [first, ...rest] = []] = stale ?? [...this.#latest][0] ?? [''];
    this.#isEachNext = !this.#isEachNext;
    if (first === undefined || (stale === undefined && this.#isEachNext && this.#each.length > 0))
      return this.#each.shift();
    this.#latest.delete(key);
    if (rest.length > 0) this.#latest.set(key, rest);
    return first;
  }
}
