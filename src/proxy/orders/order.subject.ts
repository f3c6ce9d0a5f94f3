import { z } from 'zod';
import { type ApiKeyPrincipal, botIdOf, type BotMarket } from '../../access/principal.js';
import type { Exchange } from '../../exchanges/exchange.js';
import { type BatchSeat, OrderBatch } from '../../exchanges/order-batch.js';
import type { AskedOrder, OrderNaming, PreparedOrder, SentOrder } from '../../exchanges/orders.contract.js';
import type { Trading } from '../../exchanges/trading.contract.js';
import type { OrderDto } from '../../exchanges/unified.trading.dto.js';
import { AppError, type ErrorDetails } from '../../platform/errors/app-error.js';
import type { Ledger } from '../placing/ledger.repository.js';
import type { Name } from '../placing/outcomes.js';
import type { Claim, LimitFacts } from '../placing/placement.js';
import type { Naming, Prepared, Rights, Subject } from '../placing/subject.js';
import { allowedMarket } from './allowed-markets.js';
import { deriveClientOrderId } from './client-order-id.js';
import { LedgerOrder, type OrderParts } from './ledger-order.js';
import { endOf } from './bot-limits.js';
import { isEndUnknown, orderIn } from './order-answers.js';
import { endingAt } from './resting.js';

/** As what an order was sent; null where nothing was sent yet. */
const KEPT_REFERENCE: z.ZodType<SentOrder | null> = z
  .union([
    z.object({ client_order_id: z.string(), terms: z.record(z.string(), z.string()).optional() }),
    z.object({ order_id: z.string(), terms: z.record(z.string(), z.string()).optional() }),
  ])
  .nullable() as z.ZodType<SentOrder | null>;

/** As what an order was sent, by what its record keeps; null where nothing was sent. */
export function sentIn(reference: unknown): SentOrder | null {
  return KEPT_REFERENCE.parse(reference);
}

const KEPT_END = z.object({ ends_at: z.coerce.date() });

/** When an order that was sent ends by itself, by its record; null where its body alone says so. */
function endIn(reference: unknown): Date | null {
  return KEPT_END.safeParse(reference).data?.ends_at ?? null;
}

/** The name of a sent order, as answers show it. */
export function nameOf({ client_order_id, order_id }: SentOrder): Name {
  return client_order_id === undefined ? { order_id } : { client_order_id };
}

function isSame({ details }: PreparedOrder['reference'], sent: SentOrder): boolean {
  return details.client_order_id === sent.client_order_id && details.order_id === sent.order_id;
}

/** What orders that leave together have in common. */
export class Together {
  readonly batch: OrderBatch;
  readonly #rights = new Map<boolean, Promise<Rights>>();

  constructor(count: number) {
    this.batch = new OrderBatch(count);
  }

  /** The credentials are opened once for all orders that need a session key, and once for all others. */
  rights(needsSessionKey: boolean, read: () => Promise<Rights>): Promise<Rights> {
    const known = this.#rights.get(needsSessionKey);
    const rights = known ?? read();
    this.#rights.set(needsSessionKey, rights);
    return rights;
  }
}

/** Where an order stands among those that it leaves together with. */
interface Among {
  readonly together: Together;
  readonly seat: BatchSeat;
}

/** How an order is asked for, beside its body. */
export interface OrderWay {
  /** The others of its batch. */
  readonly among?: Among;
  /** What a preview of it has worked out (`OrderNaming`). */
  readonly previewed?: OrderNaming['previewed'];
}

/** An order that somebody asks for: a validated instance of the exchange's `OrderRequest`. */
export class OrderSubject extends LedgerOrder implements Subject<OrderDto> {
  readonly kind = 'order';
  readonly records: Ledger;
  #allowedBy: BotMarket | null = null;

  constructor(
    parts: OrderParts,
    readonly caller: ApiKeyPrincipal,
    protected readonly at: Exchange,
    readonly request: object,
    private readonly way: OrderWay = {},
  ) {
    super(parts, { userId: caller.userId, keyPrefix: caller.keyPrefix, botId: botIdOf(caller) }, at.id);
    this.records = parts.records;
  }

