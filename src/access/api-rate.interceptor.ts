import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Observable } from 'rxjs';
import { Settings } from '../platform/config/settings.js';
import { rateHeaders, rateLimited, type RatePolicy } from '../platform/limits/rate.js';
import { RequestRates } from '../platform/limits/request-rates.js';
import type { Principal } from './principal.js';

/** The limit per user on API-key paths, after credential and scope, before everything else (DESIGN 2, 3). */
@Injectable()
export class ApiRateInterceptor implements NestInterceptor {
  readonly #policy: RatePolicy | null;

  constructor(
    private readonly rates: RequestRates,
    settings: Settings,
  ) {
    this.#policy = settings.rateLimitEnabled ? { name: 'api', ...settings.rateLimitApi } : null;
  }

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<Request & { user?: Principal }>();
    if (this.#policy !== null && request.user?.kind === 'api-key') {
      const state = await this.rates.consume(this.#policy, request.user.userId);
      const response = context.switchToHttp().getResponse<Response>();
      for (const [name, value] of Object.entries(rateHeaders(this.#policy, state))) response.setHeader(name, value);
      if (state.isExceeded) throw rateLimited(state);
    }
    return next.handle();
  }
}
