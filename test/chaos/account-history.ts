import request, { type Response } from 'supertest';
import { get, post, refresh, refreshOf, type SignedIn, signUp } from '../support/calls.js';
import { sql } from '../support/rows.js';
import { anEmail, WALLET } from '../support/users.js';
import { holds, outcome, type Place, same, settled } from './outcome.js';

/** Four writes to one person's account at once, what was answered, and whether that is so afterwards. */
export class AccountHistory {
  private constructor(
    private readonly person: SignedIn,
    private readonly newEmail: string,
    private readonly wallet: string,
    private readonly answers: Readonly<Record<'refreshed' | 'key' | 'signedUp' | 'stored', Response | null>>,
  ) {}

  /** `index` makes the wallet that is stored. */
  static async write(app: Place, person: SignedIn, index: number): Promise<AccountHistory> {
    const newEmail = anEmail();
    const wallet = `0x${String(index).padStart(40, '0')}`;
    const put = request(app.url).put('/account/credentials/polymarket').auth(person.token, { type: 'bearer' });
    const [refreshed, key, signedUp, stored] = await Promise.all([
      outcome(refresh(app, person.refresh)),
      outcome(post(app, '/account/api-keys', {}, person.token)),
      outcome(signUp(app, newEmail)),
      outcome(put.send({ ...WALLET, wallet_address: wallet })),
    ]);
    return new AccountHistory(person, newEmail, wallet, { refreshed, key, signedUp, stored });
  }

  /** How many of its writes nobody knows the end of. */
  get open(): number {
    return Object.values(this.answers).filter((answer) => settled(answer) === null).length;
  }

  /** Throws where something acknowledged is lost, or something is there by half. */
  async check(app: Place): Promise<void> {
    await this.#checkRefresh(app);
    await this.#checkKey(app);
    await this.#checkSignUp(app);
    await this.#checkCredentials(app);
  }

  /** How much of what writes an event is there. */
  async written(app: Place): Promise<Readonly<Record<'keys' | 'signUps' | 'credentials', number>>> {
    return {
      keys: await count(app, 'SELECT 1 FROM api_keys WHERE user_id = $1', this.person.id),
      signUps: await count(app, 'SELECT 1 FROM pending_signups WHERE email = $1', this.newEmail),
      credentials: await count(app, 'SELECT 1 FROM exchange_credentials WHERE user_id = $1', this.person.id),
    };
  }

  async #checkRefresh(app: Place): Promise<void> {
    const { person } = this;
    const refreshed = settled(this.answers.refreshed);
    const rotations = `SELECT 1 FROM refresh_rotations r JOIN sessions s ON s.id = r.session_id WHERE s.user_id = $1`;
    const before = await count(app, rotations, person.id);
    same(before <= 1, true);
    const again = await refresh(app, person.refresh);
    same(again.status, 200);
    if (refreshed !== null) same([refreshed.status, refreshOf(refreshed)], [200, refreshOf(again)]);
    same(await count(app, rotations, person.id), 1);
  }

  async #checkKey(app: Place): Promise<void> {
    const { person } = this;
    const key = settled(this.answers.key);
    const keys = await count(app, 'SELECT 1 FROM api_keys WHERE user_id = $1 AND revoked_at IS NULL', person.id);
    same(keys <= 1, true);
    same(await count(app, eventsOf('api_key_created'), person.id), keys);
    if (key === null) return;
    same([key.status, (await get(app, '/me', (key.body as { key: string }).key)).status], [201, 200]);
  }

  async #checkSignUp(app: Place): Promise<void> {
    const { newEmail } = this;
    const signedUp = settled(this.answers.signedUp);
    const waiting = await sql<{ id: string }>(app, 'SELECT id FROM pending_signups WHERE email = $1', [newEmail]);
    same(waiting.length <= 1, true);
    same(await count(app, 'SELECT 1 FROM mail_outbox WHERE recipient = $1', newEmail), waiting.length);
    if (waiting[0] !== undefined) same(await count(app, eventsOf('signup'), waiting[0].id), 1);
    if (signedUp === null) return;
    same([signedUp.status, (signedUp.body as { user_id: string }).user_id], [201, waiting[0]?.id]);
  }

  async #checkCredentials(app: Place): Promise<void> {
    const { person, wallet } = this;
    const stored = settled(this.answers.stored);
    const owned = `SELECT 1 FROM exchange_credentials WHERE exchange = 'polymarket' AND user_id = $1`;
    const rows = await count(app, owned, person.id);
    same(await count(app, eventsOf('credentials_stored'), person.id), rows);
    const body: unknown = (await get(app, '/account/credentials', person.token)).body;
    const whole = rows === 1 ? { configured: true, wallet_address: wallet } : { configured: false };
    holds(body, { exchanges: { polymarket: whole } });
    if (stored !== null) same([stored.status, rows], [200, 1]);
  }
}

const eventsOf = (type: string): string => `SELECT 1 FROM security_events WHERE type = '${type}' AND user_id = $1`;

/** Rows of one statement about a person or an address. */
async function count(app: Place, statement: string, value: string): Promise<number> {
  return (await sql(app, statement, [value])).length;
}

/** What no kill may leave behind, in all rows: each statement finds nothing. */
export const BROKEN_INVARIANTS: Readonly<Record<string, string>> = {
  'two users of one address': 'SELECT lower(email) FROM users GROUP BY lower(email) HAVING count(*) > 1',
  'two keys of one user': 'SELECT user_id FROM api_keys WHERE revoked_at IS NULL GROUP BY user_id HAVING count(*) > 1',
  'credentials of nobody':
    'SELECT 1 FROM exchange_credentials c LEFT JOIN users u ON u.id = c.user_id WHERE u.id IS NULL',
  'two active tokens of one family':
    'SELECT r.session_id FROM refresh_rotations r LEFT JOIN refresh_rotations n ON n.parent_hash = r.successor_hash ' +
    'WHERE n.parent_hash IS NULL GROUP BY r.session_id HAVING count(*) > 1',
};
