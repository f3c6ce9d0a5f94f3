import { Injectable } from '@nestjs/common';
import { monotonicFactory } from 'ulid';
import { currentRequest } from '../platform/http/request-context.js';
import { ActivityRepository, type RecordedEvent, type StoredEvent } from './activity.repository.js';
import type { SecurityEvent } from './activity.types.js';
import { OwnerNotices } from './owner-notices.js';

const MAX_USER_AGENT = 512;
const nextId = monotonicFactory();

/** The append-only record of what happened to accounts (S-41). */
@Injectable()
export class ActivityService {
  constructor(
    private readonly events: ActivityRepository,
    private readonly notices: OwnerNotices,
  ) {}

  /** Writes one event, in the transaction of the change that it tells of, and lets its owner know where that matters. */
  async record(event: SecurityEvent): Promise<void> {
    const stored = storedOf(event);
    await this.events.insert([stored]);
    if (event.isPart !== true) await this.notices.tell(stored);
  }

  /** Writes events of which no owner is told, in one statement. */
  async recordAll(events: readonly SecurityEvent[]): Promise<void> {
    if (events.length > 0) await this.events.insert(events.map(storedOf));
  }

  /** The details of what is recorded of one user and exchange already, of those events that have all of `members`. */
  async find(event: RecordedEvent, members: Readonly<Record<string, string>>): Promise<StoredEvent['details'][]> {
    return this.events.findDetails(event, members);
  }
}

function storedOf(event: SecurityEvent): Omit<StoredEvent, 'createdAt'> {
  const { type, userId, keyPrefix = null, exchange = null, details = {} } = event;
  return { id: `evt_${nextId()}`, type, userId, keyPrefix, exchange, details, ...originOf(event) };
}

function originOf({ origin = currentRequest() }: SecurityEvent): Pick<StoredEvent, 'ip' | 'userAgent' | 'requestId'> {
  if (origin === undefined) return { ip: '', userAgent: '', requestId: null };
  return { ip: origin.ip, userAgent: origin.userAgent.slice(0, MAX_USER_AGENT), requestId: origin.id };
}
