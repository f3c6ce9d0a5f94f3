import { type StreamLine } from '../../streams/line.js';
import { type Channel } from './command.js';

/** Types of messages that are numbered (streams.md 1). */
const NUMBERED = new Set([
  'orderbook_snapshot',
  'orderbook_delta',
  'trade',
  'market_lifecycle_v2',
  'multivariate_market_lifecycle',
  'event_lifecycle',
]);

/** One channel of one connection, with its own count of messages from 1 up. */
export class Subscription {
  #seq = 0;

  constructor(
    readonly sid: number,
    readonly channel: Channel,
    /** Undefined for all markets. */
    readonly tickers: Set<string> | undefined,
    readonly yesPrice: boolean,
    private readonly line: StreamLine,
    private readonly now: () => number,
  ) {}

  follows(ticker: string): boolean {
    return this.tickers?.has(ticker) ?? true;
  }

  /** Sends one message about a market. */
  tell(type: string, ticker: string, msg: unknown): void {
    const numbered = NUMBERED.has(type);
    this.line.send({
      markets: [ticker],
      numbered,
      text: () =>
        JSON.stringify({
          type,
          sid: this.sid,
          ...(numbered ? { seq: this.nextSeq() } : {}),
          msg,
          sending_ts_ms: this.now(),
        }),
    });
  }

  /** Answers about the subscription take a number, too: whether the exchange's do is not known (streams.md 1). */
  nextSeq(): number {
    this.#seq += 1;
    return this.#seq;
  }
}