  get seat(): BatchSeat | undefined {
    return this.way.among?.seat;
  }

  /** A bot may be bound to some markets. */
  async admit(readsUntil: number): Promise<void> {
    const { caller, at, request } = this;
    const allowed = (): Promise<BotMarket | null> => allowedMarket(caller.bot, at, request);
    this.#allowedBy = await this.parts.lookUps.beforeSending(readsUntil, allowed);
  }

  findRoom(): Promise<void> {
    return this.parts.limits.findRoom(this.caller.userId, this.exchange);
  }

  async open(): Promise<Rights & { readonly account: Buffer }> {
    const read = (): Promise<Rights> => this.parts.credentials.tradingToSend(this.caller, this.at, this.request);
    const rights = await (this.way.among?.together.rights(
      this.at.sessionKeys?.isNeededFor(this.request) === true,
      read,
    ) ?? read());
    return { ...rights, account: rights.trading.accountDigest(this.request) };
  }

  clientIdOf(claim: Claim): string {
    return deriveClientOrderId(claim);
  }

  async prepare(
    trading: Trading,
    { clientId, createdAt, sentAs }: Naming,
    readsUntil: number,
  ): Promise<Prepared<OrderDto>> {
    const { bot } = this.caller;
    const sent = sentIn(sentAs);
    const endsAt = sent === null ? endOf(bot, createdAt) : endIn(sentAs);
    const request = endsAt === null ? this.request : endingAt(this.request, endsAt);
    const { previewed = null } = this.way;
    const naming = { clientOrderId: sent?.client_order_id ?? clientId, createdAt, sentAs: sent, previewed };
    const order = await this.parts.lookUps.beforeSending(readsUntil, () => this.prepareOrder(trading, request, naming));
    const { details, terms, isSafeToResend } = order.reference;
    // Under another reference the exchange would take it as another order.
    if (sent !== null && !isSame(order.reference, sent))
      throw new AppError('exchange_error', 'The order cannot be prepared as it was sent.');
    return {
      name: details,
      reference: { ...details, ...(terms && { terms }), ...(endsAt && { ends_at: endsAt.toISOString() }) },
      asked: order.asked,
      ...(await this.#limited(order.asked, readsUntil)),
      isSafeToResend,
      place: (beforeSend) => order.place(beforeSend, this.seat),
      lookUp: (sought) => this.lookUp(order, sought),
    };
  }

  protected prepareOrder(trading: Trading, request: object, naming: OrderNaming): Promise<PreparedOrder> {
    return trading.prepareOrder(request, naming);
  }

  /** Throws `not_supported` where the exchange does not say which outcome it is: a bot's limits cannot count that. */
  async #limited(
    asked: AskedOrder,
    readsUntil: number,
  ): Promise<Pick<Prepared<OrderDto>, 'limitFacts' | 'renewFacts'>> {
    const { bot } = this.caller;
    const { lookUps, limits } = this.parts;
    if (bot === null) return { limitFacts: null };
    if (asked.outcome_index === null)
      throw new AppError('not_supported', 'The outcomes of this market are not known, so no limit of a bot can hold.');
    const read = (): Promise<LimitFacts> =>
      lookUps.beforeSending(readsUntil, () => limits.factsOf(bot, this.at, asked, this.#allowedBy));
    let facts = await read();
    const renewFacts = async (): Promise<void> => {
      facts = await read();
    };
    return { limitFacts: () => facts, renewFacts };
  }

  nameIn(reference: unknown): Name | null {
    const sent = sentIn(reference);
    return sent && nameOf(sent);
  }

  isProvisional(order: OrderDto): boolean {
    return isEndUnknown(order);
  }

  placedIn(answer: unknown): OrderDto | null {
    return orderIn(answer);
  }

  noteUnknown(details: ErrorDetails | undefined): Promise<void> {
    return this.parts.journal.noteUnknown(this.sender, this.exchange, details);
  }
}
