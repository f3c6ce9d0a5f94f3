import type { IncomingMessage, ServerResponse } from 'node:http';
import type { INestApplication } from '@nestjs/common';
import type { Logger } from 'pino';
import { bearerToken } from '../access/bearer.js';
import { commonRate, rateKeyOf } from '../access/common-rate.js';
import type { FinishedAnswer, LaneEntry } from './finished-answer.js';
import type { IdentifiedRequest } from '../access/access-facts.js';
import { type ApiKeyPrincipal, grantsScope } from '../access/principal.js';
import { ApiKeyAuthenticator } from '../api-keys/api-key-authenticator.js';
import { KeyAnswers } from './key-answers.js';
import { Drain } from '../platform/http/drain.js';
import { Settings } from '../platform/config/settings.js';
import type { Lane } from '../platform/http/express.adapter.js';
import { isOrdinary } from './ordinary-request.js';
import type { AnswerLog } from '../platform/http/answer-log.js';
import { newRequestId } from '../platform/http/request-context.js';
import { rateHeaders, type RatePolicy } from '../platform/limits/rate.js';
import { RequestRates } from '../platform/limits/request-rates.js';
import { TraceContext } from '../platform/logging/trace-context.js';
import { FinishedAnswers } from './finished-answers.js';

const ID_NAME = 'X-Request-Id';

function replace(headers: string[], name: string, value: string): void {
  const at = headers.indexOf(name);
  if (at !== -1) headers[at + 1] = value;
}

/** An answer that may go out again, and for whom. */
interface Match {
  readonly answer: FinishedAnswer;
  readonly entry: LaneEntry;
  readonly caller: ApiKeyPrincipal;
  /** Whether it is the same for everybody. */
  readonly isShared: boolean;
}

/** What may go out to this caller now; null where the ordinary way has to check more, or to renew what is kept. */
function matchOf(answer: FinishedAnswer | undefined, caller: ApiKeyPrincipal, isShared: boolean): Match | null {
  if (answer === undefined || answer.lane === null || answer.isDueForRenewal) return null;
  const { scope } = answer.lane;
  return scope === null || grantsScope(caller.scopes, scope) ? { answer, entry: answer.lane, caller, isShared } : null;
}

/**
 * The answer lane (contract.md 5.10): repeats a finished answer in front of the framework, with the header lines that the
 * ordinary way wrote for it. Key, scope and limit are looked at in the same places; whatever is unusual, unknown or refused
 * is left to the ordinary way.
 */
export class AnswerLane {
  readonly #answers: FinishedAnswers;
  readonly #ofKeys: KeyAnswers;
  readonly #keys: ApiKeyAuthenticator;
  readonly #rates: RequestRates;
  readonly #drain: Drain;
  readonly #policy: RatePolicy | null;

  constructor(
    app: INestApplication,
    private readonly log: Logger,
    private readonly answerLog: AnswerLog,
  ) {
    this.#answers = app.get(FinishedAnswers);
    this.#ofKeys = app.get(KeyAnswers);
    this.#keys = app.get(ApiKeyAuthenticator);
    this.#rates = app.get(RequestRates);
    this.#drain = app.get(Drain);
    this.#policy = commonRate(app.get(Settings));
  }

  /** Whether there is one: not where it is off, nor where limits are counted elsewhere (`REDIS_URL`). */
  static isOn({ fastLane, redisUrl }: Settings): boolean {
    return fastLane && redisUrl === undefined;
  }

  readonly enter: Lane = (request, response, otherwise) => {
    this.#guard(response, () => {
      const match = this.#find(request);
      if (match === null) otherwise();
      else if (this.#policy === null) this.#write(match, {}, response);
      else this.#count(this.#policy, match, response, otherwise);
    });
  };

  /** A fault of ours costs one connection: thrown at the server, or into the limiter's promise, it would end the process. */
  #guard(response: ServerResponse, step: () => void): void {
    try {
      step();
    } catch (error) {
      this.log.error({ err: error }, 'the answer lane failed');
      response.destroy();
    }
  }

  #find(request: IncomingMessage): Match | null {
    const target = request.url ?? '';
    const shared = this.#answers.get(target);
    const isKnown = shared === undefined ? this.#ofKeys.has(target) : shared.lane !== null;
    if (!isKnown || this.#drain.started || !isOrdinary(request)) return null;
    const token = bearerToken(request);
    const caller = token === null ? null : this.#keys.authenticateKnown(token);
    return caller === null ? null : matchOf(shared ?? this.#ofKeys.get(target, caller), caller, shared !== undefined);
  }

  /** A call too many is counted here and refused by the ordinary way, which counts it again: the window ends no later. */
  #count(policy: RatePolicy, match: Match, response: ServerResponse, otherwise: () => void): void {
    this.#rates.consumeHere(policy, rateKeyOf(match.caller), (state) => {
      this.#guard(response, () => {
        if (state === null || state.isExceeded) otherwise();
        else this.#write(match, rateHeaders(policy, state), response);
      });
    });
  }

  /** The lines are the recorded ones but for those that each answer has of its own. */
  #write(match: Match, ofRate: Readonly<Record<string, string>>, response: ServerResponse): void {
    const { answer, entry, caller } = match;
    answer.countUse();
    if (match.isShared) this.#answers.uses.count('hit');
    const request: IdentifiedRequest = response.req;
    const ids = { id: newRequestId(), trace: new TraceContext(request.headers) };
    const headers = [...entry.headers];
    replace(headers, ID_NAME, ids.id);
    if (ids.trace.answer !== null) headers.splice(headers.indexOf(ID_NAME) + 2, 0, 'traceparent', ids.trace.answer);
    for (const name of Object.keys(ofRate)) replace(headers, name, ofRate[name] ?? '');
    request.found = entry.found;
    request.user = caller;
    this.answerLog.watch(ids, request, response, answer.body.length);
    response.writeHead(200, headers);
    response.end(answer.body);
  }
}
