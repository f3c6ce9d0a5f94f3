import type { CallContext } from './call-context.js';
import { Callers } from './callers.js';
import type { Priority } from './priority.js';
import { type AnySignal, anyOf } from './stop-signal.js';
import type { UpstreamRequest } from './upstream-client.js';

/** One call as it is to be made, in the context of the request being answered. */
export interface Call {
  readonly method: UpstreamRequest['method'];
  readonly headers: UpstreamRequest['headers'];
  readonly body: string | undefined;
  readonly shared: boolean;
  /** The target of the request line. */
  readonly target: string;
  readonly callers: Callers;
  readonly priority: Priority;
  readonly signal: AnySignal | undefined;
  readonly beforeSend: UpstreamRequest['beforeSend'];
  readonly make: UpstreamRequest['make'];
  readonly once: boolean;
  readonly maxBodyBytes: number | undefined;
}

/** A call in the context of the request being answered; its own options come first. `target` is that of the request line. */
export function toCall(request: UpstreamRequest, target: string, context: CallContext): Call {
  const { method, headers, body, shared = false, beforeSend, make, once = false, maxBodyBytes } = request;
  return {
    method,
    headers,
    body,
    shared: shared && method === 'GET',
    target,
    callers: context.callers ?? new Callers(context.caller),
    priority: request.priority ?? context.priority ?? 'read',
    signal: signalOf(request, context.signal),
    beforeSend,
    make,
    once,
    maxBodyBytes,
  };
}

/** The signal of the call or of its context, whichever aborts first, ends a read; a change ends by its own alone. */
function signalOf({ method, signal: own }: UpstreamRequest, gone: AnySignal | undefined): AnySignal | undefined {
  if (method !== 'GET' || gone === undefined) return own;
  return own === undefined ? gone : anyOf(own, gone);
}
