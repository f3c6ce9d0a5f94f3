import { createHash } from 'node:crypto';
import pg from 'pg';
import { DATABASE_URL, KEY_CACHE_MS } from './settings.mjs';

const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 10 });
const known = new Map();

/** The user of an API key, read from the database at most once a second; null where it is unknown or revoked. */
async function userOf(key) {
  const digest = createHash('sha256').update(key).digest('base64');
  const entry = known.get(digest);
  if (entry !== undefined && entry.until > Date.now()) return entry.user;
  const text = 'SELECT user_id AS id, scopes FROM bench_keys WHERE hash = $1 AND revoked_at IS NULL';
  const { rows } = await pool.query(text, [digest]);
  const user = rows[0] ?? null;
  known.set(digest, { user, until: Date.now() + KEY_CACHE_MS });
  return user;
}

/** Express middleware: 401 without a key that is known, else `request.user`. */
export async function checkKey(request, response, next) {
  const [scheme, key] = request.headers.authorization?.split(' ') ?? [];
  const user = scheme === 'Bearer' && key !== undefined ? await userOf(key) : null;
  if (user === null) {
    response.status(401).json({ error: { code: 'unauthorized', message: 'Give a valid API key.' } });
    return;
  }
  request.user = user;
  next();
}
