import type { LineEnd, PrivateEvent, RecordedBy, StaleReason } from '../exchanges/feeds.contract.js';
import type { Trading } from '../exchanges/trading.contract.js';
import type { FillDto, OrderDto } from '../exchanges/unified.trading.dto.js';
import { AppError } from '../platform/errors/app-error.js';
import { within } from '../platform/time/within.js';
import { MOST_SINGLE, readAgain, readFills, readOpenOrders, readOrders } from './account-reads.js';
import { KeyLine, type KeyLineOwner } from './key-line.js';
import type { LineFailure, LineParts } from './line-connection.js';
import type { AccountMessage, AccountReader, AccountStatus } from './private-messages.js';
import { TaskQueue } from './task-queue.js';
import { ToldEvents } from './told-events.js';

/** Fills are read from so long before a loss: lists of the exchanges lag. */
const BEFORE_LOSS_MS = 60_000;
/** The fills of an order that has filled by more than they show are read after so long. */
const SHORT_MS = 2_000;
/** Where the exchange has no stream that may be used, all is read so often. */
export const POLL_MS = 5_000;
/** Fills that stay pending are read so often, and beside a stream that is not proved the open orders. */
const COMPARE_MS = 30_000;
/** A reading that failed is tried again after so long. */
const AGAIN_MS = 1_000;

/** What the feed of an account is made of. */
export interface AccountParts extends LineParts {
  /** Opens the stored credentials. Throws `credentials_not_configured`, and `service_unavailable` where they are others by now. */
  readonly open: () => Promise<Trading>;
  readonly recorded: RecordedBy;
  /** Milliseconds that the exchange's clock is ahead of ours: by its own it lists fills. */
  readonly skewMs: () => number;
  /** Runs calls to the exchange as those of the account's user. */
  readonly run: <T>(work: () => Promise<T>) => Promise<T>;
}

/**
 * What becomes of the orders of one account, by the private streams of its keys. After each loss it reads over HTTP what was missed; where
 * the exchange refuses the stream, or has none, it reads every 5 s (feeds.md 6).
 */
export class AccountFeed implements KeyLineOwner {
  readonly #readers = new Set<AccountReader>();
  readonly #waiting = new Set<{ readonly resolve: () => void; readonly reject: (error: unknown) => void }>();
  readonly #told = new ToldEvents();
  readonly #tasks: TaskQueue;
  readonly #short = new Map<string, number>();
  readonly #startedMs: number;
  #lines: readonly KeyLine[] = [];
  #status: AccountStatus;
  /** Since when something may be missing; null where nothing is. */
  #lostMs: number | null;
  /** Rises with every loss: what was read before it does not make up for it. */
  #losses = 0;
  #isPolling = false;
  #pollAtMs = Infinity;
  #compareAtMs = Infinity;
  /** When all was read last; Unix milliseconds, null before. */
  #readMs: number | null = null;
  #failure: { readonly error: unknown } | null = null;
  #problem: unknown = null;

