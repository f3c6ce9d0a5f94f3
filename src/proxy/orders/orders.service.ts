import { Injectable } from '@nestjs/common';
import { type ApiKeyPrincipal, botIdOf, type Principal } from '../../access/principal.js';
import { CredentialsService } from '../../credentials/credentials.service.js';
import type { WantedOrders } from '../../exchanges/cancel-walk.js';
import { canonicalId, type Exchange } from '../../exchanges/exchange.js';
import type { KnownOrder } from '../../exchanges/orders.contract.js';
import type { CancelledOrderDto } from '../../exchanges/unified.trading.dto.js';
import type { NotCancelledReason } from '../../exchanges/unified.words.js';
import { AppError } from '../../platform/errors/app-error.js';
import { validateAs } from '../../platform/http/validation.js';
import { withoutClientAbort, withReadLimit } from '../../platform/upstream/call-context.js';
import { Cursors } from '../paging/cursors.js';
import { limitOf } from '../paging/paging.dto.js';
import { hasCode } from '../placing/outcomes.js';
import { Placing } from '../placing/placing.js';
import { checkFieldId, checkPathId } from '../request/request-ids.js';
import { OrderJournal } from './order-journal.js';
import { asCreated, OrderNotes, withRequest } from './order-notes.js';
import { listOwnerOf, ownPage } from './own-pages.js';
import { assertFilled } from './order-answers.js';
import { OrderParts } from './ledger-order.js';
import { OrderSubject, type OrderWay } from './order.subject.js';
import type {
  CancelledOrdersDto,
  CancelNamedDto,
  CancelQueryDto,
  OrderListDto,
  OrdersQueryDto,
  CreatedOrderDto,
  ReadOrderDto,
} from './orders.dto.js';

/** How long a report waits for what says whether its market exists, in ms. */
const MARKET_LIMIT_MS = 2_000;

/** How an order is over, and whether nothing states that (`EndedOrder`). */
interface CancelledOrder {
  readonly ended: CancelledOrderDto;
  readonly isAssumed: boolean;
}

/** How an order is asked for. */
export interface OrderCall extends OrderWay {
  /** The `Idempotency-Key`. */
  readonly key?: string | undefined;
}

/** Orders with the caller's own stored credentials (contract.md 5). */
@Injectable()
export class OrdersService {
  constructor(
    private readonly credentials: CredentialsService,
    private readonly placing: Placing,
    private readonly parts: OrderParts,
    private readonly journal: OrderJournal,
    private readonly cursors: Cursors,
    private readonly notes: OrderNotes,
  ) {}

  /**
   * Checks the body, prepares the order, sends it once, with an `Idempotency-Key` once over all repeats, and notes it in the
   * activity (contract.md 5, R-12, R-14). Throws `order_outcome_unknown` where the order may exist, else what is certain.
   */
  async create(
    caller: ApiKeyPrincipal,
    exchange: Exchange,
    body: unknown,
    { key, ...way }: OrderCall = {},
  ): Promise<CreatedOrderDto> {
    const request = await validateAs<object>(exchange.OrderRequest, body);
    exchange.checkOrder?.(request);
    try {
      const subject = new OrderSubject(this.parts, caller, exchange, request, way);
      return asCreated(assertFilled(await this.placing.place(subject, key), request), botIdOf(caller));
    } catch (error) {
      if (error instanceof AppError && hasCode(error, 'limit_exceeded'))
        await this.journal.noteLimit(caller, exchange.id, error.details);
      throw error;
    }
  }

  /** Of a bot its own orders. */
  async list(caller: Principal, exchange: Exchange, query: OrdersQueryDto): Promise<OrderListDto> {
    const market_id = checkFieldId(exchange, 'market', 'market_id', query.market_id);
    const { client_order_id } = query;
    const status = query.status ?? (client_order_id === undefined ? 'open' : undefined);
    const filters = { status, market_id, client_order_id };
    exchange.checkOrderFilters?.(filters);
    const list = { exchange: exchange.id, operation: 'orders', filters, userId: listOwnerOf(caller) };
    const from = this.cursors.read(list, limitOf(query), query.cursor);
    const trading = await this.credentials.trading(caller.userId, exchange);
    const page = await ownPage(
      caller,
      from.paging,
      (paging) => trading.listOrders(filters, paging),
      async (orders) => {
        const known = await this.notes.ofPage(caller, exchange, orders);
        return orders.filter((order) => known.isFor(caller, order)).map((order) => withRequest(order, known));
      },
    );
    return this.cursors.list(list, from, page, ({ id }) => id);
  }

