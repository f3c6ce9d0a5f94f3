import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Request } from 'express';
import { map, type Observable } from 'rxjs';
import { FinishedAnswer } from '../access/finished-answer.js';
import { offerToLane } from '../access/lane-offer.js';
import type { Principal } from '../access/principal.js';
import { KeyAnswers } from './key-answers.js';

type CallerRequest = Request & { readonly user?: Principal };

/**
 * Lets the answer lane repeat an answer to the same API key (contract.md 9). For routes without parameters whose answers
 * depend on nothing but the facts of that key.
 */
@Injectable()
export class KeyAnswerInterceptor implements NestInterceptor {
  constructor(private readonly answers: KeyAnswers) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(map((value: unknown) => this.#keep(value, context)));
  }

  /** Not where the target is written otherwise than as the plain path, so that there are as many targets as routes. */
  #keep(value: unknown, context: ExecutionContext): unknown {
    const { user, originalUrl, path } = context.switchToHttp().getRequest<CallerRequest>();
    if (user?.kind !== 'api-key' || originalUrl !== path) return value;
    const answer = this.answers.get(path, user) ?? new FinishedAnswer(Buffer.from(JSON.stringify(value)), Infinity);
    this.answers.keep(path, user, answer);
    offerToLane(answer, context);
    return answer.body;
  }
}
