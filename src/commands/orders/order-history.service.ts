import { Injectable } from '@nestjs/common';
import { CredentialsService } from '../../credentials/credentials.service.js';
import type { Page } from '../../exchanges/paging.contract.js';
import type { Trading } from '../../exchanges/trading.contract.js';
import { ExchangeRegistry } from '../../exchanges/exchange.registry.js';
import type { OrderDto } from '../../exchanges/unified.trading.dto.js';
import { SealBrokenError } from '../../platform/crypto/crypto.service.js';
import { AppError } from '../../platform/errors/app-error.js';
import { requestTime } from '../../platform/http/request-context.js';
import { withCallContext } from '../../platform/upstream/call-context.js';
import { OrderNotes } from '../../proxy/orders/order-notes.js';
import { LedgerHistory, type OrderRecord } from './ledger-history.repository.js';
import { type OrderStep, stepOfFailure, stepOfNameless, stepOfOrder, stepsOfRecord } from './order-steps.js';

const PAGE = 100;
const MOST_PAGES = 10;

/** All that is known of one order, in time order. */
export interface OrderHistory {
  readonly userId: string;
  readonly exchange: string;
  readonly orderId: string | null;
  readonly clientOrderId: string | null;
  readonly steps: readonly OrderStep[];
}

interface Named {
  readonly userId: string;
  readonly exchange: string;
  readonly orderId: string | null;
  readonly clientOrderId: string | null;
}

/** Finds the whole life of orders for the operator, whoever owns them (`npm run orders`, contract.md 8.1). */
@Injectable()
export class OrderHistoryService {
  constructor(
    private readonly records: LedgerHistory,
    private readonly notes: OrderNotes,
    private readonly credentials: CredentialsService,
    private readonly exchanges: ExchangeRegistry,
  ) {}

  /** The orders with this order id, client order id or request id, at most 50: what the ledger knows of them. */
  async find(id: string): Promise<OrderHistory[]> {
    const ids = [...new Set([id, id.toLowerCase()])];
    const requestedAt = requestTime(id);
    const found = requestedAt === null ? await this.records.find(ids) : await this.records.findAsked(ids, requestedAt);
    const histories: OrderHistory[] = [];
    for (const record of found) {
      if (!histories.some((history) => isSame(history, record))) histories.push(await this.#complete(record));
    }
    return histories;
  }

  /** Reads the current state of an order at the exchange with its owner's credentials. An order without a name is not read. */
  async ask(history: OrderHistory): Promise<OrderStep> {
    const { userId, exchange: id, orderId, clientOrderId } = history;
    if (!hasName(history)) return stepOfNameless(new Date());
    try {
      const exchange = this.exchanges.get(id);
      const order = await withCallContext({ caller: userId, fresh: true }, async () => {
        const trading = await this.credentials.trading(userId, exchange);
        if (orderId === null) return findListed(trading, clientOrderId);
        return trading.getOrder(orderId, () => this.notes.find(userId, id, orderId));
      });
      return stepOfOrder(order, new Date());
    } catch (error) {
      if (error instanceof AppError) return stepOfFailure(error, new Date());
      if (!(error instanceof SealBrokenError)) throw error;
      const broken = new AppError('internal_error', 'What its owner has stored does not open: see npm run keys:check.');
      return stepOfFailure(broken, new Date());
    }
  }

  /** All rows of an order, which may have been asked for more than once. */
  async #complete(record: OrderRecord): Promise<OrderHistory> {
    const { userId, exchange, orderId, clientOrderId } = record;
    const ids = [orderId, clientOrderId].filter((name) => name !== null);
    const named = ids.length === 0 ? [record] : await this.records.find(ids);
    const steps = named.filter((other) => isSame(record, other) || other === record).flatMap(stepsOfRecord);
    const sorted = steps.sort((one, other) => one.at.getTime() - other.at.getTime());
    return { userId, exchange, orderId, clientOrderId, steps: sorted };
  }
}

/** An order has a name from its first sending on. */
function hasName({ orderId, clientOrderId }: Pick<Named, 'orderId' | 'clientOrderId'>): boolean {
  return orderId !== null || clientOrderId !== null;
}

/** Whether a name is one of the order's. */
function isSame(history: Named, { userId, exchange, orderId, clientOrderId }: Named): boolean {
  if (history.userId !== userId || history.exchange !== exchange) return false;
  if (orderId !== null && history.orderId !== null) return history.orderId === orderId;
  return clientOrderId !== null && history.clientOrderId === clientOrderId;
}

/** Finds an order of which only the client order id is known. Throws `not_found` where the newest of the lists do not show it. */
async function findListed(trading: Trading, clientOrderId: string | null): Promise<OrderDto> {
  for (const status of ['open', 'closed'] as const) {
    let cursor: string | null = null;
    for (let page = 0; page < MOST_PAGES; page += 1) {
      const { items, next }: Page<OrderDto> = await trading.listOrders({ status }, { limit: PAGE, cursor });
      const found = items.find((order) => order.client_order_id !== null && order.client_order_id === clientOrderId);
      if (found !== undefined) return found;
      if (next === null) break;
      cursor = next;
    }
  }
  throw new AppError('not_found', `The exchange does not show it among the newest ${MOST_PAGES * PAGE} orders.`);
}
