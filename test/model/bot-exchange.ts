import type { BeforeSend } from '../../src/exchanges/before-send.js';
import { randomUUID } from 'node:crypto';
import { AppError } from '../../src/platform/errors/app-error.js';
import type { ErrorReason } from '../../src/platform/errors/error-codes.js';
import type {
  AskedOrder,
  FoundOrder,
  OrderNaming,
  OrderReference,
  PreparedOrder,
} from '../../src/exchanges/orders.contract.js';
import type { OrderSearch } from '../../src/exchanges/order-search.js';
import type { Trading } from '../../src/exchanges/trading.contract.js';
import type { FillDto, OrderDto, OrderStatus } from '../../src/exchanges/unified.trading.dto.js';
import { UpstreamError } from '../../src/platform/upstream/upstream-client.js';
import { decimal, type Terms, times, unitRisk, units } from './bot-terms.js';
import { nameOf, type Fate, UNFORESEEN } from './fake-exchange.js';
import { gate, inTurn } from './scheduler.js';

/** Who sends: a bot, or null for the main key; and by which instance. */
export interface From {
  readonly sender: string | null;
  readonly instance: number;
}

/** A trade of an order. Confirmed and failed ones stay so. */
interface Trade {
  readonly id: string;
  readonly size: bigint;
  readonly at: number;
  status: 'pending' | 'confirmed' | 'failed';
  settledAt: number;
}

/** As it was from a time on. */
interface State {
  readonly at: number;
  readonly status: OrderStatus;
  readonly filled: bigint;
}

/** An order that the exchange has, or that is on its way there. */
export interface SentOrder extends From {
  readonly terms: Terms;
  readonly name: string;
}

/** An order as the exchange has it. */
export interface HeldOrder extends SentOrder {
  readonly id: string;
  readonly madeAt: number;
  readonly states: State[];
  readonly trades: Trade[];
}

/** Two kinds: orders under ids of ours, which show for good; and signed ones, named by their hash, which are forgotten at their end. */
export interface BotVenue {
  readonly isSigned: boolean;
  /** Whether trades are settled later, and whether what failed rests again. */
  readonly isSettledLater: boolean;
  readonly restsAgain: boolean;
}

const LOSSES: ReadonlySet<Fate> = new Set(['answer_lost', 'unreadable', 'unavailable']);
const LIES: ReadonlySet<Fate> = new Set(['refused_but_taken', 'limited_but_taken', 'duplicate_but_taken']);
const EXCHANGE = { id: 'fake', status: 400, code: null };
const LATE_MS = 4_000;
const ANSWER_LIMIT_MS = 5_000;
/** Two complete lists so far apart prove that an order is over. */
const ABSENT_FOR_MS = 30_000;

function refusal(reason: string): AppError {
  return new AppError('exchange_rejected', 'no', { details: { reason: reason as ErrorReason, exchange: EXCHANGE } });
}

/** How it stands now. */
function stateOf({ states }: HeldOrder): State {
  const state = states.at(-1);
  if (state === undefined) throw new RangeError('an order without a state');
  return state;
}

/** What could still be executed of it. */
export function restOf(order: HeldOrder): bigint {
  const { status, filled } = stateOf(order);
  return status === 'open' || status === 'partially_filled' ? units(order.terms.size) - filled : 0n;
}

/** An exchange where orders fill in parts, whose lists, states and trades lag, and whose network loses things. */
export class BotExchange {
  now = 0;
  fates: Fate[] = [];
  /** Of the next orders, in quarters, how much fills as they arrive. */
  fillsAtOnce: number[] = [];
  failingReads = 0;
  lagMs = 0;
  closed = new Set<string>();
  readonly orders: HeldOrder[] = [];
  /** Sent, and neither arrived nor lost. */
  readonly flying = new Set<SentOrder>();
  /** Names of which it was told that they were not taken although they were. */
  readonly lies = new Set<string>();
  /** Told where a sending has begun. */
  onBegun: (order: SentOrder) => void = () => undefined;
  #late: { readonly order: SentOrder; readonly arrivesAt: number }[] = [];

