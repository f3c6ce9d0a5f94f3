import { AppError } from '../../src/platform/errors/app-error.js';
import { BotExchange, type BotVenue, type From, type HeldOrder, restOf, type SentOrder } from './bot-exchange.js';
import type { BotInstances, Reserved } from './bot-service.js';
import { decimal, type Terms, units } from './bot-terms.js';
import { type MarketTruth, truthOf } from './bot-truth.js';
import type { Breakage } from './placing-service.js';
import { currentTask, Task } from './scheduler.js';

const DAY_MS = 86_400_000;
/** A limit lets a bot reserve so much; null is without one. */
export type Limits = Readonly<Record<string, string | number | null>>;

/** What a row knows that lies no more: the service has learned that the order lives, or has lived. */
const KNOWN_STATES = ['made', 'closed', 'unknown'];
/** What stands in the ledger is the exchange's, however it ends, after so many looks 35 s apart. */
const MOST_LOOKS = 8;
const LOOK_EVERY_MS = 35_000;
/** A book shows for less than so long what has ended. */
const UNSHOWN_AFTER_MS = 3_000;

/** A figure that a limit bounds. */
interface Figure {
  readonly limit: string;
  readonly value: bigint;
}

/** Bots with limits, two instances of the service, PostgreSQL, an exchange and a clock, moved by one hand. */
export class BotWorld {
  readonly exchange: BotExchange;
  #tasks: Task<unknown>[] = [];
  /** Whether something has changed since the last check, and whether that was the beginning of a sending. */
  #isChanged = false;
  #hasBegun = false;
  #executed = 0;
  /** When a task last looked whether it may send, counted in statements. */
  readonly #begunAt = new WeakMap<object, number>();
  /** When a task last had something executed. */
  readonly #lastAt = new WeakMap<object, number>();
  /** Bots whose halt was answered, and when; and when they were last resumed. */
  readonly #haltedAt = new Map<string, number>();
  readonly #resumedAt = new Map<string, number>();
  readonly #violations: string[] = [];
  /** Bots of whom a trade failed, or the exchange said of an order that it had not taken what it had: that lifts what is reserved. */
  readonly #lifted = new Set<string>();
  readonly #figures = new Map<string, readonly Figure[]>();
  /** The last state of each row, by the name of its order. */
  readonly #states = new Map<string, string>();
  /** The day of limits when it began; null once a day has passed. */
  #firstDay: string | null = null;

  constructor(
    venue: BotVenue,
    private readonly service: BotInstances,
    private readonly limits: Limits[],
  ) {
    this.exchange = new BotExchange(venue);
    this.exchange.onBegun = (order) => {
      this.#begins(order);
    };
    service.transactions.onExecuted = (sql) => {
      this.#executed += 1;
      const task = currentTask();
      if (task !== undefined) this.#lastAt.set(task, this.#executed);
      if (sql.includes('sending_refusal(') || sql.includes('begin_order_of_bot(')) {
        if (task !== undefined) this.#begunAt.set(task, this.#executed);
        this.#hasBegun = true;
      }
      this.#isChanged ||= !sql.trimStart().startsWith('SELECT') || sql.includes('prove_order');
    };
  }

  async begin(): Promise<void> {
    const [reserved] = await this.service.reserved();
    this.#firstDay = reserved?.today ?? null;
  }

  botAt(index: number): string | null {
    return this.service.bots[index]?.id ?? null;
  }

  order(from: From, terms: Terms, key: string | undefined): Promise<Task<unknown>> {
    const trading = this.exchange.trading(from);
    return this.#started(from.instance, () => this.service.place(from, terms, key, trading));
  }

  /** What a call does besides, which no client waits for. */
  settleLeft(instance: number): Promise<Task<unknown>> {
    return this.#started(instance, () => this.service.settleLeft(instance, this.#reading(instance)));
  }

  prove(instance: number): Promise<Task<unknown>> {
    return this.#started(instance, () => this.service.prove(instance, this.#reading(instance)));
  }

