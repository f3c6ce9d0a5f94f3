import type pg from 'pg';
import { ulid } from 'ulid';
import type { CryptoService } from '../../platform/crypto/crypto.service.js';

const SEALED_TABLES = ['exchange_credentials', 'session_keys'];

/** Of an older version some tables are not there yet. */
async function isThere(client: pg.Client, table: string): Promise<boolean> {
  const { rowCount } = await client.query('SELECT 1 WHERE to_regclass($1) IS NOT NULL', [table]);
  return rowCount === 1;
}

async function listUsedKeys(client: pg.Client): Promise<string[]> {
  const ids = new Set<string>();
  for (const table of SEALED_TABLES) {
    if (!(await isThere(client, table))) continue;
    const statement = `SELECT DISTINCT key_id FROM ${table}`;
    // eslint-disable-next-line own/constant-sql -- the names of the list above
    const { rows } = await client.query<{ key_id: string }>(statement);
    for (const { key_id } of rows) ids.add(key_id);
  }
  return [...ids].sort();
}

async function listCheckValues(client: pg.Client): Promise<Map<string, Buffer>> {
  if (!(await isThere(client, 'encryption_keys'))) return new Map();
  const { rows } = await client.query<{ key_id: string; check_value: Buffer }>(
    'SELECT key_id, check_value FROM encryption_keys',
  );
  return new Map(rows.map(({ key_id, check_value }) => [key_id, check_value]));
}

/** Throws where `ENCRYPTION_KEYS` lacks a key that restored rows are sealed under, or has another one under its id (S-38). */
export async function checkKeys(client: pg.Client, crypto: CryptoService): Promise<void> {
  const checkValues = await listCheckValues(client);
  const missing = (await listUsedKeys(client)).filter((id) => {
    const known = checkValues.get(id);
    return !crypto.keyIds.includes(id) || (known !== undefined && !crypto.checkValue(id).equals(known));
  });
  if (missing.length === 0) return;
  throw new Error(
    `Nothing was changed: ENCRYPTION_KEYS must hold the keys that this backup's credentials are sealed under, ` +
      `and has not these, or others under these ids: ${missing.join(', ')}.`,
  );
}

/**
 * Takes away what must not come back to life, since it may have ended after the backup: sessions, mailed links, mails that had not left
 * (they left since, or were not to), the right of API keys to trade, and bots, which are halted, also where they were before: one may have
 * been resumed since, and its orders since are not known here. The records of orders that were placed since are gone with their `Idempotency-Key`.
 */
export async function lockUp(client: pg.Client): Promise<void> {
  await client.query('UPDATE sessions SET revoked_at = now() WHERE revoked_at IS NULL');
  await client.query('DELETE FROM account_tokens');
  await client.query(`UPDATE mail_outbox SET done_at = now(), outcome = 'given_up' WHERE done_at IS NULL`);
  if (!(await isThere(client, 'api_keys'))) return;
  await client.query(`UPDATE api_keys SET scopes = '{read}' WHERE revoked_at IS NULL`);
  if (!(await isThere(client, 'bots'))) return;
  const { rows } = await client.query<{ bot_id: string; user_id: string; name: string }>(
    `UPDATE bots SET halted_at = now(), halt_reason = 'restored', halted_by = 'operator', halt_report = NULL, halt_complete_at = NULL,
            halt_tried_at = NULL
      WHERE removed_at IS NULL RETURNING id AS bot_id, user_id, name`,
  );
  const events = rows.map((bot) => ({ ...bot, id: `evt_${ulid()}` }));
  await client.query(
    `INSERT INTO security_events (id, type, user_id, bot_id, ip, user_agent, details)
     SELECT id, 'bot_halted', user_id, bot_id, '', '', jsonb_build_object('name', name, 'reason', 'restored', 'by', 'operator')
       FROM jsonb_to_recordset($1::jsonb) AS event (id text, user_id text, bot_id text, name text)`,
    [JSON.stringify(events)],
  );
}

/**
 * Disables the accounts with these addresses or ids, as `npm run users -- disable` does once their sessions have ended; returns those
 * that the backup does not know.
 */
export async function disableAccounts(client: pg.Client, accounts: readonly string[]): Promise<string[]> {
  const { rows } = await client.query<{ id: string; email: string }>(
    `UPDATE users SET disabled_at = COALESCE(disabled_at, now()), updated_at = now()
      WHERE email = ANY($1) OR id = ANY($1) RETURNING id, email`,
    [accounts],
  );
  const events = rows.map(({ id }) => ({ id: `evt_${ulid()}`, user_id: id }));
  await client.query(
    `INSERT INTO security_events (id, type, user_id, ip, user_agent, details)
     SELECT id, 'account_disabled', user_id, '', '', '{"restore": true}'
       FROM jsonb_to_recordset($1::jsonb) AS event (id text, user_id text)`,
    [JSON.stringify(events)],
  );
  const known = new Set(rows.flatMap(({ id, email }) => [id, email]));
  return accounts.filter((account) => !known.has(account));
}
