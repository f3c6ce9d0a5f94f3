import { AppError } from '../../src/platform/errors/app-error.js';
import { FakeExchange, nameOf } from './fake-exchange.js';
import { Task } from './scheduler.js';
import type { Breakage, Placed, PlacingService } from './placing-service.js';
import type { Venue } from './venues.js';

const DAY_MS = 86_400_000;
/** What is told of a transfer that the history does not show yet. */
const UNNAMED = new AppError('transfer_outcome_unknown', 'which one it is is not known');

const ACCOUNTS = ['mine', 'other'] as const;

interface Call {
  readonly key: string;
  readonly task: Task<unknown>;
  /** The reference of its sendings; undefined while it has sent nothing. */
  reference?: string;
}

/** Users' calls, two instances of the service, PostgreSQL, an exchange and a clock, moved by one hand. */
export class OrderWorld {
  readonly exchange: FakeExchange;
  readonly #service: PlacingService;
  #calls: Call[] = [];
  /** References of which a call was told for certain that no sending so far has made an order. */
  readonly #refused = new Map<string, { told: string; sendings: number; at: number }>();
  /** Orders that were answered to a client. */
  readonly #answered = new Set<string>();
  /** Lies that were told. */
  readonly #lies: string[] = [];
  #account: (typeof ACCOUNTS)[number] = 'mine';
  #jumpedMs = 0;
  /** A statement has failed: what should be noted may be missing. */
  #hasBroken = false;
  /** Lists have lagged longer than refusals wait: a refusal may then be wrong, but never may there be two orders. */
  #isBeyondAssumption = false;

  constructor(venue: Venue, checksFundsFirst: boolean, service: PlacingService) {
    this.exchange = new FakeExchange(venue, checksFundsFirst);
    this.#service = service;
  }

