import { Injectable } from '@nestjs/common';
import { Transactions } from '../platform/database/transactions.js';

/**
 * What is over, by table: ended sessions stay 30 days so that their spent tokens are still known, sign-ups that nobody
 * verified 7 days, devices as long as they count (S-21, S-25).
 */
const OVER: Readonly<Record<string, { readonly key: string; readonly condition: string }>> = {
  sessions: {
    key: 'id',
    condition: `expires_at < now() - interval '1 day' OR revoked_at < now() - interval '30 days'`,
  },
  account_tokens: { key: 'token_hash', condition: `expires_at < now() - interval '1 day'` },
  pending_signups: { key: 'id', condition: `created_at < now() - interval '7 days'` },
  known_devices: { key: '(user_id, network, device)', condition: `last_login_at < now() - interval '400 days'` },
};

/** Removes rows about accounts that nobody needs any more. */
@Injectable()
export class AuthRowsRepository {
  readonly tables: readonly string[] = Object.keys(OVER);

  constructor(private readonly transactions: Transactions) {}

  /** At most so many; says how many. */
  async removeOver(table: string, limit: number): Promise<number> {
    const over = OVER[table];
    if (over === undefined) throw new Error(`${table} is not kept here`);
    const { key, condition } = over;
    const [, count] = await this.transactions.manager.query<[unknown[], number]>(
      `DELETE FROM ${table} WHERE ${key} IN
         (SELECT ${key.replace(/[()]/g, '')} FROM ${table} WHERE ${condition} LIMIT $1 FOR UPDATE SKIP LOCKED)`,
      [limit],
    );
    return count;
  }
}
