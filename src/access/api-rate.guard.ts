import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { Settings } from '../platform/config/settings.js';
import type { ErrorDetails } from '../platform/errors/app-error.js';
import { rateHeaders, rateLimited, type RatePolicy } from '../platform/limits/rate.js';
import { RequestRates } from '../platform/limits/request-rates.js';
import { OWN_RATE, type OwnRate } from './access.metadata.js';
import { botKeyOf, botRate, commonRate, rateKeyOf, senderKeyOf } from './common-rate.js';
import type { Principal } from './principal.js';

/**
 * The limits on every path that needs a credential, after credential and scope, before everything else: the common one per
 * user, before it what one bot may take of that, and what a route has of its own beside it, or of cancels their own alone
 * (contract.md 2, 3, 5.11, S-26, S-56).
 */
@Injectable()
export class ApiRateGuard implements CanActivate {
  readonly #common: RatePolicy | null;

  constructor(
    private readonly rates: RequestRates,
    private readonly reflector: Reflector,
    settings: Settings,
  ) {
    this.#common = commonRate(settings);
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const { user: caller, body } = http.getRequest<Pick<Request, 'headers'> & { user?: Principal; body?: unknown }>();
    if (this.#common === null || caller === undefined) return true;
    const own = this.#ownRate(context, body);
    const response = http.getResponse<Response>();
    if (own?.isAlone === true) return this.#count([own.policy], senderKeyOf(caller), response);
    // What a bot has no room for takes nothing of the limit of its user.
    if (caller.kind === 'api-key' && caller.bot !== null) {
      const policy = botRate(this.#common, caller.bot);
      await this.#count([policy], botKeyOf(caller.bot), response, { limit: 'max_requests_per_minute' });
    }
    const policies = own === undefined ? [this.#common] : [this.#common, own.policy];
    return this.#count(policies, rateKeyOf(caller), response);
  }

  #ownRate(context: ExecutionContext, body: unknown): OwnRate | undefined {
    const own = this.reflector.get<OwnRate | undefined>(OWN_RATE, context.getHandler());
    return own?.isFor?.(body) === false ? undefined : own;
  }

  /** Throws `rate_limited` at the first limit that is passed; the headers name each that was counted (RFC 9651 lists). */
  async #count(
    policies: readonly RatePolicy[],
    key: string,
    response: Response,
    details?: ErrorDetails,
  ): Promise<true> {
    for (const policy of policies) {
      const state = await this.rates.consume(policy, key);
      for (const [name, value] of Object.entries(rateHeaders(policy, state))) {
        const before = response.getHeader(name);
        response.setHeader(name, before === undefined ? value : `${String(before)}, ${value}`);
      }
      if (state.isExceeded) throw rateLimited(state, details);
    }
    return true;
  }
}
