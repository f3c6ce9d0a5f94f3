import { randomUUID } from 'node:crypto';
import { AppError } from '../../src/platform/errors/app-error.js';
import type { FoundOrder, OrderReference, OrderNaming, PreparedOrder, Trading } from '../../src/exchanges/exchange.js';
import type { OrderSearch } from '../../src/exchanges/order-search.js';
import type { OrderDto } from '../../src/exchanges/unified.trading.dto.js';
import { ownId, theirId, type Market, type Venue } from './venues.js';
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

/** One of the markets: what lies beside it, its shard or the contract that settles it, fails and lags by itself. */
interface Place extends Market {
  money: number;
  isClosed: boolean;
  lagMs: number;
}

/** An exchange whose lists lag, that checks funds before duplicates where told so, and whose network loses things. */
export class FakeExchange {
  now = 0;
  fates: Fate[] = [];
  /** So many of the next look-ups fail. */
  failingFinds = 0;
  readonly orders: Order[] = [];
  readonly sendings: Sent[] = [];
  readonly places: readonly Place[];
  #late: (Sent & { arrivesAt: number })[] = [];

  constructor(
    readonly venue: Venue,
    private readonly checksFundsFirst: boolean,
  ) {
    this.places = venue.markets.map((market) => ({ ...market, money: 1, isClosed: false, lagMs: 0 }));
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
        place: () => this.#place({ key, account, reference: name }, reference),
        find: (search) => this.#find(account, { key, name }, search),
      };
    };
    return { accountDigest: () => Buffer.from(account), prepareOrder } as unknown as Trading;
  }

  orderOf(reference: string): Order | undefined {
    return this.orders.find((order) => order.reference === reference);
  }

  /** An exchange with client order ids takes ours; one with signed orders has a name for each that both sides compute. */
  #referenceOf(market: Market, account: string, clientOrderId: string): OrderReference {
    if (this.venue.kind === 'shards') {
      return { details: { client_order_id: clientOrderId }, isSafeToResend: false, isOurs: true };
    }
    return { details: { order_id: ownId(market, account) }, isSafeToResend: true, isOurs: false };
  }

  async #place(order: Omit<Sent, 'at' | 'number'>, reference: OrderReference): Promise<OrderDto> {
    await gate('send');
    const sent: Sent = { ...order, number: this.sendings.length, at: this.now };
    const fate = this.fates.shift() ?? 'ok';
    if (fate === 'not_sent') throw new AppError('exchange_error', 'no connection');
    this.sendings.push(sent);
    const unknown = new AppError('order_outcome_unknown', 'lost', { details: reference.details });
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
    const place = this.#placeOf(sent.key);
    // The exchange names a signed order by the domain of its market, whatever we take it for.
    const reference = this.venue.kind === 'shards' ? sent.reference : theirId(place, sent.account);
    const isKnown = this.orders.some((order) => order.account === sent.account && order.reference === reference);
    const objections = [
      ...(isKnown ? ['duplicate_order'] : []),
      ...(place.money < 1 ? [this.venue.lackOfFunds] : []),
      ...(place.isClosed ? ['market_closed'] : []),
    ];
    const [objection] = this.checksFundsFirst ? objections.reverse() : objections;
    if (objection !== undefined) return refusal(objection);
    place.money -= 1;
    const order = { ...sent, reference, id: `o-${randomUUID()}`, visibleFrom: now + place.lagMs };
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
    if (this.failingFinds > 0) {
      this.failingFinds -= 1;
      throw new AppError('exchange_error', 'no list');
    }
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
    return found === undefined ? null : { order: toDto(found), isAsAsked: true };
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

/** The name of an order in its reference. */
export function nameOf({ details }: OrderReference): string {
  return details.client_order_id ?? details.order_id;
}

function toDto({ id, reference }: Order): OrderDto {
  const terms = {
    status: 'open',
    market_id: 'M',
    outcome: { index: 0, label: 'Yes' },
    side: 'buy',
    price: '0.5',
    size: '1',
  };
  return { id, client_order_id: reference, ...terms } as OrderDto;
}
