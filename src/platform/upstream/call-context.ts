import { AsyncLocalStorage } from 'node:async_hooks';
import type { AnswerLife } from './answer-life.js';
import type { Callers } from './callers.js';
import { type AnySignal, onAbort, StopSignal } from './stop-signal.js';
import type { Priority } from './priority.js';

/** What a request being answered sets for the upstream calls made for it. */
export interface CallContext {
  /** The user id of the owner of these calls, for fair shares; undefined for calls of the service itself. */
  readonly caller?: string | undefined;
  /** All callers that wait for the result of these calls, where `caller` is not the only one. */
  readonly callers?: Callers | undefined;
  /** Skip the cache of shared reads (`Cache-Control: no-cache`, contract.md 2). */
  readonly fresh: boolean;
  /** Ends reads early, as when the client has gone. */
  readonly signal?: AnySignal | undefined;
  /** The priority of calls that name none: so reads before an order or a cancel are as urgent as it is. */
  readonly priority?: Priority | undefined;
  /** Learns of every read how long its answer may be used. */
  readonly life?: AnswerLife | undefined;
}

const storage = new AsyncLocalStorage<CallContext | undefined>();

/** Runs `fn` so that every call made inside follows the context. */
export function withCallContext<T>(context: CallContext, fn: () => T): T {
  return storage.run(context, fn);
}

/**
 * Runs `fn` outside of any context: its reads do not end when the client that asked first disconnects. So nobody knows how
 * long an answer may be used that is made of them.
 */
export function outsideCallContext<T>(fn: () => T): T {
  storage.getStore()?.life?.endNow();
  // Not `exit`: what enters a context of its own then goes on in the one that was left.
  return storage.run(undefined, fn);
}

/** Runs `fn` so that its reads do not end when the client disconnects: a change that has begun is completed. */
export function withoutClientAbort<T>(fn: () => T): T {
  const context = storage.getStore();
  return context === undefined ? fn() : storage.run({ ...context, signal: undefined }, fn);
}

/**
 * Runs `fn` so that its reads end after `limitMs` at the latest. `deadline` says whether that time is over, `over` whether the
 * reads end for that or any other reason.
 */
export async function withReadLimit<T>(
  limitMs: number,
  fn: (deadline: StopSignal, over: StopSignal) => Promise<T>,
): Promise<T> {
  const context = storage.getStore();
  const [deadline, over] = [new StopSignal(), new StopSignal()];
  const end = (): void => {
    over.abort();
  };
  const timer = setTimeout(() => {
    deadline.abort();
    end();
  }, Math.ceil(limitMs));
  const forget = context?.signal && onAbort(context.signal, end);
  if (context?.signal?.aborted === true) end();
  try {
    return await storage.run({ fresh: false, ...context, signal: over }, () => fn(deadline, over));
  } finally {
    clearTimeout(timer);
    forget?.();
  }
}

/** Notes what an answer being made depends on beside its reads: until when that may be used, by `performance.now()`; 0 is not. */
export function noteEndOfUse(end: number): void {
  storage.getStore()?.life?.endBy(end);
}

export function currentCallContext(): CallContext | undefined {
  return storage.getStore();
}
