import { Injectable } from '@nestjs/common';
import { Transactions } from '../../platform/database/transactions.js';
import { currentRequest } from '../../platform/http/request-context.js';
import { networkOf } from '../../platform/limits/client-network.js';
import type { Bound } from './sessions.repository.js';

const MAX_DEVICE = 200;

/** A client without its version numbers, so that an update does not make it a new one. */
function deviceOf(userAgent: string): string {
  return userAgent.replaceAll(/\d[\d._]*/g, '').slice(0, MAX_DEVICE);
}

/** How all networks of a provider's block begin, in the form of client networks: an IPv4 /16, an IPv6 /32. */
function blockOf(network: string): string {
  const separator = network.includes(':') ? ':' : '.';
  const [first, second, ...rest] = network.split(separator);
  return second === undefined || rest.length === 0 ? network : [first, second, ''].join(separator);
}

/** Stores which devices signed in to an account, or reset its password, and from which networks. */
@Injectable()
export class KnownDevicesRepository {
  constructor(private readonly transactions: Transactions) {}

  /**
   * Stores the device of the current request; true where the account has known devices, but none of the last 30 days is this
   * one, or none of them came from this part of the network (S-41).
   */
  async note(userId: string): Promise<boolean> {
    const request = currentRequest();
    const network = networkOf(request?.ip ?? '');
    const rows = await this.transactions.manager.query<{ isNew: boolean }[]>(
      `WITH before AS (
         SELECT device, network, last_login_at > now() - interval '30 days' AS "isRecent"
         FROM known_devices WHERE user_id = $1),
       noted AS (
         INSERT INTO known_devices (user_id, network, device) VALUES ($1, $2, $3)
         ON CONFLICT (user_id, network, device) DO UPDATE SET last_login_at = now())
       SELECT count(*) > 0 AND (
         count(*) FILTER (WHERE "isRecent" AND device = $3) = 0
         OR count(*) FILTER (WHERE "isRecent" AND starts_with(network, $4)) = 0) AS "isNew" FROM before`,
      [userId, network, deviceOf(request?.userAgent ?? ''), blockOf(network)],
    );
    return rows[0]?.isNew ?? false;
  }

  /** Whether somebody signed in to the account of a canonical address from this network within 400 days (S-4, S-25). */
  async isKnownNetwork(email: string, network: string): Promise<boolean> {
    const rows = await this.transactions.manager.query<unknown[]>(
      `SELECT 1 FROM known_devices device JOIN users account ON account.id = device.user_id
       WHERE account.email = $1 AND device.network = $2 AND device.last_login_at > now() - interval '400 days' LIMIT 1`,
      [email, network],
    );
    return rows.length === 1;
  }

  /** Removes the devices of an account that changes hands (S-12, S-24). */
  async forget(userId: string): Promise<void> {
    await this.transactions.manager.query('DELETE FROM known_devices WHERE user_id = $1', [userId]);
  }

  /** Forgets the devices of a user beyond the `kept` that signed in last. */
  async forgetBeyond(userId: string, { kept, limit }: Bound): Promise<void> {
    await this.transactions.manager.query(
      `DELETE FROM known_devices WHERE (user_id, network, device) IN
         (SELECT user_id, network, device FROM known_devices WHERE (user_id, network, device) IN
           (SELECT user_id, network, device FROM known_devices WHERE user_id = $1
            ORDER BY last_login_at DESC, network, device OFFSET $2 LIMIT $3)
          FOR UPDATE SKIP LOCKED)`,
      [userId, kept, limit],
    );
  }
}
