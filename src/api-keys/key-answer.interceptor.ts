import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Request } from 'express';
import { lastValueFrom, type Observable, of } from 'rxjs';
import { offerToLane } from '../access/lane-offer.js';
import type { Principal } from '../access/principal.js';
import { KeyAnswers } from './key-answers.js';

type CallerRequest = Request & { readonly user?: Principal };

/**
 * Makes one answer for all calls with the same facts of an API key, and lets the answer lane repeat it (contract.md 9). For
 * routes without parameters whose answers depend on nothing but the owner of that key.
 */
@Injectable()
export class KeyAnswerInterceptor implements NestInterceptor {
  constructor(private readonly answers: KeyAnswers) {}

  /** Not where the target is written otherwise than as the plain path, so that there are as many targets as routes. */
  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const { user, originalUrl, path } = context.switchToHttp().getRequest<CallerRequest>();
    if (user?.kind !== 'api-key' || originalUrl !== path) return next.handle();
    const answer = await this.answers.ask(path, user, () => lastValueFrom(next.handle()));
    offerToLane(answer, context);
    return of(answer.body);
  }
}
