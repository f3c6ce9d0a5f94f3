import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { Strategy } from 'passport';
import { unauthorized } from './bearer.js';

/** What a strategy has while it judges one request: it calls exactly one of the first three. */
interface StrategyRun<Caller> {
  success: (caller: Caller) => void;
  fail: (info: unknown) => void;
  error: (error: unknown) => void;
  authenticate(request: Request): unknown;
}

/** Makes the error for a refused credential; `info` is the reason that the strategy gives, if any. */
type Refusal = (info: unknown) => Error;

/**
 * The Passport strategies that know callers by their credentials. They are asked here and not by `passport.authenticate`, which
 * prepares each request for log-in sessions in memory: there are none, and a profile costs at least 7 % more CPU then
 * (2026-11-26, docs/performance.md).
 */
@Injectable()
export class CredentialStrategies {
  readonly #strategies = new Map<string, Strategy>();

  add(name: string, strategy: Strategy): void {
    this.#strategies.set(name, strategy);
  }

  /**
   * Returns the caller that the strategy finds. Throws `refusal` where the strategy finds none. Errors of the strategy
   * itself are thrown unchanged: a failure of the service proves nothing about the credential.
   */
  identify<Caller>(name: string, request: Request, refusal: Refusal = () => unauthorized('invalid')): Promise<Caller> {
    return new Promise((resolve, reject) => {
      const strategy = this.#strategies.get(name);
      if (strategy === undefined) throw new Error(`there is no strategy ${name}`);
      // As Passport has it: each request has an instance of its own, on which the outcomes are called.
      const run = Object.create(strategy) as StrategyRun<Caller>;
      run.success = resolve;
      run.error = reject;
      run.fail = (info: unknown) => {
        reject(refusal(info));
      };
      run.authenticate(request);
    });
  }
}
