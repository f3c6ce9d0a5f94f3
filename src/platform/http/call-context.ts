import { AsyncLocalStorage } from 'node:async_hooks';

/** What the request being answered asks of the reads made for it. */
export interface CallContext {
  /** Skip the cache of shared reads (`Cache-Control: no-cache`, DESIGN 2). */
  readonly fresh: boolean;
  /** Ends reads early when the client has gone. */
  readonly signal: AbortSignal;
}

const storage = new AsyncLocalStorage<CallContext>();

/** Runs `fn` so that every read made inside follows the context. */
export function withCallContext<T>(context: CallContext, fn: () => T): T {
  return storage.run(context, fn);
}

/** Runs `fn` for everyone: what it reads is not ended when the client that happened to ask first goes away. */
export function outsideCallContext<T>(fn: () => T): T {
  return storage.exit(fn);
}

export function currentCallContext(): CallContext | undefined {
  return storage.getStore();
}
