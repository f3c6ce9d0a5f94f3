import { Sequence } from './sequence.js';

/** Markets that one command names. */
const MARKETS_PER_COMMAND = 500;

/** Makes the frame of a command. */
export type MakeCommand = (cmd: string, params: object) => string;

/** One subscription of a connection: a channel and its markets, named by the exchange (streams.md 1.2). */
export class Subscription {
  readonly tickers = new Set<string>();
  readonly sequence = new Sequence();
  /** `asked` until the exchange named the subscription: what is wanted meanwhile is sent then. */
  #sid: number | 'none' | 'asked' = 'none';
  readonly #waiting: (() => readonly string[])[] = [];

  /** `options` are what the command that begins it says beside its markets. */
  constructor(
    readonly channel: string,
    private readonly options: object,
    private readonly command: MakeCommand,
  ) {}

  /** Whether the exchange has named it, so that it says what happens from now on. */
  get isNamed(): boolean {
    return typeof this.#sid === 'number';
  }

  is(sid: number | undefined): boolean {
    return sid !== undefined && sid === this.#sid;
  }

  add(tickers: readonly string[]): readonly string[] {
    for (const ticker of tickers) this.tickers.add(ticker);
    if (tickers.length === 0) return [];
    if (this.#sid !== 'none') return this.#update('add_markets', tickers);
    this.#sid = 'asked';
    const [first = [], ...rest] = inParts(tickers);
    const params = { channels: [this.channel], market_tickers: first, ...this.options };
    return [this.command('subscribe', params), ...rest.flatMap((part) => this.#update('add_markets', part))];
  }

  remove(tickers: readonly string[]): readonly string[] {
    const known = tickers.filter((ticker) => this.tickers.delete(ticker));
    return this.#update('delete_markets', known);
  }

  renew(tickers: readonly string[]): readonly string[] {
    return this.#update('get_snapshot', tickers);
  }

  /** The exchange named it: returns the frames that waited for that. */
  named(sid: number): readonly string[] {
    this.#sid = sid;
    return this.#waiting.splice(0).flatMap((make) => make());
  }

  #update(action: string, tickers: readonly string[]): readonly string[] {
    if (this.#sid === 'none' || tickers.length === 0) return [];
    if (this.#sid === 'asked') {
      this.#waiting.push(() => this.#update(action, tickers));
      return [];
    }
    const sids = [this.#sid];
    return inParts(tickers).map((part) =>
      this.command('update_subscription', { sids, action, market_tickers: part, ...this.#optionsOf(action) }),
    );
  }

  /** An answer without the list of all markets: it could be longer than any frame that is read. */
  #optionsOf(action: string): object {
    if (action === 'get_snapshot') return {};
    const isTicker = action === 'add_markets' && 'send_initial_snapshot' in this.options;
    return { skip_ticker_ack: true, ...(isTicker && { send_initial_snapshot: true }) };
  }
}

function inParts(tickers: readonly string[]): string[][] {
  const parts: string[][] = [];
  for (let at = 0; at < tickers.length; at += MARKETS_PER_COMMAND)
    parts.push(tickers.slice(at, at + MARKETS_PER_COMMAND));
  return parts;
}
