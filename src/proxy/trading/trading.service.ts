import { Injectable } from '@nestjs/common';
import type { ApiKeyPrincipal } from '../../access/principal.js';
import { CredentialsService } from '../../credentials/credentials.service.js';
import type { Exchange, Page, Trading } from '../../exchanges/exchange.js';
import type { BalanceDto, CancelledOrderDto, OrderDto } from '../../exchanges/unified.trading.dto.js';
import { outlivingClient } from '../../platform/upstream/call-context.js';
import { validateAs } from '../../platform/http/validation.js';
import { Cursors, type CursorScope, type PageState } from '../paging/cursors.js';
import type { Idempotency } from '../orders/idempotency.decorator.js';
import { OrderJournal } from '../orders/order-journal.js';
import { OrderPlacementService } from '../orders/order-placement.service.js';
import { limitOf, type PagingQueryDto } from '../paging/paging.dto.js';
import { checkFieldId, checkPathId } from '../request/request-ids.js';
import { spanOf } from '../request/query-fields.js';
import type {
  CancelledOrdersDto,
  FillListDto,
  FillsQueryDto,
  OrderListDto,
  OrdersQueryDto,
  PositionListDto,
  PositionsQueryDto,
} from './trading.dto.js';

/** An order as it was asked for. */
interface OrderCall {
  readonly body: unknown;
  readonly idempotency: Idempotency;
}

/** Trading with the caller's own stored credentials (DESIGN 5). */
@Injectable()
export class TradingService {
  constructor(
    private readonly credentials: CredentialsService,
    private readonly placement: OrderPlacementService,
    private readonly journal: OrderJournal,
    private readonly cursors: Cursors,
  ) {}

  async getBalance({ userId }: ApiKeyPrincipal, exchange: Exchange): Promise<BalanceDto> {
    return (await this.#trading(userId, exchange)).getBalance();
  }

  /** Checks the body, prepares the order and sends it once; with a key also once over all repeats (DESIGN 5, R-12, R-14). */
  async createOrder(caller: ApiKeyPrincipal, exchange: Exchange, { body, idempotency }: OrderCall): Promise<OrderDto> {
    const request = await validateAs<object>(exchange.OrderRequest, body);
    exchange.checkOrder?.(request);
    const trading = await this.#trading(caller.userId, exchange);
    const call = { request, trading };
    const { order, origin } = await this.journal.ofCreation(caller, exchange.id, () => {
      if (idempotency.key === undefined) return this.placement.placeOnce(call);
      return this.placement.place({ userId: caller.userId, exchange: exchange.id, key: idempotency.key }, call);
    });
    if (origin === 'replayed') idempotency.markReplayed();
    return order;
  }

  async listOrders({ userId }: ApiKeyPrincipal, exchange: Exchange, query: OrdersQueryDto): Promise<OrderListDto> {
    checkFieldId(exchange, 'market', 'market_id', query.market_id);
    const filters = { status: query.status ?? 'open', market_id: query.market_id };
    exchange.checkOrderFilters?.(filters);
    const list = { exchange: exchange.id, operation: 'orders', filters, userId };
    return this.#page(
      list,
      query,
      async ({ paging }) => (await this.#trading(userId, exchange)).listOrders(filters, paging),
      ({ id }) => id,
    );
  }

  async getOrder({ userId }: ApiKeyPrincipal, exchange: Exchange, orderId: string): Promise<OrderDto> {
    const id = checkPathId(exchange, 'order', orderId);
    return (await this.#trading(userId, exchange)).getOrder(id);
  }

  async cancelOrder(caller: ApiKeyPrincipal, exchange: Exchange, orderId: string): Promise<CancelledOrderDto> {
    const id = checkPathId(exchange, 'order', orderId);
    const trading = await this.#trading(caller.userId, exchange);
    const cancelled = await outlivingClient(() => trading.cancelOrder(id));
    await this.journal.noteCancelled(caller, exchange.id, [cancelled.id]);
    return cancelled;
  }

  async cancelAllOrders(caller: ApiKeyPrincipal, exchange: Exchange): Promise<CancelledOrdersDto> {
    const report = await (await this.#trading(caller.userId, exchange)).cancelAllOrders();
    await this.journal.noteCancelled(caller, exchange.id, report.cancelled);
    return report;
  }

  async listFills({ userId }: ApiKeyPrincipal, exchange: Exchange, query: FillsQueryDto): Promise<FillListDto> {
    checkFieldId(exchange, 'market', 'market_id', query.market_id);
    checkFieldId(exchange, 'order', 'order_id', query.order_id);
    const { market_id, order_id } = query;
    const filters = { market_id, order_id, ...spanOf(query) };
    const list = { exchange: exchange.id, operation: 'fills', filters, userId };
    return this.#page(
      list,
      query,
      async ({ paging }) => (await this.#trading(userId, exchange)).listFills(filters, paging),
      ({ id }) => id,
    );
  }

  async listPositions(
    { userId }: ApiKeyPrincipal,
    exchange: Exchange,
    query: PositionsQueryDto,
  ): Promise<PositionListDto> {
    checkFieldId(exchange, 'market', 'market_id', query.market_id);
    const filters = { market_id: query.market_id };
    const list = { exchange: exchange.id, operation: 'positions', filters, userId };
    return this.#page(
      list,
      query,
      async ({ paging }) => (await this.#trading(userId, exchange)).listPositions(filters, paging),
      ({ market_id, outcome }) => `${market_id}:${outcome.id}`,
    );
  }

  async #page<T extends object>(
    list: CursorScope,
    query: PagingQueryDto,
    read: (from: PageState) => Promise<Page<T>>,
    idOf: (item: T) => string,
  ): Promise<{ data: T[]; next_cursor: string | null }> {
    const from = this.cursors.read(list, limitOf(query), query.cursor);
    const page = await read(from);
    return { data: [...page.items], next_cursor: this.cursors.next(list, from, page, idOf) };
  }

  async #trading(userId: string, exchange: Exchange): Promise<Trading> {
    return exchange.trading(await this.credentials.open(userId, exchange));
  }
}
