import { Injectable } from '@nestjs/common';
import { Transactions } from '../../platform/database/transactions.js';
import { currentRequest } from '../../platform/http/request-context.js';
import { networkOf } from '../../platform/limits/client-network.js';

const MAX_DEVICE = 200;

/** A client without its version numbers, so that an update does not make it a new one. */
function deviceOf(userAgent: string): string {
  return userAgent.replaceAll(/\d[\d._]*/g, '').slice(0, MAX_DEVICE);
}

/** Stores which devices signed in to an account, or reset its password, and from which networks. */
@Injectable()
export class KnownDevicesRepository {
  constructor(private readonly transactions: Transactions) {}

  /** Stores the device of the current request; true where the account has known devices, but not this one. */
  async note(userId: string): Promise<boolean> {
    const request = currentRequest();
    const rows = await this.transactions.manager.query<{ isNew: boolean }[]>(
      `WITH before AS (SELECT device FROM known_devices WHERE user_id = $1),
       noted AS (
         INSERT INTO known_devices (user_id, network, device) VALUES ($1, $2, $3)
         ON CONFLICT (user_id, network, device) DO UPDATE SET last_login_at = now())
       SELECT count(*) > 0 AND count(*) FILTER (WHERE device = $3) = 0 AS "isNew" FROM before`,
      [userId, networkOf(request?.ip ?? ''), deviceOf(request?.userAgent ?? '')],
    );
    return rows[0]?.isNew ?? false;
  }

  /** Whether somebody signed in to the account of a canonical address from this network within 30 days (S-25). */
  async isKnownNetwork(email: string, network: string): Promise<boolean> {
    const rows = await this.transactions.manager.query<unknown[]>(
      `SELECT 1 FROM known_devices device JOIN users account ON account.id = device.user_id
       WHERE account.email = $1 AND device.network = $2 AND device.last_login_at > now() - interval '30 days' LIMIT 1`,
      [email, network],
    );
    return rows.length === 1;
  }

  /** Removes the devices of an account that changes hands (S-12, S-24). */
  async forget(userId: string): Promise<void> {
    await this.transactions.manager.query('DELETE FROM known_devices WHERE user_id = $1', [userId]);
  }
}
