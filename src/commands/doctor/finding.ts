import { within } from '../../platform/time/within.js';
import { reasonOf } from './failure.js';

/** `fail` keeps the service from working as it should; `warn` may, or will. */
export type FindingStatus = 'ok' | 'warn' | 'fail';

/** What a check of `npm run doctor` found, in plain words without any secret; `hint` says what to do. */
export interface Finding {
  readonly status: FindingStatus;
  readonly message: string;
  readonly hint: string | null;
}

/** A finding by the id of its check: one of the words that `--json` prints (contract.md 8.1). */
export interface CheckResult extends Finding {
  readonly id: string;
}

/** One check, which has not run yet. */
export interface Check {
  readonly id: string;
  readonly run: () => Finding | Promise<Finding>;
}

/** One step of a check takes no longer, in ms. */
export const STEP_LIMIT_MS = 5_000;
/** Longest time of a check, with the steps that it waits for, in ms. */
const CHECK_LIMIT_MS = 16_000;

/** Why a step did not come to an end. */
class TooSlowError extends Error {
  override readonly name = 'TooSlowError';
}

export function ok(message: string): Finding {
  return { status: 'ok', message, hint: null };
}

export function warn(message: string, hint: string | null = null): Finding {
  return { status: 'warn', message, hint };
}

export function fail(message: string, hint: string | null = null): Finding {
  return { status: 'fail', message, hint };
}

/** Returns the result of a step; throws where there is none after 5 s. */
export function inTime<T>(step: Promise<T>, limitMs = STEP_LIMIT_MS): Promise<T> {
  return within(limitMs, step, () => {
    throw new TooSlowError(`no answer within ${Math.round(limitMs / 1_000)} s`);
  });
}

/** Runs all checks at once; one that throws is its own `fail`, in the order given. */
export function runChecks(checks: readonly Check[], limitMs = CHECK_LIMIT_MS): Promise<CheckResult[]> {
  return Promise.all(
    checks.map(async ({ id, run }): Promise<CheckResult> => {
      try {
        return { id, ...(await inTime(Promise.resolve().then(run), limitMs)) };
      } catch (error) {
        return { id, ...fail(`This could not be checked: ${reasonOf(error)}.`) };
      }
    }),
  );
}

/** The worst of them. */
export function worstOf(results: readonly Finding[]): FindingStatus {
  const found = new Set(results.map(({ status }) => status));
  return found.has('fail') ? 'fail' : found.has('warn') ? 'warn' : 'ok';
}
