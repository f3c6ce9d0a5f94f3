import { setTimeout as delay } from 'node:timers/promises';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Request, Response } from 'express';
import { lastValueFrom, type Observable, of } from 'rxjs';
import type { FinishedAnswer } from '../../access/finished-answer.js';
import { offerToLane } from '../../access/lane-offer.js';
import type { Principal } from '../../access/principal.js';
import { clientGone, wantsFresh } from '../request/call-context.interceptor.js';
import { FinishedAnswers } from './finished-answers.js';

type CallerRequest = Request & { readonly user?: Principal };

/** How long who renews an answer waits for that: so much of what is left of the time of the kept one. */
const PATIENCE = 0.8;

/** Who renews an answer ahead is told what is kept where that fails or takes too long; it goes on for those who come later. */
async function orWhatIsKept(kept: FinishedAnswer, renewal: Promise<FinishedAnswer>): Promise<FinishedAnswer> {
  const patience = new AbortController();
  const waitMs = (kept.end - performance.now()) * PATIENCE;
  const tooLong = delay(waitMs, kept, { signal: patience.signal }).catch(() => kept);
  try {
    return await Promise.race([renewal, tooLong]);
  } catch (error) {
    if (kept.end > performance.now()) return kept;
    throw error;
  } finally {
    patience.abort();
  }
}

/**
 * Answers from the finished answers (contract.md 2, 9), and lets the answer lane repeat what was written for an ordinary
 * request. For routes whose answers depend on nothing but the request target; sets the context of their upstream calls.
 */
@Injectable()
export class FinishedAnswerInterceptor implements NestInterceptor {
  constructor(private readonly answers: FinishedAnswers) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<Buffer>> {
    const http = context.switchToHttp();
    const request = http.getRequest<CallerRequest>();
    const response = http.getResponse<Response>();
    const answer = await this.#answerTo(request, response, () => lastValueFrom(next.handle()));
    if (answer.end > 0) offerToLane(answer, context);
    return of(answer.body);
  }

  async #answerTo(request: CallerRequest, response: Response, make: () => Promise<unknown>): Promise<FinishedAnswer> {
    const target = request.originalUrl;
    const isFreshWanted = wantsFresh(request);
    const kept = isFreshWanted ? undefined : this.answers.get(target);
    kept?.countUse();
    const isRenewal = kept?.claimRenewal() === true;
    if (kept !== undefined && !isRenewal) {
      this.answers.uses.count('hit');
      return kept;
    }
    this.answers.uses.count('miss');
    const asker = { caller: request.user?.userId, fresh: isFreshWanted || isRenewal, signal: clientGone(response) };
    const asked = this.answers.ask(target, asker, make);
    return kept === undefined ? asked : orWhatIsKept(kept, asked);
  }
}
