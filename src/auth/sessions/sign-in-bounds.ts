import { Injectable } from '@nestjs/common';
import { ActivityService } from '../../activity/activity.service.js';
import { Transactions } from '../../platform/database/transactions.js';
import { Retention } from '../../platform/retention/retention.js';
import { KnownDevicesRepository } from './known-devices.repository.js';
import { SessionsRepository } from './sessions.repository.js';

/** Of one user: sessions that go on, ended ones that are remembered, and devices, each. */
const MAX_PER_USER = 50;
/** As many rows a table go with one sign-in, and with one run of retention. */
const AT_SIGN_IN = 100;
const AT_ONCE = 3_000;

/** What sign-ins leave of one user is bounded: the session that was used longest ago ends, the oldest device is forgotten (R-22, S-23). */
@Injectable()
export class SignInBounds {
  constructor(
    private readonly sessions: SessionsRepository,
    private readonly devices: KnownDevicesRepository,
    private readonly activity: ActivityService,
    private readonly transactions: Transactions,
    retention: Retention,
  ) {
    retention.register('sign_ins', (limit) => this.#trimAll(limit));
  }

  /** Stores the device of a sign-in that began this session, and makes room for both. As `note`. Needs a transaction. */
  async admit(userId: string, sessionId: string): Promise<boolean> {
    const isNew = await this.devices.note(userId);
    await this.#trim(userId, sessionId, AT_SIGN_IN);
    return isNew;
  }

  /** Those who had more before there was a bound. */
  async #trimAll(limit: number): Promise<number> {
    const users = await this.sessions.findCrowded(MAX_PER_USER, limit);
    for (const userId of users) await this.transactions.run(() => this.#trim(userId, null, AT_ONCE));
    return users.length;
  }

  async #trim(userId: string, newSessionId: string | null, limit: number): Promise<void> {
    const kept = newSessionId === null ? MAX_PER_USER : MAX_PER_USER - 1;
    const ended = await this.sessions.endBeyond(userId, newSessionId, { kept, limit });
    await this.sessions.removeEndedBeyond(userId, { kept: MAX_PER_USER, limit });
    await this.devices.forgetBeyond(userId, { kept: MAX_PER_USER, limit });
    if (ended.length === 0) return;
    const [sessionId = ''] = ended;
    const details = ended.length === 1 ? { session_id: sessionId } : { count: ended.length };
    await this.activity.recordHourly({ type: 'session_revoked', userId, details }, 'too_many');
  }
}
