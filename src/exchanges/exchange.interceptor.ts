import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Request } from 'express';
import type { Observable } from 'rxjs';
import type { Exchange } from './exchange.js';
import { ExchangeRegistry } from './exchange.registry.js';

export type ExchangeRequest = Request & { exchange?: Exchange };

/** Finds the exchange of a path with `:exchange` after the guards and before parameters are looked at (contract.md 3). */
@Injectable()
export class ExchangeInterceptor implements NestInterceptor {
  constructor(private readonly registry: ExchangeRegistry) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<ExchangeRequest>();
    const id = request.params.exchange;
    if (typeof id === 'string') request.exchange = this.registry.get(id);
    return next.handle();
  }
}