  constructor(readonly venue: BotVenue) {}

  advance(ms: number): void {
    this.now += ms;
    const arrived = this.#late.filter(({ arrivesAt }) => arrivesAt <= this.now);
    this.#late = this.#late.filter((sent) => !arrived.includes(sent));
    for (const { order, arrivesAt } of arrived) this.#decide(order, arrivesAt);
  }

  /** A process that dies sends nothing more; what has left arrives. */
  drop(instance: number): void {
    const left = new Set(this.#late.map(({ order }) => order));
    for (const order of this.flying) if (order.instance === instance && !left.has(order)) this.flying.delete(order);
  }

  /** Fills so many quarters of what rests of an order. */
  fill(order: HeldOrder, quarters: number): void {
    const rest = restOf(order);
    const size = quarters >= 4 ? rest : cut((rest * BigInt(quarters)) / 4n);
    if (size === 0n) return;
    const isSettled = !this.venue.isSettledLater;
    const status = isSettled ? 'confirmed' : 'pending';
    order.trades.push({ id: `t-${randomUUID()}`, size, at: this.now, status, settledAt: this.now });
    const filled = stateOf(order).filled + size;
    const isWhole = filled === units(order.terms.size);
    order.states.push({ at: this.now, filled, status: isWhole ? 'filled' : 'partially_filled' });
  }

  /** A trade becomes final; returns whether it failed. */
  settleTrade(order: HeldOrder, fails: boolean): boolean {
    const trade = order.trades.find(({ status }) => status === 'pending');
    if (trade === undefined) return false;
    trade.status = fails ? 'failed' : 'confirmed';
    trade.settledAt = this.now;
    const { status, filled } = stateOf(order);
    if (fails && this.venue.restsAgain && status === 'partially_filled')
      order.states.push({ at: this.now, status, filled: filled - trade.size });
    return fails;
  }

  cancel(order: HeldOrder): boolean {
    if (restOf(order) === 0n) return false;
    order.states.push({ at: this.now, filled: stateOf(order).filled, status: 'cancelled' });
    return true;
  }

  trading(from: From): Trading {
    const prepareOrder = async (request: object, naming: OrderNaming): Promise<PreparedOrder> => {
      const { terms } = request as { terms: Terms };
      await inTurn(() => gate('prepare'));
      const reference = this.#referenceOf(terms, from, naming);
      const order = { ...from, terms, name: nameOf(reference) };
      return {
        reference,
        asked: askedOf(terms),
        place: (beforeSend) => this.#place(order, reference, beforeSend),
        find: (search) => this.#find(order.name, search),
        ...UNFORESEEN,
      };
    };
    const sentOrder: Trading['sentOrder'] = (_asked, { sentAs }) => {
      const details = sentAs as OrderReference['details'];
      const reference = { details, isSafeToResend: this.venue.isSigned, isOurs: !this.venue.isSigned };
      return Promise.resolve({ reference, find: (search) => this.#find(nameOf(reference), search) });
    };
    const listOrders: Trading['listOrders'] = () =>
      this.#read(() => ({ items: this.#listed().map((order) => this.#shown(order)), next: null }));
    const getOrder: Trading['getOrder'] = (id) =>
      this.#read(() => {
        const order = this.orders.find((one) => one.id === id);
        const dto = order && this.#seen(order);
        if (dto === undefined || (this.venue.isSigned && !isResting(dto)))
          throw new AppError('not_found', 'no such order');
        return dto;
      });
    const listFills: Trading['listFills'] = ({ order_id: id }) =>
      this.#read(() => ({ items: this.#fillsOf(this.orders.find((order) => order.id === id)), next: null }));
    const cancelAllOrders: Trading['cancelAllOrders'] = async ({ wanted } = {}) => {
      const listed = await this.#read(() => this.#listed());
      const names = listed.map(({ id, name }) => ({ id, clientOrderId: this.venue.isSigned ? null : name }));
      const ids = (await wanted?.(names)) ?? new Set(names.map(({ id }) => id));
      return this.#read(() => {
        const gone = listed.filter((order) => ids.has(order.id) && this.cancel(order));
        return { cancelled: gone.map(({ id }) => id), not_cancelled: [] };
      });
    };
    const forAccount = (): Trading => trading;
    const reads = { listOrders, getOrder, listFills, cancelAllOrders, sentOrder, forAccount };
    const trading = { accountDigest: () => Buffer.from('one'), prepareOrder, ...reads } as unknown as Trading;
    return trading;
  }

  #referenceOf({ market, side, outcome, price, size }: Terms, { sender }: From, naming: OrderNaming): OrderReference {
    if (!this.venue.isSigned) {
      return { details: { client_order_id: naming.clientOrderId }, isSafeToResend: false, isOurs: true };
    }
    // Who signs the same terms again signs the same order.
    const order_id = `0x${[sender ?? 'main', market, side, outcome, price, size].join('-')}`;
    return { details: { order_id }, isSafeToResend: true, isOurs: false };
  }

  #read<T>(read: () => T): Promise<T> {
    return inTurn(async () => {
      await gate('read');
      if (this.failingReads > 0) {
        this.failingReads -= 1;
        throw new AppError('exchange_error', 'no answer');
      }
      const shown = read();
      await gate('shown');
      return shown;
    });
  }

  async #place(order: SentOrder, reference: OrderReference, beforeSend?: BeforeSend): Promise<OrderDto> {
    await gate('queue');
    await beforeSend?.();
    const sent = { ...order };
    this.onBegun(sent);
    this.flying.add(sent);
    await gate('send');
    const fate = this.fates.shift() ?? 'ok';
    if (fate === 'not_sent') {
      this.flying.delete(sent);
      throw new AppError('exchange_error', 'no connection', { cause: new UpstreamError('unreachable', false) });
    }
    const unknown = new AppError('order_outcome_unknown', 'lost', { details: reference.details });
    if (fate === 'late') {
      this.#late.push({ order: sent, arrivesAt: this.now + LATE_MS });
      throw unknown;
    }
    if (fate === 'never_arrives' || fate === 'rate_limited') {
      this.flying.delete(sent);
      throw fate === 'never_arrives' ? unknown : new AppError('exchange_rate_limited', 'slow down');
    }
    const answer = this.#decide(sent, this.now);
    if (LIES.has(fate) && !(answer instanceof AppError)) this.lies.add(sent.name);
    const answered = answer instanceof AppError ? answer : this.#shown(answer);
    const answeredAt = this.now;
    await gate('answer');
    if (LOSSES.has(fate) || this.now - answeredAt >= ANSWER_LIMIT_MS) throw unknown;
    if (answered instanceof AppError) throw answered;
    if (fate === 'refused_but_taken') throw refusal('invalid_order');
    if (fate === 'limited_but_taken') throw new AppError('exchange_rate_limited', 'slow down');
    if (fate === 'duplicate_but_taken') throw refusal('duplicate_order');
    return answered;
  }

  #decide(sent: SentOrder, now: number): HeldOrder | AppError {
    this.flying.delete(sent);
    if (this.orders.some(({ name }) => name === sent.name)) return refusal('duplicate_order');
    if (this.closed.has(sent.terms.market)) return refusal('market_closed');
    const id = this.venue.isSigned ? sent.name : `o-${randomUUID()}`;
    const states: State[] = [{ at: now, status: 'open', filled: 0n }];
    const order: HeldOrder = { ...sent, id, madeAt: now, states, trades: [] };
    this.orders.push(order);
    this.fill(order, this.fillsAtOnce.shift() ?? 0);
    if (sent.terms.timeInForce === 'ioc') this.cancel(order);
    return order;
  }

  async #find(name: string, search: OrderSearch): Promise<FoundOrder | null> {
    await search.nextCall();
    return this.#read(() => {
      const order = this.orders.find((one) => one.name === name);
      const dto = order && this.#seen(order);
      if (order === undefined || dto === undefined) return null;
      const found = { isAsAsked: true, isOnSide: true };
      const hasLateLife = order.terms.timeInForce === 'ioc' && isResting(dto);
      if (hasLateLife) return { ...found, order: { ...dto, ...UNKNOWN_END }, isAbsent: false };
      if (!this.venue.isSigned || isResting(dto)) return { ...found, order: dto, isAbsent: false };
      return this.#forgotten(order, dto, search);
    });
  }

  /** A signed order that is over shows in its trades alone. */
  #forgotten(order: HeldOrder, dto: OrderDto, { absentMs, isCancelled }: OrderSearch): FoundOrder | null {
    const traded = sum(this.#fillsOf(order).map(({ size }) => units(size)));
    if (traded === 0n && !isCancelled) return null;
    const found = { isAsAsked: true, isOnSide: true };
    const isWhole = traded === units(order.terms.size);
    const over = { ...dto, status: isWhole ? 'filled' : 'cancelled', filled_size: decimal(traded) } as OrderDto;
    if (isWhole || (absentMs !== null && absentMs >= ABSENT_FOR_MS)) return { ...found, order: over };
    const isProvisional = isCancelled;
    return { ...found, order: isCancelled ? over : { ...over, ...UNKNOWN_END }, isAbsent: true, isProvisional };
  }

  /** Those that rest by a list, which lags. */
  #listed(): HeldOrder[] {
    return this.orders.filter((order) => {
      const dto = this.#seen(order);
      return dto !== undefined && isResting(dto);
    });
  }

  /** As reads show it, which lag; undefined for one that they do not show yet. */
  #seen(order: HeldOrder): OrderDto | undefined {
    const state = order.states.findLast(({ at }) => at <= this.now - this.lagMs);
    return state && toDto(order, state);
  }

  #shown(order: HeldOrder): OrderDto {
    return this.#seen(order) ?? toDto(order, stateOf(order));
  }

  #fillsOf(order: HeldOrder | undefined): FillDto[] {
    const until = this.now - this.lagMs;
    return (order?.trades ?? []).flatMap(({ id, size, at, status, settledAt }) =>
      at > until ? [] : [{ id, size: decimal(size), status: settledAt > until ? 'pending' : status } as FillDto],
    );
  }
}