  /** Throws `not_found` to a bot for what is not its own: without a call where the ledger says so. */
  async get(caller: Principal, exchange: Exchange, orderId: string): Promise<ReadOrderDto> {
    const id = checkOrderId(exchange, orderId);
    await this.#mayBeOwn(caller, exchange, id);
    return this.#read(caller, exchange, id);
  }

  /** Cancels what is left of one order, also where the client has gone meanwhile; of one that is over it says how. Throws as `get`. */
  async cancel(caller: Principal, exchange: Exchange, orderId: string): Promise<CancelledOrderDto> {
    return (await this.cancelSent(caller, exchange, await this.ownId(caller, exchange, orderId))).ended;
  }

  /** Returns the one spelling of the id of an order that is not another sender's. Throws as `get`; asks the exchange only for what it alone can tell. */
  async ownId(caller: Principal, exchange: Exchange, orderId: string): Promise<string> {
    const id = checkOrderId(exchange, orderId);
    if ((await this.#mayBeOwn(caller, exchange, id)) === 'unknown') await this.#read(caller, exchange, id);
    return id;
  }

  /** As `cancel`, of an order that a row of the caller has made; an end that is only assumed says so. */
  async cancelSent(caller: Principal, exchange: Exchange, id: string): Promise<CancelledOrder> {
    const trading = await this.credentials.trading(caller.userId, exchange);
    let known: Promise<KnownOrder | null> | undefined;
    const recorded = (): Promise<KnownOrder | null> => (known ??= this.notes.find(caller.userId, exchange.id, id));
    const { isAssumed = false, ...ended } = await withoutClientAbort(() => trading.cancelOrder(id, recorded));
    if (ended.status !== 'cancelled' || isAssumed) return { ended, isAssumed };
    // What this cancel did has no sizes yet, and nobody has asked for the record.
    const isNew = known === undefined && ended.filled_size === null;
    if (isNew || !isCancelled(await recorded()))
      await this.journal.noteCancelled(caller, exchange.id, [{ orderId: ended.id, size: ended.cancelled_size }]);
    return { ended, isAssumed };
  }

  /**
   * Cancels all orders that are open when the call begins, or those of one market. Throws the error that kept some from being
   * cancelled, with the cancelled ones in its details, and `not_found` for a market that does not exist (contract.md 5). A bot cancels
   * its own alone.
   */
  async cancelAll(caller: Principal, exchange: Exchange, { market_id }: CancelQueryDto): Promise<CancelledOrdersDto> {
    checkFieldId(exchange, 'market', 'market_id', market_id);
    const trading = await this.credentials.trading(caller.userId, exchange);
    const { failure, ...report } = await trading.cancelAllOrders({
      market_id,
      wanted: this.#wantedBy(caller, exchange),
    });
    const cancelled = report.cancelled.map((orderId) => ({ orderId, size: null }));
    await this.journal.noteCancelled(caller, exchange.id, cancelled);
    if (failure !== undefined) throw incomplete(failure, report);
    const isEmpty = report.cancelled.length + report.not_cancelled.length === 0;
    if (isEmpty && market_id !== undefined) await assertMarket(exchange, market_id);
    return report;
  }

  /**
   * Cancels orders by their ids, each once, and says of each what became of it; what is not open, or not the caller's, is `not_found`. Throws what keeps the
   * exchange from any answer (contract.md 5.15).
   */
  async cancelNamed(caller: Principal, exchange: Exchange, { order_ids }: CancelNamedDto): Promise<CancelledOrdersDto> {
    const ids = [...new Set(order_ids.map((id) => checkFieldId(exchange, 'order', 'order_ids', id)))];
    const shown = ids.map((id) => ({ id }));
    const known = await this.notes.ofPage(caller, exchange, shown);
    const mayBeOwn = shown.filter((order) => known.ownerOf(order) === undefined || known.isFor(caller, order));
    const orders = mayBeOwn.map(({ id }) => ({ id, marketId: known.noteOf({ id })?.market_id ?? null }));
    const own = this.#wantedBy(caller, exchange);
    const named = new Set(mayBeOwn.map(({ id }) => id));
    const wanted: WantedOrders = async (open) => {
      const asked = open.filter(({ id }) => named.has(canonicalId(exchange, 'order', id)));
      return own === undefined ? new Set(asked.map(({ id }) => id)) : own(asked);
    };
    const trading = await this.credentials.trading(caller.userId, exchange);
    const { failure, ...report } = await trading.cancelAllOrders({ orders, wanted });
    const cancelled = report.cancelled.map((orderId) => ({ orderId, size: null }));
    await this.journal.noteCancelled(caller, exchange.id, cancelled);
    return withMissing(ids, report, failure === undefined ? 'not_found' : 'unknown', (id) =>
      canonicalId(exchange, 'order', id),
    );
  }

  async #read(caller: Principal, exchange: Exchange, id: string): Promise<ReadOrderDto> {
    const { userId } = caller;
    const trading = await this.credentials.trading(userId, exchange);
    const byId = this.notes.ofPage(caller, exchange, [{ id }]);
    // A failure is thrown below; the exchange may have one of its own before that.
    byId.catch(() => undefined);
    const order = await trading.getOrder(id, () => this.notes.find(userId, exchange.id, id));
    let known = await byId;
    if (known.ownerOf({ id }) === undefined && order.client_order_id !== null)
      known = await this.notes.ofPage(caller, exchange, [order]);
    if (!known.isFor(caller, order)) throw noSuchOrder(exchange);
    return withRequest(order, known);
  }

  /** Whether an order is the caller's by the ledger. Throws `not_found` where it is not. */
  async #mayBeOwn(caller: Principal, exchange: Exchange, id: string): Promise<'own' | 'unknown'> {
    const isOwn = await this.notes.isOwn(caller, exchange, id);
    if (isOwn === false) throw noSuchOrder(exchange);
    return isOwn === null ? 'unknown' : 'own';
  }

