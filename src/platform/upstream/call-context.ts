import { AsyncLocalStorage } from 'node:async_hooks';
import type { Priority } from './priority.js';

/** What the request being answered asks of the calls made for it. */
export interface CallContext {
  /** Whose calls these are, for fair shares: a user's id; undefined for calls of nobody in particular. */
  readonly caller?: string | undefined;
  /** Skip the cache of shared reads (`Cache-Control: no-cache`, DESIGN 2). */
  readonly fresh: boolean;
  /** Ends reads early, as when the client has gone. */
  readonly signal?: AbortSignal | undefined;
  /** Of calls that name none: what an order or a cancel has to read first is as urgent as it is itself. */
  readonly priority?: Priority | undefined;
}

const storage = new AsyncLocalStorage<CallContext>();

/** Runs `fn` so that every call made inside follows the context. */
export function withCallContext<T>(context: CallContext, fn: () => T): T {
  return storage.run(context, fn);
}

/** Runs `fn` for everyone: what it reads is not ended when the client that happened to ask first goes away. */
export function outsideCallContext<T>(fn: () => T): T {
  return storage.exit(fn);
}

/** Runs `fn` so that its reads do not end with the client: what has begun to change something is brought to its end. */
export function outlivingClient<T>(fn: () => T): T {
  const context = storage.getStore();
  return context === undefined ? fn() : storage.run({ ...context, signal: undefined }, fn);
}

/** Runs `fn` so that its reads end after `limitMs` at the latest; `deadline` says whether they have. */
export function withReadLimit<T>(limitMs: number, fn: (deadline: AbortSignal) => T): T {
  const context = storage.getStore();
  const deadline = AbortSignal.timeout(Math.max(0, Math.ceil(limitMs)));
  const signal = context?.signal === undefined ? deadline : AbortSignal.any([context.signal, deadline]);
  return storage.run({ fresh: false, ...context, signal }, () => fn(deadline));
}

export function currentCallContext(): CallContext | undefined {
  return storage.getStore();
}