const UNKNOWN_END = { status: 'pending', status_reason: 'unknown_status' } as const;

function isResting({ status }: OrderDto): boolean {
  return status === 'open' || status === 'partially_filled';
}

/** Contracts have six places at most. */
function cut(value: bigint): bigint {
  const step = units('0.000001');
  return value - (value % step);
}

function sum(values: readonly bigint[]): bigint {
  return values.reduce((all, value) => all + value, 0n);
}

function askedOf(terms: Terms): AskedOrder {
  const { market, outcome, side, price, size, timeInForce, currency } = terms;
  const asked = { market_id: market, outcome_index: outcome, side, price, size, time_in_force: timeInForce };
  const unsaid = { post_only: false, money: null, shares: null, expires_at: null, most_size: null };
  return { ...asked, ...unsaid, cost: decimal(times(unitRisk(terms), units(size))), currency };
}

function toDto({ id, name, terms }: HeldOrder, { status, filled }: State): OrderDto {
  const { market, outcome, side, price, size, timeInForce, currency } = terms;
  return {
    exchange: 'fake',
    id,
    client_order_id: id === name ? null : name,
    market_id: market,
    outcome: { index: outcome, label: '' },
    side,
    price,
    size,
    time_in_force: timeInForce,
    post_only: false,
    currency,
    status,
    status_reason: null,
    filled_size: decimal(filled),
    remaining_size: decimal(status === 'open' || status === 'partially_filled' ? units(size) - filled : 0n),
    updated_at: null,
  } as unknown as OrderDto;
}
