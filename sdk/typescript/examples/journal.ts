import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import type { NewOrder } from 'trading-proxy-client';

/** One order that the maker wants. It is written before it is sent, with the key under which it is sent and repeated. */
export interface Intent {
  readonly key: string;
  readonly order: Extract<NewOrder, { market_id: string }>;
  /** Milliseconds. */
  readonly at: number;
  /** Once it is known. */
  order_id?: string;
  /** Why there is no such order; final. */
  refused?: string;
  /** How the order ended: `cancelled`, `filled`, … */
  ended?: string;
}

/** The state file: a line of JSON for each intent, and for each thing that became known of one, as the maker in Python writes it. What a line says is on the disk when `write` returns. */
export class Journal {
  readonly intents = new Map<string, Intent>();
  readonly #file: number;

  constructor(path: string) {
    const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
    // A kill may have cut the last line: then nothing was done that it would have said.
    for (const line of text.split('\n').slice(0, -1)) this.#take(line);
    this.#file = openSync(path, 'a', 0o600);
    if (text !== '' && !text.endsWith('\n')) this.#append('\n');
  }

  /** Notes an intent, or what became of one. */
  write(line: Partial<Intent> & Pick<Intent, 'key'>): Intent {
    this.#append(`${JSON.stringify(line)}\n`);
    const intent = { ...this.intents.get(line.key), ...line } as Intent;
    this.intents.set(line.key, intent);
    return intent;
  }

  /** Those whose order may still rest, or whose fate is not known. */
  get open(): Intent[] {
    return [...this.intents.values()].filter(({ refused, ended }) => refused === undefined && ended === undefined);
  }

  close(): void {
    closeSync(this.#file);
  }

  /** A write may take a part alone, where the disk is full: the rest follows, or it throws. */
  #append(text: string): void {
    for (let rest = Buffer.from(text); rest.length > 0;) rest = rest.subarray(writeSync(this.#file, rest));
    fsyncSync(this.#file);
  }

  #take(text: string): void {
    try {
      const line = JSON.parse(text) as Intent;
      this.intents.set(line.key, { ...this.intents.get(line.key), ...line });
    } catch {
      // A line that an earlier kill cut.
    }
  }
}
