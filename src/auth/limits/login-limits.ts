import { Injectable, Logger } from '@nestjs/common';
import type { SessionPrincipal } from '../../access/principal.js';
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
const PER_SESSION: RatePolicy = { name: 'confirm:session', limit: 10, windowMs: 15 * MINUTE_MS };

/** A counter of an attempt. */
interface Counter {
  readonly policy: RatePolicy;
  readonly key: string;
  /** Whether the attempt goes on past its limit. */
  readonly isSpared?: () => Promise<boolean>;
  /** Whether an attempt that succeeds stays counted too. */
  readonly countsSuccess?: true;
}

type LogInCounters = readonly Counter[];

/** Counters that were raised, and may be lowered again. */
type Counted = readonly (Counter & { readonly state: RateState })[];

/** A wrong password, or a provider's word for somebody else. */
function isFailedProof(error: unknown): boolean {
  return error instanceof AppError && (error.code === 'invalid_credentials' || error.code === 'oauth_failed');
}

/**
 * Failed log-ins, counted before the hash and alike for unknown addresses, and confirmations (S-25). Strangers cannot lock
 * the owner out: the limit of the account spares networks that signed in within 400 days, and a session has a limit of its own.
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
  count<T>(email: string, check: () => Promise<T>): Promise<T> {
    return this.#count(this.#logIn(email), check);
  }

  /**
   * As `count`, for a signed-in user: counts by the session alone, so that no stranger can use the limit up. A right password
   * stays counted too, since each costs a hash.
   */
  countConfirmation<T>({ sessionId }: SessionPrincipal, check: () => Promise<T>): Promise<T> {
    return this.#count([{ policy: PER_SESSION, key: sessionId, countsSuccess: true }], check);
  }

  async #count<T>(attempt: LogInCounters, check: () => Promise<T>): Promise<T> {
    const counted = await this.#take(this.#isOn ? attempt : []);
    try {
      const result = await check();
      await this.#giveBack(counted.filter(({ countsSuccess }) => countsSuccess !== true));
      return result;
    } catch (error) {
      if (!isFailedProof(error)) await this.#giveBackAfter(error, counted);
      throw error;
    }
  }

  #logIn(email: string): LogInCounters {
    const network = networkOf(currentRequest()?.ip ?? '');
    const account = sha256(email).toString('base64url');
    return [
      { policy: PER_ADDRESS, key: network },
      { policy: PER_ACCOUNT_AND_ADDRESS, key: `${account}:${network}` },
      { policy: PER_ACCOUNT, key: account, isSpared: () => this.devices.isKnownNetwork(email, network) },
    ];
  }

  async #take(attempt: LogInCounters): Promise<Counted> {
    const taken: (Counter & { readonly state: RateState })[] = [];
    try {
      for (const counter of attempt) {
        const state = await this.limits.consume(counter.policy, counter.key);
        taken.push({ ...counter, state });
        if (state.isExceeded && (await counter.isSpared?.()) !== true) await this.#refuse(counter.policy, state);
      }
      return taken;
    } catch (error) {
      if (!(error instanceof AppError)) await this.#giveBackAfter(error, taken);
      throw error;
    }
  }

  async #giveBack(counted: Counted): Promise<void> {
    for (const { policy, key, state } of counted) {
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
