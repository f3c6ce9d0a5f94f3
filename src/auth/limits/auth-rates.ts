import { Injectable } from '@nestjs/common';
import { ActivityService } from '../../activity/activity.service.js';
import { Settings } from '../../platform/config/settings.js';
import { DurableLimits } from '../../platform/limits/durable-limits.repository.js';
import type { RatePolicy, RateState } from '../../platform/limits/rate.js';
import { RequestRates } from '../../platform/limits/request-rates.js';

const REFRESH_FACTOR = 10;
const REFRESH = '/auth/refresh';

/** Sign-ups and one-time tokens: counted in PostgreSQL too, so that the limit holds across instances and restarts (S-25). */
const DURABLE = new Set(['/auth/signup', '/auth/verify-email', '/auth/reset-password']);

/** A call that was counted. */
export interface CountedCall {
  readonly policy: RatePolicy;
  readonly state: RateState;
}

function stricter(a: RateState, b: RateState): RateState {
  if (a.isExceeded !== b.isExceeded) return a.isExceeded ? a : b;
  return a.remaining <= b.remaining ? a : b;
}

/** Counts the public `POST /auth/*` per client network (DESIGN 2); refreshing by itself, with ten times as many. */
@Injectable()
export class AuthRates {
  readonly isOn: boolean;
  readonly #common: RatePolicy;
  readonly #refreshing: RatePolicy;

  constructor(
    settings: Settings,
    private readonly rates: RequestRates,
    private readonly durable: DurableLimits,
    private readonly activity: ActivityService,
  ) {
    const { limit, windowMs } = settings.rateLimitAuth;
    this.isOn = settings.rateLimitEnabled;
    this.#common = { name: 'auth', limit, windowMs };
    this.#refreshing = { name: 'auth', limit: limit * REFRESH_FACTOR, windowMs };
  }

  async count(path: string, network: string): Promise<CountedCall> {
    if (path === REFRESH) {
      return { policy: this.#refreshing, state: await this.rates.consume(this.#refreshing, `refresh:${network}`) };
    }
    const state = await this.rates.consume(this.#common, `public:${network}`);
    if (state.isExceeded || !DURABLE.has(path)) return { policy: this.#common, state };
    return { policy: this.#common, state: stricter(state, await this.#countDurably(network)) };
  }

  async #countDurably(network: string): Promise<RateState> {
    const state = await this.durable.consume(this.#common, network);
    if (state.isFirstExcess) {
      await this.activity.record({ type: 'limit_hit', userId: null, details: { limit: this.#common.name } });
    }
    return state;
  }
}
