import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { AuthenticatedText } from '../platform/crypto/authenticated-text.js';
import { badField } from '../platform/errors/app-error.js';
import { ActivityRepository, type StoredActivityEvent } from './activity.repository.js';
import { ACTIVITY_TYPES } from './activity-event.js';

const CURSOR = z.object({
  list: z.literal('activity'),
  user: z.string(),
  bot: z.string().nullable().default(null),
  at: z.string(),
  id: z.string(),
});

/** A page of events, newest first. */
export interface ActivityPage {
  readonly events: readonly StoredActivityEvent[];
  readonly nextCursor: string | null;
}

/** Which page of which events. */
interface ActivityQuery {
  readonly limit: number;
  readonly cursor: string | undefined;
  /** Null for all events. */
  readonly botId: string | null;
}

/** The activity that users see of their own accounts, page by page; a cursor is bound to its user (contract.md 5). */
@Injectable()
export class ActivityPages {
  constructor(
    private readonly events: ActivityRepository,
    private readonly texts: AuthenticatedText,
  ) {}

  /** Of all, or of one bot. Throws `bad_request` for a cursor that was not made for this user and bot. */
  async read(userId: string, { limit, cursor, botId }: ActivityQuery): Promise<ActivityPage> {
    const after = cursor === undefined ? null : this.#lastOf(userId, botId, cursor);
    const found = await this.events.list(userId, limit + 1, { types: ACTIVITY_TYPES, botId, after });
    const events = found.slice(0, limit);
    const last = found.length > limit ? events.at(-1) : undefined;
    return { events, nextCursor: last === undefined ? null : this.#cursor(userId, botId, last) };
  }

  #cursor(user: string, bot: string | null, { createdAt, id }: StoredActivityEvent): string {
    return this.texts.encode({ list: 'activity', user, bot, at: createdAt.toISOString(), id });
  }

  /** The last event of the page before. */
  #lastOf(userId: string, botId: string | null, cursor: string): { createdAt: string; id: string } {
    const parsed = CURSOR.safeParse(this.texts.decode(cursor));
    if (!parsed.success || parsed.data.user !== userId || parsed.data.bot !== botId) {
      throw badField('cursor', 'must be the next_cursor of this list');
    }
    return { createdAt: parsed.data.at, id: parsed.data.id };
  }
}