  /** Which open orders a cancel of all is about. */
  #wantedBy(caller: Principal, exchange: Exchange): WantedOrders | undefined {
    if (botIdOf(caller) === null) return undefined;
    return async (orders) => {
      const shown = orders.map(({ id, clientOrderId }) => ({ id, client_order_id: clientOrderId }));
      const known = await this.notes.ofPage(caller, exchange, shown).catch((cause: unknown) => {
        throw new AppError('service_unavailable', 'It could not be read whose orders are open.', { cause });
      });
      return new Set(shown.filter((order) => known.isFor(caller, order)).map(({ id }) => id));
    };
  }
}

function noSuchOrder({ id }: Exchange): AppError {
  return new AppError('not_found', `${id} has no order of yours with this id.`);
}

/** As it is noted, however it is spelled in the path. */
function checkOrderId(exchange: Exchange, orderId: string): string {
  return canonicalId(exchange, 'order', checkPathId(exchange, 'order', orderId));
}

/** A report that names each order that was asked for. */
function withMissing(
  ids: readonly string[],
  { cancelled, not_cancelled }: CancelledOrdersDto,
  reason: NotCancelledReason,
  nameOf: (id: string) => string,
): CancelledOrdersDto {
  const told = new Set([...cancelled, ...not_cancelled.map(({ id }) => id)].map(nameOf));
  const missing = ids.filter((id) => !told.has(id)).map((id) => ({ id, reason }));
  return { cancelled, not_cancelled: [...not_cancelled, ...missing] };
}

function isCancelled(known: KnownOrder | null): boolean {
  return known !== null && known.cancelledMsAgo !== null;
}

/** Throws `not_found` where the exchange says that it has no such market; what keeps it from an answer changes nothing. */
async function assertMarket({ marketData }: Exchange, marketId: string): Promise<void> {
  try {
    await withReadLimit(MARKET_LIMIT_MS, () => marketData.getMarket(marketId));
  } catch (error) {
    if (hasCode(error, 'not_found') || !(error instanceof AppError)) throw error;
  }
}

const LOST =
  'It is not known which of the orders in details.not_cancelled are cancelled. Repeat the DELETE for what still rests: it ' +
  'names only what it cancels itself. The DELETE of one of these orders says how it ended.';

/** The same failure, which also says what was cancelled before it, and that there may be more. */
function incomplete(failure: AppError, { cancelled, not_cancelled }: CancelledOrdersDto): AppError {
  const told = `${failure.message} What was cancelled is in details.cancelled; other orders may still rest: repeat the call.`;
  const isLost = failure.details?.may_have_been_cancelled === true;
  return failure.retold(isLost ? LOST : told, { cancelled, not_cancelled });
}
