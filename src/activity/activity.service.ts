import { Injectable } from '@nestjs/common';
import { monotonicFactory } from 'ulid';
import { currentRequest } from '../platform/http/request-context.js';
import { Tally } from '../platform/metrics/tally.js';
import { randomFraction } from '../platform/secrets/random.js';
import { ActivityRepository, jsonOf, type StoredActivityEvent } from './activity.repository.js';
import type { ActivityEvent } from './activity-event.js';
import { OwnerNotices } from './owner-notices.js';

export type { ActivityEvent } from './activity-event.js';

const MAX_USER_AGENT = 512;
const nextId = monotonicFactory(randomFraction);

/** Activity: the append-only record of what happened to accounts (S-41). */
@Injectable()
export class ActivityService {
  /** Counts the events that this process records, by type. An event counts although its transaction is rolled back later. */
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

  /**
   * Records an event that a user can cause at any rate. Nobody may delete events, so at most one an hour is recorded
   * for each user and reason.
   */
  async recordHourly(event: ActivityEvent & { readonly userId: string }, reason: string): Promise<void> {
    if (await this.events.isRecent(event.userId, event.type, reason)) return;
    await this.record({ ...event, details: { ...event.details, reason } });
  }

  /** Records that a limit refused an order of a bot: at most once a minute for a bot and limit. */
  async recordLimit(event: ActivityEvent & { readonly botId: string }, limit: string): Promise<void> {
    if (await this.events.isLimitRecent(event.botId, limit)) return;
    await this.record({ ...event, details: { ...event.details, limit } });
  }

  /**
   * Records a sign-up whose address nobody has proved: strangers make any number, so it is kept for 31 days unless it is proved
   * (S-41).
   */
  async recordSignUp(userId: string): Promise<void> {
    await this.record({ type: 'signup', userId });
    await this.events.noteUnproved(userId);
  }

  /** Records events that are worth no notice, in one statement. */
  async recordAll(events: readonly ActivityEvent[]): Promise<void> {
    for (const { type } of events) this.recorded.count(type);
    if (events.length > 0) await this.events.insert(events.map(storedOf));
  }

  /**
   * Returns events without a notice as the parameter with which the statement of their change calls `note_activity`
   * (S-41). The events are counted here, even if that statement does not record them.
   */
  prepare(...events: readonly ActivityEvent[]): string {
    for (const { type } of events) this.recorded.count(type);
    return jsonOf(events.map(storedOf));
  }

  /** Returns the ids of users with an event of one of the types since a time, for the operator. */
  async findUserIds(types: readonly ActivityEvent['type'][], since: Date): Promise<string[]> {
    return this.events.findUserIds(types, since);
  }

  /** Returns the ids, the exchange's and the client's, of orders that a request of this time made, changed or cancelled, as far as it is noted. */
  async findOrderIds(userId: string, requestId: string, at: Date): Promise<string[]> {
    return this.events.findOrderIds(userId, requestId, at);
  }
}

function storedOf(event: ActivityEvent): Omit<StoredActivityEvent, 'createdAt'> {
  const { type, userId, keyPrefix = null, sessionId = null, botId = null, exchange = null } = event;
  const details = { ...event.details, ...claimOf(event) };
  const id = `evt_${nextId()}`;
  return { id, type, userId, keyPrefix, sessionId, botId, exchange, details, ...originOf(event) };
}

/** Which client of an agent did it, as it says itself. */
function claimOf({ origin = currentRequest() }: ActivityEvent): { readonly claimed_client?: string } {
  return origin?.claimedClient === undefined ? {} : { claimed_client: origin.claimedClient };
}

function originOf({
  origin = currentRequest(),
}: ActivityEvent): Pick<StoredActivityEvent, 'ip' | 'userAgent' | 'requestId'> {
  if (origin === undefined) return { ip: '', userAgent: '', requestId: null };
  return { ip: origin.ip, userAgent: origin.userAgent.slice(0, MAX_USER_AGENT), requestId: origin.id };
}
