import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { Settings } from '../platform/config/settings.js';
import { rateHeaders, rateLimited, type RatePolicy } from '../platform/limits/rate.js';
import { RequestRates } from '../platform/limits/request-rates.js';
import { OWN_RATE, type OwnRate } from './access.metadata.js';
import { commonRate, rateKeyOf, senderKeyOf } from './common-rate.js';
import type { Principal } from './principal.js';

/**
 * The limits on every path that needs a credential, after credential and scope, before everything else: the common one per
 * user and what a route has of its own beside it, or of cancels their own alone (contract.md 2, 3, S-26, S-56).
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

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const http = context.switchToHttp();
    const { user: caller } = http.getRequest<Request & { user?: Principal }>();
    if (this.#common === null || caller === undefined) return true;
    const own = this.reflector.get<OwnRate | undefined>(OWN_RATE, context.getHandler());
    const response = http.getResponse<Response>();
    if (own?.isAlone === true) return this.#count([own.policy], senderKeyOf(caller), response);
    const policies = own === undefined ? [this.#common] : [this.#common, own.policy];
    return this.#count(policies, rateKeyOf(caller), response);
  }

  /** Throws `rate_limited` at the first limit that is passed; the headers name each that was counted (RFC 9651 lists). */
  async #count(policies: readonly RatePolicy[], key: string, response: Response): Promise<true> {
    for (const policy of policies) {
      const state = await this.rates.consume(policy, key);
      for (const [name, value] of Object.entries(rateHeaders(policy, state))) {
        const before = response.getHeader(name);
        response.setHeader(name, before === undefined ? value : `${String(before)}, ${value}`);
      }
      if (state.isExceeded) throw rateLimited(state);
    }
    return true;
  }
}
