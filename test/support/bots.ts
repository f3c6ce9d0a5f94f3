import type { Response } from 'supertest';
import type { TestApp } from './app.js';
import { post } from './calls.js';
import type { TestUser } from './users.js';

/** What tests read of a bot. */
export interface ShownBot {
  readonly id: string;
  readonly name: string;
  readonly state: string;
  readonly halted: {
    readonly at: string;
    readonly reason: string;
    readonly by: string;
    readonly complete: boolean;
  } | null;
  readonly keys: readonly { readonly prefix: string; readonly valid_until: string | null }[];
  readonly [field: string]: unknown;
}

export const BOTS = '/account/bots';

let made = 0;

/** Makes a bot that trades. */
export async function aBot(
  app: Pick<TestApp, 'url'>,
  { token }: Pick<TestUser, 'token'>,
  terms: object = {},
): Promise<{ readonly id: string; readonly key: string; readonly bot: ShownBot }> {
  made += 1;
  const answer = await post(app, BOTS, { name: `bot ${made}`, scopes: ['trade'], ...terms }, token);
  if (answer.status !== 201) throw new Error(`making a bot answered ${answer.status}: ${answer.text}`);
  const { bot, key } = answer.body as { bot: ShownBot; key: string };
  return { id: bot.id, key, bot };
}

/** Status, code and reason of an answer. */
export function outcome({ status, body }: Response): unknown[] {
  const { error } = body as { error?: { code: string; details?: { reason?: string } } | null };
  return error === undefined || error === null ? [status] : [status, error.code, error.details?.reason];
}
