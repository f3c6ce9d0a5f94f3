import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { Settings } from '../platform/config/settings.js';
import { rateHeaders, rateLimited, type RatePolicy } from '../platform/limits/rate.js';
import { RequestRates } from '../platform/limits/request-rates.js';
import { OWN_RATE } from './access.metadata.js';
import { commonRate, rateKeyOf } from './common-rate.js';
import type { Principal } from './principal.js';

/**
 * The limits per user on every path that needs a credential, after credential and scope, before everything else: the common
 * one and what a route has of its own (contract.md 2, 3, S-56).
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
    const own = this.reflector.get<RatePolicy | undefined>(OWN_RATE, context.getHandler());
    return this.#count(own === undefined ? [this.#common] : [this.#common, own], caller, http.getResponse<Response>());
  }

  /** Throws `rate_limited` at the first limit that is passed; the headers name each that was counted (RFC 9651 lists). */
  async #count(policies: readonly RatePolicy[], caller: Principal, response: Response): Promise<true> {
    for (const policy of policies) {
      const state = await this.rates.consume(policy, rateKeyOf(caller));
      for (const [name, value] of Object.entries(rateHeaders(policy, state))) {
        const before = response.getHeader(name);
        response.setHeader(name, before === undefined ? value : `${String(before)}, ${value}`);
      }
      if (state.isExceeded) throw rateLimited(state);
    }
    return true;
  }
}
