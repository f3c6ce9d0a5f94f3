import { Injectable } from '@nestjs/common';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { ActivityService } from '../../activity/activity.service.js';
import { Settings } from '../../platform/config/settings.js';
import { currentRequest } from '../../platform/http/request-context.js';
import { networkOf } from '../../platform/limits/client-network.js';
import { DurableLimits } from '../../platform/limits/durable-limits.repository.js';
import { rateHeaders, rateLimited, type RatePolicy, type RateState } from '../../platform/limits/rate.js';
import { RequestRates } from '../../platform/limits/request-rates.js';

const REFRESH_FACTOR = 10;
const REFRESH = '/auth/refresh';
const LOG_OUT = '/auth/logout';
const FORGOT_PASSWORD = '/auth/forgot-password';

/** Sign-ups and one-time tokens: counted in PostgreSQL too, so that the limit holds across instances and restarts (S-25). */
const DURABLE = new Set(['/auth/signup', '/auth/verify-email', '/auth/reset-password']);

/** A call that was counted. */
interface CountedCall {
  readonly policy: RatePolicy;
  readonly state: RateState;
}

function stricter(a: RateState, b: RateState): RateState {
  if (a.isExceeded !== b.isExceeded) return a.isExceeded ? a : b;
  return a.remaining <= b.remaining ? a : b;
}

/**
 * Counts the public `POST /auth/*` per client network (contract.md 2); counts refreshes apart, and allows ten times as many
 * (S-26).
 */
@Injectable()
export class AuthRates {
  readonly #isOn: boolean;
  readonly #common: RatePolicy;
  readonly #refreshing: RatePolicy;
  /** Requests over their limit that are answered as if they were not (contract.md 4, forgot-password). */
  readonly #silenced = new WeakSet<Request>();

  constructor(
    settings: Settings,
    private readonly rates: RequestRates,
    private readonly durable: DurableLimits,
    private readonly activity: ActivityService,
  ) {
    const { limit, windowMs } = settings.rateLimitAuth;
    this.#isOn = settings.rateLimitEnabled;
    this.#common = { name: 'auth', limit, windowMs };
    this.#refreshing = { name: 'auth', limit: limit * REFRESH_FACTOR, windowMs };
  }

  /**
   * Counts and refuses, in front of the controllers; a request for a reset is never refused, it just sends nothing
   * (contract.md 4).
   */
  middleware(): RequestHandler {
    return (request: Request, response: Response, next: NextFunction): void => {
      if (!this.#isOn || !isLimited(request)) {
        next();
        return;
      }
      this.#count(request.path, networkOf(currentRequest()?.ip ?? '')).then((counted) => {
        next(this.#decide(request, response, counted));
      }, next);
    };
  }

  /** Does the work of a request, unless the request is over its limit. */
  async unlessSilenced(request: Request, work: () => Promise<void>): Promise<void> {
    if (!this.#silenced.has(request)) await work();
  }

  #decide(request: Request, response: Response, { policy, state }: CountedCall): unknown {
    for (const [name, value] of Object.entries(rateHeaders(policy, state))) response.setHeader(name, value);
    if (!state.isExceeded) return undefined;
    if (request.path !== FORGOT_PASSWORD) return rateLimited(state);
    this.#silenced.add(request);
    return undefined;
  }

  async #count(path: string, network: string): Promise<CountedCall> {
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

function isLimited(request: Request): boolean {
  return request.method === 'POST' && request.path.startsWith('/auth/') && request.path !== LOG_OUT;
}
