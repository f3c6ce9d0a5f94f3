import type { BeforeSend } from '../../src/exchanges/before-send.js';
import { randomUUID } from 'node:crypto';
import { AppError } from '../../src/platform/errors/app-error.js';
import type { ErrorReason } from '../../src/platform/errors/error-codes.js';
import type {
  AskedOrder,
  FoundOrder,
  OrderReference,
  OrderNaming,
  PreparedOrder,
} from '../../src/exchanges/orders.contract.js';
import type { Trading } from '../../src/exchanges/trading.contract.js';
import type { SignedTransfers } from '../../src/exchanges/transfers.contract.js';
import { UpstreamError } from '../../src/platform/upstream/upstream-client.js';
import type { OrderSearch } from '../../src/exchanges/order-search.js';
import type { OrderDto, TransferDto } from '../../src/exchanges/unified.trading.dto.js';
import { ownId, theirId, transferTermsOf, type Market, type Venue } from './venues.js';
import { gate } from './scheduler.js';

/** What becomes of the next sending; `late` ones arrive seconds after their sender has given up. */
export type Fate =
  | 'ok'
  | 'answer_lost'
  | 'never_arrives'
  | 'late'
  | 'not_sent'
  | 'rate_limited'
  | 'unreadable'
  // The front answers for an engine that has taken the order: nothing proves what it did.
  | 'unavailable'
  // Lies: it was taken, and is told as refused, as to come later, or as there already; or the last, and it was not taken.
  | 'refused_but_taken'
  | 'limited_but_taken'
  | 'duplicate_but_taken'
  | 'duplicate_not_taken';

const LOSSES: ReadonlySet<Fate> = new Set(['answer_lost', 'unreadable', 'unavailable']);
const LIES: ReadonlySet<Fate> = new Set(['refused_but_taken', 'limited_but_taken', 'duplicate_but_taken']);

/** A sending as the exchange, or the network, has it. */
export interface Sent {
  readonly key: string;
  readonly account: string;
  readonly reference: string;
  /** Counts all sendings. */
  readonly number: number;
  /** In ms of the world's clock. */
  readonly at: number;
}

interface Order extends Sent {
  readonly id: string;
  readonly madeAt: number;
  visibleFrom: number;
  /** Until then reads show neither its life nor its end. */
  settledFrom: number;
  isAmended: boolean;
  isCancelled: boolean;
}

const EXCHANGE = { id: 'fake', status: 400, code: null };

function refusal(reason: string): AppError {
  return new AppError('exchange_rejected', 'no', { details: { reason: reason as ErrorReason, exchange: EXCHANGE } });
}

/** One of the markets: what lies beside it, its shard or the contract that settles it, fails and lags by itself. */
interface Place extends Market {
  money: number;
  isClosed: boolean;
  lagMs: number;
  /** How long what is read of an order lags behind what it is. */
  stateLagMs: number;
}

/** An exchange whose lists lag, that checks funds before duplicates where told so, and whose network loses things. */
export class FakeExchange {
  now = 0;
  fates: Fate[] = [];
  /** So many of the next look-ups fail. */
  failingFinds = 0;
  readonly orders: Order[] = [];
  /** References of which the exchange said that it had not taken what it had. */
  readonly lies = new Set<string>();
  readonly sendings: Sent[] = [];
  readonly places: readonly Place[];
  /** References of which a sending was of unknown fate. */
  readonly #doubtful = new Set<string>();
  #late: (Sent & { arrivesAt: number })[] = [];

  constructor(
    readonly venue: Venue,
    private readonly checksFundsFirst: boolean,
  ) {
    this.places = venue.markets.map((market) => ({ ...market, money: 1, isClosed: false, lagMs: 0, stateLagMs: 0 }));
  }

  advance(ms: number): void {
    this.now += ms;
    const arrived = this.#late.filter(({ arrivesAt }) => arrivesAt <= this.now);
    this.#late = this.#late.filter((sent) => !arrived.includes(sent));
    for (const sent of arrived) this.#decide(sent, sent.arrivesAt);
  }

