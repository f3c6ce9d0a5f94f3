import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { AuthenticatedText } from '../platform/crypto/authenticated-text.js';
import { badField } from '../platform/errors/app-error.js';
import { type ActivityFilter, ActivityRepository, type StoredActivityEvent } from './activity.repository.js';
import { ACTIVITY_TYPES } from './activity-event.js';

const CURSOR = z.object({
  list: z.literal('activity'),
  user: z.string(),
  bot: z.string().nullable().default(null),
  order: z.string().nullable().default(null),
  at: z.string(),
  id: z.string(),
});

type CursorScope = Omit<z.infer<typeof CURSOR>, 'at' | 'id'>;

/** A page of events, newest first. */
export interface ActivityPage {
  readonly events: readonly StoredActivityEvent[];
  readonly nextCursor: string | null;
}

/** Which page of which events. */
interface ActivityQuery extends ActivityFilter {
  readonly limit: number;
  readonly cursor: string | undefined;
}

/** The activity that users see of their own accounts, page by page; a cursor is bound to its user (contract.md 5). */
@Injectable()
export class ActivityPages {
  constructor(
    private readonly events: ActivityRepository,
    private readonly texts: AuthenticatedText,
  ) {}

  /** Of all, of one bot, of one order. Throws `bad_request` for a cursor that was not made for this user and these filters. */
  async read(userId: string, { limit, cursor, botId, orderId }: ActivityQuery): Promise<ActivityPage> {
    const scope = { list: 'activity', user: userId, bot: botId, order: orderId } as const;
    const after = cursor === undefined ? null : this.#lastOf(scope, cursor);
    const found = await this.events.list(userId, limit + 1, { types: ACTIVITY_TYPES, botId, orderId, after });
    const events = found.slice(0, limit);
    const last = found.length > limit ? events.at(-1) : undefined;
    return { events, nextCursor: last === undefined ? null : this.#cursor(scope, last) };
  }

  #cursor(scope: CursorScope, { createdAt, id }: StoredActivityEvent): string {
    return this.texts.encode({ ...scope, at: createdAt.toISOString(), id });
  }

  /** The last event of the page before. */
  #lastOf(scope: CursorScope, cursor: string): { createdAt: string; id: string } {
    const parsed = CURSOR.safeParse(this.texts.decode(cursor));
    if (parsed.success) {
      const { at, id, ...made } = parsed.data;
      if (isDeepStrictEqual(made, scope)) return { createdAt: at, id };
    }
    throw badField('cursor', 'must be the next_cursor of this list');
  }
}
