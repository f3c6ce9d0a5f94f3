import type { LineEnd, PrivateEvent, PrivateLine } from '../exchanges/feeds.contract.js';
import type { Trading } from '../exchanges/trading.contract.js';
import { AppError } from '../platform/errors/app-error.js';
import { LineConnection, type LineFailure, type LineParts, type LineTalk, type LineTarget } from './line-connection.js';

/** What becomes of the private line of one key. */
export interface KeyLineOwner {
  /** Opens the credentials for one connection. */
  openTrading(): Promise<Trading>;
  /** Runs calls to the exchange as those of the account's user. */
  run<T>(work: () => Promise<T>): Promise<T>;
  take(events: readonly PrivateEvent[]): void;
  /** The exchange says all from now on. */
  ready(): void;
  /** A frame could not be read. */
  unreadable(): void;
  /** The line has ended; so long ago, in ms, it was heard last. */
  ended(end: LineEnd | 'silent', failure: LineFailure, silentMs: number): void;
}

/** The private connection of one API key of an account, made again whenever it ends. */
export class KeyLine implements LineTalk {
  readonly #connection: LineConnection;
  #line: PrivateLine | null = null;
  #silentMs = 0;
  #isReady = false;

  constructor(
    private readonly name: string,
    readonly isProved: boolean,
    parts: LineParts,
    private readonly owner: KeyLineOwner,
  ) {
    this.#connection = new LineConnection(parts, this);
  }

  /** Whether the exchange says all that happens to this key's orders. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** When anything was last heard; Unix milliseconds, 0 before. */
  get heardMs(): number {
    return this.#connection.heardMs;
  }

  start(): void {
    this.#connection.start();
  }

  tick(now: number): void {
    this.#connection.tick(now);
  }

  stop(): void {
    this.#forget();
    this.#connection.stop();
  }

  async prepare(): Promise<LineTarget> {
    const trading = await this.owner.openTrading();
    const stream = trading.privateStreams?.find(({ name }) => name === this.name);
    if (stream === undefined) throw new AppError('service_unavailable', 'The exchange credentials were changed.');
    this.#line = stream.line();
    const { url, silentMs, ping } = stream;
    this.#silentMs = silentMs;
    return { url, silentMs, ping, headers: await this.owner.run(() => stream.headers()) };
  }

  opened(): readonly string[] {
    return this.#line?.begin() ?? [];
  }

  hear(text: string): LineEnd | undefined {
    if (this.#line === null) return undefined;
    const { events, isReady = false, isLost = false, end } = this.#line.hear(text);
    this.owner.take(events);
    if (isLost) this.owner.unreadable();
    if (isReady && !this.#isReady) {
      this.#isReady = true;
      this.owner.ready();
    }
    return end;
  }

  closed(code: number, reason: string): LineEnd {
    return this.#line?.closed(code, reason) ?? 'lost';
  }

  ended(end: LineEnd | 'silent', failure: LineFailure): void {
    this.#forget();
    this.owner.ended(end, failure, end === 'silent' ? this.#silentMs : 0);
  }

  #forget(): void {
    this.#line = null;
    this.#isReady = false;
  }
}
