import { currentRequest } from '../logging/current-request.js';
import { USER_AGENT } from './upstream.constants.js';
import type { UpstreamHeaders } from './upstream-client.js';

const READ_HEADERS: UpstreamHeaders = {
  accept: 'application/json',
  'accept-encoding': 'gzip, deflate, br',
  'user-agent': USER_AGENT,
};
const BODY_HEADERS: UpstreamHeaders = { ...READ_HEADERS, 'content-type': 'application/json' };

/** All header lines of the service's choice, written from scratch (S-49); undici adds `host`, `connection`, `content-length`. */
export function allHeaders(own: UpstreamHeaders | undefined, body: string | undefined): UpstreamHeaders {
  const fixed = body === undefined ? READ_HEADERS : BODY_HEADERS;
  if (own === undefined) return fixed;
  const replaced = new Set(Object.keys(own).map((name) => name.toLowerCase()));
  return { ...Object.fromEntries(Object.entries(fixed).filter(([name]) => !replaced.has(name))), ...own };
}

/** Adds the header lines of the trace (W3C Trace Context) of the request being answered, where there is one. */
export function withTrace(headers: UpstreamHeaders): UpstreamHeaders {
  const request = currentRequest();
  return request === undefined ? headers : { ...headers, ...request.trace.forCall() };
}