  /** Marks the halt, which is answered then as far as later orders are concerned, and cancels what rests. */
  halt(index: number, instance: number): Promise<Task<unknown>> {
    const bot = this.botAt(index) ?? '';
    return this.#started(instance, async () => {
      await this.service.halt(bot);
      const markedAt = this.#lastAt.get(currentTask() ?? this) ?? 0;
      const isHalted = markedAt > (this.#resumedAt.get(bot) ?? 0);
      if (isHalted && !this.#haltedAt.has(bot)) this.#haltedAt.set(bot, this.#executed);
      await this.service.cancelAll(bot, instance, this.#reading(instance));
    });
  }

  async resume(index: number): Promise<void> {
    const bot = this.botAt(index) ?? '';
    this.#haltedAt.delete(bot);
    this.#executed += 1;
    this.#resumedAt.set(bot, this.#executed);
    await this.service.change(bot, 'halted_at = NULL, halt_reason = NULL, halted_by = NULL');
  }

  async limit(index: number, limits: Limits): Promise<void> {
    this.limits[index] = limits;
    await this.service.change(this.botAt(index) ?? '', 'limits = jsonb_strip_nulls($2)', [JSON.stringify(limits)]);
  }

  async step(choice: number): Promise<void> {
    const task = this.#chosen(choice);
    if (task !== undefined) await this.#stepped(task);
  }

  async finish(choice: number): Promise<void> {
    const task = this.#chosen(choice);
    if (task !== undefined) await this.run(task);
  }

  /** To its end, with a look after every step. */
  async run(task: Task<unknown>): Promise<void> {
    while (!task.hasEnded) await this.#stepped(task);
  }

  /** The process dies: its calls never go on. */
  kill(instance: number): void {
    this.#tasks = this.#tasks.filter((task) => task.instance !== instance);
    this.exchange.drop(instance);
  }

  fill(choice: number, quarters: number): Promise<void> {
    return this.#changed((order) => {
      this.exchange.fill(order, quarters);
    }, this.#resting(choice));
  }

