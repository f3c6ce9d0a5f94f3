import { AppError } from '../../src/platform/errors/app-error.js';
import type { FoundOrder, PreparedOrder, Trading } from '../../src/exchanges/exchange.js';
import type { OrderSearch } from '../../src/exchanges/order-search.js';
import type { OrderDto } from '../../src/exchanges/unified.trading.dto.js';
import { gate } from './scheduler.js';

/** What becomes of the next sending; `late` ones arrive seconds after their sender has given up. */
export type Fate = 'ok' | 'answer_lost' | 'never_arrives' | 'late' | 'not_sent' | 'rate_limited' | 'unreadable';

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
  visibleFrom: number;
}

const EXCHANGE = { id: 'fake', status: 400, code: null };

function refusal(reason: string): AppError {
  return new AppError('exchange_rejected', 'no', { details: { reason, exchange: EXCHANGE } });
}

/** An exchange whose lists lag, that checks funds before duplicates where told so, and whose network loses things. */
export class FakeExchange {
  now = 0;
  lagMs = 0;
  money = 1;
  isClosed = false;
  fates: Fate[] = [];
  /** So many of the next look-ups fail. */
  failingFinds = 0;
  readonly orders: Order[] = [];
  readonly sendings: Sent[] = [];
  #late: (Sent & { arrivesAt: number })[] = [];

  constructor(private readonly checksFundsFirst: boolean) {}

  advance(ms: number): void {
    this.now += ms;
    const arrived = this.#late.filter(({ arrivesAt }) => arrivesAt <= this.now);
    this.#late = this.#late.filter((sent) => !arrived.includes(sent));
    for (const sent of arrived) this.#decide(sent, sent.arrivesAt);
  }

  trading(account: string, key: string): Trading {
    const prepareOrder = async (_: object, reference: string): Promise<PreparedOrder> => {
      await gate('prepare');
      return {
        reference: { details: { client_order_id: reference }, isSafeToResend: false, isOurs: true },
        place: () => this.#place({ key, account, reference }),
        find: (search) => this.#find(account, reference, search),
      };
    };
    return { accountDigest: () => Buffer.from(account), prepareOrder } as unknown as Trading;
  }

  orderOf(reference: string): Order | undefined {
    return this.orders.find((order) => order.reference === reference);
  }

  async #place(order: Omit<Sent, 'at' | 'number'>): Promise<OrderDto> {
    await gate('send');
    const sent: Sent = { ...order, number: this.sendings.length, at: this.now };
    const fate = this.fates.shift() ?? 'ok';
    if (fate === 'not_sent') throw new AppError('exchange_error', 'no connection');
    this.sendings.push(sent);
    const unknown = new AppError('order_outcome_unknown', 'lost', { details: { client_order_id: order.reference } });
    if (fate === 'rate_limited') throw new AppError('exchange_rate_limited', 'slow down');
    if (fate === 'never_arrives') throw unknown;
    if (fate === 'late') {
      this.#late.push({ ...sent, arrivesAt: this.now + 4_000 });
      throw unknown;
    }
    const answer = this.#decide(sent);
    const answeredAt = this.now;
    await gate('answer');
    const inTime = this.now - answeredAt < 5_000;
    if (fate === 'answer_lost' || fate === 'unreadable' || !inTime) throw unknown;
    if (answer instanceof AppError) throw answer;
    return toDto(answer);
  }

  #decide(sent: Sent, now = this.now): Order | AppError {
    const isKnown = this.orders.some(
      ({ account, reference }) => account === sent.account && reference === sent.reference,
    );
    const objections = [
      ...(isKnown ? ['duplicate_order'] : []),
      ...(this.money < 1 ? ['insufficient_funds'] : []),
      ...(this.isClosed ? ['market_closed'] : []),
    ];
    const [objection] = this.checksFundsFirst ? objections.reverse() : objections;
    if (objection !== undefined) return refusal(objection);
    this.money -= 1;
    const order = { ...sent, id: `o-${this.orders.length}`, visibleFrom: now + this.lagMs };
    this.orders.push(order);
    return order;
  }

  async #find(account: string, wanted: string, search: OrderSearch): Promise<FoundOrder | null> {
    await search.nextCall();
    await gate('find');
    if (this.failingFinds > 0) {
      this.failingFinds -= 1;
      throw new AppError('exchange_error', 'no list');
    }
    const earliest = search.earliest(new Date(this.now));
    const found = this.orders.find(
      ({ account: owner, reference, visibleFrom, at }) =>
        owner === account &&
        reference === wanted &&
        visibleFrom <= this.now &&
        at >= (earliest?.getTime() ?? -Infinity),
    );
    await gate('found');
    return found === undefined ? null : { order: toDto(found), isAsAsked: true };
  }
}

function toDto({ id, reference }: Order): OrderDto {
  return { id, client_order_id: reference } as OrderDto;
}
