import { AsyncLocalStorage } from 'node:async_hooks';
import type { TraceContext } from './trace-context.js';

/** Which request caused something, and from where. */
export interface RequestOrigin {
  /** `req_` + 26 characters; also the `X-Request-Id` header. */
  readonly id: string;
  /** The caller's address as `TRUST_PROXY` lets us know it. */
  readonly ip: string;
  readonly userAgent: string;
  /** What the client of an agent says that it is, which anybody may say; only of calls of tools. */
  readonly claimedClient?: string;
}

/**
 * A client's network and those around it, narrow to wide: /64, /56, /48 and /32 of IPv6; the address, /24, /16 and /8 of IPv4
 * (S-26).
 */
export type Networks = readonly [client: string, site: string, region: string, block: string];

/** What is known of the request being answered; any code can read it. */
export interface RequestContext extends RequestOrigin {
  readonly trace: TraceContext;
  /** From where it came. */
  networks(): Networks;
  /** Whether its client has gone, so that nobody waits for an answer. */
  hasGone(): boolean;
}

const storage = new AsyncLocalStorage<RequestContext>();

/** The context of the current request; undefined outside of one. */
export function currentRequest(): RequestContext | undefined {
  return storage.getStore();
}

/** Which request is being answered, as it may be stored; null outside of one. */
export function currentOrigin(): RequestOrigin | null {
  const request = storage.getStore();
  return request === undefined ? null : { id: request.id, ip: request.ip, userAgent: request.userAgent };
}

/** Runs `fn` so that everything in it belongs to the request. */
export function withRequest<T>(context: RequestContext, fn: () => T): T {
  return storage.run(context, fn);
}

/** The ids that tie the lines of one request together, under the names that they have in the log. */
export function idsOf({ id, trace }: Pick<RequestContext, 'id' | 'trace'>): Record<string, string> {
  return { request_id: id, trace_id: trace.traceId, span_id: trace.spanId };
}
