import { Injectable } from '@nestjs/common';
import { decodeTime } from 'ulid';
import { ActivityService, type StoredActivityEvent } from '../../activity/activity.service.js';
import { CredentialsService } from '../../credentials/credentials.service.js';
import type { Page, Trading } from '../../exchanges/exchange.js';
import { ExchangeRegistry } from '../../exchanges/exchange.registry.js';
import type { OrderDto } from '../../exchanges/unified.trading.dto.js';
import { SealBrokenError } from '../../platform/crypto/crypto.service.js';
import { AppError } from '../../platform/errors/app-error.js';
import { withCallContext } from '../../platform/upstream/call-context.js';
import { OrderHistoryRepository, type OrderRecord } from './order-history.repository.js';
import { OrderJournal } from './order-journal.js';
import {
  type OrderStep,
  stepOfEvent,
  stepOfFailure,
  stepOfNameless,
  stepOfOrder,
  stepsOfRecord,
} from './order-steps.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Activity is read back in windows of this, in ms, so that each statement ends in time. */
const WINDOW_MS = 6 * HOUR_MS;
/** As far back as activity is kept (S-41). */
const KEPT_MS = 401 * DAY_MS;
/** Between the clock that an id was made by and that of the database, in ms. */
const CLOCK_SLACK_MS = HOUR_MS;
/** A request that cancelled more orders shows the first of them. */
const MOST_ORDERS = 50;
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

/** Finds the whole life of orders for the operator, whoever owns them (`npm run orders`, contract.md 9). */
@Injectable()
export class OrderHistoryService {
  constructor(
    private readonly records: OrderHistoryRepository,
    private readonly activity: ActivityService,
    private readonly journal: OrderJournal,
    private readonly credentials: CredentialsService,
    private readonly exchanges: ExchangeRegistry,
  ) {}

  /** The orders with this order id, client order id or request id, at most 50: what their records and activity know of them. */
  async find(id: string): Promise<OrderHistory[]> {
    const ids = [...new Set([id, id.toLowerCase()])];
    const records = await this.records.find(ids);
    const events = await this.#findEvents(id, ids);
    const histories: OrderHistory[] = [];
    for (const named of [...records, ...events.flatMap(namesOf)].filter(hasName)) {
      const isKnown = histories.some((history) => isSame(history, named));
      if (!isKnown && histories.length < MOST_ORDERS) histories.push(await this.#complete(named));
    }
    const nameless = records.filter((record) => !hasName(record));
    return [...histories, ...nameless.map((record) => ({ ...record, steps: stepsOfRecord(record) }))];
  }

  /** Asks the exchange how an order stands now, with its owner's credentials and by reads alone; nothing of one without a name. */
  async ask(history: OrderHistory): Promise<OrderStep> {
    const { userId, exchange: id, orderId, clientOrderId } = history;
    if (!hasName(history)) return stepOfNameless(new Date());
    try {
      const exchange = this.exchanges.get(id);
      const order = await withCallContext({ caller: userId, fresh: true }, async () => {
        const trading = await this.credentials.trading(userId, exchange);
        if (orderId === null) return findListed(trading, clientOrderId);
        return trading.getOrder(orderId, () => this.journal.marketOf(userId, id, orderId));
      });
      return stepOfOrder(order, new Date());
    } catch (error) {
      if (error instanceof AppError) return stepOfFailure(error, new Date());
      if (!(error instanceof SealBrokenError)) throw error;
      const broken = new AppError('internal_error', 'What its owner has stored does not open: see npm run keys:check.');
      return stepOfFailure(broken, new Date());
    }
  }

  /** Events that name one of the ids: of a request those around the time in its id, else the newest window that has any. */
  async #findEvents(id: string, ids: readonly string[]): Promise<StoredActivityEvent[]> {
    const requestedAt = timeIn(id);
    const now = Date.now() + CLOCK_SLACK_MS;
    if (requestedAt !== null) {
      const from = new Date(requestedAt - CLOCK_SLACK_MS);
      return this.activity.findOrderEvents(ids, from, new Date(requestedAt + CLOCK_SLACK_MS));
    }
    for (let until = now; until > now - KEPT_MS; until -= WINDOW_MS) {
      const events = await this.activity.findOrderEvents(ids, new Date(until - WINDOW_MS), new Date(until));
      if (events.length > 0) return events;
    }
    return [];
  }

  /** Reads all of an order by its names, and by those that are learned from what was read. */
  async #complete(named: Named): Promise<OrderHistory> {
    const { userId, exchange } = named;
    let names = named;
    let [records, events]: [OrderRecord[], StoredActivityEvent[]] = [[], []];
    for (let known = ''; known !== keyOf(names);) {
      known = keyOf(names);
      const ids = [names.orderId, names.clientOrderId].filter((name) => name !== null);
      const found = await this.records.find(ids);
      records = found.filter((record) => record.userId === userId && record.exchange === exchange);
      events = await this.activity.listOfOrder(userId, exchange, ids);
      names = merged(names, [...records, ...events.flatMap(namesOf)]);
    }
    const steps = [...records.flatMap(stepsOfRecord), ...events.map(stepOfEvent)];
    return { ...names, steps: steps.sort((one, other) => one.at.getTime() - other.at.getTime()) };
  }
}

function keyOf({ orderId, clientOrderId }: Named): string {
  return JSON.stringify([orderId, clientOrderId]);
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

function namesOf({ userId, exchange, details }: StoredActivityEvent): Named[] {
  if (userId === null || exchange === null) return [];
  return [{ userId, exchange, orderId: textIn(details.order_id), clientOrderId: textIn(details.client_order_id) }];
}

function textIn(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** The names of an order, with those that others of the same order have. */
function merged(named: Named, others: readonly Named[]): Named {
  const { userId, exchange } = named;
  const orderId = named.orderId ?? others.find((other) => isSame(named, other) && other.orderId !== null)?.orderId;
  const all = { userId, exchange, orderId: orderId ?? null, clientOrderId: named.clientOrderId };
  const clientOrderId = all.clientOrderId ?? others.find((other) => other.orderId === orderId)?.clientOrderId ?? null;
  return { ...all, clientOrderId };
}

/** The time in the id of a request; null for any other id. */
function timeIn(id: string): number | null {
  if (!/^req_[0-9A-Z]{26}$/.test(id)) return null;
  try {
    return decodeTime(id.slice('req_'.length));
  } catch {
    return null;
  }
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