  settleTrade(choice: number, fails: boolean): Promise<void> {
    const waiting = this.exchange.orders.filter(({ trades }) => trades.some(({ status }) => status === 'pending'));
    return this.#changed(
      (order) => {
        if (this.exchange.settleTrade(order, fails)) this.#lift(order);
      },
      waiting[choice % Math.max(1, waiting.length)],
    );
  }

  /** By its owner at the exchange, or through the service, which notes the order as cancelled. */
  cancel(choice: number, how: 'there' | 'here' | 'here with its size'): Promise<void> {
    return this.#changed(async (order) => {
      const rest = restOf(order);
      if (!this.exchange.cancel(order) || how === 'there') return;
      await this.service.noteCancelled(order.id, how === 'here' ? null : decimal(rest));
    }, this.#resting(choice));
  }

  breakStatement(how: Breakage): void {
    if (this.service.transactions.breakages.length < 2) this.service.transactions.breakages.push(how);
  }

  /** What was about to leave has left by then. */
  async advance(ms: number): Promise<void> {
    if (ms >= 3_000) {
      for (const task of this.#tasks) if (task.gate === 'rows' || task.gate === 'send') await this.#stepped(task);
      for (const task of this.#tasks) if (task.gate === 'send') await this.#stepped(task);
    }
    await this.service.shift(ms);
    this.exchange.advance(ms);
    await this.#check();
  }

  /** The service is not away for a whole day: what is unknown by then is its operator's to settle. */
  async nextDay(): Promise<void> {
    this.#goWell();
    while (this.#tasks.length > 0) await this.finish(0);
    await this.#proved();
    this.#firstDay = null;
    await this.service.shift(DAY_MS, 1);
    this.exchange.advance(DAY_MS);
    for (const reserved of await this.service.reserved()) this.#figures.set(reserved.bot, figuresOf(reserved));
    await this.#check();
  }

  /**
   * The bad day ends, and everything is looked up and proved: then what is reserved is what the exchange shows, and once all is cancelled
   * nothing is reserved, and soon no book shows it. Throws where that is not so.
   */
  async settle(): Promise<void> {
    this.#goWell();
    while (this.#tasks.length > 0) await this.finish(0);
    await this.#proved();
    this.#compare(await this.service.reserved());
    for (const order of this.exchange.orders) this.exchange.cancel(order);
    await this.#proved();
    const reserved = await this.service.reserved();
    this.#compare(reserved);
    const left = reserved.flatMap(({ rows }) => rows.filter(({ isReserved }) => isReserved));
    if (left.length > 0) throw new Error(`reserved for ever: ${JSON.stringify(left)}`);
    await this.advance(UNSHOWN_AFTER_MS);
    for (const { bot, markets } of reserved)
      for (const { market } of markets)
        if (await this.service.isQuoted(bot, market)) throw new Error(`${bot} is quoted on ${market} for ever`);
  }

  #goWell(): void {
    this.exchange.fates = [];
    this.exchange.lagMs = 0;
    this.exchange.failingReads = 0;
    this.service.transactions.breakages.length = 0;
  }

  /** Looks until every order is settled, and as many are reserved as rest; or for as long as that may take. */
  async #proved(): Promise<void> {
    for (let looks = 1; looks <= MOST_LOOKS; looks += 1) {
      await this.advance(LOOK_EVERY_MS);
      for (const order of this.exchange.orders)
        while (order.trades.some(({ status }) => status === 'pending')) this.exchange.settleTrade(order, false);
      await this.run(await this.settleLeft(0));
      await this.run(await this.prove(1));
      const rows = (await this.service.reserved()).flatMap((bot) => bot.rows);
      const resting = this.exchange.orders.filter((order) => order.sender !== null && restOf(order) > 0n);
      const isSettled = rows.every(({ state }) => !['begun', 'sending', 'unknown'].includes(state));
      if (looks > 1 && isSettled && rows.filter(({ isReserved }) => isReserved).length === resting.length) return;
    }
  }

  /** What is reserved is, to the last unit, what the exchange shows. */
  #compare(all: readonly Reserved[]): void {
    for (const reserved of all) {
      const truths = this.#truthsOf(reserved);
      for (const truth of truths) {
        const known = reserved.markets.find(({ market }) => market === truth.market);
        const shown = [truth.held, truth.pendingLong + truth.pendingShort, truth.openRisk];
        const kept = [
          units(known?.held ?? '0'),
          units(known?.pendingLong ?? '0') + units(known?.pendingShort ?? '0'),
          units(known?.open ?? '0'),
        ];
        if (shown.join() !== kept.join() && !this.#isInexact(reserved.bot))
          throw new Error(
            `${truth.market} of ${reserved.bot} is ${kept.map(decimal).join()}, the exchange shows ${shown.map(decimal).join()}`,
          );
      }
      const open = truths.reduce((sum, { openOrders }) => sum + openOrders, 0);
      if (open !== reserved.openOrders)
        throw new Error(`${reserved.openOrders} orders of ${reserved.bot} are open, not ${open}`);
      for (const { currency, total } of reserved.risks) {
        const of = truths.filter((truth) => truth.currency === currency);
        if (of.some(({ executed, openLong, openShort }) => executed === null || openLong + openShort > 0n)) continue;
        const executed = of.reduce((sum, truth) => sum + (truth.executed ?? 0n), 0n);
        if (units(total) !== executed && !this.#lifted.has(reserved.bot))
          throw new Error(`the total of ${reserved.bot} is ${total} ${currency}, executed was ${decimal(executed)}`);
      }
    }
  }

  /** What failed and does not rest again is kept reserved until the order has ended. */
  #isInexact(bot: string): boolean {
    return this.#lifted.has(bot) && !this.exchange.venue.restsAgain;
  }

  #reading(instance: number): ReturnType<BotExchange['trading']> {
    return this.exchange.trading({ sender: null, instance });
  }

  async #started(instance: number, work: () => Promise<unknown>): Promise<Task<unknown>> {
    const task = new Task<unknown>(instance, work);
    task.result.catch((error: unknown) => {
      const isExpected = error instanceof AppError || String(error).includes('the connection broke');
      if (!isExpected) this.#violations.push(`a call failed: ${error instanceof Error ? error.stack : String(error)}`);
    });
    this.#tasks.push(task);
    await task.start();
    await this.#after();
    return task;
  }

  async #stepped(task: Task<unknown>): Promise<void> {
    if (task.gate === 'send' || task.gate === 'queue') this.#isChanged = true;
    await task.step();
    await this.#after();
  }

  async #changed(change: (order: HeldOrder) => Promise<void> | void, order: HeldOrder | undefined): Promise<void> {
    if (order === undefined) return;
    await change(order);
    await this.#check();
  }

  async #after(): Promise<void> {
    this.#tasks = this.#tasks.filter(({ hasEnded }) => !hasEnded);
    if (this.#isChanged) await this.#check();
  }

  #resting(choice: number): HeldOrder | undefined {
    const resting = this.exchange.orders.filter((order) => restOf(order) > 0n);
    return resting[choice % Math.max(1, resting.length)];
  }

  #chosen(choice: number): Task<unknown> | undefined {
    return this.#tasks[choice % Math.max(1, this.#tasks.length)];
  }

  #lift({ sender }: SentOrder): void {
    if (sender !== null) this.#lifted.add(sender);
  }

  /** No order begins after a halt of its bot was answered (A6.4 of the contract's order of things). */
  #begins({ sender, name }: SentOrder): void {
    const haltedAt = sender === null ? undefined : this.#haltedAt.get(sender);
    const begunAt = this.#begunAt.get(currentTask() ?? this) ?? 0;
    if (haltedAt !== undefined && begunAt > haltedAt)
      this.#violations.push(`${name} began although a halt of ${String(sender)} had been answered`);
  }

  /** Throws where more could be executed than is reserved, or more is reserved than the limits allow. */
  async #check(): Promise<void> {
    for (const { name, sender } of this.exchange.orders)
      if (this.exchange.lies.has(name) && sender !== null) this.#lifted.add(sender);
    const all = await this.service.reserved();
    for (const [index, reserved] of all.entries()) {
      this.#checkReserved(reserved);
      this.#checkLimits(reserved, this.limits[index] ?? {});
    }
    this.#isChanged = false;
    this.#hasBegun = false;
    const [violation] = this.#violations;
    if (violation !== undefined) throw new Error(violation);
  }

  #checkReserved(reserved: Reserved): void {
    const truths = this.#truthsOf(reserved);
    // What has failed rests again before anybody has read so.
    const mayRestAgain = this.exchange.venue.restsAgain && this.#lifted.has(reserved.bot);
    for (const truth of truths) {
      const known = reserved.markets.find(({ market }) => market === truth.market);
      if (!mayRestAgain)
        this.#atMost(truth.openRisk, units(known?.open ?? '0'), `open risk of ${reserved.bot} on ${truth.market}`);
      const long = truth.held + truth.pendingLong + truth.openLong;
      const short = -truth.held + truth.pendingShort + truth.openShort;
      this.#atMost(long, units(known?.worstLong ?? '0'), `long position of ${reserved.bot} on ${truth.market}`);
      this.#atMost(short, units(known?.worstShort ?? '0'), `short position of ${reserved.bot} on ${truth.market}`);
    }
    const currencies = new Set(truths.map(({ currency }) => currency));
    for (const currency of currencies) {
      const of = truths.filter((truth) => truth.currency === currency);
      const risks = reserved.risks.find((one) => one.currency === currency);
      const open = of.reduce((sum, { openRisk }) => sum + openRisk, 0n);
      const total = of.reduce((sum, { openRisk, leastExecuted }) => sum + openRisk + leastExecuted, 0n);
      if (!mayRestAgain) this.#atMost(open, units(risks?.open ?? '0'), `open risk of ${reserved.bot} in ${currency}`);
      this.#atMost(total, units(risks?.total ?? '0'), `total risk of ${reserved.bot} in ${currency}`);
      if (reserved.today === this.#firstDay)
        this.#atMost(total, units(risks?.day ?? '0'), `daily risk of ${reserved.bot} in ${currency}`);
    }
    const orders = truths.reduce((sum, { openOrders }) => sum + openOrders, 0);
    if (orders > reserved.openOrders)
      throw new Error(`${orders} orders of ${reserved.bot} could be executed, ${reserved.openOrders} are reserved`);
  }

  #atMost(executable: bigint, reserved: bigint, what: string): void {
    if (executable > reserved)
      throw new Error(`the ${what} could be ${decimal(executable)}, ${decimal(reserved)} is reserved`);
  }

  /** Whether an order that was cancelled is reserved again, since a read that lags shows it still. */
  #isBack({ rows }: Reserved): boolean {
    const back = rows.filter(({ name, state }) => state === 'made' && this.#states.get(name) === 'closed');
    for (const { name, state } of rows) this.#states.set(name, state);
    return back.length > 0;
  }

  /** Nothing rises above a limit but what was lifted, or what is back. */
  #checkLimits(reserved: Reserved, limits: Limits): void {
    const figures = figuresOf(reserved);
    const before = this.#figures.get(reserved.bot) ?? [];
    this.#figures.set(reserved.bot, figures);
    if ((this.#isBack(reserved) || this.#lifted.has(reserved.bot)) && !this.#hasBegun) return;
    for (const { limit, value } of figures) {
      const allowed = limits[limit.split(' ')[0] ?? ''] ?? null;
      const was = before.find((figure) => figure.limit === limit)?.value ?? 0n;
      if (allowed !== null && value > units(String(allowed)) && value > was)
        throw new Error(`${reserved.bot} has ${decimal(value)} of ${limit} ${allowed} reserved`);
    }
  }

  /** What is so of a bot, by market; without orders that the exchange has denied, and of which the service knows nothing. */
  #truthsOf({ bot, rows }: Reserved): MarketTruth[] {
    const isDenied = ({ name }: SentOrder): boolean =>
      this.exchange.lies.has(name) &&
      !rows.some((row) => row.name === name && (row.isReserved || KNOWN_STATES.includes(row.state)));
    const held = this.exchange.orders.filter((order) => order.sender === bot && !isDenied(order));
    // The exchange takes each name once.
    const taken = new Set(this.exchange.orders.map(({ name }) => name));
    const flying = [...this.exchange.flying].filter(({ sender, name }) => {
      const isFirst = sender === bot && !taken.has(name);
      taken.add(name);
      return isFirst;
    });
    const markets = new Set([...held, ...flying].map(({ terms }) => terms.market));
    return [...markets].map((market) => {
      const at = ({ terms }: SentOrder): boolean => terms.market === market;
      return truthOf(held.filter(at), flying.filter(at));
    });
  }
}

/** What limits bound. */
function figuresOf(reserved: Reserved): Figure[] {
  const of = (limit: string, values: readonly string[]): Figure[] =>
    values.map((value) => ({ limit, value: units(value) }));
  return [
    ...reserved.risks
      .toSorted(by(({ currency }) => currency))
      .flatMap(({ currency, open, day, total }) => [
        ...of(`max_open_risk ${currency}`, [open]),
        ...of(`max_daily_risk ${currency}`, [day]),
        ...of(`max_total_risk ${currency}`, [total]),
      ]),
    ...reserved.markets.flatMap(({ market, worstLong, worstShort }) => [
      ...of(`max_position ${market} long`, [worstLong]),
      ...of(`max_position ${market} short`, [worstShort]),
    ]),
    ...of('max_open_orders', [String(reserved.openOrders)]),
  ];
}

function by<T>(name: (one: T) => string): (one: T, other: T) => number {
  return (one, other) => (name(one) < name(other) ? -1 : 1);
}
