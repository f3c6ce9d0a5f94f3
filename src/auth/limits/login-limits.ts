import { Injectable } from '@nestjs/common';
import { ActivityService } from '../../activity/activity.service.js';
import { Settings } from '../../platform/config/settings.js';
import { sha256 } from '../../platform/crypto/digests.js';
import { DurableLimits } from '../../platform/limits/durable-limits.repository.js';
import { networkOf } from '../../platform/limits/client-network.js';
import { rateLimited, type RatePolicy, type RateState } from '../../platform/limits/rate.js';
import { currentRequest } from '../../platform/requests/request-context.js';
import { KnownDevicesRepository } from '../sessions/known-devices.repository.js';

const MINUTE_MS = 60_000;
const PER_ADDRESS: RatePolicy = { name: 'login:address', limit: 30, windowMs: 10 * MINUTE_MS };
const PER_ACCOUNT_AND_ADDRESS: RatePolicy = { name: 'login:pair', limit: 10, windowMs: 15 * MINUTE_MS };
const PER_ACCOUNT: RatePolicy = { name: 'login:account', limit: 100, windowMs: 60 * MINUTE_MS };

/** What was counted for an attempt, to be given back if it turns out right. */
export type Attempt = readonly (readonly [RatePolicy, string])[];

/**
 * Failed log-ins, counted before the hash and alike for unknown accounts (S-25). Whoever owns an account is not locked out
 * by strangers: an address that signed in within 30 days passes the limit of the account.
 */
@Injectable()
export class LogInLimits {
  readonly #isOn: boolean;

  constructor(
    private readonly limits: DurableLimits,
    private readonly devices: KnownDevicesRepository,
    private readonly activity: ActivityService,
    settings: Settings,
  ) {
    this.#isOn = settings.rateLimitEnabled;
  }

  /** Counts an attempt for a canonical address; throws `rate_limited`. */
  async take(email: string): Promise<Attempt> {
    if (!this.#isOn) return [];
    const network = networkOf(currentRequest()?.ip ?? '');
    const account = sha256(email).toString('base64url');
    const attempt: Attempt = [
      [PER_ADDRESS, network],
      [PER_ACCOUNT_AND_ADDRESS, `${account}:${network}`],
      [PER_ACCOUNT, account],
    ];
    for (const [policy, key] of attempt) {
      const state = await this.limits.consume(policy, key);
      if (state.isExceeded && !(policy === PER_ACCOUNT && (await this.devices.isKnownNetwork(email, network)))) {
        await this.#refuse(policy, state);
      }
    }
    return attempt;
  }

  /** The attempt was right: it does not count. */
  async giveBack(attempt: Attempt): Promise<void> {
    for (const [policy, key] of attempt) await this.limits.giveBack(policy, key);
  }

  async #refuse(policy: RatePolicy, state: RateState): Promise<never> {
    if (state.isFirstExcess) {
      await this.activity.record({ type: 'limit_hit', userId: null, details: { limit: policy.name } });
    }
    throw rateLimited(state);
  }
}
