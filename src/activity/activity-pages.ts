import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { AuthenticatedText } from '../platform/crypto/authenticated-text.js';
import { badField } from '../platform/errors/app-error.js';
import { ActivityRepository, type StoredActivityEvent } from './activity.repository.js';
import { ACTIVITY_TYPES } from './activity-event.js';

const CURSOR = z.object({ list: z.literal('activity'), user: z.string(), at: z.string(), id: z.string() });

/** A page of events, newest first. */
export interface ActivityPage {
  readonly events: readonly StoredActivityEvent[];
  readonly nextCursor: string | null;
}

/** The activity that users see of their own accounts, page by page; a cursor is bound to its user (contract.md 5). */
@Injectable()
export class ActivityPages {
  constructor(
    private readonly events: ActivityRepository,
    private readonly texts: AuthenticatedText,
  ) {}

  /** Throws `bad_request` for a cursor that was not made for this user. */
  async read(userId: string, limit: number, cursor: string | undefined): Promise<ActivityPage> {
    const after = cursor === undefined ? null : this.#lastOf(userId, cursor);
    const found = await this.events.list(userId, limit + 1, { types: ACTIVITY_TYPES, after });
    const events = found.slice(0, limit);
    const last = found.length > limit ? events.at(-1) : undefined;
    return { events, nextCursor: last === undefined ? null : this.#cursor(userId, last) };
  }

  #cursor(user: string, { createdAt, id }: StoredActivityEvent): string {
    return this.texts.encode({ list: 'activity', user, at: createdAt.toISOString(), id });
  }

  /** The last event of the page before. */
  #lastOf(userId: string, cursor: string): { createdAt: string; id: string } {
    const parsed = CURSOR.safeParse(this.texts.decode(cursor));
    if (!parsed.success || parsed.data.user !== userId)
      throw badField('cursor', 'must be the next_cursor of this list');
    return { createdAt: parsed.data.at, id: parsed.data.id };
  }
}
