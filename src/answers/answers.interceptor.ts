import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { lastValueFrom, type Observable, of } from 'rxjs';
import { ANSWER_BASIS, type AnswerBasis } from '../access/access.metadata.js';
import type { Principal } from '../access/principal.js';
import { within } from '../platform/time/within.js';
import { clientGone } from '../platform/http/client-gone.js';
import { wantsFresh } from '../proxy/request/call-context.interceptor.js';
import type { FinishedAnswer } from './finished-answer.js';
import { FinishedAnswers } from './finished-answers.js';
import { KeyAnswers } from './key-answers.js';
import { offerToLane } from './lane-offer.js';

type CallerRequest = Request & { readonly user?: Principal };

/** How long who renews an answer waits for that: so much of what is left of the time of the kept one. */
const PATIENCE = 0.8;

/** Who renews an answer ahead gets the kept one where the renewal fails or takes too long; the renewal goes on for those who come later. */
async function orWhatIsKept(kept: FinishedAnswer, renewal: Promise<FinishedAnswer>): Promise<FinishedAnswer> {
  const waitMs = (kept.end - performance.now()) * PATIENCE;
  try {
    return await within(waitMs, renewal, () => kept);
  } catch (error) {
    if (kept.end > performance.now()) return kept;
    throw error;
  }
}

/**
 * Gives one finished answer to all who may have the same, where the route declares so (`AnswerDependsOn`), and lets the answer lane
 * repeat what was written for an ordinary request (contract.md 2, 5.10). Other routes pass.
 */
@Injectable()
export class AnswersInterceptor implements NestInterceptor {
  constructor(
    private readonly reflector: Reflector,
    private readonly answers: FinishedAnswers,
    private readonly ofKeys: KeyAnswers,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const answer = await this.#answerTo(context, () => lastValueFrom(next.handle()));
    if (answer === null) return next.handle();
    if (answer.end > 0) offerToLane(answer, context);
    return of(answer.body);
  }

  /** Null where the route, or the call, has an answer of its own. */
  async #answerTo(context: ExecutionContext, make: () => Promise<unknown>): Promise<FinishedAnswer | null> {
    const places = [context.getHandler(), context.getClass()];
    const basis = this.reflector.getAllAndOverride<AnswerBasis | undefined>(ANSWER_BASIS, places);
    if (basis === undefined) return null;
    const http = context.switchToHttp();
    const request = http.getRequest<CallerRequest>();
    return basis === 'target' ? this.#ofTarget(request, http.getResponse(), make) : this.#ofKey(request, make);
  }

  async #ofTarget(request: CallerRequest, response: Response, make: () => Promise<unknown>): Promise<FinishedAnswer> {
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

  /**
   * Not where the target is written otherwise than as the plain path, so that there are as many targets as routes; nor for bots, whose
   * state changes by itself.
   */
  async #ofKey(
    { user, originalUrl, path }: CallerRequest,
    make: () => Promise<unknown>,
  ): Promise<FinishedAnswer | null> {
    if (user?.kind !== 'api-key' || user.bot !== null || originalUrl !== path) return null;
    return this.ofKeys.ask(path, user, make);
  }
}
