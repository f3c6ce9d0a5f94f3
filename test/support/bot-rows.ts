import { createHash, randomUUID } from 'node:crypto';
import { generateApiKey, prefixOf } from '../../src/api-keys/api-key.format.js';
import type { TestApp } from './app.js';

/** A bot of a user, with its key. */
export interface TestBot {
  readonly id: string;
  readonly key: string;
}

/** What a bot may do; what is left out is everything. */
interface BotTerms {
  readonly exchanges?: readonly string[];
  readonly markets?: readonly object[];
}

/** Gives a bot one more key. */
export async function aBotKey({ query }: Pick<TestApp, 'query'>, userId: string, botId: string): Promise<string> {
  const key = generateApiKey();
  const hash = createHash('sha256').update(key).digest();
  await query('INSERT INTO bot_keys (hash, prefix, bot_id, user_id) VALUES ($1, $2, $3, $4)', [
    hash,
    prefixOf(key),
    botId,
    userId,
  ]);
  return key;
}

/** A bot that may trade. */
export async function aBot(
  app: Pick<TestApp, 'query'>,
  userId: string,
  { exchanges, markets }: BotTerms = {},
): Promise<TestBot> {
  const id = `bot_${randomUUID()}`;
  await app.query(
    `INSERT INTO bots (id, user_id, name, scopes, exchanges, markets) VALUES ($1, $2, $1, '{trade}', $3, $4)`,
    [id, userId, exchanges ?? null, markets === undefined ? null : JSON.stringify(markets)],
  );
  return { id, key: await aBotKey(app, userId, id) };
}