  trading(account: string, key: string): Trading {
    const prepareOrder = async (_: object, { clientOrderId }: OrderNaming): Promise<PreparedOrder> => {
      await gate('prepare');
      const market = this.#marketOf(key);
      const reference = this.#referenceOf(market, account, clientOrderId);
      const name = nameOf(reference);
      return {
        reference,
        asked: askedOf(key),
        place: (beforeSend) => this.#place({ key, account, reference: name }, reference, beforeSend),
        find: (search) => this.#find(account, { key, name }, search),
        ...UNFORESEEN,
      };
    };
    const create: SignedTransfers['create'] = async (_terms, id, beforeSend) => {
      const details = { order_id: id };
      try {
        const { id: made } = await this.#place({ key, account, reference: id }, { details, ...UNSAFE }, beforeSend);
        return this.#transferOf(this.orders.find((order) => order.id === made));
      } catch (error) {
        throw ofTransfer(error, id);
      }
    };
    const list: SignedTransfers['list'] = async () => {
      await gate('find');
      this.#failOnce();
      const shown = this.orders.filter((order) => order.account === account && order.visibleFrom <= this.now);
      const items = shown.sort((one, other) => other.madeAt - one.madeAt).map((order) => this.#transferOf(order));
      await gate('found');
      return { items, next: null };
    };
    const sentOrder: Trading['sentOrder'] = ({ market_id: market }, { clientOrderId }) => {
      const reference = this.#referenceOf(this.#marketOf(market), account, clientOrderId);
      const find = (search: OrderSearch): Promise<FoundOrder | null> =>
        this.#find(account, { key: market, name: nameOf(reference) }, search);
      return Promise.resolve({ reference, find });
    };
    const forAccount = (digest: Buffer): Trading | null => (digest.equals(Buffer.from(account)) ? trading : null);
    const calls = { prepareOrder, transfers: { create, list }, sentOrder, forAccount };
    const trading = { accountDigest: () => Buffer.from(account), ...calls } as unknown as Trading;
    return trading;
  }

  /** The history shows no id of ours, and times by the wall clock. */
  #transferOf(order: Order | undefined): TransferDto {
    if (order === undefined) throw new RangeError('no such transfer');
    const created_at = new Date(Date.now() - (this.now - order.madeAt)).toISOString();
    const terms = transferTermsOf(order.key);
    return { exchange: 'fake', id: order.id, ...terms, currency: 'USD', status: 'complete', created_at };
  }

  #failOnce(): void {
    if (this.failingFinds === 0) return;
    this.failingFinds -= 1;
    throw new AppError('exchange_error', 'no list');
  }

  orderOf(reference: string): Order | undefined {
    return this.orders.find((order) => order.reference === reference);
  }

  /** An exchange with client order ids takes ours; one with signed orders has a name for each that both sides compute. */
  #referenceOf(market: Market, account: string, clientOrderId: string): OrderReference {
    if (this.venue.kind === 'named') {
      return { details: { client_order_id: `${market.key}-${account}` }, isSafeToResend: false, isOurs: false };
    }
    if (this.venue.kind === 'shards') {
      return { details: { client_order_id: clientOrderId }, isSafeToResend: false, isOurs: true };
    }
    return { details: { order_id: ownId(market, account) }, isSafeToResend: true, isOurs: false };
  }

  async #place(
    order: Omit<Sent, 'at' | 'number'>,
    reference: OrderReference,
    beforeSend?: BeforeSend,
  ): Promise<OrderDto> {
    await gate('queue');
    await beforeSend?.();
    await gate('send');
    const sent: Sent = { ...order, number: this.sendings.length, at: this.now };
    const fate = this.fates.shift() ?? 'ok';
    if (fate === 'not_sent')
      throw new AppError('exchange_error', 'no connection', { cause: new UpstreamError('unreachable', false) });
    this.sendings.push(sent);
    const unknown = new AppError('order_outcome_unknown', 'lost', { details: reference.details });
    if (fate === 'rate_limited') throw new AppError('exchange_rate_limited', 'slow down');
    if (fate === 'never_arrives' || fate === 'late') this.#doubtful.add(sent.reference);
    if (fate === 'never_arrives') throw unknown;
    if (fate === 'late') {
      this.#late.push({ ...sent, arrivesAt: this.now + 4_000 });
      throw unknown;
    }
    // After a sending of unknown fate a duplicate is believed for good: there the exchange does not lie.
    const isDoubtful = this.#doubtful.has(sent.reference);
    if (fate === 'duplicate_not_taken' && !isDoubtful) throw refusal('duplicate_order');
    if (LOSSES.has(fate)) this.#doubtful.add(sent.reference);
    const answer = this.#decide(sent);
    if (LIES.has(fate) && !(answer instanceof AppError)) this.lies.add(sent.reference);
    const answeredAt = this.now;
    await gate('answer');
    const inTime = this.now - answeredAt < 5_000;
    if (!inTime) this.#doubtful.add(sent.reference);
    if (fate === 'answer_lost' || fate === 'unreadable' || fate === 'unavailable' || !inTime) throw unknown;
    if (answer instanceof AppError) throw answer;
    if (fate === 'refused_but_taken') throw refusal('invalid_order');
    if (fate === 'limited_but_taken') throw new AppError('exchange_rate_limited', 'slow down');
    if (fate === 'duplicate_but_taken') throw refusal('duplicate_order');
    return toDto(answer);
  }

  #decide(sent: Sent, now = this.now): Order | AppError {
    const place = this.#placeOf(sent.key);
    // The exchange names a signed order by the domain of its market, whatever we take it for.
    const reference = this.venue.kind === 'protocols' ? theirId(place, sent.account) : sent.reference;
    const isKnown = this.orders.some((order) => order.account === sent.account && order.reference === reference);
    const objections = [
      ...(isKnown ? ['duplicate_order'] : []),
      ...(place.money < 1 ? [this.venue.lackOfFunds] : []),
      ...(place.isClosed ? ['market_closed'] : []),
    ];
    const [objection] = this.checksFundsFirst ? objections.reverse() : objections;
    if (objection !== undefined) return refusal(objection);
    place.money -= 1;
    const order = {
      ...sent,
      reference,
      // A signed order is named by its hash.
      id: this.venue.kind === 'protocols' ? reference : `o-${randomUUID()}`,
      madeAt: now,
      visibleFrom: now + place.lagMs,
      settledFrom: now + place.stateLagMs,
      isAmended: false,
      isCancelled: false,
    };
    this.orders.push(order);
    return order;
  }

  async #find(
    account: string,
    { key, name }: { readonly key: string; readonly name: string },
    search: OrderSearch,
  ): Promise<FoundOrder | null> {
    await search.nextCall();
    await gate('find');
    this.#failOnce();
    const earliest = search.earliest(new Date(this.now));
    const found = this.orders.find(
      ({ account: owner, key: market, reference, visibleFrom, at }) =>
        owner === account &&
        market === key &&
        reference === name &&
        visibleFrom <= this.now &&
        at >= (earliest?.getTime() ?? -Infinity),
    );
    await gate('found');
    return found === undefined ? null : this.#shown(found, search);
  }

  /** Signed orders that are over are forgotten. */
  #shown(order: Order, { isCancelled }: OrderSearch): FoundOrder | null {
    if (order.isCancelled && this.venue.kind === 'protocols' && !isCancelled) return null;
    const isLate = order.settledFrom > this.now && !order.isCancelled;
    const state = isLate ? { status: 'pending', status_reason: 'unknown_status' } : {};
    const dto = { ...toDto(order), ...state } as OrderDto;
    return { order: dto, isAsAsked: !order.isAmended, isOnSide: true, isAbsent: isLate };
  }

  /** Its owner changes the newest order of a key by other means; what is signed never changes. */
  amend(key: string): void {
    if (this.venue.kind === 'protocols' || this.venue.kind === 'transfers') return;
    const order = this.orders.findLast((one) => one.key === key);
    if (order !== undefined) order.isAmended = true;
  }

  /** The newest order of a key is cancelled; returns it, null where there is none. */
  cancel(key: string): Sent | null {
    const order = this.orders.findLast((one) => one.key === key);
    if (order === undefined || this.venue.kind === 'transfers') return null;
    order.isCancelled = true;
    return order;
  }

  #marketOf(key: string): Market {
    return this.#placeOf(key);
  }

  /** Every key trades on a market of its own. */
  #placeOf(key: string): Place {
    const place = this.places.find((one) => one.key === key);
    if (place === undefined) throw new RangeError('no such market');
    return place;
  }
}