  async call(key: string, instance: number): Promise<Task<Placed>> {
    const trading = this.exchange.trading(this.#account, key);
    const task = new Task<Placed>(instance, () => this.#service.place(instance, key, trading));
    const call: Call = { key, task };
    const prepareOrder = trading.prepareOrder.bind(trading);
    trading.prepareOrder = async (request, naming) => {
      const prepared = await prepareOrder(request, naming);
      call.reference = nameOf(prepared.reference);
      return prepared;
    };
    const { transfers } = trading;
    if (transfers !== undefined) {
      const create = transfers.create.bind(transfers);
      transfers.create = (terms, id, beforeSend) => {
        call.reference = id;
        return create(terms, id, beforeSend);
      };
    }
    task.result.then(
      ({ id, isReplay }) => {
        this.#told(call, id, isReplay);
      },
      (error: unknown) => {
        if (error instanceof AppError) this.#toldError(call, error);
      },
    );
    this.#calls.push(call);
    await task.start();
    this.#sweep();
    return task;
  }

  /** An instance looks up what nobody works on; it may be cut off as a call may. */
  async settleOpen(instance: number): Promise<Task<void>> {
    const [{ key } = { key: '' }] = this.exchange.places;
    const trading = this.exchange.trading(this.#account, key);
    const task = new Task<void>(instance, () => this.#service.settleOpen(instance, trading));
    // What it cannot write stays as it is.
    task.result.catch(() => undefined);
    this.#calls.push({ key, task });
    await task.start();
    this.#sweep();
    return task;
  }

  async step(choice: number): Promise<void> {
    await this.#chosen(choice)?.task.step();
    this.#sweep();
  }

  async finish(choice: number): Promise<void> {
    await this.#chosen(choice)?.task.runToEnd();
    this.#sweep();
  }

  /** The process dies: its calls never go on. */
  kill(instance: number): void {
    this.#calls = this.#calls.filter(({ task }) => task.instance !== instance);
  }

  swapCredentials(account: number): void {
    this.#account = ACCOUNTS[account] ?? 'mine';
  }

  /** Something changes at one market: its shard's money, pause or lists, or the approval of its contract. */
  change(
    at: number,
    change: Partial<Pick<FakeExchange['places'][number], 'money' | 'isClosed' | 'lagMs' | 'stateLagMs'>>,
  ): void {
    Object.assign(this.exchange.places[at] ?? {}, change);
    this.#isBeyondAssumption ||= (change.lagMs ?? 0) > 15_000;
  }

  /** The newest order of a key is cancelled through the service, which notes it. */
  async cancel(key: string): Promise<void> {
    const cancelled = this.exchange.cancel(key);
    if (cancelled === null) return;
    await this.#service.noteCancelled(cancelled.reference);
  }

  breakStatement(how: Breakage): void {
    this.#hasBroken = true;
    if (this.#service.breakages.length < 2) this.#service.breakages.push(how);
  }

  /** What was about to leave has left by then: no call holds an order back for seconds. */
  async advance(ms: number): Promise<void> {
    if (ms >= 3_000) {
      for (const { task } of this.#calls) if (task.gate === 'rows' || task.gate === 'send') await task.step();
      for (const { task } of this.#calls) if (task.gate === 'send') await task.step();
      this.#sweep();
    }
    await this.#service.shift(ms);
    this.exchange.advance(ms);
  }

  /** The database's clock alone jumps, up to 10 s in all. */
  async jump(ms: number): Promise<void> {
    if (Math.abs(this.#jumpedMs + ms) > 10_000) return;
    this.#jumpedMs += ms;
    await this.#service.shift(ms);
  }

  async cleanUp(): Promise<void> {
    await this.#service.cleanUp();
  }

  /**
   * The bad day ends: every key comes to an answer within a few repeats. Throws where a rule is broken.
   */
  async settle(keys: readonly string[]): Promise<void> {
    this.exchange.fates = [];
    for (const place of this.exchange.places) Object.assign(place, { lagMs: 0, stateLagMs: 0 });
    this.exchange.failingFinds = 0;
    this.#service.breakages.length = 0;
    while (this.#calls.length > 0) await this.finish(0);
    await this.advance(this.#isBeyondAssumption ? 200_000 : 60_000);
    for (const key of keys) await this.#settleKey(key);
    this.#checkOrders();
    await this.#checkNotes();
  }

  /** An order that is kept as an answer, or was told to a client, is noted once, whoever held the record by then. */
  async #checkNotes(): Promise<void> {
    const rows = await this.#service.became(this.exchange.orders.map(({ id }) => id));
    // Elsewhere an order may have the reference of another record, whose call has to note it.
    const mustBeNoted = ['shards', 'transfers'].includes(this.exchange.venue.kind) && !this.#hasBroken;
    const wrong = rows.find(
      ({ id, notes, isKept }) => notes > 1 || (notes === 0 && mustBeNoted && (isKept || this.#answered.has(id))),
    );
    if (wrong !== undefined) throw new Error(`the order ${wrong.id} is noted ${wrong.notes} times`);
  }

  async #settleKey(key: string): Promise<void> {
    const told: string[] = [];
    for (let i = 0; i < 4; i++) {
      const error = await (
        await this.#finished(key)
      ).result.then(
        ({ id }) => (id === null ? UNNAMED : null),
        (thrown: unknown) => thrown,
      );
      if (error === null) return;
      if (!(error instanceof AppError)) throw new Error('a call failed', { cause: error });
      if (error.code === 'exchange_rejected') {
        if (this.#swapForDenied(key)) continue;
        this.#checkRefusal(key);
        return;
      }
      told.push(error.code);
      if (error.details?.reason === 'credentials_changed') this.swapCredentials(this.#account === 'mine' ? 1 : 0);
      await this.advance(45_000);
    }
    throw new Error(`the key ${key} comes to no end: ${told.join(', ')}`);
  }

  /** Only the account that an order was sent for can tell that it lives although it was refused. */
  #swapForDenied(key: string): boolean {
    const denied = this.exchange.orders.findLast(
      (order) => order.key === key && this.exchange.lies.has(order.reference),
    );
    if (denied === undefined || !this.#isOfRecord(denied.at) || denied.account === this.#account) return false;
    this.swapCredentials(this.#account === 'mine' ? 1 : 0);
    return true;
  }

  /** A final refusal may also come from a call whose process died before it told anybody. */
  #checkRefusal(key: string): void {
    const last = this.exchange.sendings.filter((sent) => sent.key === key).at(-1);
    const order = last && this.exchange.orderOf(last.reference);
    // What was refused, then changed under a name that anybody may use, is told from another order by nobody.
    const isUnknowable = order !== undefined && order.isAmended && this.exchange.lies.has(order.reference);
    if (order?.isCancelled === false && !isUnknowable && this.#isOfRecord(order.at) && !this.#isBeyondAssumption) {
      throw new Error(`the key ${key} ends as refused, but its order lives`);
    }
  }

  async #finished(key: string): Promise<Task<Placed>> {
    const task = await this.call(key, 0);
    await task.runToEnd();
    this.#sweep();
    return task;
  }

  #told({ key, reference }: Call, id: string | null, isReplay: boolean): void {
    if (id === null) return;
    this.#answered.add(id);
    const order = this.exchange.orders.find((one) => one.id === id);
    if (order?.key !== key) this.#lies.push(`the key ${key} was told an order that is not its own`);
    else if (!isReplay && reference !== undefined && order.reference !== reference) {
      this.#lies.push(`the key ${key} was told an order that it did not make`);
    }
  }

  /** All but "unknown" and "in progress" say that there is no order. */
  #toldError({ key, reference }: Call, { code }: AppError): void {
    if (code.endsWith('_outcome_unknown') || code === 'idempotency_in_progress' || reference === undefined) return;
    // What the exchange denies is told as denied, until a look-up says otherwise.
    if (this.exchange.lies.has(reference)) return;
    this.#refused.set(reference, {
      told: `${key}: ${code}`,
      sendings: this.exchange.sendings.length,
      at: this.exchange.now,
    });
  }

  #checkOrders(): void {
    const [lie] = this.#lies;
    if (lie !== undefined) throw new Error(lie);
    const newest = new Map<string, { reference: string; at: number }>();
    for (const { reference, key, account, at, number } of this.exchange.orders) {
      const refused = this.#refused.get(reference);
      const isFalse = refused !== undefined && number < refused.sendings && this.#isOfRecord(at, refused.at);
      if (isFalse && !this.#isBeyondAssumption)
        throw new Error(`told ${refused.told}, but the order ${reference} of ${account} lives`);
      const before = newest.get(key);
      const lastSent = Math.max(
        ...this.exchange.sendings.filter((sent) => sent.reference === before?.reference).map((sent) => sent.at),
      );
      if (before !== undefined && at - lastSent < DAY_MS - 30_000) throw new Error(`two orders under the key ${key}`);
      newest.set(key, { reference, at });
    }
    const references = new Set(this.exchange.orders.map(({ reference }) => reference));
    if (references.size !== this.exchange.orders.length) throw new Error('one order at two accounts');
  }

  /**
   * Whether an order of this time belongs to the same record as what was told then. A record is kept for a day: a signed order
   * that is sent again after that is another call's, whose refusal says nothing of the first.
   */
  #isOfRecord(at: number, toldAt = this.exchange.now): boolean {
    return toldAt - at < DAY_MS - 30_000;
  }

  #chosen(choice: number): Call | undefined {
    return this.#calls[choice % Math.max(1, this.#calls.length)];
  }

  #sweep(): void {
    this.#calls = this.#calls.filter(({ task }) => !task.hasEnded);
  }
}
