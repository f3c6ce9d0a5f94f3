import { Injectable } from '@nestjs/common';
import type { ApiKeyPrincipal } from '../../access/principal.js';
import { CredentialsService } from '../../credentials/credentials.service.js';
import type { Exchange } from '../../exchanges/exchange.js';
import type { CancelledOrderDto, OrderDto } from '../../exchanges/unified.trading.dto.js';
import { AppError } from '../../platform/errors/app-error.js';
import { validateAs } from '../../platform/http/validation.js';
import { withoutClientAbort } from '../../platform/upstream/call-context.js';
import { Cursors } from '../paging/cursors.js';
import { limitOf } from '../paging/paging.dto.js';
import { checkFieldId, checkPathId } from '../request/request-ids.js';
import { OrderJournal } from './order-journal.js';
import { hasCode, type Placement } from './order-outcomes.js';
import { OrderPlacement } from './order-placement.js';
import { PlacementCounts } from './placement-counts.js';
import type { CancelledOrdersDto, CancelQueryDto, OrderListDto, OrdersQueryDto } from './orders.dto.js';

/** Orders with the caller's own stored credentials (contract.md 5). */
@Injectable()
export class OrdersService {
  constructor(
    private readonly credentials: CredentialsService,
    private readonly placement: OrderPlacement,
    private readonly journal: OrderJournal,
    private readonly cursors: Cursors,
    private readonly counts: PlacementCounts,
  ) {}

  /**
   * Checks the body, prepares the order, sends it once, with an `Idempotency-Key` once over all repeats, and notes it in the
   * activity (contract.md 5, R-12, R-14). Throws `order_outcome_unknown` where the order may exist, else what is certain.
   */
  async create(caller: ApiKeyPrincipal, exchange: Exchange, body: unknown, key?: string): Promise<Placement> {
    const request = await validateAs<object>(exchange.OrderRequest, body);
    exchange.checkOrder?.(request);
    try {
      return await this.counts.count('orders', exchange.id, () => this.#place(caller, exchange, request, key));
    } catch (error) {
      if (hasCode(error, 'order_outcome_unknown')) await this.journal.noteUnknown(caller, exchange.id, error.details);
      throw error;
    }
  }

  async #place(caller: ApiKeyPrincipal, exchange: Exchange, request: object, key?: string): Promise<Placement> {
    if (key === undefined) return this.#placeOnce(caller, exchange, request);
    return this.placement.place(
      { userId: caller.userId, exchange: exchange.id, key },
      { request, caller, open: (part) => this.credentials.tradingWith(caller, exchange, request, part) },
    );
  }

  async #placeOnce(caller: ApiKeyPrincipal, exchange: Exchange, request: object): Promise<Placement> {
    const rights = await this.credentials.tradingToSend(caller, exchange, request);
    const placement = await this.placement.placeOnce({ request, ...rights });
    await this.journal.notePlacement(caller, exchange.id, placement);
    return placement;
  }

  async list({ userId }: ApiKeyPrincipal, exchange: Exchange, query: OrdersQueryDto): Promise<OrderListDto> {
    const marketId = checkFieldId(exchange, 'market', 'market_id', query.market_id);
    const filters = { status: query.status ?? 'open', market_id: marketId };
    exchange.checkOrderFilters?.(filters);
    const list = { exchange: exchange.id, operation: 'orders', filters, userId };
    const from = this.cursors.read(list, limitOf(query), query.cursor);
    const page = await (await this.credentials.trading(userId, exchange)).listOrders(filters, from.paging);
    return this.cursors.list(list, from, page, ({ id }) => id);
  }

  async get({ userId }: ApiKeyPrincipal, exchange: Exchange, orderId: string): Promise<OrderDto> {
    const id = checkPathId(exchange, 'order', orderId);
    const recorded = () => this.journal.marketOf(userId, exchange.id, id);
    return (await this.credentials.trading(userId, exchange)).getOrder(id, recorded);
  }

  /** Cancels what is left of one order, also where the client has gone meanwhile. */
  async cancel(caller: ApiKeyPrincipal, exchange: Exchange, orderId: string): Promise<CancelledOrderDto> {
    const id = checkPathId(exchange, 'order', orderId);
    const trading = await this.credentials.trading(caller.userId, exchange);
    const recorded = () => this.journal.marketOf(caller.userId, exchange.id, id);
    const cancelled = await withoutClientAbort(() => trading.cancelOrder(id, recorded));
    await this.journal.noteCancelled(caller, exchange.id, [cancelled.id]);
    return cancelled;
  }

  /**
   * Cancels all orders, or those on one market, that are open when it is asked. Throws what kept it from some of them, with what
   * it did cancel in the details (contract.md 5).
   */
  async cancelAll(
    caller: ApiKeyPrincipal,
    exchange: Exchange,
    { market_id }: CancelQueryDto,
  ): Promise<CancelledOrdersDto> {
    checkFieldId(exchange, 'market', 'market_id', market_id);
    const trading = await this.credentials.trading(caller.userId, exchange);
    const { failure, ...report } = await trading.cancelAllOrders({ market_id });
    await this.journal.noteCancelled(caller, exchange.id, report.cancelled);
    if (failure !== undefined) throw incomplete(failure, report);
    return report;
  }
}

/** The same failure, which also says what was cancelled before it, and that there may be more. */
function incomplete(failure: AppError, { cancelled, not_cancelled }: CancelledOrdersDto): AppError {
  const { code, message, details, retryable, retryAfterSeconds, status, headers } = failure;
  const told = `${message} What was cancelled is in details.cancelled; other orders may still rest: repeat the call.`;
  return new AppError(code, told, {
    details: { ...details, cancelled, not_cancelled },
    retryable,
    status,
    headers,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    cause: failure,
  });
}