/** Of an order that nobody asks about before it is sent. */
export const UNFORESEEN: Pick<PreparedOrder, 'refusedAs' | 'findLackOfFunds'> = {
  refusedAs: () => new AppError('exchange_rejected', 'The exchange would refuse it.'),
  findLackOfFunds: () => Promise.resolve(null),
};

const UNSAFE = { isSafeToResend: false, isOurs: true };

/** As the exchange says it of a transfer. */
function ofTransfer(error: unknown, id: string): unknown {
  if (!(error instanceof AppError)) return error;
  if (error.code === 'order_outcome_unknown')
    return new AppError('transfer_outcome_unknown', 'lost', { details: { client_transfer_id: id } });
  return error.details?.reason === 'duplicate_order' ? refusal('duplicate_transfer') : error;
}

/** Every order asks for the same, on the market of its key. */
function askedOf(key: string): AskedOrder {
  const terms = {
    outcome_index: 0,
    side: 'buy',
    price: '0.5',
    size: '1',
    time_in_force: 'gtc',
    post_only: false,
  } as const;
  const unsaid = { money: null, shares: null, expires_at: null, most_size: null };
  return { market_id: key, ...terms, ...unsaid, cost: '0.5', currency: 'USD' };
}

/** The name of an order in its reference. */
export function nameOf({ details }: OrderReference): string {
  return details.client_order_id ?? details.order_id;
}

function toDto({ id, reference, isCancelled }: Order): OrderDto {
  const terms = {
    status: isCancelled ? 'cancelled' : 'open',
    status_reason: null,
    filled_size: '0',
    market_id: 'M',
    outcome: { index: 0, label: 'Yes' },
    side: 'buy',
    price: '0.5',
    size: '1',
  };
  return { id, client_order_id: id === reference ? null : reference, ...terms } as OrderDto;
}