  constructor(private readonly parts: AccountParts) {
    const now = parts.clock.now();
    this.#startedMs = now;
    this.#lostMs = now;
    this.#status = { type: 'status', state: 'waiting', reason: null, sinceMs: now, source: 'stream' };
    this.#tasks = new TaskQueue((error) => {
      this.#taskFailed(error);
    });
  }

  get status(): AccountStatus {
    return this.#status;
  }

  /** The orders that are open, as they were told. */
  get open(): readonly OrderDto[] {
    return this.#told.open;
  }

  /** When the exchange was last heard; Unix milliseconds, null before. */
  get heardMs(): number | null {
    if (this.#isPolling) return this.#readMs;
    const heard = Math.min(...this.#lines.map(({ heardMs }) => heardMs));
    return Number.isFinite(heard) && heard > 0 ? heard : null;
  }

  get hasFailed(): boolean {
    return this.#failure !== null;
  }

  start(): void {
    this.#tasks.add(async () => {
      const { privateStreams = [] } = await this.openTrading();
      this.#lines = privateStreams.map(({ name, isProved }) => new KeyLine(name, isProved, this.parts, this));
      this.#compareAtMs = this.parts.clock.now() + COMPARE_MS;
      if (this.#lines.length === 0) this.#poll();
      for (const line of this.#lines) line.start();
    });
  }

  /** Tells somebody what happens from now on, until what is returned is called. */
  join(reader: AccountReader): () => void {
    this.#readers.add(reader);
    return () => this.#readers.delete(reader);
  }

  /** Waits until all is told that happens. Throws what ended the feed, and after `limitMs` what has kept it from that, or `exchange_timeout`. */
  async whenSure(limitMs: number): Promise<void> {
    if (this.#failure !== null) throw this.#failure.error;
    if (this.#status.state === 'live') return;
    let forget = (): void => undefined;
    const sure = new Promise<void>((resolve, reject) => {
      const waiter = { resolve, reject };
      this.#waiting.add(waiter);
      forget = () => this.#waiting.delete(waiter);
    });
    try {
      await within(limitMs, sure, () => {
        throw this.#problem instanceof AppError ? this.#problem : unconfirmed();
      });
    } finally {
      forget();
    }
  }

  /** Does what time brings: to be called several times a second. */
  tick(): void {
    if (this.#failure !== null) return;
    const now = this.parts.clock.now();
    for (const line of this.#lines) line.tick(now);
    if (now >= this.#pollAtMs) {
      this.#pollAtMs = now + POLL_MS;
      this.#tasks.add(() => this.#catchUp());
    }
    if (now >= this.#compareAtMs) {
      this.#compareAtMs = now + COMPARE_MS;
      this.#tasks.add(() => this.#compare());
    }
    for (const [orderId, atMs] of this.#short) {
      if (now < atMs) continue;
      this.#short.delete(orderId);
      this.#tasks.add(() => this.#readShort(orderId));
    }
  }

  stop(): void {
    for (const line of this.#lines) line.stop();
    this.#lines = [];
    this.#tasks.clear();
    this.#failure ??= { error: new AppError('service_unavailable', 'The stream has ended.') };
    this.#readers.clear();
  }

  openTrading(): Promise<Trading> {
    return this.run(this.parts.open);
  }

  run<T>(work: () => Promise<T>): Promise<T> {
    return this.parts.run(work);
  }

  take(events: readonly PrivateEvent[]): void {
    for (const event of events) {
      if (!this.#tasks.add(() => this.#read(event))) this.#lose('mismatch', 0);
    }
  }

  ready(): void {
    if (!this.#lines.every(({ isReady }) => isReady)) return;
    this.#isPolling = false;
    this.#pollAtMs = Infinity;
    this.#lostMs ??= this.parts.clock.now() - POLL_MS;
    this.#tasks.add(() => this.#catchUp());
  }

  unreadable(): void {
    this.#lose('mismatch', 0);
  }

  ended(end: LineEnd | 'silent', { status, error }: LineFailure, silentMs: number): void {
    if (isFatal(error)) {
      this.#fail(error);
      return;
    }
    this.#problem = error ?? this.#problem;
    if (!this.#isPolling) this.#lose(end === 'silent' ? 'silent' : 'exchange_disconnected', silentMs);
    if (end !== 'refused') return;
    if (status === 401 || status === 403) this.#tasks.add(() => this.#verify());
    this.#poll();
  }

  /** A refused handshake may be one of the credentials. */
  async #verify(): Promise<void> {
    const trading = await this.openTrading();
    await this.parts.run(() => trading.verify());
  }

  #poll(): void {
    if (this.#isPolling) return;
    this.#isPolling = true;
    this.#pollAtMs = this.parts.clock.now();
  }

  #lose(reason: StaleReason, agoMs: number): void {
    const now = this.parts.clock.now();
    this.#lostMs = Math.min(this.#lostMs ?? Infinity, now - agoMs);
    this.#losses += 1;
    if (this.#status.state === 'live') this.#become('stale', reason);
    // Where the lines stand, nothing else asks for it.
    if (this.#lines.length > 0 && this.#lines.every(({ isReady }) => isReady)) this.#tasks.add(() => this.#catchUp());
  }

  #become(state: 'live' | 'stale', reason: StaleReason | null): void {
    const source = this.#isPolling ? 'polling' : 'stream';
    if (this.#status.state === state && this.#status.source === source) return;
    this.#status = { type: 'status', state, reason, sinceMs: this.parts.clock.now(), source };
    if (state === 'live') this.#tell({ type: 'orders', orders: this.open });
    this.#tell(this.#status);
    if (state !== 'live') return;
    this.#problem = null;
    for (const { resolve } of this.#waiting) resolve();
    this.#waiting.clear();
  }

  #tell(message: AccountMessage): void {
    for (const reader of [...this.#readers]) reader.tell(message);
  }

  async #read(event: PrivateEvent): Promise<void> {
    if (event.type === 'fills') {
      for (const fill of await this.parts.run(event.read)) this.#tellFill(fill);
      return;
    }
    const order = await this.parts.run(() => event.read(this.parts.recorded));
    if (order !== null) this.#tellOrder(order);
  }

  #tellOrder(order: OrderDto): void {
    if (!this.#told.noteOrder(order)) return;
    this.#tell({ type: 'order', order });
    this.#watchShort(order.id);
  }

  #tellFill(fill: FillDto): void {
    if (this.#told.noteFill(fill)) this.#tell({ type: 'fill', fill });
  }

  #watchShort(orderId: string): void {
    if (this.#told.isShort(orderId) && !this.#short.has(orderId)) {
      this.#short.set(orderId, this.parts.clock.now() + SHORT_MS);
    }
  }

  async #readShort(orderId: string): Promise<void> {
    if (!this.#told.isShort(orderId)) return;
    const trading = await this.openTrading();
    const { fills } = await this.parts.run(() => readFills(trading, this.#before(this.#startedMs), orderId));
    for (const fill of fills.toReversed()) this.#tellFill(fill);
    this.#told.noteRead(orderId);
  }

  /** Reads what was missed, if anything may be, and says that all is told from now on. */
  async #catchUp(): Promise<void> {
    const [losses, lostMs] = [this.#losses, this.#lostMs];
    if (lostMs === null && !this.#isPolling) return;
    const startedMs = this.parts.clock.now();
    const trading = await this.openTrading();
    const open = await this.parts.run(() => readOpenOrders(trading));
    if (this.#status.state === 'waiting') this.#told.noteFirst(open, await this.#firstFills(trading));
    else await this.#makeUp(trading, open, lostMs ?? startedMs - POLL_MS);
    if (losses !== this.#losses || this.#failure !== null) return;
    if (!this.#isPolling && !this.#lines.every(({ isReady }) => isReady)) return;
    this.#lostMs = null;
    this.#readMs = startedMs;
    this.#become('live', null);
  }

  /** Fills that a reading behind a loss may show, and that were before all that is told. */
  async #firstFills(trading: Trading): Promise<readonly FillDto[]> {
    return (await this.parts.run(() => readFills(trading, this.#before(this.#startedMs)))).fills;
  }

  /** From when on fills are read behind a moment of ours, by the exchange's clock. */
  #before(ms: number): number {
    return ms + this.parts.skewMs() - BEFORE_LOSS_MS;
  }

  async #makeUp(trading: Trading, open: readonly OrderDto[], lostMs: number): Promise<void> {
    const sinceMs = this.#before(lostMs);
    const pending = this.#told.nextPending(sinceMs, MOST_SINGLE);
    const { fills, hasMore } = await this.parts.run(() => readFills(trading, sinceMs));
    const settled = await this.parts.run(() => readAgain(trading, pending));
    for (const fill of [...settled, ...fills.toReversed()]) this.#tellFill(fill);
    const oldest = fills.at(-1);
    if (hasMore && oldest !== undefined) {
      this.#tell({ type: 'gap', fromMs: sinceMs, toMs: Date.parse(oldest.timestamp) });
    }
    await this.#tellEnded(trading, open);
    for (const order of open) this.#tellOrder(order);
  }

  /** What was open and is not listed any more: how it ended, where the exchange says so; returns whether it says less than all. */
  async #tellEnded(trading: Trading, open: readonly OrderDto[]): Promise<boolean> {
    const missing = this.#told.missingFrom(open);
    const orders = await this.parts.run(() => readOrders(trading, missing, this.parts.recorded));
    for (const order of orders) this.#tellOrder(order);
    const told = new Set(orders.map(({ id }) => id));
    for (const id of missing) if (!told.has(id)) this.#told.forgetOrder(id);
    return told.size < missing.length;
  }

  /** Reads what the stream may not have said: how fills ended that were told as pending long ago, and all where it is not proved. */
  async #compare(): Promise<void> {
    if (this.#status.state !== 'live') return;
    const isProved = this.#lines.every((line) => line.isProved);
    const latest = this.parts.clock.now() + this.parts.skewMs() - (isProved ? COMPARE_MS : 0);
    const pending = this.#told.nextPending(latest, MOST_SINGLE);
    if (isProved && pending.length === 0) return;
    const trading = await this.openTrading();
    if (!isProved) {
      const open = await this.parts.run(() => readOpenOrders(trading));
      const isShort = await this.#tellEnded(trading, open);
      for (const order of open) this.#tellOrder(order);
      if (isShort) this.#tell({ type: 'orders', orders: this.open });
    }
    for (const fill of await this.parts.run(() => readAgain(trading, pending))) this.#tellFill(fill);
  }

  /** What was read is not told: it is read again, until it can be. */
  #taskFailed(error: unknown): void {
    if (isFatal(error)) {
      this.#fail(error);
      return;
    }
    this.#problem = error;
    this.#lostMs ??= this.parts.clock.now();
    this.#losses += 1;
    if (this.#status.state === 'live') this.#become('stale', 'exchange_disconnected');
    this.parts.clock.after(AGAIN_MS, () => {
      if (this.#failure === null) this.#tasks.add(() => this.#catchUp());
    });
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    for (const { reject } of this.#waiting) reject(error);
    this.#waiting.clear();
    this.#tell({ type: 'failed', error });
    this.stop();
  }
}

/** Whether nothing of the account can be told any more by these credentials. */
function isFatal(error: unknown): boolean {
  if (!(error instanceof AppError)) return false;
  return FATAL.has(error.code) || error.details?.reason === 'credentials_changed';
}

const FATAL: ReadonlySet<string> = new Set(['credentials_not_configured', 'credentials_rejected', 'not_supported']);

function unconfirmed(): AppError {
  return new AppError('exchange_timeout', 'The exchange did not confirm the subscription in time. Try again.');
}
