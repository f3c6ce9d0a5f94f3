import { Injectable, Logger } from '@nestjs/common';
import { ActivityService } from '../../activity/activity.service.js';
import { Settings } from '../../platform/config/settings.js';
import { sha256 } from '../../platform/crypto/digests.js';
import { AppError } from '../../platform/errors/app-error.js';
import { DurableLimits } from '../../platform/limits/durable-limits.repository.js';
import { networkOf } from '../../platform/limits/client-network.js';
import { rateLimited, type RatePolicy, type RateState } from '../../platform/limits/rate.js';
import { currentRequest } from '../../platform/http/request-context.js';
import { KnownDevicesRepository } from '../sessions/known-devices.repository.js';

const MINUTE_MS = 60_000;
const PER_ADDRESS: RatePolicy = { name: 'login:address', limit: 30, windowMs: 10 * MINUTE_MS };
const PER_ACCOUNT_AND_ADDRESS: RatePolicy = { name: 'login:pair', limit: 10, windowMs: 15 * MINUTE_MS };
const PER_ACCOUNT: RatePolicy = { name: 'login:account', limit: 100, windowMs: 60 * MINUTE_MS };

/** The counters of an attempt. */
type Attempt = readonly (readonly [RatePolicy, string])[];

/** Counters that were raised, and are lowered again unless the password is wrong. */
type Counted = readonly (readonly [RatePolicy, string, RateState])[];

function isWrongPassword(error: unknown): boolean {
  return error instanceof AppError && error.code === 'invalid_credentials';
}

/**
 * Failed log-ins, counted before the hash and alike for unknown addresses (S-25). Strangers cannot lock the owner out: the
 * limit of the account spares networks that signed in within 30 days.
 */
@Injectable()
export class LogInLimits {
  readonly #logger = new Logger('LogInLimits');
  readonly #isOn: boolean;

  constructor(
    private readonly limits: DurableLimits,
    private readonly devices: KnownDevicesRepository,
    private readonly activity: ActivityService,
    settings: Settings,
  ) {
    this.#isOn = settings.rateLimitEnabled;
  }

  /**
   * Runs a check of a password as one counted attempt for a canonical address. Only a wrong password stays counted: an
   * attempt that fails because the service or its database is overloaded was no guess. Throws `rate_limited`.
   */
  async count<T>(email: string, check: () => Promise<T>): Promise<T> {
    const counted = await this.#take(email, this.#attempt(email));
    try {
      const result = await check();
      await this.#giveBack(counted);
      return result;
    } catch (error) {
      if (!isWrongPassword(error)) await this.#giveBackAfter(error, counted);
      throw error;
    }
  }

  #attempt(email: string): Attempt {
    if (!this.#isOn) return [];
    const network = networkOf(currentRequest()?.ip ?? '');
    const account = sha256(email).toString('base64url');
    return [
      [PER_ADDRESS, network],
      [PER_ACCOUNT_AND_ADDRESS, `${account}:${network}`],
      [PER_ACCOUNT, account],
    ];
  }

  async #take(email: string, attempt: Attempt): Promise<Counted> {
    const taken: [RatePolicy, string, RateState][] = [];
    try {
      for (const [policy, key] of attempt) {
        const state = await this.limits.consume(policy, key);
        taken.push([policy, key, state]);
        if (state.isExceeded && !(policy === PER_ACCOUNT && (await this.#isKnown(email)))) {
          await this.#refuse(policy, state);
        }
      }
      return taken;
    } catch (error) {
      if (!(error instanceof AppError)) await this.#giveBackAfter(error, taken);
      throw error;
    }
  }

  #isKnown(email: string): Promise<boolean> {
    return this.devices.isKnownNetwork(email, networkOf(currentRequest()?.ip ?? ''));
  }

  async #giveBack(counted: Counted): Promise<void> {
    for (const [policy, key, state] of counted) {
      await this.limits.giveBack(policy, key, state).catch((error: unknown) => {
        this.#logger.warn({ err: error, limit: policy.name, message: 'An attempt stays counted' });
      });
    }
  }

  /** Delays the answer only where the database is not what failed. */
  async #giveBackAfter(error: unknown, counted: Counted): Promise<void> {
    const given = this.#giveBack(counted);
    if (error instanceof AppError) await given;
  }

  async #refuse(policy: RatePolicy, state: RateState): Promise<never> {
    if (state.isFirstExcess) {
      await this.activity.record({ type: 'limit_hit', userId: null, details: { limit: policy.name } });
    }
    throw rateLimited(state);
  }
}
