import { Injectable } from '@nestjs/common';
import { monotonicFactory } from 'ulid';
import type { StatementPart } from '../platform/database/statement-part.js';
import { currentRequest } from '../platform/http/request-context.js';
import { Tally } from '../platform/metrics/tally.js';
import { randomFraction } from '../platform/secrets/random.js';
import { ActivityRepository, type StoredActivityEvent } from './activity.repository.js';
import type { ActivityEvent } from './activity-event.js';
import { OwnerNotices } from './owner-notices.js';

export type { ActivityEvent } from './activity-event.js';
export type { StoredActivityEvent } from './activity.repository.js';

const MAX_USER_AGENT = 512;
const nextId = monotonicFactory(randomFraction);

/** Activity: the append-only record of what happened to accounts (S-41). */
@Injectable()
export class ActivityService {
  /** What this process records, by type; also what is rolled back later. */
  readonly recorded = new Tally(['type']);

  constructor(
    private readonly events: ActivityRepository,
    private readonly notices: OwnerNotices,
  ) {}

  /** Records one event, in the transaction of its change, and asks for a notice to its owner where it is worth one. */
  async record(event: ActivityEvent): Promise<void> {
    const stored = storedOf(event);
    this.recorded.count(event.type);
    await this.events.insert([stored]);
    if (event.isPart !== true) await this.notices.request(stored);
  }

  /** Records events that are worth no notice, in one statement. */
  async recordAll(events: readonly ActivityEvent[]): Promise<void> {
    for (const { type } of events) this.recorded.count(type);
    if (events.length > 0) await this.events.insert(events.map(storedOf));
  }

  /**
   * Does a change of another feature, and records an event that is worth no notice exactly where the change returns a row, in one
   * statement; returns whether it does.
   */
  async recordWith(change: StatementPart, event: ActivityEvent): Promise<boolean> {
    const isRecorded = await this.events.insertWith(change, storedOf(event));
    if (isRecorded) this.recorded.count(event.type);
    return isRecorded;
  }

  /** The details of the notes that an order of the user was made with, by an id of it, oldest first. */
  async findOrderNotes(
    userId: string,
    exchange: string,
    named: 'order_id' | 'client_order_id',
    id: string,
  ): Promise<StoredActivityEvent['details'][]> {
    return this.events.findOrderNotes(userId, exchange, named, id);
  }

  /** The details of the notes of the user's transfers with this client transfer id, oldest first. */
  async findTransferNotes(
    userId: string,
    exchange: string,
    clientTransferId: string,
  ): Promise<StoredActivityEvent['details'][]> {
    return this.events.findTransferNotes(userId, exchange, clientTransferId);
  }

  /** The market that an order of the user was noted with when it was made; null where none is known (contract.md 9). */
  async findOrderMarket(userId: string, exchange: string, orderId: string): Promise<string | null> {
    return this.events.findOrderMarket(userId, exchange, orderId);
  }

  /** As `ActivityRepository.findOrderEvents`, for the operator. */
  async findOrderEvents(ids: readonly string[], from: Date, until: Date): Promise<StoredActivityEvent[]> {
    return this.events.findOrderEvents(ids, from, until);
  }

  /** The events of a user's orders with one of the ids, oldest first. */
  async listOfOrder(userId: string, exchange: string, ids: readonly string[]): Promise<StoredActivityEvent[]> {
    return this.events.listOfOrder(userId, exchange, ids);
  }

  /** Whether an order of the user is noted as cancelled. */
  wasOrderCancelled(userId: string, exchange: string, orderId: string): Promise<boolean> {
    return this.events.wasOrderCancelled(userId, exchange, orderId);
  }

  /** The details that the user's transfers with these ids were noted with (contract.md 9). */
  async findTransfers(
    userId: string,
    exchange: string,
    transferIds: readonly string[],
  ): Promise<StoredActivityEvent['details'][]> {
    return this.events.findTransfers(userId, exchange, transferIds);
  }
}

function storedOf(event: ActivityEvent): Omit<StoredActivityEvent, 'createdAt'> {
  const { type, userId, keyPrefix = null, exchange = null, details = {} } = event;
  return { id: `evt_${nextId()}`, type, userId, keyPrefix, exchange, details, ...originOf(event) };
}

function originOf({
  origin = currentRequest(),
}: ActivityEvent): Pick<StoredActivityEvent, 'ip' | 'userAgent' | 'requestId'> {
  if (origin === undefined) return { ip: '', userAgent: '', requestId: null };
  return { ip: origin.ip, userAgent: origin.userAgent.slice(0, MAX_USER_AGENT), requestId: origin.id };
}
